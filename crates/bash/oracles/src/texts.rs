//! The texts that are voted on.

use crate::oracle::wraps::WRAPS;
use crate::oracle::{Random, scripts};
use serde_json::Value;

/// The judged cases.
pub fn judged() -> Vec<String> {
    let lines = include_str!("../../tests/fixtures/bash-syntax.jsonl").lines();
    let texts = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    texts
        .filter_map(|case| Some(case["text"].as_str()?.to_owned()))
        .filter(|text| !text.contains('\0'))
        .collect()
}

/// A script from the grammar or a judged case, most of them disturbed.
pub fn text(random: &mut Random, judged: &[String]) -> String {
    let mut text = match random.below(3) {
        0 => scripts::script(random),
        1 => random.pick(judged).clone(),
        _ => spliced(judged, random),
    };
    if random.one_in(3) {
        let (before, after) = random.pick(WRAPS);
        text = format!("{before}{text}{after}");
    }
    if !random.one_in(4) {
        scripts::disturb(random, &mut text);
    }
    text
}

/// A judged case with the end of another put into it.
fn spliced(judged: &[String], random: &mut Random) -> String {
    let (mut text, other) = (random.pick(judged).clone(), random.pick(judged));
    text.insert_str(boundary(&text, random), &other[boundary(other, random)..]);
    text
}

/// A place between two characters.
fn boundary(text: &str, random: &mut Random) -> usize {
    let at = random.below(text.len() + 1);
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
