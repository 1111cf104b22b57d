//! Takes single layers away, to see that something then gets through.
//!
//! A layer that no attack misses is either useless or untested. Only builds with the feature
//! `danger-ablation`, which tests turn on, can take anything away; in others this is nothing.

#![cfg_attr(not(feature = "danger-ablation"), allow(unreachable_pub))]

/// A layer of the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The read-only sweep over the host's files.
    Sweep,
    /// The covers over hidden paths.
    Hides,
    /// The covers over protected names.
    Pins,
    /// The private `/tmp`, `/dev` and `/run`.
    Scratch,
    /// The fresh process list.
    FreshProc,
    /// The read-only parts of the process list.
    ClosedProc,
    /// Dropped capabilities and the promise not to gain any.
    Capabilities,
    /// The Landlock rules.
    Landlock,
    /// The system call filter.
    Seccomp,
    /// The first process being closed to the others.
    ClosedInit,
    /// Closing what the caller has open.
    Descriptors,
}

/// What was taken away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    #[cfg(feature = "danger-ablation")]
    bits: u32,
}

impl Removed {
    /// Whether a layer was taken away.
    #[cfg(feature = "danger-ablation")]
    pub(crate) fn lacks(self, layer: Layer) -> bool {
        self.bits & 1 << layer as u32 != 0
    }

    /// Whether a layer was taken away: never.
    #[cfg(not(feature = "danger-ablation"))]
    pub(crate) const fn lacks(self, _: Layer) -> bool {
        false
    }

    /// Takes one more layer away.
    #[cfg(feature = "danger-ablation")]
    pub(crate) fn and(mut self, layer: Layer) -> Self {
        self.bits |= 1 << layer as u32;
        self
    }
}
