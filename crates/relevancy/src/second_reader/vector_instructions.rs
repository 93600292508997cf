//! The vector instructions of this machine.

use pulp::Arch;
use std::sync::LazyLock;

/// The widest vector instructions of this machine, detected once.
pub static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);
