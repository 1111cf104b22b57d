//! The values that the static evaluation says are certain, against what real bash makes of them.
//!
//! Random scripts assign, expand and call `probe`, a function that writes down its arguments. Each
//! time it ran, one of our evaluations of that command must agree: literal arguments byte for byte,
//! dynamic ones in the parts that are known. `TOOLGATE_ORACLE_SEED` and `TOOLGATE_ORACLE_SCRIPTS` set where
//! it begins and how far it goes, `TOOLGATE_ORACLE_FINDS` after how many wrong values it stops.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod oracle;

use oracle::{Random, bash, values};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use toolgate_bash::eval::{self, Certainty, Class, Count, Env, Field, PieceRef, Unlisted};
use toolgate_bash::{Options, Shell, parse};

/// Reads scripts from its input, runs each in a subshell, and separates what they write.
///
/// A record is one line, so that commands of a pipeline do not write into each other's: arguments end
/// in byte 30, and byte 31 stands for a newline.
const DRIVER: &str = r#"
exec 3>&1 >/dev/null
probe() {
  builtin local record
  builtin printf -v record '%s\036' "$@"
  builtin printf '@%s\n' "${record//$'\n'/$'\037'}" >&3
  ((++probes < 200)) || builtin exit
}
probe9() { builtin return $((RANDOM % 2)); }
while IFS= builtin read -r -d '' text; do
  (builtin ulimit -t 1; set --; builtin eval "$text") </dev/null
  builtin printf '!\n' >&3
done
"#;

/// A group is signalled whole, the part outside the process namespace too.
#[test]
fn a_script_that_signals_its_group_does_not_reach_the_tests() {
    let Some(bash) = bash::installed() else { return };
    let output = bash::run(&bash, Path::new("/"), "echo before; kill -USR1 0; echo after", b"", &[]);
    assert!(output.starts_with(b"before\n"), "{}", output.escape_ascii());
}

#[test]
fn certain_values_are_what_bash_makes_of_them() {
    let Some(bash) = bash::installed() else { return };
    let seed = oracle::seed();
    println!("seed {seed}");
    let bench = Bench::new(&bash);
    let size = 500;
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    let most = std::env::var("TOOLGATE_ORACLE_FINDS").map_or(4, |most| most.parse().unwrap());
    for batch in 0..oracle::batches(size, 6000) {
        let mut random = Random::new(seed.wrapping_add(batch as u64));
        let mut texts: Vec<String> = (0..size).map(|_| values::script(&mut random)).collect();
        texts.retain(|text| {
            let known = parse(text.as_bytes(), &Options::default()).is_ok();
            tally.unknown += usize::from(!known);
            known
        });
        let locale = if batch % 2 == 0 { "C" } else { "C.UTF-8" };
        for (text, ran) in texts.iter().zip(bench.run(&texts, locale)) {
            if let Err(why) = check(text, &ran, bench.dir(), &mut tally) {
                failures.push((text.clone(), locale, why));
            }
        }
        if failures.len() >= most {
            break;
        }
    }
    println!("{tally:?}");
    let count = failures.len();
    for (text, locale, why) in failures.into_iter().take(most) {
        let unseen = why.contains("do not see");
        let fails = |text: &str| {
            parse(text.as_bytes(), &Options::default()).is_ok() && {
                // Conditions are random: once is not enough.
                let texts = vec![text.to_owned(); 4];
                bench.run(&texts, locale).iter().any(|ran| {
                    check(text, ran, bench.dir(), &mut Tally::default())
                        .is_err_and(|why| why.contains("do not see") == unseen)
                })
            }
        };
        let small = oracle::reduce(&text, fails);
        let again = bench.run(&vec![small.clone(); 16], locale);
        let why = again.iter().find_map(|ran| check(&small, ran, bench.dir(), &mut Tally::default()).err());
        println!(
            "--- {text:?} in {locale}\n{small}\n{}",
            why.unwrap_or_else(|| "it does not fail each time".into())
        );
    }
    assert_eq!(count, 0, "seed {seed}");
    assert!(tally.literal > tally.probes / 4, "too little is certain for this to mean anything: {tally:?}");
}

#[test]
fn scripts_written_to_deceive_do_not() {
    let Some(bash) = bash::installed() else { return };
    let bench = Bench::new(&bash);
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for locale in ["C", "C.UTF-8"] {
        let known = |text: &&&str| parse(text.as_bytes(), &Options::default()).is_ok();
        let texts: Vec<String> =
            oracle::adversarial::SCRIPTS.iter().filter(known).map(|text| text.to_string()).collect();
        for (text, ran) in texts.iter().zip(bench.run(&texts, locale)) {
            if let Err(why) = check(text, &ran, bench.dir(), &mut tally) {
                wrong.push(format!("{text}\n{why}"));
            }
        }
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
}

/// Where scripts are run.
struct Bench<'b> {
    bash: &'b Path,
    scratch: bash::Scratch,
}

impl<'b> Bench<'b> {
    fn new(bash: &'b Path) -> Self {
        let scratch = bash::Scratch::new("eval");
        for file in ["a", "ab", "abc", "b c", "x1"] {
            std::fs::write(scratch.path().join(file), b"").unwrap();
        }
        Bench { bash, scratch }
    }

    fn dir(&self) -> &str {
        self.scratch.path().to_str().unwrap()
    }

    /// The arguments of every `probe` that ran, for each of the scripts.
    fn run(&self, texts: &[String], locale: &str) -> Vec<Vec<Vec<Vec<u8>>>> {
        let mut input = Vec::new();
        for text in texts {
            input.extend_from_slice(text.as_bytes());
            input.push(0);
        }
        let env: [(&str, &OsStr); 3] =
            [("HOME", "/home/u".as_ref()), ("PATH", "/nowhere".as_ref()), ("LC_ALL", locale.as_ref())];
        let output = bash::run(self.bash, self.scratch.path(), DRIVER, &input, &env);
        let mut records = output.split(|&b| b == b'\n');
        let mut out = Vec::new();
        for text in texts {
            let mut ran = Vec::new();
            loop {
                match records.next() {
                    Some(b"!") => break,
                    Some([b'@', args @ ..]) => {
                        let args = args.strip_suffix(b"\x1e").unwrap_or(args);
                        let newline = |b: &u8| if *b == 31 { b'\n' } else { *b };
                        ran.push(
                            args.split(|&b| b == 30).map(|arg| arg.iter().map(newline).collect()).collect(),
                        );
                    }
                    other => panic!("unexpected record {other:?} after {text}"),
                }
            }
            out.push(ran);
        }
        out
    }
}

#[derive(Debug, Default)]
struct Tally {
    /// Scripts that our parser does not take.
    unknown: usize,
    /// Probes that ran.
    probes: usize,
    /// Those among them of which all arguments were certain.
    literal: usize,
    /// Those that had a glob.
    glob: usize,
}

fn check(text: &str, ran: &[Vec<Vec<u8>>], dir: &str, tally: &mut Tally) -> Result<(), String> {
    let script = parse(text.as_bytes(), &Options::default()).unwrap();
    let mut env = Env::new(Shell::Bash, Unlisted::Unset)
        .with("HOME", "/home/u")
        .with("PATH", "/nowhere")
        .with("PWD", dir);
    let mut known: HashMap<Vec<u8>, Vec<Vec<Field>>> = HashMap::new();
    for command in eval::commands(&script, text.as_bytes(), &mut env) {
        if let [name, number, rest @ ..] = command.argv.as_slice()
            && name.literal() == Some(b"probe")
            && let Some(number) = number.literal()
        {
            known.entry(number.to_vec()).or_default().push(rest.to_vec());
        }
    }
    for args in ran {
        let Some((number, args)) = args.split_first() else { continue };
        if !number.iter().all(u8::is_ascii_digit) || number.is_empty() {
            // Only where a script was cut down.
            continue;
        }
        let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
        tally.probes += 1;
        let shown: Vec<_> = args.iter().map(|arg| String::from_utf8_lossy(arg)).collect();
        let number_shown = String::from_utf8_lossy(number);
        let Some(visits) = known.get(number) else {
            return Err(format!("probe {number_shown} ran with {shown:?}, and we do not see it"));
        };
        let Some(visit) = visits.iter().find(|fields| agree(fields, &args)) else {
            let ours: Vec<String> = visits.iter().map(|fields| show(fields)).collect();
            return Err(format!("probe {number_shown} got {shown:?}\n  we say {}", ours.join("\n      or ")));
        };
        tally.literal += usize::from(visit.iter().all(|field| field.literal().is_some()));
        tally.glob += usize::from(visit.iter().any(|field| field.certainty() == Certainty::Glob));
    }
    Ok(())
}

fn show(fields: &[Field]) -> String {
    let mut out = String::new();
    for field in fields {
        out.push('[');
        for piece in field.value.pieces() {
            match piece {
                PieceRef::Known(text) => out.push_str(&String::from_utf8_lossy(text)),
                PieceRef::Pattern(text) => out.push_str(&format!("«{}»", String::from_utf8_lossy(text))),
                PieceRef::Unknown(hole) => out.push_str(&format!("<{}>", hole.why.code())),
            }
        }
        out.push(']');
        out.push_str(match field.count {
            Count::One => " ",
            Count::Some => "+ ",
            Count::Any => "* ",
        });
    }
    out
}

/// Whether arguments can be what these fields describe.
fn agree(fields: &[Field], args: &[&[u8]]) -> bool {
    let Some((field, rest)) = fields.split_first() else { return args.is_empty() };
    let (least, most) = match field.count {
        Count::One => (1, 1),
        Count::Some => (1, args.len()),
        Count::Any => (0, args.len()),
    };
    (least..=most).any(|n| n <= args.len() && fits(field, &args[..n]) && agree(rest, &args[n..]))
}

fn fits(field: &Field, args: &[&[u8]]) -> bool {
    let pieces: Vec<PieceRef<'_>> = field.value.pieces().collect();
    match args {
        [] => true,
        [only] => matches(&pieces, only),
        [first, .., last] => {
            let known = |piece: Option<&PieceRef<'_>>| match piece {
                Some(PieceRef::Known(text)) => text.to_vec(),
                _ => Vec::new(),
            };
            first.starts_with(&known(pieces.first())) && last.ends_with(&known(pieces.last()))
        }
    }
}

fn matches(pieces: &[PieceRef<'_>], text: &[u8]) -> bool {
    match pieces {
        [] => text.is_empty(),
        [PieceRef::Known(known), rest @ ..] => {
            text.strip_prefix(*known).is_some_and(|text| matches(rest, text))
        }
        [PieceRef::Pattern(_), rest @ ..] => (0..=text.len()).any(|n| matches(rest, &text[n..])),
        [PieceRef::Unknown(hole), rest @ ..] => (0..=text.len()).any(|n| {
            let is_class = match hole.class {
                Class::Any => true,
                Class::Integer => {
                    let digits = text[..n].strip_prefix(b"-").unwrap_or(&text[..n]);
                    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
                }
            };
            is_class && matches(rest, &text[n..])
        }),
    }
}
