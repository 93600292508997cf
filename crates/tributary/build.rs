//! Packs the addresses that the loader has to adjust: 100 kB in place of 3 MB. The C library unpacks them from 2.36 on.
//! `TRIBUTARY_GLIBC_MIN` names the oldest one that the program is for; without it, it is for that of this machine.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "Cargo and a build script talk by these"
)]

use std::env;
use std::process::Command;

const OLDEST: &str = "TRIBUTARY_GLIBC_MIN";
const UNPACKS_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={OLDEST}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let is_this_machine = env::var("HOST").ok() == env::var("TARGET").ok();
    let oldest = env::var(OLDEST).ok().or_else(installed);
    let unpacks = oldest.as_deref().and_then(version).is_some_and(|oldest| oldest >= UNPACKS_SINCE);
    if is_glibc && is_this_machine && unpacks {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
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
