//! The process that reads one file: it takes its limits, reads its input, answers, and ends. It opens nothing.

use super::wire;
use crate::pool::STACK_BYTES;
use std::io::{self, Read, Write};
use std::time::Duration;

/// Reads the file that comes from `input`, and writes what was found to `output`. For a process that does nothing else:
/// from now on it has little memory and time, and can open no file and no connection.
pub fn read_as_program(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    confine()?;
    let mut all = Vec::new();
    input.read_to_end(&mut all)?;
    let (file, limits) = wire::asked(all)?;
    confine_time(limits.time)?;
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let reading = thread.spawn(move || crate::read(&file, &limits))?;
    let answer = reading.join().map_err(|_panic| io::Error::other("the reader gave up"))?;
    wire::write_answer(answer, &mut output)?;
    output.flush()
}

#[cfg(unix)]
fn confine() -> io::Result<()> {
    use crate::limits::PROGRAM_MEMORY_BYTES_MAX;
    use rustix::process::{Resource, setrlimit};
    // What the file holds does not go to the disk when the reader breaks.
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Fsize, at_most(0))?;
    // Its input and its two outputs are open already.
    setrlimit(Resource::Nofile, at_most(3))?;
    setrlimit(Resource::As, at_most(PROGRAM_MEMORY_BYTES_MAX))?;
    Ok(())
}

/// The reader looks at the clock by itself; this is for what does not let it look.
#[cfg(unix)]
fn confine_time(time: Duration) -> io::Result<()> {
    use crate::limits::PROGRAM_CPU_EXTRA_SECONDS;
    use rustix::process::{Resource, Rlimit, setrlimit};
    let seconds = time.as_secs() + PROGRAM_CPU_EXTRA_SECONDS;
    // The signal of the first limit tells why it ends; that of the second is one for everything.
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
