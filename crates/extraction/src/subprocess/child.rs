//! The subprocess side: sets its limits, reads one file from its input, responds, and exits. It opens nothing.

use super::wire;
use crate::reader::{self, STACK_BYTES};
use std::io::{self, Read, Write};
use std::time::Duration;

/// Reads the file from `input` and writes the result to `output`. For a process that does nothing else: from now on
/// its memory and time are limited, and it cannot open files or connections.
pub fn read_in_subprocess(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    confine()?;
    let mut all = Vec::new();
    input.read_to_end(&mut all)?;
    let (file, limits) = wire::parse_request(all)?;
    confine_time(limits.time)?;
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let builder = thread.spawn(move || reader::read(&file, &limits))?;
    let answer = builder.join().map_err(|_panic| io::Error::other("the reader gave up"))?;
    wire::write_answer(answer, &mut output)?;
    output.flush()
}

#[cfg(unix)]
fn confine() -> io::Result<()> {
    use crate::limits::SUBPROCESS_MEMORY_BYTES_MAX;
    use rustix::process::{Resource, setrlimit};
    // No core dump: the file's content must not be written to disk.
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Fsize, at_most(0))?;
    // Its input and two outputs are already open.
    setrlimit(Resource::Nofile, at_most(3))?;
    setrlimit(Resource::As, at_most(SUBPROCESS_MEMORY_BYTES_MAX))?;
    Ok(())
}

/// The reader checks the deadline itself; this covers code that cannot.
#[cfg(unix)]
fn confine_time(time: Duration) -> io::Result<()> {
    use crate::limits::SUBPROCESS_CPU_EXTRA_SECONDS;
    use rustix::process::{Resource, Rlimit, setrlimit};
    let seconds = time.as_secs() + SUBPROCESS_CPU_EXTRA_SECONDS;
    // The signal of the soft limit identifies the reason; that of the hard limit does not.
    Ok(setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) })?)
}

#[cfg(unix)]
fn at_most(value: u64) -> rustix::process::Rlimit {
    rustix::process::Rlimit { current: Some(value), maximum: Some(value) }
}

#[cfg(not(unix))]
fn confine() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn confine_time(_time: Duration) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
