//! Compiles `rules/` and the list of guarded words into static tables.
//!
//! A process start must cost no parsing: a hook answers in milliseconds.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a build script may stop the build"
)]

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs};

#[path = "src/rule_file.rs"]
#[allow(dead_code, reason = "steps for users' rules alone are read but refused")]
mod rule_file;
#[path = "src/shape.rs"]
mod shape;
#[path = "src/pattern/syntax.rs"]
mod syntax;

use rule_file::{Matches, OneOrMany, SetStep, StepDef};
use serde::Deserialize;
use syntax::Parsed;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleDef {
    summary: String,
    why: String,
    #[serde(rename = "match")]
    matches: Matches,
    #[serde(default)]
    plain: bool,
    #[serde(default)]
    never_drop: OneOrMany,
    #[serde(default)]
    steps: Vec<StepDef>,
    /// Steps before those of the rules below.
    #[serde(default)]
    first: Vec<StepDef>,
    /// Steps of these rules come next: a wrapper runs several tools.
    #[serde(default)]
    also: Vec<String>,
}

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    println!("cargo::rerun-if-changed=rules");
    println!("cargo::rerun-if-changed=words.txt");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/rule_file.rs");
    println!("cargo::rerun-if-changed=src/shape.rs");
    println!("cargo::rerun-if-changed=src/pattern/syntax.rs");
    let (rules, cases) = rules(&root.join("rules"));
    fs::write(out.join("rules.rs"), rules).unwrap();
    let lists = LISTS.lock().unwrap();
    fs::write(out.join("packed.rs"), lists.code()).unwrap();
    fs::write(out.join("cases.rs"), cases + &lists.cases()).unwrap();
    fs::write(out.join("words.rs"), words(&fs::read_to_string(root.join("words.txt")).unwrap())).unwrap();
}

/// The lists of all rules, packed as `src/packed.rs` reads them.
static LISTS: Mutex<Lists> = Mutex::new(Lists { known: BTreeMap::new(), packed: Vec::new() });

struct Lists {
    /// Each list once, with its number.
    known: BTreeMap<Vec<u8>, usize>,
    packed: Vec<Packed>,
}

impl Lists {
    /// The code that names a list.
    fn name(&mut self, list: Packed) -> String {
        let number = *self.known.entry(list.bytes.clone()).or_insert(self.packed.len());
        if number == self.packed.len() {
            self.packed.push(list);
        }
        format!("List({number})")
    }

    fn code(&self) -> String {
        let bytes: Vec<u8> = self.packed.iter().flat_map(|list| list.bytes.iter().copied()).collect();
        let mut ends = 0;
        let at = self.packed.iter().map(|list| {
            ends += list.bytes.len();
            ends - list.bytes.len()
        });
        let at: Vec<usize> = at.collect();
        format!(
            "static PACKED: [u8; {}] = {bytes:?};\nstatic AT: [u32; {}] = {at:?};\n",
            bytes.len(),
            at.len()
        )
    }

    /// The same as static values, for the tests.
    fn cases(&self) -> String {
        let patterns = self.packed.iter().enumerate().filter(|(_, list)| !list.code.is_empty());
        let lines: String = patterns.map(|(at, list)| format!("(List({at}), &[{}]),\n", list.code)).collect();
        format!("pub(crate) static LISTS: &[(List, &[Pattern])] = &[{lines}];\n")
    }
}

/// One list.
struct Packed {
    bytes: Vec<u8>,
    /// Its patterns as code.
    code: String,
}

impl Packed {
    fn new(length: usize) -> Self {
        let mut list = Self { bytes: Vec::new(), code: String::new() };
        list.number(length);
        list
    }

    fn number(&mut self, number: usize) {
        self.bytes.extend(u16::try_from(number).expect("a list or text outgrew its length").to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.bytes.push(u8::try_from(count).expect("a pattern has too many steps"));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend(text.as_bytes());
    }

    fn sequence(&mut self, ops: &[Parsed]) {
        self.count(ops.len());
        for op in ops {
            match op {
                Parsed::Text(text) => {
                    self.bytes.push(0);
                    self.text(text);
                }
                Parsed::Any(min) => self.bytes.extend([1, *min]),
                Parsed::Rep { ascii, other, min, max } => {
                    self.bytes.push(2);
                    self.bytes.extend(ascii.to_le_bytes());
                    self.bytes.extend([u8::from(*other), *min, *max]);
                }
                Parsed::Again { text, min } => {
                    self.bytes.extend([3, *min]);
                    self.text(text);
                }
                Parsed::OneOf { alternatives, optional } => {
                    self.bytes.extend([4, u8::from(*optional)]);
                    self.count(alternatives.len());
                    for inner in alternatives {
                        self.sequence(inner);
                    }
                }
            }
        }
    }
}

struct Read {
    name: String,
    def: RuleDef,
    folder: PathBuf,
}

fn rules(folder: &Path) -> (String, String) {
    let mut all: Vec<Read> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let text =
            fs::read_to_string(folder.join("rule.toml")).unwrap_or_else(|e| panic!("rules/{name}: {e}"));
        let def: RuleDef = toml::from_str(&text).unwrap_or_else(|e| panic!("rules/{name}/rule.toml: {e}"));
        for case in ["ok.in", "ok.out", "fail.in", "fail.out"] {
            assert!(folder.join(case).exists(), "rules/{name} lacks {case}");
        }
        all.push(Read { name, def, folder });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));

    let mut code = String::new();
    let mut cases = String::new();
    writeln!(code, "pub(crate) static RULES: [Rule; {}] = [", all.len()).unwrap();
    writeln!(cases, "pub(crate) static CASES: [RuleCases; {}] = [", all.len()).unwrap();
    for rule in &all {
        let mut written: Vec<String> = Vec::new();
        write!(
            code,
            "Rule {{ name: Cow::Borrowed({:?}), summary: Cow::Borrowed({:?}), why: Cow::Borrowed({:?}), \
             origin: Origin::BuiltIn, plain: {}, matches: Cow::Borrowed(&[",
            rule.name, rule.def.summary, rule.def.why, rule.def.plain
        )
        .unwrap();
        for one in rule.def.matches.list() {
            write!(
                code,
                "Match::Argv {{ programs: {}, subcommands: {}, with: {}, without: {} }}, ",
                texts(one.program.list()),
                texts(one.subcommand.list()),
                texts(one.with.list()),
                texts(one.without.list())
            )
            .unwrap();
        }
        let mut never: Vec<String> = rule.def.never_drop.list().to_vec();
        let mut steps = String::new();
        for step in &rule.def.first {
            write!(steps, "{}, ", step_code(&rule.name, step, &mut written)).unwrap();
        }
        for other in &rule.def.also {
            let found = all
                .iter()
                .find(|r| r.name == *other)
                .unwrap_or_else(|| panic!("rules/{}: no rule `{other}`", rule.name));
            never.extend(found.def.never_drop.list().iter().cloned());
            for step in &found.def.steps {
                write!(steps, "{}, ", step_code(&rule.name, step, &mut written)).unwrap();
            }
        }
        for step in &rule.def.steps {
            write!(steps, "{}, ", step_code(&rule.name, step, &mut written)).unwrap();
        }
        writeln!(
            code,
            "]), never_drop: {}, steps: Cow::Borrowed(&[{steps}]) }},",
            patterns(&rule.name, &never, &mut written)
        )
        .unwrap();

        write!(cases, "RuleCases {{ name: {:?}, patterns: &[", rule.name).unwrap();
        for text in &written {
            write!(cases, "({text:?}, &{}), ", pattern(&rule.name, text)).unwrap();
        }
        write!(cases, "], cases: &[").unwrap();
        for stem in ["ok", "fail"] {
            let path = |end: &str| rule.folder.join(format!("{stem}.{end}"));
            write!(
                cases,
                "Case {{ stem: {stem:?}, input: include_str!({:?}), expected: include_str!({:?}), folder: {:?} }}, ",
                path("in"),
                path("out"),
                rule.folder
            )
            .unwrap();
        }
        writeln!(cases, "] }},").unwrap();
    }
    code.push_str("];\n");
    cases.push_str("];\n");
    (code, cases)
}

fn texts(list: &[String]) -> String {
    let mut packed = Packed::new(list.len());
    list.iter().for_each(|text| packed.text(text));
    format!("Texts::BuiltIn({})", LISTS.lock().unwrap().name(packed))
}

fn patterns(rule: &str, list: &[String], written: &mut Vec<String>) -> String {
    let mut packed = Packed::new(list.len());
    for text in list {
        let whole = parsed(rule, text);
        packed.bytes.push(u8::from(whole.start) | u8::from(whole.end) << 1);
        packed.sequence(&whole.ops);
        packed.code.push_str(&format!("{}, ", pattern(rule, text)));
    }
    written.extend(list.iter().cloned());
    format!("Patterns::Compiled({})", LISTS.lock().unwrap().name(packed))
}

fn parsed(rule: &str, text: &str) -> syntax::Whole {
    syntax::parse(text).unwrap_or_else(|e| panic!("rules/{rule}: `{text}`: {e}"))
}

fn pattern(rule: &str, text: &str) -> String {
    let whole = parsed(rule, text);
    format!("Pattern {{ start: {}, end: {}, ops: &{} }}", whole.start, whole.end, ops(&whole.ops))
}

fn ops(list: &[Parsed]) -> String {
    let mut code = String::from("[");
    for op in list {
        match op {
            Parsed::Text(text) => write!(code, "Op::Text({text:?}), "),
            Parsed::Any(min) => write!(code, "Op::Any({min}), "),
            Parsed::Rep { ascii, other, min, max } => {
                write!(code, "Op::Rep {{ ascii: {ascii}, other: {other}, min: {min}, max: {max} }}, ")
            }
            Parsed::Again { text, min } => write!(code, "Op::Again {{ text: {text:?}, min: {min} }}, "),
            Parsed::OneOf { alternatives, optional } => {
                let inner: Vec<String> = alternatives.iter().map(|a| format!("&{}", ops(a))).collect();
                write!(code, "Op::OneOf {{ alternatives: &[{}], optional: {optional} }}, ", inner.join(", "))
            }
        }
        .unwrap();
    }
    code.push(']');
    code
}

fn step_code(rule: &str, step: &StepDef, written: &mut Vec<String>) -> String {
    let step = match step {
        StepDef::Shape(shape) => return format!("Step::Shape(Shape::{shape:?})"),
        StepDef::Set(step) => step,
    };
    match step {
        SetStep::DropLines(list) | SetStep::StripNoise(list) => {
            format!("Step::Drop({})", patterns(rule, list.list(), written))
        }
        SetStep::DropOutside { lines, from, until } => format!(
            "Step::DropOutside {{ noise: {}, from: {}, until: {} }}",
            patterns(rule, lines.list(), written),
            patterns(rule, from.list(), written),
            patterns(rule, until.list(), written)
        ),
        SetStep::FoldLines(list) => {
            format!("Step::Fold {{ lines: {}, shown: 1 }}", patterns(rule, list.list(), written))
        }
        SetStep::FoldList { lines, shown } => {
            format!("Step::Fold {{ lines: {}, shown: {shown} }}", patterns(rule, lines.list(), written))
        }
        SetStep::DropSection { from, until } => format!(
            "Step::Section {{ from: {}, until: {} }}",
            patterns(rule, from.list(), written),
            patterns(rule, until.list(), written)
        ),
        SetStep::KeepMatching(list) => format!("Step::Keep({})", patterns(rule, list.list(), written)),
        SetStep::Truncate { max_lines, head, tail } => {
            format!("Step::Truncate {{ most: {max_lines}, head: {head}, tail: {tail} }}")
        }
        SetStep::StripAnnotated {
            patterns: list,
            summary_pattern,
            long_output_threshold,
            keep_head,
            keep_tail,
        } => {
            let summary: Vec<String> = summary_pattern.iter().cloned().collect();
            format!(
                "Step::Annotated {{ noise: {}, summary: {}, most: {long_output_threshold}, head: {keep_head}, tail: {keep_tail} }}",
                patterns(rule, list.list(), written),
                patterns(rule, &summary, written)
            )
        }
        SetStep::GroupByRule { .. } | SetStep::Dedup { .. } => {
            panic!("rules/{rule}: this step is for users' rules; built-in ones use `diagnostics` and `log`")
        }
    }
}

/// Builds one automaton over all guarded words, so that a line is judged in one pass.
fn words(text: &str) -> String {
    let mut list: Vec<(Vec<u8>, u8)> = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (weight, word) = match line.strip_prefix("! ") {
            Some(word) => (2, word),
            None => (1, line),
        };
        let word = word.strip_prefix('"').and_then(|w| w.strip_suffix('"')).unwrap_or(word);
        list.push((word.to_lowercase().into_bytes(), weight));
        // Upper-case letters outside ASCII are other bytes: both spellings are listed.
        let upper: String =
            word.chars().map(|c| if c.is_ascii() { c } else { c.to_uppercase().next().unwrap() }).collect();
        if upper != word {
            list.push((upper.to_lowercase_ascii(), weight));
        }
    }
    // Most lines are ASCII: they need not walk the words of other alphabets.
    let (ascii, foreign): (Vec<_>, Vec<_>) = list.into_iter().partition(|(word, _)| word.is_ascii());
    format!("{}{}", automaton("ascii", &ascii), automaton("foreign", &foreign))
}

fn automaton(name: &str, list: &[(Vec<u8>, u8)]) -> String {
    // Byte classes: bytes that occur in no word share class 0.
    let mut class = [0u8; 256];
    let mut classes = 1u8;
    for (word, _) in list {
        for byte in word {
            if class[usize::from(*byte)] == 0 {
                class[usize::from(*byte)] = classes;
                classes += 1;
            }
        }
    }
    for upper in b'A'..=b'Z' {
        class[usize::from(upper)] = class[usize::from(upper.to_ascii_lowercase())];
    }
    let width = usize::from(classes);
    let mut next: Vec<Vec<Option<usize>>> = vec![vec![None; width]];
    let mut weight: Vec<u8> = vec![0];
    for (word, how) in list {
        let mut state = 0;
        for byte in word {
            let c = usize::from(class[usize::from(*byte)]);
            state = match next[state][c] {
                Some(to) => to,
                None => {
                    next.push(vec![None; width]);
                    weight.push(0);
                    let to = next.len() - 1;
                    next[state][c] = Some(to);
                    to
                }
            };
        }
        weight[state] = weight[state].max(*how);
    }
    let count = next.len();
    let mut fail = vec![0usize; count];
    let mut full = vec![vec![0usize; width]; count];
    let mut queue = VecDeque::from([0usize]);
    while let Some(state) = queue.pop_front() {
        for c in 0..width {
            match next[state][c] {
                Some(to) => {
                    fail[to] = if state == 0 { 0 } else { full[fail[state]][c] };
                    weight[to] = weight[to].max(weight[fail[to]]);
                    full[state][c] = to;
                    queue.push_back(to);
                }
                None => full[state][c] = if state == 0 { 0 } else { full[fail[state]][c] },
            }
        }
    }
    // Accepting states come last, so that one comparison tells them apart; rows are premultiplied.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|state| (weight[*state], *state));
    let mut place = vec![0usize; count];
    for (at, state) in order.iter().enumerate() {
        place[*state] = at;
    }
    assert_eq!(place[0], 0, "the start state is the first");
    assert!(count * width < 1 << 16, "the automaton outgrew its table: {count} states of {width}");
    let first = |least: u8| order.iter().position(|s| weight[*s] >= least).unwrap_or(count) * width;
    let mut begins = vec![0u64; 512];
    for (word, _) in list {
        assert!(word.len() >= 2, "guarded words are two bytes at least");
        // Of a word of two bytes, anything may stand before it.
        let (before, least) = if word.len() == 2 { (0..32, 2) } else { (0..1, 3) };
        for first in before {
            let three =
                word[..least].iter().fold(first, |three: usize, byte| three << 5 | usize::from(five(*byte)));
            begins[three >> 6] |= 1 << (three & 63);
        }
    }
    let mut code = format!(
        "pub(super) static {}: Automaton = Automaton {{ begins: &{begins:?}, guarded: {}, vital: {}, class: &{class:?}, next: &[",
        name.to_uppercase(),
        first(1),
        first(2)
    );
    for state in &order {
        for c in 0..width {
            write!(code, "{},", place[full[*state][c]] * width).unwrap();
        }
    }
    code.push_str("] };\n");
    code
}

/// Five bits of a byte; the same as in the guard.
fn five(byte: u8) -> u8 {
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

trait LowerAscii {
    fn to_lowercase_ascii(&self) -> Vec<u8>;
}

impl LowerAscii for String {
    fn to_lowercase_ascii(&self) -> Vec<u8> {
        self.bytes().map(|b| b.to_ascii_lowercase()).collect()
    }
}
