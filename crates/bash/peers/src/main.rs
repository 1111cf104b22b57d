//! Prints how long each parser takes, over real commands and for one long script, in one run.
//!
//! ```sh
//! TOOLGATE_CORPUS=… cargo run --release --manifest-path crates/bash/peers/Cargo.toml
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use toolgate_bash_peers::{PARSERS, Run, commands, long_script};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The best of several runs, in nanoseconds. The machine is shared, and only the least is the parser's own.
fn best(run: Run, text: &str, rounds: usize) -> u64 {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            run(text);
            u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
        })
        .min()
        .unwrap_or(0)
}

fn main() {
    let commands = commands();
    let long = long_script(&commands, 64 * 1024);
    println!("{} commands; one script of {} bytes; times in microseconds", commands.len(), long.len());
    println!("{:12} {:>8} {:>8} {:>8} {:>10} {:>12}", "", "p50", "p90", "p99", "64 KB", "allocations");
    for (name, run) in PARSERS {
        let mut times: Vec<u64> = commands.iter().map(|command| best(run, command, 15)).collect();
        times.sort_unstable();
        let at = |share: usize| times[(times.len() - 1) * share / 100] as f64 / 1000.0;
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        commands.iter().for_each(|command| run(command));
        let allocations = (ALLOCATIONS.load(Ordering::Relaxed) - before) as f64 / commands.len() as f64;
        let script = best(run, &long, 9) as f64 / 1000.0;
        println!(
            "{name:12} {:8.2} {:8.2} {:8.2} {script:10.0} {allocations:12.1}",
            at(50),
            at(90),
            at(99)
        );
    }
}
