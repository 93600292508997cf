//! Makes the program smaller when it is linked.
//!
//! - Addresses that the loader has to adjust are packed: 100 kB in place of 3 MB. The C library unpacks them from 2.36
//!   on. `TRIBUTARY_GLIBC_MIN` names the oldest one that the program is for; without it, it is for that of this machine.
//! - Functions with the same machine code become one, in a release build: 1.1 MB less. Rust's own linker can do that;
//!   another one may not, so it is tried out first.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "Cargo and a build script talk by these"
)]

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

const OLDEST: &str = "TRIBUTARY_GLIBC_MIN";
const UNPACKS_SINCE: (u32, u32) = (2, 36);
const FOLD_SAME_CODE: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={OLDEST}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux");
    let is_this_machine = env::var("HOST").ok() == env::var("TARGET").ok();
    let oldest = env::var(OLDEST).ok().or_else(installed);
    let unpacks = oldest.as_deref().and_then(version).is_some_and(|oldest| oldest >= UNPACKS_SINCE);
    if is_linux && is("CARGO_CFG_TARGET_ENV", "gnu") && is_this_machine && unpacks {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    if is_linux && is("PROFILE", "release") && links_with(FOLD_SAME_CODE) {
        println!("cargo::rustc-link-arg-bins={FOLD_SAME_CODE}");
    }
}

/// Whether an empty program can be linked with the option.
fn links_with(option: &str) -> bool {
    let (Ok(rustc), Ok(target), Ok(folder)) = (env::var("RUSTC"), env::var("TARGET"), env::var("OUT_DIR"))
    else {
        return false;
    };
    let source = Path::new(&folder).join("empty.rs");
    if std::fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let mut command = Command::new(rustc);
    command.arg(&source).args(["--target", &target, "--out-dir", &folder, "-C"]);
    command.arg(format!("link-arg={option}")).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.args(["-C", &format!("linker={linker}")]);
    }
    command.status().is_ok_and(|status| status.success())
}

/// The version of this machine's C library, such as "glibc 2.36".
fn installed() -> Option<String> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    String::from_utf8(output.stdout).ok()
}

fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().trim_start_matches("glibc ").split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
