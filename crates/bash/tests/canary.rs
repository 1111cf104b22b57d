//! What bash runs is among the programs that we list, or flagged, or the script is unknown.
//!
//! Scripts are generated from a grammar whose commands are stubs that note their name, and bash really
//! runs them. `TOOLGATE_ORACLE_SEED` and `TOOLGATE_ORACLE_SCRIPTS` set where it begins and how far it goes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod oracle;

use oracle::canary::Cage;
use oracle::{Random, bash, scripts};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate_bash::{Options, parse, programs};

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
    let failures = Mutex::new(Vec::new());
    let cages: Vec<Cage> = (0..2).map(|_| Cage::new(&bash)).collect();
    std::thread::scope(|scope| {
        for cage in &cages {
            scope.spawn(|| {
                loop {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    if batch >= batches || failures.lock().unwrap().len() > 20 {
                        return;
                    }
                    let found = check(cage, seed.wrapping_add(batch as u64), &tally);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let (tally, failures) = (tally.into_inner().unwrap(), failures.into_inner().unwrap());
    println!("{tally:?}");
    if let Some(path) = std::env::var_os("TOOLGATE_ORACLE_FINDS") {
        let finds: Vec<String> = failures
            .iter()
            .map(|f| serde_json::json!({"text": f.text, "why": f.why}).to_string() + "\n")
            .collect();
        std::fs::write(path, finds.concat()).unwrap();
        assert!(failures.is_empty(), "{} scripts, seed {seed}", failures.len());
    }
    for Failure { text, why } in failures.iter().take(3) {
        let small = oracle::reduce(text, |text| fails(&cages[0], text));
        println!("--- {small:?}\n{small}\n    {why}, of {text:?}");
    }
    assert!(failures.is_empty(), "{} scripts, seed {seed}", failures.len());
    assert!(tally.unknown * 2 < tally.scripts && tally.ran > tally.scripts && tally.late == 0, "{tally:?}");
}

struct Failure {
    text: String,
    why: String,
}

fn check(cage: &Cage, seed: u64, tally: &Mutex<Tally>) -> Vec<Failure> {
    let mut random = Random::new(seed);
    let judged = judged();
    let mut texts: Vec<String> = (0..BATCH).map(|_| script(&mut random, cage.isolated, &judged)).collect();
    let mut sum = Tally { scripts: texts.len(), ..Tally::default() };
    texts.retain(|text| parse(text.as_bytes(), &Options::default()).is_ok());
    sum.unknown = sum.scripts - texts.len();
    let mut failures = Vec::new();
    match cage.run(&texts) {
        None => sum.late += 1,
        Some(ran) => {
            for (text, ran) in texts.into_iter().zip(ran) {
                sum.ran += ran.len();
                match hidden(&text, &ran) {
                    Ok(dynamic) => sum.dynamic += dynamic,
                    Err(why) => failures.push(Failure { text, why }),
                }
            }
        }
    }
    let mut tally = tally.lock().unwrap();
    tally.scripts += sum.scripts;
    tally.unknown += sum.unknown;
    tally.ran += sum.ran;
    tally.dynamic += sum.dynamic;
    tally.late += sum.late;
    failures
}

/// A script from the grammar; if it can do no harm, one that was disturbed, or a judged case that was.
fn script(random: &mut Random, isolated: bool, judged: &[String]) -> String {
    let mut text =
        if isolated && random.one_in(8) { random.pick(judged).clone() } else { scripts::script(random) };
    if isolated && random.one_in(2) {
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
    let mut flagged = programs.iter().filter(|program| program.is_dynamic()).peekable();
    let mut dynamic = 0;
    for name in ran.iter().filter(|name| !names.contains(*name)) {
        if flagged.peek().is_none() {
            return Err(format!("{name} ran, and the programs are {names:?}"));
        }
        dynamic += 1;
    }
    Ok(dynamic)
}

fn fails(cage: &Cage, text: &str) -> bool {
    parse(text.as_bytes(), &Options::default()).is_ok()
        && cage.run(&[text.to_owned()]).is_some_and(|ran| hidden(text, &ran[0]).is_err())
}
