//! What single bytes mean.

/// Ends an unquoted literal: quotes, expansions, metacharacters, controls.
pub(super) const STOP: u8 = 1;
/// `*`, `?`, `[`
pub(super) const GLOB: u8 = 2;
/// `{`, `}`, `,`
pub(super) const BRACE: u8 = 4;
/// `~`
pub(super) const TILDE: u8 = 8;
/// Above 127.
pub(super) const HIGH: u8 = 16;
/// May stand in a name.
pub(super) const NAME: u8 = 32;

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'\\' | b'\'' | b'"' | b'`' | b'$' => STOP,
        b'<' | b'>' | b'(' | b')' | b';' | b'&' | b'|' | b' ' | b'\t' | b'\n' => STOP,
        0..=0x1f | 0x7f => STOP,
        b'*' | b'?' | b'[' => GLOB,
        b'{' | b'}' | b',' => BRACE,
        b'~' => TILDE,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => NAME,
        0x80.. => HIGH,
        _ => 0,
    }
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    loop {
        // The index is a byte and the table has 256 entries.
        #[allow(clippy::indexing_slicing)]
        {
            classes[byte as usize] = class_of(byte);
        }
        if byte == u8::MAX {
            break;
        }
        byte = byte.wrapping_add(1);
    }
    classes
};

#[inline]
pub(super) fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(STOP)
}

#[inline]
pub(super) fn is_name(byte: u8) -> bool {
    class(byte) & NAME != 0
}

#[inline]
pub(super) fn is_name_start(byte: u8) -> bool {
    class(byte) & NAME != 0 && !byte.is_ascii_digit()
}

#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a token ends before this byte. The end of the text counts (it reads as 0).
#[inline]
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, 0 | b' ' | b'\t' | b'\n' | b'<' | b'>' | b'(' | b')' | b';' | b'&' | b'|')
}

/// Whether a character is a space of some kind that is not a blank of bash in UTF-8 locales.
///
/// In other locales and on other systems bash may split at it.
pub(super) fn is_odd_blank(c: char) -> bool {
    !c.is_ascii() && (c.is_whitespace() || matches!(c, '\u{180e}' | '\u{200b}' | '\u{2060}' | '\u{feff}'))
}
