//! How a request looks on the way to the spawner: plain bytes, lengths before contents.
//!
//! Both ends are the same program, so there are no versions. Still nothing read is believed: what
//! doesn't fit is no value.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::time::Duration;

use crate::enforcement::{Level, Stage};
use crate::error::Error;
use crate::machine::Machine;
use crate::plan::{Stamp, Watched};
use crate::policy::{
    Guard, Limits, Nesting, Network, Policy, Privileges, Protected, Scratch, Strictness, View,
};
use crate::sys::Errno;

/// A value that can be sent.
pub(crate) trait Wire: Sized {
    /// Appends the value's bytes.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes the value off the front of the bytes.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

fn cut<'a>(from: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (front, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(front)
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.to_ne_bytes());
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(Self::from_ne_bytes(cut(from, size_of::<Self>())?.try_into().ok()?))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i32, i64);

/// A struct is its fields in order.
macro_rules! fields {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Wire::take(from)?),* })
            }
        }
    };
}

/// An enum without contents is its number.
macro_rules! variants {
    ($name:ident { $($variant:ident = $number:literal),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(match self { $(Self::$variant => $number),* });
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                match u8::take(from)? {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

fields!(Policy {
    home,
    writable,
    view,
    hidden,
    protected,
    network,
    limits,
    environment,
    scratch,
    strictness,
    nesting,
    privileges,
    least,
});
fields!(Protected { name, guard });
fields!(Limits { wall, cpu, memory, processes, file_size, open_files, scratch, scratch_files, output });
fields!(Machine { landlock_abi, seccomp, namespaces_refused, fresh_proc_refused, network_refused });
fields!(Watched { path, before });
fields!(Stamp { device, inode, seconds, nanos, size });
variants!(Guard { ReadOnly = 0, Report = 1 });
variants!(Scratch { Private = 0, Host = 1 });
variants!(Strictness { Standard = 0, Strict = 1 });
variants!(Nesting { Deny = 0, Allow = 1 });
variants!(Privileges { None = 0, Files = 1 });
variants!(Level { None = 0, Landlock = 1, FullNoProc = 2, Full = 3 });

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        match u8::take(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Wire for Vec<u8> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend(self);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let length = usize::try_from(u64::take(from)?).ok()?;
        cut(from, length).map(<[u8]>::to_vec)
    }
}

impl Wire for OsString {
    fn put(&self, out: &mut Vec<u8>) {
        (self.as_bytes().len() as u64).put(out);
        out.extend(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Vec::take(from).map(Self::from_vec)
    }
}

impl Wire for PathBuf {
    fn put(&self, out: &mut Vec<u8>) {
        (self.as_os_str().as_bytes().len() as u64).put(out);
        out.extend(self.as_os_str().as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        OsString::take(from).map(Self::from)
    }
}

impl Wire for Cow<'static, str> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        String::take(from).map(Self::Owned)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(Vec::take(from)?).ok()
    }
}

macro_rules! lists {
    ($($of:ty),*) => {$(
        impl Wire for Vec<$of> {
            fn put(&self, out: &mut Vec<u8>) {
                (self.len() as u64).put(out);
                for item in self {
                    item.put(out);
                }
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                let length = usize::try_from(u64::take(from)?).ok()?;
                // Every item takes a byte at least, so a length from nowhere reserves nothing.
                let mut list = Self::with_capacity(length.min(from.len()));
                for _ in 0..length {
                    list.push(Wire::take(from)?);
                }
                Some(list)
            }
        }
    )*};
}

lists!(PathBuf, String, Cow<'static, str>, OsString, Protected, (OsString, OsString), Watched);

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(if bool::take(from)? { Some(T::take(from)?) } else { None })
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl Wire for Duration {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_secs().put(out);
        self.subsec_nanos().put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let (seconds, nanos) = (u64::take(from)?, u32::take(from)?);
        (nanos < 1_000_000_000).then(|| Self::new(seconds, nanos))
    }
}

impl Wire for Errno {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        i32::take(from).map(Self)
    }
}

impl Wire for Stage {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Self::from_number(u64::take(from)?)
    }
}

impl Wire for View {
    fn put(&self, out: &mut Vec<u8>) {
        let paths = match self {
            Self::Everything => None,
            Self::Only(paths) => Some(paths.clone()),
        };
        paths.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let paths: Option<Vec<PathBuf>> = Wire::take(from)?;
        Some(paths.map_or(Self::Everything, Self::Only))
    }
}

impl Wire for Network {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Deny => out.push(0),
            Self::Loopback => out.push(1),
            Self::Allow => out.push(2),
            Self::Only(names) => {
                out.push(3);
                names.put(out);
            }
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(from)? {
            0 => Self::Deny,
            1 => Self::Loopback,
            2 => Self::Allow,
            3 => Self::Only(Wire::take(from)?),
            _ => return None,
        })
    }
}

/// Errors of making a plan; others don't come from the spawner.
impl Wire for Error {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::NetworkScope => out.push(0),
            Self::BadPath { path } => {
                out.push(1);
                path.put(out);
            }
            Self::Writable { path, errno } => {
                out.push(2);
                path.put(out);
                errno.put(out);
            }
            Self::WritableHidden { path, hidden } => {
                out.push(3);
                path.put(out);
                hidden.put(out);
            }
            Self::WritableEscapes { path, target } => {
                out.push(4);
                path.put(out);
                target.put(out);
            }
            Self::BadCommand => out.push(5),
            _ => out.push(6),
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(from)? {
            0 => Self::NetworkScope,
            1 => Self::BadPath { path: Wire::take(from)? },
            2 => Self::Writable { path: Wire::take(from)?, errno: Wire::take(from)? },
            3 => Self::WritableHidden { path: Wire::take(from)?, hidden: Wire::take(from)? },
            4 => Self::WritableEscapes { path: Wire::take(from)?, target: Wire::take(from)? },
            5 => Self::BadCommand,
            6 => Self::System { doing: "planning the boundary", errno: Errno(libc::EIO) },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes<T: Wire>(value: &T) -> Vec<u8> {
        let mut out = Vec::new();
        value.put(&mut out);
        out
    }

    fn round<T: Wire + PartialEq + std::fmt::Debug>(value: T) {
        let out = bytes(&value);
        let mut rest = out.as_slice();
        assert_eq!(T::take(&mut rest), Some(value));
        assert!(rest.is_empty());
        for length in 0..out.len().min(4000) {
            assert_eq!(T::take(&mut &out[..length]).map(|_| ()), None, "cut at {length}");
        }
    }

    #[test]
    fn policies_survive() {
        let mut policy = Policy::workspace_write("/home/ann".as_ref(), "/home/ann/w".as_ref());
        round(policy.clone());
        policy.network = Network::Only(vec!["a.example".into()]);
        policy.view = View::Only(vec!["/usr".into()]);
        policy.limits.wall = Some(Duration::from_millis(1500));
        policy.hidden.truncate(3);
        policy.protected.truncate(3);
        policy.environment.truncate(3);
        round(policy);
    }

    #[test]
    fn machines_and_errors_survive() {
        round(Machine {
            landlock_abi: 7,
            seccomp: true,
            namespaces_refused: Some((Stage::Identity, Errno(1))),
            fresh_proc_refused: None,
            network_refused: Some(Errno(2)),
        });
        round(Error::Writable { path: "/x".into(), errno: Errno(2) });
        round(Error::WritableEscapes { path: "/x".into(), target: "/y".into() });
        round(Error::BadCommand);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn rubbish_is_no_value_and_no_panic(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
            Policy::take(&mut noise.as_slice());
            Machine::take(&mut noise.as_slice());
            Error::take(&mut noise.as_slice());
            Vec::<PathBuf>::take(&mut noise.as_slice());
        }

        #[test]
        fn words_survive(words in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let words: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
            let out = bytes(&words);
            prop_assert_eq!(Vec::<OsString>::take(&mut out.as_slice()), Some(words));
        }
    }
}
