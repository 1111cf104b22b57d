//! The value of `$'…'`.

/// Decodes the inside of `$'…'`; `None` if the value depends on the locale or the version of bash.
///
/// As in bash, a NUL ends the value: what follows it is dropped. Code points above 127 (`\u`, `\U`)
/// are given in UTF-8; bash does so in a UTF-8 locale only, so they are `None` here unless ASCII.
pub fn decode(raw: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let value = match bytes.next() {
            None => b'\\',
            Some(b'a') => 0x07,
            Some(b'b') => 0x08,
            Some(b'e' | b'E') => 0x1b,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'v') => 0x0b,
            Some(quoted @ (b'\\' | b'\'' | b'"' | b'?')) => quoted,
            Some(digit @ b'0'..=b'7') => {
                let mut code = u32::from(digit & 7);
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(|b| matches!(b, b'0'..=b'7')) else { break };
                    code = code << 3 | u32::from(next & 7);
                }
                // Bash keeps the low eight bits.
                u8::try_from(code & 0xff).ok()?
            }
            Some(b'x') => {
                // `\x{…}` is read by some versions only.
                if bytes.peek() == Some(&b'{') {
                    return None;
                }
                match number(&mut bytes, 2) {
                    Some(code) => u8::try_from(code).ok()?,
                    None => {
                        out.extend_from_slice(b"\\x");
                        continue;
                    }
                }
            }
            Some(letter @ (b'u' | b'U')) => match number(&mut bytes, if letter == b'u' { 4 } else { 8 }) {
                Some(code) => u8::try_from(code).ok().filter(u8::is_ascii)?,
                None => {
                    out.extend_from_slice(&[b'\\', letter]);
                    continue;
                }
            },
            // A control character; versions differ on `\c\` and on what is not a letter.
            Some(b'c') => match bytes.next() {
                Some(letter) if letter.is_ascii_alphabetic() => letter & 0x1f,
                _ => return None,
            },
            Some(other) => {
                out.push(b'\\');
                other
            }
        };
        if value == 0 {
            return Some(out);
        }
        out.push(value);
    }
    Some(out)
}

fn number(bytes: &mut std::iter::Peekable<impl Iterator<Item = u8>>, most: usize) -> Option<u32> {
    let mut code = None;
    for _ in 0..most {
        let Some(digit) = bytes.next_if(u8::is_ascii_hexdigit) else { break };
        let digit = char::from(digit).to_digit(16).unwrap_or(0);
        code = Some(code.unwrap_or(0_u32) << 4 | digit);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_have_their_values() {
        for (raw, value) in [
            (r"\x63url", "curl"),
            (r"\143url", "curl"),
            (r"\u0063url", "curl"),
            (r"\U00000063url", "curl"),
            (r"c\x75\162l", "curl"),
            (r"\'\\", r"'\"),
            (r"\A", r"\A"),
            (r"\xZZ", r"\xZZ"),
            (r"\uZ", r"\uZ"),
            (r"a\0junk", "a"),
            (r"a\x00junk", "a"),
            (r"\ca", "\x01"),
        ] {
            assert_eq!(decode(raw.as_bytes()).as_deref(), Some(value.as_bytes()), "{raw}");
        }
        assert_eq!(decode(br"\777").as_deref(), Some(&[0xff][..]));
    }

    #[test]
    fn what_depends_on_locale_or_version_is_not_decoded() {
        for raw in [r"\u00e9", r"\ud800", r"\U0010ffff", r"\x{41}", r"\c\a"] {
            assert_eq!(decode(raw.as_bytes()), None, "{raw}");
        }
    }
}
