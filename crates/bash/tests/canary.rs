//! What bash runs is among the programs that we list, or flagged, or the script is unknown.
//!
//! Scripts are generated from a grammar whose commands are stubs that note their name, and bash really
//! runs them; some of them also as we print them. `TOOLGATE_ORACLE_SEED` and `TOOLGATE_ORACLE_SCRIPTS` set
//! where it begins and how far it goes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod oracle;

use oracle::canary::Cage;
use oracle::finds::{self, Find};
use oracle::{Random, bash, scripts};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate_bash::{Options, parse, print, programs};

const BATCH: usize = 250;

/// Builtins that run what they are given: whoever sees their names has to look further.
const EVALUATORS: &[&str] =
    &["eval", "trap", "command", "builtin", "exec", ".", "source", "mapfile", "alias"];

#[derive(Debug, Default)]
struct Tally {
    scripts: usize,
    unknown: usize,
    /// Commands that ran.
    ran: usize,
    /// Commands that ran and are visible only as part of something dynamic.
    dynamic: usize,
    /// Scripts of which the printed text was run too.
    printed: usize,
    /// Batches that did not end in time.
    late: usize,
}

#[test]
fn what_ran_is_visible() {
    let Some(bash) = bash::installed() else { return };
    let seed = oracle::seed();
    println!("TOOLGATE_ORACLE_SEED={seed}");
    let batches = oracle::batches(BATCH, 20_000);
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    let found = Mutex::new(Vec::new());
    let cages: Vec<Cage> = (0..2).map(|_| Cage::new(&bash)).collect();
    std::thread::scope(|scope| {
        for cage in &cages {
            scope.spawn(|| {
                loop {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    if batch >= batches || found.lock().unwrap().len() > 40 {
                        return;
                    }
                    let finds = check(cage, seed.wrapping_add(batch as u64), batch.is_multiple_of(4), &tally);
                    found.lock().unwrap().extend(finds);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!("{tally:?}");
    finds::report(seed, &found.into_inner().unwrap(), |text| fails(&cages[0], text));
    assert!(
        tally.unknown * 3 < tally.scripts * 2 && tally.ran > tally.scripts && tally.late == 0,
        "{tally:?}"
    );
}

fn check(cage: &Cage, seed: u64, printed_too: bool, tally: &Mutex<Tally>) -> Vec<Find> {
    let mut random = Random::new(seed);
    let judged = judged();
    let mut texts: Vec<String> = (0..BATCH).map(|_| script(&mut random, cage.isolated, &judged)).collect();
    let mut sum = Tally { scripts: texts.len(), ..Tally::default() };
    texts.retain(|text| parse(text.as_bytes(), &Options::default()).is_ok());
    sum.unknown = sum.scripts - texts.len();
    let mut found = Vec::new();
    match cage.run(&texts) {
        None => sum.late += 1,
        Some(ran) => {
            if printed_too {
                sum.printed = texts.len();
                found.extend(runs_as_printed(cage, &texts, &ran));
            }
            for (text, ran) in texts.into_iter().zip(ran) {
                sum.ran += ran.len();
                match hidden(&text, &ran) {
                    Ok(dynamic) => sum.dynamic += dynamic,
                    Err(why) => found.push(Find { text, why }),
                }
            }
        }
    }
    let mut tally = tally.lock().unwrap();
    tally.scripts += sum.scripts;
    tally.unknown += sum.unknown;
    tally.ran += sum.ran;
    tally.dynamic += sum.dynamic;
    tally.printed += sum.printed;
    tally.late += sum.late;
    found
}

/// A script from the grammar; if it can do no harm, one that was disturbed, or a judged case that was.
fn script(random: &mut Random, isolated: bool, judged: &[String]) -> String {
    let mut text =
        if isolated && random.one_in(8) { random.pick(judged).clone() } else { scripts::script(random) };
    if isolated && random.one_in(3) {
        scripts::disturb(random, &mut text);
    }
    text
}

fn judged() -> Vec<String> {
    let texts = include_str!("fixtures/bash-syntax.jsonl").lines();
    let texts = texts.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let texts = texts.filter(|case| case["kind"] == "syntax");
    texts.map(|case| case["text"].as_str().unwrap().to_owned()).filter(|text| !text.contains('\0')).collect()
}

/// How many commands that ran stand in something that is flagged as dynamic; or one that is not visible.
fn hidden(text: &str, ran: &[String]) -> Result<usize, String> {
    let script = parse(text.as_bytes(), &Options::default()).unwrap();
    let programs = programs(&script);
    let seen = |name: &str| name.replace(['\n', ' '], "_");
    let names: HashSet<String> =
        programs.iter().filter_map(|p| p.name.as_ref()).map(|name| seen(&name.to_str_lossy())).collect();
    if EVALUATORS.iter().any(|name| names.contains(*name)) {
        return Ok(0);
    }
    let flagged = programs.iter().any(|program| program.is_dynamic());
    let unseen: Vec<&String> = ran.iter().filter(|name| !names.contains(*name)).collect();
    match unseen.first() {
        Some(name) if !flagged => Err(format!("{name} ran, and the programs are {names:?}")),
        _ => Ok(unseen.len()),
    }
}

fn fails(cage: &Cage, text: &str) -> bool {
    let texts = [text.to_owned()];
    parse(text.as_bytes(), &Options::default()).is_ok()
        && cage.run(&texts).is_some_and(|ran| {
            hidden(text, &ran[0]).is_err() || !runs_as_printed(cage, &texts, &ran).is_empty()
        })
}

/// The scripts that do not run all of their commands when they are printed.
///
/// They may run more: bash gives up on some words with comments and quotes inside backticks when it expands
/// them, and what is printed has no comments and fewer quotes.
fn runs_as_printed(cage: &Cage, texts: &[String], ran: &[Vec<String>]) -> Vec<Find> {
    let printed: Vec<String> = texts.iter().map(|text| printed(text)).collect();
    let Some(ran_printed) = cage.run(&printed) else { return Vec::new() };
    let pairs = texts.iter().zip(&printed).zip(ran.iter().zip(&ran_printed));
    let differing = pairs.filter(|(_, (ran, ran_printed))| !is_part_of(ran, ran_printed));
    differing
        .filter(|((text, printed), _)| !run_alike_at_times(cage, text, printed))
        .map(|((text, printed), (ran, ran_printed))| Find {
            text: text.clone(),
            why: format!("{ran:?} ran, and {ran_printed:?} as {printed:?}"),
        })
        .collect()
}

fn printed(text: &str) -> String {
    let script = parse(text.as_bytes(), &Options::default()).unwrap();
    String::from_utf8(print(&script)).unwrap()
}

/// Whether the printed script runs what the other does at least once: with pipes and jobs, that is not
/// always so.
fn run_alike_at_times(cage: &Cage, text: &str, printed: &str) -> bool {
    let texts = [vec![text.to_owned(); 8], vec![printed.to_owned(); 8]].concat();
    let Some(ran) = cage.run(&texts) else { return true };
    ran[..8].iter().any(|ran_once| ran[8..].iter().any(|ran_printed| is_part_of(ran_once, ran_printed)))
}

/// Whether each command of one run is in another. How often one runs is a matter of chance in loops.
fn is_part_of(ran: &[String], other: &[String]) -> bool {
    ran.iter().all(|name| other.contains(name))
}
