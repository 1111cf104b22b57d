//! Compiles the rules into a classic BPF program.

use libc::sock_filter;

use super::Choice;
use super::table::{Act, NATIVE_RULES, RULES, Rule, family};

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const JUMP: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;

/// Where the call's number and processor are in what the program is given.
const NUMBER: u32 = 0;
const PROCESSOR: u32 = 4;

/// The processor the filter is for; a call made as another is a way around the numbers.
#[cfg(target_arch = "x86_64")]
pub(super) const NATIVE: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
pub(super) const NATIVE: Option<u32> = Some(0xC000_00B7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) const NATIVE: Option<u32> = None;

/// Whether there is a filter for this processor.
pub(crate) const SUPPORTED: bool = NATIVE.is_some();

/// Numbers from here on are x32 calls: the same processor, other numbers.
#[cfg(target_arch = "x86_64")]
const FOREIGN_NUMBERS: Option<u32> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const FOREIGN_NUMBERS: Option<u32> = None;

fn op(code: u16, k: u32) -> sock_filter {
    branch(code, k, 0, 0)
}

fn branch(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn fail(errno: i32) -> sock_filter {
    op(RETURN, libc::SECCOMP_RET_ERRNO | errno as u32)
}

/// Loads the low word of an argument.
///
/// The kernel cuts these arguments to 32 bits itself, so bits above them change nothing and must not
/// hide a value.
fn load_argument(index: u32) -> sock_filter {
    let low = if cfg!(target_endian = "big") { 4 } else { 0 };
    op(LOAD, 16 + 8 * index + low)
}

/// The program for these choices; `None` on a processor there is no table for.
pub(crate) fn compile(choice: Choice) -> Option<Vec<sock_filter>> {
    let mut rules: Vec<&Rule> = RULES.iter().chain(NATIVE_RULES).collect();
    rules.sort_by_key(|rule| rule.call);
    let mut program =
        vec![op(LOAD, PROCESSOR), branch(EQUAL, NATIVE?, 1, 0), op(RETURN, KILL), op(LOAD, NUMBER)];
    if let Some(first) = FOREIGN_NUMBERS {
        program.push(branch(AT_LEAST, first, 0, 1));
        program.push(fail(libc::ENOSYS));
    }
    program.extend(tree(&rules, choice));
    Some(program)
}

/// A search tree over rules sorted by number; each path ends in an answer.
fn tree(rules: &[&Rule], choice: Choice) -> Vec<sock_filter> {
    if rules.len() <= 2 {
        let mut program = Vec::new();
        for rule in rules {
            let body = answer(rule.act, choice);
            // A body is at most a few lines, see `answer`.
            program.push(branch(EQUAL, rule.call as u32, 0, body.len() as u8));
            program.extend(body);
        }
        program.push(op(RETURN, ALLOW));
        return program;
    }
    let (low, high) = rules.split_at(rules.len() / 2);
    let middle = high.first().map_or(u32::MAX, |rule| rule.call as u32);
    let (low, high) = (tree(low, choice), tree(high, choice));
    let mut program = match u8::try_from(low.len()) {
        Ok(far) => vec![branch(AT_LEAST, middle, far, 0)],
        // A branch reaches 255 lines; a plain jump reaches any.
        Err(_) => vec![branch(AT_LEAST, middle, 0, 1), op(JUMP, low.len() as u32)],
    };
    program.extend(low);
    program.extend(high);
    program
}

/// What to do with a call whose number matched; always ends in an answer, and is under 30 lines.
fn answer(act: Act, choice: Choice) -> Vec<sock_filter> {
    match act {
        Act::Fail(errno) => vec![fail(errno)],
        Act::FailUnlessNesting(_) if choice.nesting => vec![op(RETURN, ALLOW)],
        Act::FailUnlessTracing(_) if choice.tracing => vec![op(RETURN, ALLOW)],
        Act::FailUnlessNesting(errno) | Act::FailUnlessTracing(errno) => vec![fail(errno)],
        Act::FailOnFlags { .. } if choice.nesting => vec![op(RETURN, ALLOW)],
        Act::FailOnFlags { argument, bits, errno } => {
            vec![load_argument(argument), branch(ANY_BIT, bits, 0, 1), fail(errno), op(RETURN, ALLOW)]
        }
        Act::FailOn { argument, values, errno } => {
            choose(argument, values, vec![op(RETURN, ALLOW)], vec![fail(errno)])
        }
        Act::FailUnless { argument, values, errno } => {
            choose(argument, values, vec![fail(errno)], vec![op(RETURN, ALLOW)])
        }
        Act::Socket { errno } => {
            let refuse = if choice.notify { op(RETURN, NOTIFY) } else { fail(errno) };
            let mut families = Vec::new();
            if choice.local {
                families.push(family::LOCAL);
            }
            let mut rest = vec![refuse];
            if choice.internet {
                families.extend([family::INET, family::INET6]);
                // The family is still loaded. Of netlink only routes (protocol 0), which name
                // resolution asks for; other protocols reach deep into the kernel.
                rest = vec![
                    branch(EQUAL, family::NETLINK, 0, 2),
                    load_argument(2),
                    branch(EQUAL, 0, 1, 0),
                    refuse,
                    op(RETURN, ALLOW),
                ];
            }
            choose(0, &families, rest, vec![op(RETURN, ALLOW)])
        }
        Act::SocketPair { errno } => {
            let mut body = vec![load_argument(0), branch(EQUAL, family::LOCAL, 1, 0), fail(errno)];
            if choice.local {
                body.push(op(RETURN, ALLOW));
                return body;
            }
            let kinds = [libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32];
            body.extend([
                load_argument(1),
                op(AND, 0xf),
                branch(EQUAL, kinds[0], 2, 0),
                branch(EQUAL, kinds[1], 1, 0),
                fail(errno),
                op(RETURN, ALLOW),
            ]);
            body
        }
    }
}

/// Loads an argument and goes to `found` if it is one of the values, else to `other`.
fn choose(
    argument: u32,
    values: &[u32],
    other: Vec<sock_filter>,
    found: Vec<sock_filter>,
) -> Vec<sock_filter> {
    let mut program = vec![load_argument(argument)];
    for (index, &value) in values.iter().enumerate() {
        let far = values.len() - index - 1 + other.len();
        // The tables hold a handful of values each, so this stays far below 255.
        program.push(branch(EQUAL, value, far as u8, 0));
    }
    program.extend(other);
    program.extend(found);
    program
}

#[cfg(test)]
mod tests {
    use super::super::interpret::run;
    use super::super::table::NEW_NAMESPACES;
    use super::*;

    fn choices() -> impl Iterator<Item = Choice> {
        (0..32u32).map(|bits| Choice {
            local: bits & 1 != 0,
            internet: bits & 2 != 0,
            nesting: bits & 4 != 0,
            tracing: bits & 8 != 0,
            notify: bits & 16 != 0,
        })
    }

    fn errno(number: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | number as u32
    }

    /// What the table says, without a program.
    fn meant(choice: Choice, call: u32, args: [u64; 6]) -> u32 {
        let Some(rule) = RULES.iter().chain(NATIVE_RULES).find(|rule| rule.call as u32 == call) else {
            return ALLOW;
        };
        let word = |index: u32| args[index as usize] as u32;
        let refused = match rule.act {
            Act::Fail(number) => Some(number),
            Act::FailUnlessNesting(number) => (!choice.nesting).then_some(number),
            Act::FailUnlessTracing(number) => (!choice.tracing).then_some(number),
            Act::FailOnFlags { argument, bits, errno } => {
                (!choice.nesting && word(argument) & bits != 0).then_some(errno)
            }
            Act::FailOn { argument, values, errno } => values.contains(&word(argument)).then_some(errno),
            Act::FailUnless { argument, values, errno } => {
                (!values.contains(&word(argument))).then_some(errno)
            }
            Act::Socket { errno } => {
                let allowed = match word(0) {
                    1 => choice.local,
                    2 | 10 => choice.internet,
                    16 => choice.internet && word(2) == 0,
                    _ => false,
                };
                if !allowed && choice.notify {
                    return NOTIFY;
                }
                (!allowed).then_some(errno)
            }
            Act::SocketPair { errno } => {
                let allowed = word(0) == 1 && (choice.local || [1, 5].contains(&(word(1) & 0xf)));
                (!allowed).then_some(errno)
            }
        };
        refused.map_or(ALLOW, errno)
    }

    #[test]
    fn the_program_says_what_the_table_says() {
        let native = NATIVE.unwrap();
        for choice in choices().step_by(3) {
            let program = compile(choice).unwrap();
            assert!(program.len() < 4096);
            for call in 0..600u32 {
                for first in [0u64, 1, 2, 5, 8, 10, 16, 17, 40, 0x2_0000, 0x1000_0000, 0x11, 0xffff_ffff] {
                    for second in [0u64, 1, 2, 3, 5, 0x80001, 0x5412, 0x541C, 0x5423, 1 << 32 | 0x5412] {
                        for third in [0u64, 9] {
                            let args = [first, second, third, 0, 0, 0];
                            let got = run(&program, native, call, args);
                            assert_eq!(got, meant(choice, call, args), "{choice:?} {call} {args:x?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn another_processor_ends_the_process() {
        let program = compile(choices().next().unwrap()).unwrap();
        for foreign in [0x4000_0003, 0x4000_0028, 0, 0xffff_ffff] {
            assert_eq!(run(&program, foreign, 0, [0; 6]), KILL);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn numbers_of_x32_do_not_exist() {
        let program = compile(choices().next().unwrap()).unwrap();
        for number in [0x4000_0000, 0x4000_0029, 0x7fff_ffff, 0xffff_ffff] {
            assert_eq!(run(&program, NATIVE.unwrap(), number, [2; 6]), errno(libc::ENOSYS));
        }
    }

    #[test]
    fn high_bits_of_a_request_hide_nothing() {
        let program = compile(choices().next().unwrap()).unwrap();
        let args = [0, 0xdead_beef_0000_5412, 0, 0, 0, 0];
        assert_eq!(run(&program, NATIVE.unwrap(), libc::SYS_ioctl as u32, args), errno(libc::EPERM));
    }

    #[test]
    fn every_namespace_flag_is_caught() {
        let program = compile(choices().next().unwrap()).unwrap();
        for bit in 0..32 {
            let flag = 1u64 << bit;
            let got = run(&program, NATIVE.unwrap(), libc::SYS_clone as u32, [flag, 0, 0, 0, 0, 0]);
            let caught = NEW_NAMESPACES & (1 << bit) != 0;
            assert_eq!(got == errno(libc::EPERM), caught, "bit {bit}");
        }
    }

    #[test]
    fn a_search_takes_few_steps() {
        let program = compile(choices().next().unwrap()).unwrap();
        let longest =
            (0..600).map(|call| super::super::interpret::steps(&program, NATIVE.unwrap(), call)).max();
        assert!(longest.unwrap() < 24, "{longest:?} steps in {} lines", program.len());
    }
}
