//! Tables whose keys are hashes already.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table by hash. All of ours are small and bounded, so keys made to collide cost little.
pub(crate) type Known<V> = HashMap<u64, V, BuildHasherDefault<AsIs>>;
/// A set of hashes.
pub(crate) type KnownSet = HashSet<u64, BuildHasherDefault<AsIs>>;

/// Takes a hash as it is.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, value: u64) {
        // The upper bits pick the group, the lower ones the place: both must vary.
        self.0 = value ^ value.rotate_left(32);
    }
}
