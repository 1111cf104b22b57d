//! What the oracles share: random numbers, and a real bash that is given many scripts at once.
//!
//! `TOOLGATE_ORACLE_SEED` sets the seed (every oracle prints it), or asks for `random` ones, `TOOLGATE_ORACLE_SCRIPTS` the
//! number of scripts of one oracle. Without it an oracle does as much as a test run has time for.

#![allow(dead_code, unreachable_pub, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

pub mod adversarial;
pub mod bash;
pub mod canary;
pub mod finds;
pub mod scripts;
pub mod shape;
pub mod values;
pub mod wraps;

/// Random numbers that depend on nothing but the seed.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The seed of this run.
///
/// It is the same each time, so that a run fails for what was changed and not by chance. Who looks for more
/// sets it to `random`; what is printed can be set again.
pub fn seed() -> u64 {
    match std::env::var("TOOLGATE_ORACLE_SEED") {
        Ok(seed) if seed == "random" => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
            now.as_nanos() as u64 & 0xffff_ffff
        }
        Ok(seed) => seed.parse().expect("TOOLGATE_ORACLE_SEED is a number, or `random`"),
        Err(_) => 1,
    }
}

/// How many scripts an oracle runs, if that was set.
pub fn scripts() -> Option<usize> {
    let count = std::env::var("TOOLGATE_ORACLE_SCRIPTS").ok()?;
    Some(count.parse().expect("TOOLGATE_ORACLE_SCRIPTS is a number"))
}

/// The number of batches of an oracle, each of `size` scripts; `usual` scripts if nothing was set.
pub fn batches(size: usize, usual: usize) -> usize {
    scripts().unwrap_or(usual).div_ceil(size)
}

/// Makes a script that fails smaller, as long as it still fails.
pub fn reduce(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let words = pieces(text, |c| c == ' ' || c == '\n' || c == ';');
    let text = shrink(words, 300, &fails);
    let quotes = pieces(&text, |c| "\"'${}".contains(c));
    let text = shrink(quotes, 200, &fails);
    shrink(text.chars().map(String::from).collect(), 200, &fails)
}

fn pieces(text: &str, ends: impl Fn(char) -> bool) -> Vec<String> {
    text.split_inclusive(ends).map(String::from).collect()
}

fn shrink(pieces: Vec<String>, most: usize, fails: impl Fn(&str) -> bool) -> String {
    let mut best = pieces;
    let mut size = best.len() / 2;
    let mut tries = 0;
    while size > 0 {
        let mut at = 0;
        let mut shrunk = false;
        while at < best.len() && tries < most {
            let end = (at + size).min(best.len());
            let rest = [&best[..at], &best[end..]].concat();
            tries += 1;
            if fails(&rest.concat()) {
                best = rest;
                shrunk = true;
            } else {
                at += size;
            }
        }
        if !shrunk || size > 1 {
            size /= 2;
        }
    }
    best.concat()
}
