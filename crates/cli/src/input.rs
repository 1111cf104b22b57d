//! Texts that come from a file or stdin, within bounds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::failure::Failure;

/// The most bytes that are read: far above any reply, far below what would hurt.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// All of stdin as text.
pub(crate) fn stdin(what: &str) -> Result<String, Failure> {
    text(io::stdin().lock(), MAX_BYTES)
        .map_err(|error| Failure::io(format!("reading {what} from stdin"), error))
}

/// All of a file as text, or of stdin where it is named `-`.
pub(crate) fn file_or_stdin(what: &str, path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        return stdin(what);
    }
    let read = File::open(path).and_then(|file| text(file, MAX_BYTES));
    read.map_err(|error| Failure::io(format!("reading {what} from {}", path.display()), error))
}

fn text(from: impl Read, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("there are more than {most} bytes")));
    }
    // A command that is changed on the way in is another command: nothing is replaced.
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8 at byte {at}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_or_no_text_is_an_error() {
        assert_eq!(text(&b"abc"[..], 3).unwrap(), "abc");
        assert!(text(&b"abcd"[..], 3).is_err());
        assert!(text(&b"a\xffb"[..], 9).unwrap_err().to_string().contains("byte 1"));
    }
}
