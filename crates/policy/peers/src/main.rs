//! Prints how long a judgement takes over the judged commands, beside a parser alone and another judge, in one run.
//!
//! ```sh
//! cargo run --release --manifest-path crates/policy/peers/Cargo.toml
//! ```

use std::hint::black_box;
use std::time::Instant;

use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::decide::Policy;
use toolgate_policy::rule::{Layer, RuleText, Rules};

/// The best of several runs, in nanoseconds. The machine is shared, and only the least is the judge's own.
fn best(run: &dyn Fn(&str), text: &str) -> u64 {
    const ROUNDS: usize = 15;
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run(black_box(text));
            u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
        })
        .min()
        .unwrap_or(0)
}

fn commands() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/commands.jsonl");
    let text = std::fs::read_to_string(path).expect("the judged commands can be read");
    let case = |line| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON");
    text.lines().map(case).filter_map(|case| Some(case["command"].as_str()?.to_owned())).collect()
}

/// As many rules as a large company might write: one in four about paths.
fn rules(count: usize) -> Rules {
    let text = |at: usize| RuleText {
        action: if at % 3 == 0 { "ask" } else { "deny" }.to_owned(),
        program: if at % 4 == 0 { Vec::new() } else { vec![format!("tool{at}")] },
        args: if at % 4 == 1 { vec!["deploy|publish".to_owned()] } else { Vec::new() },
        effect: if at % 2 == 0 { vec!["write".to_owned()] } else { Vec::new() },
        path: if at % 4 == 0 { vec![format!("infra/region{at}/**")] } else { Vec::new() },
        ..RuleText::default()
    };
    let texts: Vec<RuleText> = (0..count).map(text).collect();
    Rules::compile(&texts, Layer::User).expect("the rules are sound")
}

fn main() {
    let judge = Judge::new("/home/dev", "/home/dev/work/repo");
    let ruled = judge.by(Policy { rules: rules(200), ..Policy::default() });
    let by = |judge: &Judge<'_>, text: &str| {
        black_box(judge.judge(&Request::Command { text: text.to_owned(), cwd: None }));
    };
    let parser = std::cell::RefCell::new(tree_sitter::Parser::new());
    let language = tree_sitter_bash::LANGUAGE.into();
    parser.borrow_mut().set_language(&language).expect("the versions of grammar and library match");

    let toolgate = |text: &str| by(&judge, text);
    let toolgate_ruled = |text: &str| by(&ruled, text);
    let tree_sitter = |text: &str| {
        black_box(parser.borrow_mut().parse(text, None));
    };
    let safe_chains = |text: &str| {
        black_box(safe_chains::command_verdict(text));
    };
    let runs: [(&str, &dyn Fn(&str)); 4] = [
        ("toolgate: parse, analyse, decide", &toolgate),
        ("the same, with 200 rules", &toolgate_ruled),
        ("tree-sitter-bash: parse alone", &tree_sitter),
        ("safe-chains: verdict", &safe_chains),
    ];
    let commands = commands();
    println!("{} commands; microseconds", commands.len());
    println!("{:36} {:>8} {:>8} {:>8} {:>10}", "", "p50", "p90", "p99", "worst");
    let mut medians = Vec::new();
    for (name, run) in runs {
        let mut times: Vec<u64> = commands.iter().map(|command| best(run, command)).collect();
        times.sort_unstable();
        let at = |share: usize| times[(times.len() - 1) * share / 100] as f64 / 1000.0;
        println!("{name:36} {:8.2} {:8.2} {:8.2} {:10.1}", at(50), at(90), at(99), at(100));
        medians.push(at(50));
    }
    for (at, (name, _)) in runs.iter().enumerate().skip(1) {
        println!("toolgate's median is {:.2} of: {name}", medians[0] / medians[at]);
    }
}
