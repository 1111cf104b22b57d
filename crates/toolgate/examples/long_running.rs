//! A program that runs for long and holds much memory starts commands as quickly as a small one.
//!
//! `cargo run --release -p toolgate --example long_running [MEGABYTES] [early|late|never]`
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use toolgate::exec::{SkillTrustLevel, ToolExecutor};
use toolgate::standard::Standard;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let word = |at: usize| std::env::args().nth(at);
    let when = word(2).unwrap_or_else(|| "early".to_owned());
    // First thing: a runtime has threads, and a helper that is made later is this program run again. Where
    // this process is that helper, it serves here and goes no further.
    #[cfg(target_os = "linux")]
    if when == "early" {
        toolgate::spawn::init();
    }
    let held = vec![1u8; word(1).and_then(|number| number.parse::<usize>().ok()).unwrap_or(300) << 20];
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    #[cfg(target_os = "linux")]
    if when == "late" {
        toolgate::spawn::init();
    }

    let project = std::env::current_dir()?;
    let home = std::env::var_os("HOME").unwrap_or_default();
    runtime.block_on(async {
        let agent = Standard::builder(project, home).trust(SkillTrustLevel::Trusted).build()?;
        let mut times = Vec::new();
        for _ in 0..20 {
            let start = Instant::now();
            let output = agent.execute("```bash\ntrue\n```\n").await?.ok_or("the text holds a call")?;
            times.push(start.elapsed());
            if times.len() == 1 {
                println!(
                    "the boundary: {}",
                    output.enforcement.map_or("none".to_owned(), |e| format!("{:?}", e.level))
                );
            }
        }
        times.sort();
        let median = times.get(times.len() / 2).copied().unwrap_or(Duration::ZERO);
        println!(
            "{} MB held, the helper made {when}: {:.2} ms for `true`",
            held.len() >> 20,
            median.as_secs_f64() * 1e3
        );
        Ok::<(), Box<dyn std::error::Error>>(())
    })
}
