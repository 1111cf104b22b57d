//! Short byte strings without an allocation.

use std::fmt;
use std::ops::Deref;

const INLINE: usize = 22;

/// An immutable byte string; up to 22 bytes are kept in place.
///
/// Most words of a command are short, and a tree has one of these for each.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Inline { len: u8, bytes: [u8; INLINE] },
    Heap(Box<[u8]>),
}

impl Text {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Repr::Heap(bytes) => bytes,
        }
    }

    /// The text, with anything that is not UTF-8 replaced.
    pub fn to_str_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
}

impl From<&[u8]> for Text {
    fn from(source: &[u8]) -> Self {
        let mut bytes = [0; INLINE];
        match (bytes.get_mut(..source.len()), u8::try_from(source.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(source);
                Text(Repr::Inline { len, bytes })
            }
            _ => Text(Repr::Heap(source.into())),
        }
    }
}

impl From<&str> for Text {
    fn from(source: &str) -> Self {
        source.as_bytes().into()
    }
}

impl From<Vec<u8>> for Text {
    fn from(source: Vec<u8>) -> Self {
        if source.len() <= INLINE { source.as_slice().into() } else { Text(Repr::Heap(source.into())) }
    }
}

impl Default for Text {
    fn default() -> Self {
        Text(Repr::Inline { len: 0, bytes: [0; INLINE] })
    }
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialEq<[u8]> for Text {
    fn eq(&self, other: &[u8]) -> bool {
        self.as_bytes() == other
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_texts_compare_by_their_bytes() {
        for len in [0, 1, 21, 22, 23, 24, 300] {
            let bytes = vec![b'x'; len];
            assert_eq!(Text::from(bytes.as_slice()), Text::from(bytes.clone()));
            assert_eq!(&*Text::from(bytes.clone()), bytes.as_slice());
        }
        assert_ne!(Text::from("a"), Text::from("a\0"));
    }

    #[test]
    fn a_text_is_no_larger_than_a_vector() {
        assert_eq!(size_of::<Text>(), size_of::<Vec<u8>>());
    }
}
