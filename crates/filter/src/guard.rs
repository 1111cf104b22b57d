//! Tells which lines no rule may lose: the engine's memory of what matters.
//!
//! Judged on the clean text of one line, whatever the tool, the rule or the language. A line is
//! *guarded* when it speaks of trouble, and *vital* when it states some. The words are data
//! (`words.txt`), compiled into an automaton so that judging costs one pass over the line.

use crate::scan;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Nothing in it speaks of trouble.
    Plain,
    /// It holds a word of trouble or a place in a file: only a built-in rule that knows the
    /// whole shape of the line may leave it out.
    Guarded,
    /// It states an error, a failure or a warning: nothing may leave it out.
    Vital,
}

struct Automaton {
    /// Which three letters a word begins with, five bits a letter.
    begins: &'static [u64; 512],
    guarded: u16,
    vital: u16,
    class: &'static [u8; 256],
    next: &'static [u16],
}

/// Five bits of a byte: letters without case, and what words of trouble hold beside them.
static FIVE: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut byte = 0usize;
    while byte < 256 {
        table[byte] = five(byte as u8);
        byte += 1;
    }
    table
};

/// The same as in the build script.
const fn five(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a' + 1,
        b'A'..=b'Z' => byte - b'A' + 1,
        b':' => 28,
        b' ' => 29,
        b'*' => 30,
        0x80.. => byte & 0x1f,
        _ => 27,
    }
}

mod tables {
    use super::Automaton;
    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

impl Automaton {
    /// Whether some word may begin in the text: quick, and mostly the last word.
    fn may_hold(&self, text: &[u8]) -> bool {
        let mut three = 0usize;
        let mut hit = 0u64;
        for part in text.chunks(64) {
            for byte in part {
                three = (three << 5 | usize::from(FIVE[usize::from(*byte)])) & 0x7fff;
                hit |= self.begins[three >> 6] >> (three & 63) & 1;
            }
            if hit != 0 {
                return true;
            }
        }
        false
    }

    /// Strongest mark of a word in the text.
    fn scan(&self, text: &[u8]) -> Weight {
        if !self.may_hold(text) {
            return Weight::Plain;
        }
        let mut state = 0u16;
        let mut found = Weight::Plain;
        for byte in text {
            state = self.next[usize::from(state) + usize::from(self.class[usize::from(*byte)])];
            if state >= self.guarded {
                if state >= self.vital {
                    return Weight::Vital;
                }
                found = Weight::Guarded;
            }
        }
        found
    }
}

/// Where the first word of trouble ends.
pub(crate) fn first_trouble(text: &str) -> Option<usize> {
    let walk = |automaton: &Automaton| {
        let mut state = 0u16;
        text.bytes().position(|byte| {
            state = automaton.next[usize::from(state) + usize::from(automaton.class[usize::from(byte)])];
            state >= automaton.guarded
        })
    };
    let ascii = walk(&tables::ASCII);
    let foreign = if text.is_ascii() { None } else { walk(&tables::FOREIGN) };
    match (ascii, foreign) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// How much this line matters.
///
/// ```
/// use toolgate_filter::{Weight, weigh};
/// assert_eq!(weigh("   Compiling serde v1.0.229"), Weight::Plain);
/// assert_eq!(weigh("test errors::are_kept ... ok"), Weight::Guarded);
/// assert_eq!(weigh("error[E0425]: cannot find function `f`"), Weight::Vital);
/// ```
#[must_use]
pub fn weigh(line: &str) -> Weight {
    let bytes = line.as_bytes();
    let mut weight = tables::ASCII.scan(bytes);
    if weight != Weight::Vital && !bytes.is_ascii() {
        weight = weight.max(tables::FOREIGN.scan(bytes));
    }
    match weight {
        Weight::Vital => Weight::Vital,
        Weight::Guarded if states_trouble(line) => Weight::Vital,
        Weight::Guarded => Weight::Guarded,
        Weight::Plain if place(line).is_some() => Weight::Guarded,
        Weight::Plain => Weight::Plain,
    }
}

/// Openings of a line that state trouble, in lower case, as they stand before `:`, `[`, a blank or the end.
const OPENINGS: &[&str] = &[
    "error",
    "errors",
    "fatal",
    "failed",
    "fail",
    "failure",
    "failures",
    "failures:",
    "panic",
    "exception",
    "traceback",
    "conflict",
    "warning",
    "warn",
    "err",
    "err!",
    "critical",
    "abort",
    "aborted",
    "assertionerror",
    "e",
    "not",
    "caused",
    "make:",
    "ninja:",
    "fehler",
    "warnung",
    "erreur",
    "avertissement",
    "errore",
    "avviso",
    "erro",
    "aviso",
    "advertencia",
    "fout",
    "ошибка",
    "предупреждение",
    "hata",
    "uyarı",
    "błąd",
    "chyba",
    "错误",
    "错误：",
    "错误:",
    "警告",
    "エラー",
    "오류",
    "경고",
    "virhe",
    "fel",
    "feil",
    "✗",
    "✘",
    "✖",
    "❌",
    "×",
    "●",
    "xx",
    "!",
];

/// Whether a guarded line does not only speak of trouble but states it.
fn states_trouble(line: &str) -> bool {
    let trimmed = line.trim_start().trim_start_matches(['[', '(', '*', '-', '>', '│', '|', ' ']);
    let first: String = trimmed
        .chars()
        .take_while(|c| !matches!(c, ' ' | '\t' | ':' | '[' | ']' | '(' | '!' | '-'))
        .take(24)
        .flat_map(char::to_lowercase)
        .collect();
    if !first.is_empty() && OPENINGS.contains(&first.as_str()) {
        return true;
    }
    // Words in capitals are how tools shout: `test x ... FAILED`, `12:00:01 ERROR`, `: FATAL`.
    let bytes = line.as_bytes();
    for shout in ["FAIL", "ERROR", "FATAL", "PANIC", "CRITICAL", "WARN", "CONFLICT", "UNRECOVER", "DENIED"] {
        for at in scan::find_all(line, shout) {
            let before = at.checked_sub(1).map(|i| bytes[i]);
            if !before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return true;
            }
        }
    }
    if ends_in_trouble(line) {
        return true;
    }
    // `TypeError: …`, `java.lang.IllegalStateException: …`, `src/a.c:1:2: warning: …`
    for at in scan::find_all(line, ": ") {
        let head = &line[..at];
        let word = head.rsplit([' ', ':', '(', '\t']).next().unwrap_or("");
        let lower_end = word.to_ascii_lowercase();
        if [
            "error",
            "exception",
            "warning",
            "fatal",
            "failure",
            "panic",
            "fehler",
            "warnung",
            "erreur",
            "critical",
        ]
        .iter()
        .any(|end| lower_end.ends_with(end))
            && !word.is_empty()
        {
            return true;
        }
    }
    false
}

/// Ends of a line that say how it went, in lower case.
const ENDS: &[&str] = &[
    "failed",
    "failure",
    "refused",
    "denied",
    "not found",
    "timed out",
    "unreachable",
    "aborted",
    "killed",
    "rejected",
    "missing",
    "unsupported",
];

/// What a passing test begins with: its title may end in any word.
const PASSED: &[&str] = &["✓", "✔", "√", "✅", "ok ", "PASS", "(pass)", "--- PASS", "##"];

/// Whether a step of a tool ends in how it went wrong: `-- Looking for x.h - not found`.
fn ends_in_trouble(line: &str) -> bool {
    let text = line.trim_end_matches([' ', '.', '!', ')', ']', '\'', '"']);
    let Some(before) = ENDS.iter().find_map(|end| {
        let at = text.len().checked_sub(end.len()).filter(|at| text.is_char_boundary(*at))?;
        text[at..].eq_ignore_ascii_case(end).then(|| &text[..at])
    }) else {
        return false;
    };
    let word = before.trim_end().rsplit(' ').next().unwrap_or_default();
    before.ends_with(|c: char| !c.is_alphanumeric() && c != '_')
        && !matches!(word, "0" | "no" | "not" | "never" | "none")
        && !PASSED.iter().any(|mark| line.trim_start().starts_with(mark))
        && !scan::holds(line, "PASSED")
}

/// Whether a line can be why a command failed: it speaks of trouble, and not only of none
/// (`3 passed; 0 failed`, `Errors: 0`, a passing test named after an error).
pub(crate) fn tells_why(line: &str) -> bool {
    let text = line.trim();
    weigh(text) != Weight::Plain
        && !PASSED.iter().any(|mark| text.starts_with(mark))
        && !text.ends_with("... ok")
        && !scan::holds(text, "PASSED")
        && weigh(&without_zeroes(text)) != Weight::Plain
}

/// The line without what it says there is none of.
fn without_zeroes(line: &str) -> String {
    let none = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        bare == "0" || bare.eq_ignore_ascii_case("no")
    };
    let zero = |word: &str| word.trim_end_matches([',', ';', '.', ')', ']']) == "0";
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut kept = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        // `0 failed`, and `failed: 0` or `fail 0` at the end.
        let counted = words.get(at + 1).is_some_and(|next| zero(next))
            && (word.ends_with([':', '=']) || at + 2 == words.len());
        if none(word) || counted {
            at += 2;
            continue;
        }
        if !word.rsplit_once(['=', ':']).is_some_and(|(_, count)| zero(count)) {
            kept.push_str(word);
            kept.push(' ');
        }
        at += 1;
    }
    kept
}

/// Where a line points to: the byte range of `path:line[:column]` or `path(line[,column])`.
pub(crate) fn place(line: &str) -> Option<std::ops::Range<usize>> {
    let bytes = line.as_bytes();
    for at in memchr::memchr2_iter(b':', b'(', bytes) {
        if !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            continue;
        }
        // A file name with an extension stands before it; addresses and times do not count.
        let start = bytes[..at]
            .iter()
            .rposition(|b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'(' | b'[' | b'<' | b'=' | b','))
            .map_or(0, |i| i + 1);
        let path = &bytes[start..at];
        let Some(dot) = path.iter().rposition(|b| *b == b'.') else { continue };
        let extension = &path[dot + 1..];
        let named = dot > 0
            && (1..=6).contains(&extension.len())
            && extension[0].is_ascii_alphabetic()
            && extension.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'+')
            && !path.starts_with(b"http:")
            && !path.starts_with(b"https:");
        if !named {
            continue;
        }
        let mut end = at + 1;
        while end < bytes.len() && bytes[end].is_ascii_digit() {
            end += 1;
        }
        if bytes.get(end).is_some_and(|b| matches!(b, b':' | b','))
            && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        {
            end += 1;
            while end < bytes.len() && bytes[end].is_ascii_digit() {
                end += 1;
            }
        }
        if bytes[at] == b'(' {
            if bytes.get(end) != Some(&b')') {
                continue;
            }
            end += 1;
        }
        return Some(start..end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_trouble_are_vital_in_many_spellings() {
        for line in [
            "error: could not compile `x`",
            "error[E0425]: cannot find function",
            "src/cart.ts(2,92): error TS2551: Property 'prise' does not exist",
            "main.c:3:101: error: expected ';'",
            "FAILED tests/test_a.py::test_b - assert 1 == 2",
            "test tests::a ... FAILED",
            "thread 'main' panicked at src/main.rs:3:5:",
            "2026-03-01 00:00:00 ERROR [payments] charge failed",
            "  \u{2716} 43 problems (25 errors, 18 warnings)",
            "TypeError: Cannot read properties of undefined",
            "java.lang.IllegalStateException: closed",
            "CONFLICT (content): Merge conflict in a.rs",
            "Fehler: Datei nicht gefunden",
            "kern.c:88:12: Fehler: »frob« nicht deklariert",
            "erreur : fichier introuvable",
            "错误: 文件未找到",
            "ошибка: нет такого файла",
            "make: *** [Makefile:6: main.o] Error 1",
            "--- FAIL: TestParse (0.00s)",
            "not ok 3 - drains",
            "bash: line 1: frob: command not found",
            "zsh: permission denied: ./x",
            "Segmentation fault (core dumped)",
            "-- Looking for zlib.h - not found",
            "-- Performing Test HAVE_X - Failed",
            "Connecting to 127.0.0.1:9... failed: Connection refused.",
        ] {
            assert_eq!(weigh(line), Weight::Vital, "{line}");
        }
    }

    #[test]
    fn progress_and_passing_tests_are_not_vital() {
        for line in [
            "test errors::parse_error_is_kept ... ok",
            "   Compiling thiserror v2.0.3",
            "tests/test_errors.py::test_fails PASSED   [ 12%]",
            "  ✓ rejects a failing queue (3 ms)",
            "ok      example.com/errors 0.012s",
            "[worker] heartbeat 7 ok",
            "Downloading failsafe-1.0.jar",
            "  ✓ tells when the login failed",
            "tests/a.py::test_a_build_that_failed PASSED",
        ] {
            assert_ne!(weigh(line), Weight::Vital, "{line}");
        }
    }

    #[test]
    fn a_tally_of_nothing_is_no_reason() {
        for line in [
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
            "found 0 vulnerabilities",
            "# fail 0",
            "web-1 : ok=3 changed=2 unreachable=0 failed=0 skipped=0",
            "test errors::parse ... ok",
            "  ✓ tells when the login failed",
            "    0 Warning(s)",
            "Found no errors",
        ] {
            assert!(!tells_why(line), "{line}");
        }
        for line in [
            "test result: FAILED. 10 passed; 1 failed; 0 ignored",
            "[ERROR] Tests run: 13, Failures: 1, Errors: 0, Skipped: 0",
            "error: could not compile `x`",
            "  --> src/lib.rs:14:37",
            "src/a.ts:10:3 - error TS2322: no overload",
            "2 warnings",
        ] {
            assert!(tells_why(line), "{line}");
        }
    }

    #[test]
    fn places_are_found_in_the_usual_spellings() {
        for (line, want) in [
            ("  --> src/lib.rs:14:37", Some("src/lib.rs:14:37")),
            ("src/cart.ts(2,92): error", Some("src/cart.ts(2,92)")),
            ("    at f (/home/x/a.js:1:43)", Some("/home/x/a.js:1:43")),
            ("app/calc.py:6: error", Some("app/calc.py:6")),
            ("GET http://127.0.0.1:8731/ 200", None),
            ("at 12:00:01 all is well", None),
        ] {
            assert_eq!(place(line).map(|r| &line[r]), want, "{line}");
        }
    }
}
