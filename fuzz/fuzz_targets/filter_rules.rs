//! Whatever rules a user or a project writes, the guarantees of the engine hold.
//!
//! The input is divided by NUL: how to build a rule, patterns, standard output, standard error. A
//! first part that is TOML of rules is taken as it is.
#![no_main]

#[path = "../../crates/filter/tests/holds/mod.rs"]
mod holds;

use holds::{Run, check};
use libfuzzer_sys::fuzz_target;
use toolgate_filter::{Catalog, Origin};

fn literal(text: &str) -> String {
    // A basic string of TOML.
    let escaped: String = text
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\') || c == ' ' { c.to_string() } else { format!("\\u{:04x}", (c as u32).min(0xd7ff)) })
        .collect();
    format!("\"{escaped}\"")
}

/// A step, chosen by a byte.
fn step(kind: u8, pattern: &str, other: &str) -> String {
    let (pattern, other) = (literal(pattern), literal(other));
    let few = kind / 16;
    match kind % 16 {
        0 => format!("{{ drop_lines = {pattern} }}"),
        1 => format!("{{ keep_matching = {pattern} }}"),
        2 => format!("{{ truncate = {{ max_lines = {few}, head = 1, tail = 1 }} }}"),
        3 => format!("{{ drop_section = {{ from = {pattern}, until = {other} }} }}"),
        4 => format!("{{ fold_lines = {pattern} }}"),
        5 => format!("{{ fold_list = {{ lines = {pattern}, shown = {few} }} }}"),
        6 => format!("{{ drop_outside = {{ lines = {pattern}, from = {other}, until = {pattern} }} }}"),
        7 => format!("{{ strip_annotated = {{ patterns = {pattern}, summary_pattern = {other}, long_output_threshold = {few}, keep_head = 0, keep_tail = 1 }} }}"),
        8 => format!("{{ dedup = {{ normalize_patterns = [{{ pattern = {pattern}, replacement = {other} }}] }} }}"),
        9 => format!("{{ group_by_rule = {{ location_pattern = {pattern}, rule_pattern = {other} }} }}"),
        10 => "\"log\"".into(),
        11 => "\"runs\"".into(),
        12 => "\"frames\"".into(),
        13 => "\"diagnostics\"".into(),
        14 => ["\"by_file\"", "\"listing\"", "\"processes\"", "\"ci_log\""][usize::from(few % 4)].into(),
        _ => ["\"git_diff\"", "\"git_log\"", "\"git_status\"", "\"test_summary\""][usize::from(few % 4)].into(),
    }
}

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(4, |byte| *byte == 0).map(String::from_utf8_lossy);
    let mut next = || parts.next().unwrap_or_default().into_owned();
    let (how, patterns, stdout, stderr) = (next(), next(), next(), next());
    let (pattern, other) = patterns.split_once('\n').unwrap_or((&patterns, "x"));
    let steps: Vec<String> = how.bytes().take(4).map(|kind| step(kind, pattern, other)).collect();
    let built = format!("[[rules]]\nname = \"r\"\nmatch = {{ program = \"tool\" }}\nsteps = [{}]\n", steps.join(", "));
    let origin = if data.len() % 2 == 0 { Origin::User } else { Origin::Project };
    let catalog = Catalog::built_in();
    let catalog = catalog
        .with_file(&how, origin)
        .or_else(|_| catalog.with_file(&built, origin))
        .unwrap_or_default();
    let exit = i32::from(data.first().copied().unwrap_or(0) % 3);
    let run = Run { command: "tool x", exit, stdout: &stdout, stderr: &stderr };
    if let Err(broken) = check(&catalog, &run, 7) {
        panic!("{broken}\n--- rules\n{built}");
    }
});
