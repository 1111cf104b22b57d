//! Turns what was kept of an output into text.

use std::fmt::Write as _;

use toolgate_exec::{OutputStream, Truncation};

use super::capture::{Capture, Piece, line_ends};

/// What marks a line of standard error in the text of both streams.
const STDERR_TAG: &str = "[stderr] ";

/// The texts of an output.
#[derive(Debug)]
pub(super) struct Rendered {
    /// Both streams, line by line in the order in which the lines began.
    pub(super) both: String,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) truncation: Option<Truncation>,
}

enum Line {
    Of(OutputStream, Vec<u8>),
    Gap,
}

/// `read` says how to read on from the first line, or byte, that is not shown.
pub(super) fn render(capture: &Capture, read: &dyn Fn(u64, u64, bool) -> Option<String>) -> Rendered {
    let (pieces, truncation) = capture.pieces();
    let notice = truncation.map_or_else(String::new, |cut| {
        let before = pieces.iter().map_while(|piece| match piece {
            Piece::Bytes(_, bytes) => Some(bytes.as_slice()),
            Piece::Gap(_) => None,
        });
        let (bytes, lines) = before
            .fold((0, 0), |(bytes, lines), piece| (bytes + piece.len() as u64, lines + line_ends(piece)));
        let by_line = cut.dropped_lines > 0;
        let read = read(lines + 1, bytes, by_line).map_or_else(String::new, |how| format!("; {how}"));
        format!(
            "[… toolgate: {} of {} bytes ({} lines) not shown{read} …]",
            cut.dropped_bytes, cut.total_bytes, cut.dropped_lines
        )
    });
    Rendered {
        both: both(&pieces, &notice),
        stdout: one(&pieces, OutputStream::Stdout),
        stderr: one(&pieces, OutputStream::Stderr),
        truncation,
    }
}

/// A line stands where its first byte came, so that two streams never mix within a line.
fn both(pieces: &[Piece], notice: &str) -> String {
    let mut lines: Vec<Line> = Vec::new();
    // Where in `lines` the unfinished line of standard output and of standard error is.
    let mut open: [Option<usize>; 2] = [None; 2];
    let slot = |stream| usize::from(stream == OutputStream::Stderr);
    for piece in pieces {
        match piece {
            Piece::Gap(streams) => {
                for stream in streams {
                    if let Some(open) = open.get_mut(slot(*stream)) {
                        *open = None;
                    }
                }
                lines.push(Line::Gap);
            }
            Piece::Bytes(stream, bytes) => {
                let Some(open) = open.get_mut(slot(*stream)) else { continue };
                for part in bytes.split_inclusive(|b| *b == b'\n') {
                    let (text, ends) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
                    match open.and_then(|at| lines.get_mut(at)) {
                        Some(Line::Of(_, line)) => line.extend_from_slice(text),
                        _ => {
                            *open = Some(lines.len());
                            lines.push(Line::Of(*stream, text.to_vec()));
                        }
                    }
                    if ends {
                        *open = None;
                    }
                }
            }
        }
    }
    let mut out = String::new();
    for (at, line) in lines.into_iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match line {
            Line::Of(stream, bytes) => {
                if stream == OutputStream::Stderr {
                    out.push_str(STDERR_TAG);
                }
                out.push_str(&String::from_utf8_lossy(&bytes));
            }
            Line::Gap => out.push_str(notice),
        }
    }
    out
}

fn one(pieces: &[Piece], stream: OutputStream) -> String {
    let mut out = String::new();
    let mut run: Vec<u8> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(s, bytes) if *s == stream => run.extend_from_slice(bytes),
            Piece::Gap(streams) if streams.contains(&stream) => {
                out.push_str(&String::from_utf8_lossy(&run));
                run.clear();
                let _ = write!(out, "\n[… not shown …]\n");
            }
            _ => {}
        }
    }
    out.push_str(&String::from_utf8_lossy(&run));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutputStream::{Stderr, Stdout};

    fn of(pieces: &[(OutputStream, &str)]) -> Rendered {
        let mut capture = Capture::new(50_000);
        pieces.iter().for_each(|(stream, text)| capture.push(*stream, text.as_bytes()));
        render(&capture, &|_, _, _| None)
    }

    #[test]
    fn lines_of_standard_error_are_tagged_where_they_began() {
        let out = of(&[(Stdout, "a\nb"), (Stderr, "oops\n"), (Stdout, "c\n"), (Stderr, "x")]);
        assert_eq!(out.both, "a\nbc\n[stderr] oops\n[stderr] x");
        assert_eq!((&*out.stdout, &*out.stderr), ("a\nbc\n", "oops\nx"));
    }

    #[test]
    fn blank_lines_stay() {
        assert_eq!(of(&[(Stdout, "a\n\n\nb\n")]).both, "a\n\n\nb");
        assert_eq!(of(&[(Stdout, "\n\n")]).both, "\n");
    }

    #[test]
    fn a_character_split_by_the_other_stream_is_whole() {
        let mut capture = Capture::new(50_000);
        capture.push(Stdout, &"é".as_bytes()[..1]);
        capture.push(Stderr, b"e\n");
        capture.push(Stdout, &"é".as_bytes()[1..]);
        assert_eq!(render(&capture, &|_, _, _| None).both, "é\n[stderr] e");
        assert_eq!(render(&capture, &|_, _, _| None).stdout, "é");
    }

    #[test]
    fn a_cut_says_how_much_is_missing_and_where_to_read_on() {
        let mut capture = Capture::new(50_000);
        (0..20_000).for_each(|n| capture.push(Stdout, format!("line {n}\n").as_bytes()));
        let out =
            render(&capture, &|line, byte, by_line| by_line.then(|| format!("line {line}, byte {byte}")));
        let cut = out.truncation.unwrap();
        let head = &out.both[..out.both.find("[…").unwrap()];
        let notice = format!(
            "[… toolgate: {} of 208890 bytes ({} lines) not shown; line {}, byte {} …]",
            cut.dropped_bytes,
            cut.dropped_lines,
            head.lines().count() + 1,
            head.len(),
        );
        assert!(out.both.contains(&notice), "{notice}");
        assert!(out.both.starts_with("line 0\n") && out.both.ends_with("line 19999"));
        assert!(out.stdout.contains("\n[… not shown …]\n"));
    }
}
