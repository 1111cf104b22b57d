//! The characters that secrets and the words around them are made of.

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Letters and digits.
    Word,
    /// Words with `_` and `-`.
    Wordy,
    /// The same with `.`.
    Dotted,
    Base64,
    /// Words of an address, where other bytes are `%` and their number.
    Escaped,
    /// Capitals and digits.
    Capitals,
    Hexadecimal,
}

impl Alphabet {
    pub(super) const fn holds(self, b: u8) -> bool {
        CLASSES[b as usize] & self.bit() != 0
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    const fn lists(self, b: u8) -> bool {
        match self {
            Self::Word => b.is_ascii_alphanumeric(),
            Self::Wordy => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
            Self::Dotted => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'),
            Self::Base64 => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
            Self::Escaped => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'%'),
            Self::Capitals => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Hexadecimal => b.is_ascii_hexdigit(),
        }
    }
}

const ALL: [Alphabet; 7] = [
    Alphabet::Word,
    Alphabet::Wordy,
    Alphabet::Dotted,
    Alphabet::Base64,
    Alphabet::Escaped,
    Alphabet::Capitals,
    Alphabet::Hexadecimal,
];

/// The alphabets that hold each byte, by their bits.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut b = 0;
    while b < 256 {
        let mut at = 0;
        while at < ALL.len() {
            if ALL[at].lists(b as u8) {
                classes[b] |= ALL[at].bit();
            }
            at += 1;
        }
        b += 1;
    }
    classes
};

pub(super) const fn word(b: u8) -> bool {
    Alphabet::Word.holds(b)
}

pub(super) const fn wordy(b: u8) -> bool {
    Alphabet::Wordy.holds(b)
}

pub(super) const fn dotted(b: u8) -> bool {
    Alphabet::Dotted.holds(b)
}
