//! Embeds the files of `web/` again when one is added, such as that of a language.
#![expect(clippy::disallowed_macros, reason = "Cargo and a build script talk by this")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../web");
}
