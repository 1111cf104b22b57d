//! Grants outlive whoever was killed while keeping them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use toolgate::grants::{Form, Grants, Proposal, Scope};

const DIR: &str = "TOOLGATE_TEST_GRANTS_DIR";
const WHO: &str = "TOOLGATE_TEST_GRANTS_WHO";

fn proposal(who: &str, number: usize) -> Proposal {
    let words = ["tool".to_owned(), who.to_owned(), number.to_string()];
    Proposal { tool: "bash".to_owned(), parts: vec![(Form::Exact { words: words.into() }, Vec::new())] }
}

/// Gives grants one after the other and says so after each, until it is killed.
fn give_until_killed(dir: &str) {
    let grants = Grants::open(Path::new(dir), Path::new("/work")).unwrap();
    let who = std::env::var(WHO).unwrap();
    for number in 0..150 {
        grants.add(Scope::Project, &proposal(&who, number), None).unwrap();
        println!("added {number}");
    }
}

fn child(dir: &Path, who: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "what_was_granted_stays_granted_whoever_is_killed", "--nocapture"])
        .env(DIR, dir)
        .env(WHO, who)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads until so many grants are said to be kept; how many were by then.
fn wait_for(child: &mut Child, count: usize) -> usize {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    lines.map(Result::unwrap).filter(|line| line.starts_with("added ")).take(count).count()
}

#[test]
fn what_was_granted_stays_granted_whoever_is_killed() {
    if let Ok(dir) = std::env::var(DIR) {
        return give_until_killed(&dir);
    }
    for count in [1, 2, 7, 23, 60] {
        let dir = tempfile::tempdir().unwrap();
        let mut children = [child(dir.path(), "one"), child(dir.path(), "two")];
        let told = children.each_mut().map(|c| wait_for(c, count));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let kept = Grants::open(dir.path(), Path::new("/work")).unwrap();
        for (who, told) in ["one", "two"].into_iter().zip(told) {
            assert_eq!(told, count);
            for number in 0..told {
                let want = proposal(who, number);
                assert!(
                    kept.list().iter().any(|l| l.grant.form == want.parts[0].0),
                    "{who} {number} of {count}"
                );
            }
        }
        // Nobody is in the way of the next.
        kept.add(Scope::Project, &proposal("three", 0), None).unwrap();
    }
}
