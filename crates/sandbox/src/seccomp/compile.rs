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
    sock_filter { code, jt: 0, jf: 0, k }
}

fn fail(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno as u32
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
    // A line for a rule and one for a step of the search; a few rules are longer.
    let mut program = Program { lines: Vec::with_capacity(3 * rules.len()), answers: Vec::new() };
    let kill = program.answer(KILL);
    let mut start = program.tree(&rules, choice);
    if let Some(first) = FOREIGN_NUMBERS {
        let absent = program.answer(fail(libc::ENOSYS));
        start = program.branch(AT_LEAST, first, absent, start);
    }
    start = program.then(op(LOAD, NUMBER), start);
    start = program.branch(EQUAL, NATIVE?, start, kill);
    program.then(op(LOAD, PROCESSOR), start);
    program.lines.reverse();
    Some(program.lines)
}

/// A line of a [`Program`]: how many are behind it.
type Line = usize;

/// A program as it is written: from its end, since every jump of the kernel's goes forward.
///
/// So an answer is there before what asks for it, and many questions share one: the kernel translates each
/// line anew for each command.
struct Program {
    /// The last line first.
    lines: Vec<sock_filter>,
    /// Answers that are there, and where.
    answers: Vec<(u32, Line)>,
}

impl Program {
    fn line(&mut self, line: sock_filter) -> Line {
        self.lines.push(line);
        self.lines.len() - 1
    }

    /// The line that answers so.
    fn answer(&mut self, answer: u32) -> Line {
        if let Some(&(_, at)) = self.answers.iter().find(|(known, _)| *known == answer) {
            return at;
        }
        let at = self.line(op(RETURN, answer));
        self.answers.push((answer, at));
        at
    }

    /// A line that does something and goes on at `next`.
    fn then(&mut self, line: sock_filter, next: Line) -> Line {
        if next + 1 != self.lines.len() {
            self.jump(next);
        }
        self.line(line)
    }

    fn jump(&mut self, to: Line) -> Line {
        let between = self.lines.len() - 1 - to;
        self.line(op(JUMP, between as u32))
    }

    /// A line that goes on at `yes` or at `no`.
    fn branch(&mut self, code: u16, k: u32, yes: Line, no: Line) -> Line {
        // A branch reaches 255 lines, a plain jump any. The other side may need one as well.
        let mut near = |to| if self.lines.len() - to < 254 { to } else { self.jump(to) };
        let (yes, no) = (near(yes), near(no));
        let between = |to| (self.lines.len() - 1 - to) as u8;
        self.line(sock_filter { code, jt: between(yes), jf: between(no), k })
    }

    /// A search tree over rules sorted by number.
    fn tree(&mut self, rules: &[&Rule], choice: Choice) -> Line {
        if rules.len() <= 2 {
            let allow = self.answer(ALLOW);
            return rules.iter().rev().fold(allow, |other, rule| {
                let matched = self.act(rule.act, choice);
                self.branch(EQUAL, rule.call as u32, matched, other)
            });
        }
        let (low, high) = rules.split_at(rules.len() / 2);
        let middle = high.first().map_or(u32::MAX, |rule| rule.call as u32);
        let high = self.tree(high, choice);
        let low = self.tree(low, choice);
        self.branch(AT_LEAST, middle, high, low)
    }

    /// What to do with a call whose number matched.
    fn act(&mut self, act: Act, choice: Choice) -> Line {
        let allow = self.answer(ALLOW);
        match act {
            Act::FailUnlessNesting(_) | Act::FailOnFlags { .. } if choice.nesting => allow,
            Act::FailUnlessTracing(_) if choice.tracing => allow,
            Act::Fail(errno) | Act::FailUnlessNesting(errno) | Act::FailUnlessTracing(errno) => {
                self.answer(fail(errno))
            }
            Act::FailOnFlags { argument, bits, errno } => {
                let refuse = self.answer(fail(errno));
                let flags = self.branch(ANY_BIT, bits, refuse, allow);
                self.then(load_argument(argument), flags)
            }
            Act::FailOn { argument, values, errno } => {
                let refuse = self.answer(fail(errno));
                self.choose(argument, values, refuse, allow)
            }
            Act::FailUnless { argument, values, errno } => {
                let refuse = self.answer(fail(errno));
                self.choose(argument, values, allow, refuse)
            }
            Act::Socket { errno } => {
                let refuse = self.answer(if choice.notify { NOTIFY } else { fail(errno) });
                let mut rest = refuse;
                if choice.internet {
                    // Of netlink only routes (protocol 0), which name resolution asks for; other protocols
                    // reach deep into the kernel.
                    let routes = self.choose(2, &[0], allow, refuse);
                    rest = self.branch(EQUAL, family::NETLINK, routes, refuse);
                }
                let families: &[u32] = match (choice.local, choice.internet) {
                    (false, false) => &[],
                    (true, false) => &[family::LOCAL],
                    (false, true) => &[family::INET, family::INET6],
                    (true, true) => &[family::LOCAL, family::INET, family::INET6],
                };
                self.choose(0, families, allow, rest)
            }
            Act::SocketPair { errno } => {
                let refuse = self.answer(fail(errno));
                let mut kinds = allow;
                if !choice.local {
                    let sequenced = self.branch(EQUAL, libc::SOCK_SEQPACKET as u32, allow, refuse);
                    let stream = self.branch(EQUAL, libc::SOCK_STREAM as u32, allow, sequenced);
                    let kind = self.then(op(AND, 0xf), stream);
                    kinds = self.then(load_argument(1), kind);
                }
                self.choose(0, &[family::LOCAL], kinds, refuse)
            }
        }
    }

    /// Loads an argument and goes to `found` if it is one of the values, else to `other`.
    fn choose(&mut self, argument: u32, values: &[u32], found: Line, other: Line) -> Line {
        let question =
            values.iter().rev().fold(other, |other, &value| self.branch(EQUAL, value, found, other));
        self.then(load_argument(argument), question)
    }
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
        refused.map_or(ALLOW, fail)
    }

    #[test]
    fn the_program_says_what_the_table_says() {
        let native = NATIVE.unwrap();
        for choice in choices().step_by(3) {
            let program = compile(choice).unwrap();
            assert!(program.len() < 200, "{}", program.len());
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
            assert_eq!(run(&program, NATIVE.unwrap(), number, [2; 6]), fail(libc::ENOSYS));
        }
    }

    #[test]
    fn high_bits_of_a_request_hide_nothing() {
        let program = compile(choices().next().unwrap()).unwrap();
        let args = [0, 0xdead_beef_0000_5412, 0, 0, 0, 0];
        assert_eq!(run(&program, NATIVE.unwrap(), libc::SYS_ioctl as u32, args), fail(libc::EPERM));
    }

    #[test]
    fn every_namespace_flag_is_caught() {
        let program = compile(choices().next().unwrap()).unwrap();
        for bit in 0..32 {
            let flag = 1u64 << bit;
            let got = run(&program, NATIVE.unwrap(), libc::SYS_clone as u32, [flag, 0, 0, 0, 0, 0]);
            let caught = NEW_NAMESPACES & (1 << bit) != 0;
            assert_eq!(got == fail(libc::EPERM), caught, "bit {bit}");
        }
    }

    #[test]
    fn what_is_far_is_reached_by_a_jump() {
        let mut program = Program { lines: Vec::new(), answers: Vec::new() };
        let (allow, refuse) = (program.answer(ALLOW), program.answer(fail(libc::EPERM)));
        let mut start = allow;
        for number in 0..1000 {
            start = program.branch(EQUAL, 2 * number, refuse, start);
        }
        program.then(op(LOAD, NUMBER), start);
        program.lines.reverse();
        for number in 0..2010 {
            let refused = number < 2000 && number % 2 == 0;
            let wanted = if refused { fail(libc::EPERM) } else { ALLOW };
            assert_eq!(run(&program.lines, 0, number, [0; 6]), wanted, "{number}");
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
