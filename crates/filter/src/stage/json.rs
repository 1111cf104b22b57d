//! Shows rows of JSON lists once, and each row that differs.
//!
//! Reads JSON as it streams, in bounded memory, and writes it again without blanks. In a long list
//! of objects, rows are left out whose every value is of a kind seen before: the first two stay,
//! the last, and each with an unusual value, a new word, a missing key or a word of trouble. The
//! result is JSON again: a text in the list says how many rows stood there. Values are never
//! replaced. Lists whose rows all differ in words are data and stay whole.

use crate::guard::{self, Weight};
use crate::known::Known;
use std::borrow::Cow;

/// Rows looked at before it is decided which values are usual.
const WARM: usize = 32;
/// Lists shorter than this stay whole.
const SHORT: u64 = 12;
/// Lists of less text than this stay whole.
const SMALL: usize = 1500;
/// Plain numbers and plain texts of a list that are shown.
const NUMBERS: u64 = 64;
const TEXTS: u64 = 500;
/// Unusual rows of one list that are shown.
const UNUSUAL: u64 = 200;
/// A text value longer than this is cut.
const LONG_TEXT: usize = 4000;
/// Longest number; longer ones are not read as JSON.
const LONGEST_BARE: usize = 400;
const DEPTH: usize = 256;
/// Beyond so much text, rows are left out even where they differ, but for trouble.
const LARGE: usize = 1024 * 1024;
/// A document whose shape leaves more than this is no longer read as one.
const LARGEST: usize = 4 * LARGE;
/// Rows of a list inside a row whose numbers are looked at.
const INNER_NUMBERS: u64 = 8;
/// What is gathered of a list inside a row, and what of it is handed to that row.
const INNER_GATHERED: usize = 2048;
const INNER: usize = 192;
/// Values remembered per key, keys per list.
const VALUES: usize = 64;
const PATHS: usize = 512;

/// The text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotJson;

/// Whether a stream that begins so may be JSON.
pub(crate) fn may_begin(start: &[u8]) -> Option<bool> {
    let mut rest = start.iter().copied().filter(|b| !b.is_ascii_whitespace());
    let first = rest.next()?;
    if first != b'{' && first != b'[' {
        return Some(false);
    }
    let second = rest.next()?;
    Some(match first {
        b'{' => matches!(second, b'"' | b'}'),
        _ => {
            matches!(second, b'{' | b'[' | b'"' | b']' | b'-' | b't' | b'f' | b'n') || second.is_ascii_digit()
        }
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// A value or the end of the list.
    FirstValue,
    Key,
    FirstKey,
    Colon,
    CommaOrEnd,
    /// The document is complete.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    None,
    Text { key: bool, escaped: bool },
    Bare,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Feature {
    path: u64,
    kind: u8,
    value: u64,
}

#[derive(Debug, Default)]
struct Path {
    present: u64,
    kinds: [u64; 6],
    values: Known<u64>,
    /// Too many different numbers to mean anything.
    free: bool,
}

#[derive(Debug)]
struct Row {
    start: usize,
    features: Vec<Feature>,
    trouble: bool,
}

#[derive(Debug, Default)]
struct List {
    seen: u64,
    rows: Vec<Row>,
    decided: bool,
    /// Rows may be left out.
    folding: bool,
    scalars: bool,
    paths: Known<Path>,
    hidden: u64,
    last_hidden: Vec<u8>,
    unusual: u64,
    troubled: u64,
}

#[derive(Debug)]
struct Frame {
    list: Option<List>,
    /// Where this value began in the output.
    start: usize,
    /// Hash of the keys above, inside the row.
    path: u64,
    key: u64,
    /// Of the row of a list that is being read.
    row_start: usize,
    features: Vec<Feature>,
    trouble: bool,
    first: bool,
    /// The list stands inside a row of another one.
    nested: bool,
    /// Of such a list: what its rows hold, for the row around it.
    inner: Vec<Feature>,
}

/// Reads JSON piece by piece.
#[derive(Debug)]
pub(crate) struct Shaper {
    stack: Vec<Frame>,
    expect: Expect,
    token: Token,
    token_start: usize,
    out: Vec<u8>,
    cut_text: usize,
    /// A blank stood before this token, and no line end: it stays.
    blank: bool,
    /// Rows left out.
    pub(crate) hidden: u64,
}

const NULL: u8 = 0;
const BOOL: u8 = 1;
const NUMBER: u8 = 2;
const TEXT: u8 = 3;
const OBJECT: u8 = 4;
const LIST: u8 = 5;

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(5) ^ b).wrapping_mul(0x517c_c1b7_2722_0a95)
}

fn hash(bytes: &[u8]) -> u64 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let mut hash = mix(0xcbf2_9ce4_8422_2325, bytes.len() as u64);
    for eight in eights {
        hash = mix(hash, u64::from_le_bytes(*eight));
    }
    // The rotation brings the upper bits, which the product mixed best, down to where tables look.
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte))).rotate_left(26)
}

/// What numbers, `true`, `false` and `null` are made of.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Whether the text is a number: `-12`, `0.5`, `1e-9`.
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent =
            exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
        let count = digits(exponent);
        if count == 0 {
            return false;
        }
        rest = &exponent[count..];
    }
    whole > 0 && rest.is_empty()
}

/// Whether a text holds a control character, which JSON must write otherwise. Looks at every byte,
/// so that several are looked at at once.
fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |found, byte| found | (*byte < 0x20))
}

impl Default for Shaper {
    fn default() -> Self {
        Self {
            stack: Vec::new(),
            expect: Expect::Value,
            token: Token::None,
            token_start: 0,
            out: Vec::new(),
            cut_text: 0,
            blank: false,
            hidden: 0,
        }
    }
}

impl Shaper {
    /// Takes more text; gives how much of it belonged to the document.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<usize, NotJson> {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            match self.token {
                Token::Text { key, escaped } => {
                    at += self.text(&bytes[at..], key, escaped)?;
                    continue;
                }
                Token::Bare => {
                    let rest = &bytes[at..];
                    let length = rest.iter().position(|b| !is_bare(*b)).unwrap_or(rest.len());
                    if self.out.len() - self.token_start + length > LONGEST_BARE {
                        return Err(NotJson);
                    }
                    self.out.extend_from_slice(&rest[..length]);
                    at += length;
                    if length == rest.len() {
                        continue;
                    }
                    self.end_bare()?;
                    continue;
                }
                Token::None => {}
            }
            if byte.is_ascii_whitespace() {
                self.blank = match byte {
                    b' ' if at == 0 || bytes[at - 1] != b' ' => {
                        !matches!(bytes.get(at.wrapping_sub(1)), Some(b'\n'))
                    }
                    _ => false,
                };
                at += 1;
                continue;
            }
            if self.expect == Expect::Nothing {
                return Ok(at);
            }
            if self.out.len() > LARGEST {
                return Err(NotJson);
            }
            self.structure(byte)?;
            self.blank = false;
            at += 1;
        }
        Ok(at)
    }

    /// Whether a whole document was read.
    pub(crate) fn complete(&self) -> bool {
        self.expect == Expect::Nothing
    }

    /// The document, rows left out.
    pub(crate) fn finish(mut self) -> Result<String, NotJson> {
        if self.token == Token::Bare {
            self.end_bare()?;
        }
        let ended = self.complete();
        let mut text = match String::from_utf8(self.out) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        if !ended {
            text.push_str("\n[the JSON ends here, unfinished]");
        }
        Ok(text)
    }

    fn text(&mut self, bytes: &[u8], key: bool, escaped: bool) -> Result<usize, NotJson> {
        let mut used = usize::from(escaped && !bytes.is_empty());
        let mut escaped = escaped && bytes.is_empty();
        while used < bytes.len() {
            let Some(at) = memchr::memchr2(b'"', b'\\', &bytes[used..]) else {
                used = bytes.len();
                break;
            };
            used += at + 1;
            if bytes[used - 1] == b'"' {
                if has_control(&bytes[..used]) {
                    return Err(NotJson);
                }
                self.keep(&bytes[..used]);
                self.token = Token::None;
                self.end_text(key)?;
                return Ok(used);
            }
            escaped = used == bytes.len();
            used += usize::from(!escaped);
        }
        if has_control(&bytes[..used]) {
            return Err(NotJson);
        }
        self.keep(&bytes[..used]);
        self.token = Token::Text { key, escaped };
        Ok(used)
    }

    /// Copies a part of a text value, up to what is shown of a long one.
    fn keep(&mut self, bytes: &[u8]) {
        let have = self.out.len() - self.token_start;
        let room = LONG_TEXT.saturating_sub(have);
        if bytes.len() <= room {
            self.out.extend_from_slice(bytes);
        } else {
            self.out.extend_from_slice(&bytes[..room]);
            self.cut_text += bytes.len() - room;
        }
    }

    fn end_text(&mut self, key: bool) -> Result<(), NotJson> {
        if self.cut_text > 0 {
            // Cut at a character and outside an escape.
            let mut end = self.out.len();
            while end > self.token_start + 1 && (self.out[end - 1] & 0xc0) == 0x80 {
                end -= 1;
            }
            end -= usize::from(end > self.token_start + 1 && self.out[end - 1] >= 0xc0);
            if let Some(back) = self.out[self.token_start..end].iter().rposition(|b| *b == b'\\')
                && end - self.token_start - back < 8
            {
                end = self.token_start + back;
                while end > self.token_start + 1 && self.out[end - 1] == b'\\' {
                    end -= 1;
                }
            }
            self.out.truncate(end);
            self.out
                .extend_from_slice(format!(" [… {} bytes of this text cut …]\"", self.cut_text).as_bytes());
            self.cut_text = 0;
        }
        if key {
            let name = hash(&self.out[self.token_start..]);
            if let Some(frame) = self.stack.last_mut() {
                frame.key = name;
            }
            self.expect = Expect::Colon;
            return Ok(());
        }
        let bytes = &self.out[self.token_start..];
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        };
        let value = crate::template::hash(&text);
        let trouble = text.len() > 6 && guard::weigh(&text) != Weight::Plain;
        self.value(TEXT, value, trouble)
    }

    fn end_bare(&mut self) -> Result<(), NotJson> {
        self.token = Token::None;
        let word = &self.out[self.token_start..];
        let kind = match word {
            b"null" => NULL,
            b"true" | b"false" => BOOL,
            _ if is_number(word) => NUMBER,
            _ => return Err(NotJson),
        };
        let value = hash(word);
        self.value(kind, value, false)
    }

    /// A value is complete.
    fn value(&mut self, kind: u8, value: u64, trouble: bool) -> Result<(), NotJson> {
        // Which list row it belongs to, past the objects in between.
        let mut path = match self.stack.last() {
            None => {
                self.expect = Expect::Nothing;
                return Ok(());
            }
            Some(frame) if frame.list.is_some() => 1,
            Some(frame) => mix(frame.path, frame.key),
        };
        path |= 1;
        if let Some(frame) = self.stack.iter_mut().rev().find(|f| f.list.is_some())
            && frame.features.len() < 256
        {
            frame.features.push(Feature { path, kind, value });
            frame.trouble |= trouble;
        }
        self.expect = Expect::CommaOrEnd;
        if self.stack.last().is_some_and(|f| f.list.is_some()) {
            self.end_row();
        }
        Ok(())
    }

    fn structure(&mut self, byte: u8) -> Result<(), NotJson> {
        match (self.expect, byte) {
            (Expect::Value | Expect::FirstValue, b'{' | b'[') => {
                self.begin_row();
                if self.stack.len() >= DEPTH {
                    return Err(NotJson);
                }
                let path = match self.stack.last() {
                    Some(frame) if frame.list.is_none() => mix(frame.path, frame.key),
                    _ => 0,
                };
                let list = (byte == b'[').then(List::default);
                let nested = list.is_some() && self.stack.iter().any(|f| f.list.is_some());
                self.expect = if byte == b'[' { Expect::FirstValue } else { Expect::FirstKey };
                let start = self.out.len();
                self.out.push(byte);
                self.stack.push(Frame {
                    list,
                    start,
                    path: if byte == b'[' { 0 } else { path },
                    key: path,
                    row_start: self.out.len(),
                    features: Vec::new(),
                    trouble: false,
                    first: true,
                    nested,
                    inner: Vec::new(),
                });
            }
            (Expect::Value | Expect::FirstValue, b'"') => {
                self.begin_row();
                self.token_start = self.out.len();
                self.out.push(b'"');
                self.token = Token::Text { key: false, escaped: false };
            }
            (Expect::FirstValue | Expect::CommaOrEnd, b']') => self.close(true)?,
            (Expect::FirstKey | Expect::CommaOrEnd, b'}') => self.close(false)?,
            (Expect::Value | Expect::FirstValue, _) => {
                self.begin_row();
                self.token_start = self.out.len();
                self.out.push(byte);
                self.token = Token::Bare;
            }
            (Expect::Key | Expect::FirstKey, b'"') => {
                if self.expect == Expect::Key {
                    self.out.push(b',');
                    if self.blank {
                        self.out.push(b' ');
                    }
                }
                self.token_start = self.out.len();
                self.out.push(b'"');
                self.token = Token::Text { key: true, escaped: false };
            }
            (Expect::Colon, b':') => {
                self.out.push(b':');
                self.expect = Expect::Value;
            }
            (Expect::CommaOrEnd, b',') => {
                let list = self.stack.last().is_some_and(|f| f.list.is_some());
                self.expect = if list { Expect::Value } else { Expect::Key };
            }
            _ => return Err(NotJson),
        }
        Ok(())
    }

    fn begin_row(&mut self) {
        let length = self.out.len();
        if let Some(frame) = self.stack.last_mut()
            && frame.list.is_some()
        {
            frame.row_start = length;
            frame.features.clear();
            frame.trouble = false;
            if !std::mem::replace(&mut frame.first, false) {
                self.out.push(b',');
                if self.blank {
                    self.out.push(b' ');
                }
            }
        } else if self.blank {
            self.out.push(b' ');
        }
    }

    /// A list or an object ends.
    fn close(&mut self, list: bool) -> Result<(), NotJson> {
        let Some(mut frame) = self.stack.pop() else { return Err(NotJson) };
        if frame.list.is_some() != list {
            return Err(NotJson);
        }
        if let Some(list) = &mut frame.list {
            self.hidden += end_list(list, &mut self.out, frame.start);
        }
        self.out.push(if list { b']' } else { b'}' });
        if self.stack.is_empty() {
            self.expect = Expect::Nothing;
            return Ok(());
        }
        if list {
            let trouble = frame.trouble;
            let value = if self.hand_up(frame.inner) { 0 } else { hash(&self.out[frame.start..]) };
            self.value(LIST, value, trouble)
        } else {
            self.expect = Expect::CommaOrEnd;
            if self.stack.last().is_some_and(|f| f.list.is_some()) {
                self.end_row();
            } else if let Some(row) = self.stack.iter_mut().rev().find(|f| f.list.is_some())
                && row.features.len() < 256
            {
                row.features.push(Feature { path: frame.path | 1, kind: OBJECT, value: 0 });
            }
            Ok(())
        }
    }

    /// Adds what the rows of an inner list hold to the row around it; too much of it is refused.
    fn hand_up(&mut self, mut inner: Vec<Feature>) -> bool {
        inner.sort_unstable();
        inner.dedup();
        let base = self.stack.last().map_or(0, |frame| mix(frame.path, frame.key));
        let Some(row) = self.stack.iter_mut().rev().find(|f| f.list.is_some()) else { return false };
        if inner.is_empty() || inner.len() > INNER || row.features.len() + inner.len() > 255 {
            return false;
        }
        row.features.extend(inner.into_iter().map(|f| Feature { path: mix(base, f.path) | 1, ..f }));
        true
    }

    /// A row of the innermost list is complete.
    fn end_row(&mut self) {
        let Some(frame) = self.stack.last_mut() else { return };
        let mut features = std::mem::take(&mut frame.features);
        features.sort_unstable_by_key(|f| f.path);
        let trouble = frame.trouble;
        let start = frame.row_start;
        let Some(list) = &mut frame.list else { return };
        list.seen += 1;
        if frame.nested && frame.inner.len() < INNER_GATHERED {
            let few = list.seen <= INNER_NUMBERS;
            frame.inner.extend(features.iter().filter(|f| few || f.kind != NUMBER));
        }
        if !list.decided {
            list.rows.push(Row { start, features, trouble });
            if list.rows.len() >= WARM || self.out.len() - frame.start > 64 * 1024 {
                self.hidden += decide(list, &mut self.out, frame.start);
            }
            return;
        }
        let over = self.out.len() > LARGE && !(trouble && list.unusual < UNUSUAL);
        list.unusual += u64::from(self.out.len() > LARGE && !over);
        let hide = list.hide(&features, trouble) || over;
        if hide {
            list.hide_row(&self.out[start..]);
            self.out.truncate(start);
        } else if list.hidden > 0 {
            let row = self.out.split_off(start);
            self.hidden += list.write_gap(&mut self.out);
            self.out.extend_from_slice(&row);
        }
        features.clear();
        frame.features = features;
    }
}

impl List {
    fn note(&mut self, features: &[Feature]) {
        let mut last = None;
        for feature in features {
            if self.paths.len() >= PATHS && !self.paths.contains_key(&feature.path) {
                continue;
            }
            let path = self.paths.entry(feature.path).or_default();
            // Rows of an inner list share a path: it is there once.
            path.present += u64::from(last != Some(feature.path));
            last = Some(feature.path);
            path.kinds[usize::from(feature.kind)] += 1;
            if !path.free {
                if path.values.len() < VALUES {
                    *path.values.entry(feature.value).or_default() += 1;
                } else if let Some(count) = path.values.get_mut(&feature.value) {
                    *count += 1;
                }
            }
        }
    }

    /// Whether something in the row is out of the ordinary, `total` rows being known.
    fn unusual(&self, features: &[Feature], total: u64) -> bool {
        let rare = |count: u64| count * 16 <= total;
        let mut usual_present = 0;
        let mut last = None;
        for feature in features {
            let Some(path) = self.paths.get(&feature.path) else { return true };
            if rare(path.kinds[usize::from(feature.kind)]) || rare(path.present) {
                return true;
            }
            // Numbers that are all different say nothing; words that are new do.
            if !(path.free && feature.kind == NUMBER)
                && feature.kind != OBJECT
                && path.values.get(&feature.value).is_none_or(|count| rare(*count))
                && !(path.free && feature.kind == LIST)
            {
                return true;
            }
            usual_present += u64::from(path.present * 8 > total * 7 && last != Some(feature.path));
            last = Some(feature.path);
        }
        let usual = self.paths.values().filter(|p| p.present * 8 > total * 7).count() as u64;
        usual_present < usual
    }

    fn hide(&mut self, features: &[Feature], trouble: bool) -> bool {
        if !self.folding {
            return false;
        }
        if self.scalars {
            let most = if features.first().is_some_and(|f| f.kind == NUMBER) { NUMBERS } else { TEXTS };
            return self.seen > most && !trouble;
        }
        let total = self.seen;
        let unusual = self.unusual(features, total);
        self.note(features);
        self.troubled += u64::from(trouble);
        let show = unusual || (trouble && self.troubled * 4 <= total);
        if show {
            self.unusual += 1;
        }
        !show || self.unusual > UNUSUAL
    }

    fn hide_row(&mut self, text: &[u8]) {
        self.last_hidden.clear();
        self.last_hidden.extend_from_slice(text.strip_prefix(b",").unwrap_or(text).trim_ascii_start());
        self.hidden += 1;
    }

    /// Says how many rows stood here; the last one of them is shown only at the end of the list.
    fn write_gap(&mut self, out: &mut Vec<u8>) -> u64 {
        let hidden = std::mem::take(&mut self.hidden);
        self.last_hidden.clear();
        if !out.ends_with(b"[") {
            out.push(b',');
        }
        out.extend_from_slice(format!("\"[… {hidden} similar …]\"").as_bytes());
        hidden
    }
}

/// Enough rows were seen to know what is usual: leaves out usual ones among them.
fn decide(list: &mut List, out: &mut Vec<u8>, start: usize) -> u64 {
    list.decided = true;
    let rows = std::mem::take(&mut list.rows);
    let total = rows.len() as u64;
    list.scalars = rows
        .iter()
        .all(|r| r.features.len() <= 1 && r.features.iter().all(|f| f.kind <= TEXT && f.path == 1));
    if list.scalars {
        list.folding = true;
        return 0;
    }
    for row in &rows {
        list.note(&row.features);
        list.troubled += u64::from(row.trouble);
    }
    for path in list.paths.values_mut() {
        // Numbers of many values: identifiers and measures. Lists of many contents: likewise.
        let numbers = path.kinds[usize::from(NUMBER)] + path.kinds[usize::from(LIST)];
        if path.values.len() as u64 * 4 > total && numbers * 2 > path.present {
            path.free = true;
            path.values.clear();
        }
    }
    let keep: Vec<bool> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            at < 2 || list.unusual(&row.features, total) || (row.trouble && list.troubled * 4 <= total)
        })
        .collect();
    let kept = keep.iter().filter(|k| **k).count() as u64;
    if total < SHORT || kept * 2 > total || out.len() - start < SMALL {
        // The rows differ: they are what was asked for.
        list.folding = kept * 2 <= total && total >= SHORT;
        return 0;
    }
    list.folding = true;
    let old = out.split_off(start + 1);
    let mut hidden = 0;
    for (at, row) in rows.iter().enumerate() {
        let from = row.start - start - 1;
        let to = rows.get(at + 1).map_or(old.len(), |next| next.start - start - 1);
        let text = &old[from..to];
        let text = text.strip_prefix(b",").unwrap_or(text).trim_ascii_start();
        if keep[at] {
            if list.hidden > 0 {
                hidden += list.write_gap(out);
            }
            if out.len() > start + 1 {
                out.push(b',');
            }
            out.extend_from_slice(text);
        } else {
            list.hide_row(text);
        }
    }
    hidden
}

/// The list ends: decides about a short one, writes the last row.
fn end_list(list: &mut List, out: &mut Vec<u8>, start: usize) -> u64 {
    let mut hidden = 0;
    if !list.decided {
        hidden += decide(list, out, start);
    }
    if list.hidden > 0 {
        let last = std::mem::take(&mut list.last_hidden);
        list.hidden -= 1;
        if list.hidden > 0 {
            hidden += list.write_gap(out);
        }
        if !out.ends_with(b"[") {
            out.push(b',');
        }
        out.extend_from_slice(&last);
    }
    hidden
}

/// A whole text of JSON, rows left out; `None` where it is not JSON or nothing was gained.
pub(crate) fn shape(text: &str) -> Option<(String, u64)> {
    let mut shaper = Shaper::default();
    let used = shaper.push(text.as_bytes()).ok()?;
    if !text[used..].trim().is_empty() || !shaper.complete() {
        return None;
    }
    let hidden = shaper.hidden;
    shaper.finish().ok().map(|out| (out, hidden)).filter(|(out, _)| out.len() < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn rows(count: usize, odd: usize) -> String {
        let rows: Vec<Value> = (0..count)
            .map(|n| {
                if n == odd {
                    json!({"id": n, "name": format!("row-{n}"), "status": "FAILED", "error": "E4471 disk quota exceeded"})
                } else {
                    json!({"id": n, "name": format!("row-{n}"), "status": "ok", "error": null})
                }
            })
            .collect();
        json!({"total": count, "failed": 1, "rows": rows}).to_string()
    }

    #[test]
    fn the_one_odd_row_stays_wherever_it_is() {
        for odd in [0, 1, 5, 20, 31, 32, 33, 500, 999] {
            let (out, hidden) = shape(&rows(1000, odd)).unwrap();
            assert!(out.contains("E4471 disk quota exceeded"), "{odd}");
            assert!(out.len() < 1200, "{odd}: {}", out.len());
            assert!(out.contains("row-999") && out.contains("\"total\":1000"));
            let value: Value = serde_json::from_str(&out).unwrap();
            let shown = value["rows"].as_array().unwrap().iter().filter(|r| r.is_object()).count() as u64;
            assert_eq!(shown + hidden, 1000, "{odd}");
        }
    }

    #[test]
    fn an_odd_value_in_a_list_inside_a_row_stays() {
        for inner in [1usize, 3, 20] {
            let rows: Vec<Value> = (0..120)
                .map(|n| {
                    let parts: Vec<Value> = (0..inner)
                        .map(|k| json!({"id": format!("i-{n:04}-{k}"), "state": {"name": if (n, k) == (71, inner - 1) { "stopped" } else { "running" }}}))
                        .collect();
                    json!({"group": n, "instances": parts})
                })
                .collect();
            let text = json!({ "groups": rows }).to_string();
            let (out, hidden) = shape(&text).unwrap();
            assert!(hidden > 80 && out.contains("stopped") && out.contains("i-0071-0"), "{inner}: {out}");
        }
    }

    #[test]
    fn rows_that_differ_in_words_are_data() {
        let words = [
            "alpha", "bravo", "carol", "delta", "echo", "fox", "golf", "hotel", "india", "jay", "kilo",
            "lima",
        ];
        let rows: Vec<Value> =
            (0..60).map(|n| json!({"number": n, "title": format!("{} {}", words[n % 12], words[(n * 7 + n / 12) % 12])})).collect();
        let text = Value::from(rows).to_string();
        assert_eq!(shape(&text).map(|(_, hidden)| hidden).unwrap_or(0), 0);
    }

    #[test]
    fn an_unusual_null_and_a_missing_key_stay() {
        let mut rows: Vec<Value> =
            (0..200).map(|n| json!({"id": n, "stock": n * 3, "tags": ["a", "b"]})).collect();
        rows[17]["stock"] = Value::Null;
        rows[150].as_object_mut().unwrap().remove("tags");
        let (out, _) = shape(&Value::from(rows).to_string()).unwrap();
        assert!(out.contains("\"id\":17,\"stock\":null") && out.contains("\"id\":150,"), "{out}");
    }

    #[test]
    fn a_large_document_takes_bounded_memory() {
        let word =
            |n: usize| (0..6).map(|k| char::from(b'a' + (n / 26usize.pow(k) % 26) as u8)).collect::<String>();
        let mut shaper = Shaper::default();
        shaper.push(b"[").unwrap();
        for n in 0..120_000 {
            let error = if n == 99_000 { "disk failed" } else { "none" };
            let comma = if n == 0 { "" } else { "," };
            let row = format!(
                "{comma}{{\"name\":\"{}\",\"other\":\"{}\",\"error\":\"{error}\"}}",
                word(n),
                word(n * 7)
            );
            shaper.push(row.as_bytes()).unwrap();
            assert!(shaper.out.len() < LARGEST);
        }
        shaper.push(b"]").unwrap();
        let hidden = shaper.hidden;
        let out = shaper.finish().unwrap();
        assert!(out.len() < 2 * LARGE && out.contains("disk failed"), "{}", out.len());
        let value: Value = serde_json::from_str(&out).unwrap();
        let shown = value.as_array().unwrap().iter().filter(|row| row.is_object()).count() as u64;
        assert_eq!(shown + hidden, 120_000);
        // An object that never ends is given up rather than kept.
        let mut endless = Shaper::default();
        endless.push(b"{\"k\":0").unwrap();
        let given_up = (0..400_000).any(|n| endless.push(format!(",\"key_{n}\":{n}").as_bytes()).is_err());
        assert!(given_up && endless.out.len() < LARGEST + LONG_TEXT);
    }

    #[test]
    fn truncated_json_says_so_and_other_text_is_refused() {
        let whole = rows(300, 7);
        let mut shaper = Shaper::default();
        shaper.push(&whole.as_bytes()[..whole.len() / 2]).unwrap();
        assert!(shaper.finish().unwrap().ends_with("unfinished]"));
        for text in
            ["[info] started", "{not json}", "[1/5] Building", "{\"a\":}", "[1,]", "{\"a\" 1}", "[01x]"]
        {
            assert!(shape(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_failing_status_among_good_ones_stays() {
        let mut rows: Vec<Value> = (0..500).map(|n| json!({"id": n, "code": 200, "ms": n % 37})).collect();
        rows[321]["code"] = json!(503);
        let (out, _) = shape(&Value::from(rows).to_string()).unwrap();
        assert!(out.contains("\"code\":503"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-c\"\\\\é\u{1}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 60, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
                prop::collection::btree_map("[a-d]{1,2}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn small_documents_come_back_as_they_were(value in any_json()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            if let Some((out, 0)) = shape(&text) {
                let back: Value = serde_json::from_str(&out).unwrap();
                prop_assert_eq!(back, value);
            }
        }

        #[test]
        fn pieces_change_nothing(value in any_json(), cut in any::<prop::sample::Index>()) {
            let text = value.to_string();
            let cut = cut.index(text.len() + 1);
            let mut whole = Shaper::default();
            let a = whole.push(text.as_bytes());
            let mut parts = Shaper::default();
            let b = parts.push(&text.as_bytes()[..cut]).and_then(|_| parts.push(&text.as_bytes()[cut..]));
            prop_assert_eq!(a.is_ok(), b.is_ok());
            if a.is_ok() {
                prop_assert_eq!(whole.finish(), parts.finish());
            }
        }

        #[test]
        fn any_text_is_survived(text in "[\\[\\]{}\",:0-9a-z\\\\ \\n-]{0,80}") {
            let _ = shape(&text);
        }
    }
}
