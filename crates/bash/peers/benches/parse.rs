//! All real commands once, by each parser, side by side.

use divan::{Bencher, counter::BytesCount};
use toolgate_bash_peers::{PARSERS, Run, commands, long_script};

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

fn parser(name: &str) -> Run {
    PARSERS.iter().find(|(found, _)| *found == name).expect("the name is in the list").1
}

#[divan::bench(args = ["toolgate", "toolgate, evaluated", "shuck", "tree-sitter"])]
fn real_commands(bencher: Bencher, name: &str) {
    let run = parser(name);
    let commands = commands();
    let bytes: usize = commands.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| commands.iter().for_each(|command| run(command)));
}

#[divan::bench(args = ["toolgate", "toolgate, evaluated", "shuck", "tree-sitter"])]
fn script_of_64_kb(bencher: Bencher, name: &str) {
    let run = parser(name);
    let script = long_script(&commands(), 64 * 1024);
    bencher.counter(BytesCount::new(script.len())).bench_local(|| run(&script));
}
