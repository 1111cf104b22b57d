//! Random scripts about values: assignments, expansions, and `probe` commands that show what words
//! became.

use super::Random;

/// A script whose commands are `probe`, each with a number of its own as first argument.
pub struct Values<'r> {
    random: &'r mut Random,
    text: String,
    probes: usize,
    /// Inside a function.
    in_function: bool,
    functions: usize,
    /// Words are plain, so that much is certain and what happens to variables shows.
    tame: bool,
}

/// Makes a script.
pub fn script(random: &mut Random) -> String {
    let tame = !random.one_in(3);
    let mut values =
        Values { random, text: String::new(), probes: 0, in_function: false, functions: 0, tame };
    if values.random.one_in(if tame { 20 } else { 6 }) {
        let ifs = *values.random.pick(&[":", ",", "", " ", ": ", "x", "\\n", "1", "-"]);
        values.text.push_str(&format!("IFS=$'{ifs}'\n"));
    }
    let statements = 3 + values.random.below(8);
    for _ in 0..statements {
        values.statement(0);
        values.end();
    }
    values.probe();
    values.text.push('\n');
    values.text
}

const NAMES: [&str; 6] = ["x", "y", "z", "v", "w1", "_q"];

impl Values<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn end(&mut self) {
        let end = if self.random.one_in(3) { "\n" } else { "; " };
        self.push(end);
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.random.below(NAMES.len())]
    }

    fn probe(&mut self) {
        self.push(&format!("probe {}", self.probes));
        self.probes += 1;
        let words = 1 + self.random.below(4);
        for _ in 0..words {
            self.push(" ");
            self.word(0);
        }
    }

    fn body(&mut self, depth: usize) {
        let count = 1 + self.random.below(3);
        for _ in 0..count {
            self.statement(depth + 1);
            self.push("; ");
        }
    }

    fn statement(&mut self, depth: usize) {
        if self.random.one_in(if self.tame { 3 } else { 8 }) {
            return self.odd_statement(depth);
        }
        let choice = self.random.below(if depth < 2 { 44 } else { 26 });
        match choice {
            0..=6 => self.assignment(),
            7..=12 => self.probe(),
            13 => {
                let name = self.name();
                self.push(&format!("unset {name}"));
            }
            14 => {
                self.push("set --");
                for _ in 0..self.random.below(4) {
                    self.push(" ");
                    self.word(1);
                }
            }
            15 => self.push("shift"),
            16 => {
                let command = *self.random.pick(&["export", "declare", "declare -x", "readonly", "typeset"]);
                // A variable that is readonly stays it, and makes the rest of the line go away.
                let command =
                    if command == "readonly" && !self.random.one_in(4) { "export" } else { command };
                self.push(command);
                self.push(" ");
                let name = self.name();
                self.push(name);
                if !self.random.one_in(4) {
                    self.push("=");
                    self.word(1);
                }
            }
            17 => {
                let name = self.name();
                self.push(&format!("printf -v {name} "));
                self.push("%s ");
                self.word(1);
            }
            18 => {
                let name = self.name();
                self.push(&format!("read -r {name} <<< "));
                self.word(1);
            }
            19 => {
                self.push("((");
                self.arithmetic(0);
                self.push("))");
            }
            20 => {
                let name = self.name();
                self.push(&format!("{name}+="));
                self.word(1);
            }
            21 => {
                let option = *self.random.pick(&[
                    "set -f",
                    "set +f",
                    "shopt -s nullglob",
                    "shopt -u nullglob",
                    "set -e",
                    "set +B",
                    "set -B",
                ]);
                self.push(option);
            }
            22 => {
                // A temporary assignment.
                self.assignment();
                self.push(" ");
                self.probe();
            }
            23 => {
                let declared = *self.random.pick(&[
                    "declare -i x",
                    "declare -u y",
                    "declare -a z",
                    "declare -A v",
                    "declare -l x=ABC",
                    "declare -n w1=x",
                ]);
                let declared = if self.random.one_in(3) { declared } else { "declare x" };
                self.push(declared);
            }
            24 => {
                self.push("eval ");
                let inner = self.random.below(3);
                match inner {
                    0 => self.push("'x=evaled'"),
                    1 => {
                        self.push("y=");
                        self.word(2);
                    }
                    _ => self.push("\"z=\\$x\""),
                }
            }
            25 if self.in_function => {
                let name = self.name();
                self.push(&format!("local {name}"));
                if self.random.one_in(2) {
                    self.push("=");
                    self.word(1);
                }
            }
            25 => self.push("cd /"),
            26 | 27 => {
                self.push("if probe9; then ");
                self.body(depth);
                if self.random.one_in(2) {
                    self.push("else ");
                    self.body(depth);
                }
                self.push("fi");
            }
            28 | 29 => {
                let name = self.name();
                self.push(&format!("for {name} in"));
                for _ in 0..self.random.below(4) {
                    self.push(" ");
                    self.word(1);
                }
                self.push("; do ");
                self.body(depth);
                if self.random.one_in(4) {
                    self.push("break; ");
                    self.body(depth);
                }
                self.push("done");
            }
            30 => {
                self.push("while probe9; do ");
                self.body(depth);
                if self.random.one_in(4) {
                    self.push("continue; ");
                    self.body(depth);
                }
                self.push("done");
            }
            31..=34 => {
                self.statement(depth + 1);
                for _ in 0..=self.random.below(3) {
                    let connector = if self.random.one_in(3) { " || " } else { " && " };
                    self.push(connector);
                    self.statement(depth + 1);
                }
            }
            35 => {
                self.push("( ");
                self.body(depth);
                self.push(")");
            }
            36 => {
                self.push("{ ");
                self.body(depth);
                self.push("}");
            }
            37 => {
                self.push("case ");
                self.word(1);
                self.push(" in a*) ");
                self.body(depth);
                let end = *self.random.pick(&[";;", ";&", ";;&"]);
                self.push(end);
                self.push(" *b) ");
                self.body(depth);
                self.push(";; *) ");
                self.body(depth);
                self.push("esac");
            }
            38 | 39 if !self.in_function => {
                self.functions += 1;
                let number = self.functions;
                self.push(&format!("f{number}() {{ "));
                self.in_function = true;
                self.body(depth);
                if self.random.one_in(4) {
                    self.push("probe9 && return; ");
                    self.body(depth);
                }
                self.in_function = false;
                self.push("}");
            }
            40 | 41 if self.functions > 0 => {
                let number = 1 + self.random.below(self.functions);
                self.push(&format!("f{number}"));
                for _ in 0..self.random.below(3) {
                    self.push(" ");
                    self.word(1);
                }
            }
            42 => {
                self.statement(depth + 1);
                self.push(" | ");
                self.statement(depth + 1);
            }
            43 => {
                self.push("for ((i=0;i<2;i++)); do ");
                self.body(depth);
                self.push("done");
            }
            _ => self.assignment(),
        }
    }

    /// Commands that change the shell in less usual ways.
    fn odd_statement(&mut self, depth: usize) {
        let name = self.name();
        let other = self.name();
        let word = self.sub_word();
        let second = self.sub_word();
        let deep = depth < 2;
        let text = match self.random.below(110) {
            0 => format!("read -r {name} {other} <<< {word}"),
            1 => format!("IFS=: read -r {name} {other} <<< {word}"),
            2 => format!("read -ra a <<< {word}"),
            3 => format!("mapfile -t a <<< {word}"),
            4 => format!("mapfile <<< {word}"),
            5 => format!("read <<< {word}"),
            6 => format!("printf 'l1\\nl2\\n' | while read -r {name}; do {other}=${name}; done"),
            7 => format!("set -u; : ${name}; set +u"),
            8 => "set -u".into(),
            9 => "shift 2".into(),
            10 => format!("shopt -s {}", self.shopt()),
            11 => format!("shopt -u {}", self.shopt()),
            12 => format!("unset -v {name} {other}"),
            13 => format!("unset 'a[{}]'", self.random.below(3)),
            14 => format!("unset a {name}"),
            15 => format!("trap '{name}=trapped' DEBUG"),
            16 => format!("trap '{name}=trapped' ERR"),
            17 => format!("trap '{name}=trapped' RETURN"),
            18 => format!("trap '{name}=trapped' EXIT"),
            19 => format!("trap '{name}=trapped' USR1; kill -USR1 \"$BASHPID\""),
            20 => "trap - DEBUG ERR RETURN".into(),
            21 => format!("eval \"{name}={word}\""),
            22 => format!("eval {name}={word}"),
            23 => format!("source /dev/stdin <<< '{name}=sourced'"),
            24 => format!(". /dev/stdin <<< '{name}=sourced'"),
            25 => format!("command eval '{name}=evaled'"),
            26 => format!("builtin eval '{name}=evaled'"),
            27 => format!("{name}=bg & wait"),
            28 => format!("{name}=piped | {other}=piped"),
            29 => format!("{name}={word} :"),
            30 => format!("{name}={word} eval '{other}=${name}'"),
            31 => format!("{name}={word} export {other}"),
            32 => format!("{name}={word} unset {name}"),
            33 => format!("{name}={word} {other}={second}"),
            34 => format!("{name}={word} {other}=${name} probe {} \"${name}\" \"${other}\"", self.number()),
            35 => format!("HOME={word}"),
            36 => "unset HOME".into(),
            37 => format!("PWD={word}"),
            38 => "cd /tmp && cd .".into(),
            39 => format!("cd / && probe {} ~+ \"$PWD\" \"$OLDPWD\"", self.number()),
            40 => format!("IFS={}", self.random.pick(&[",", ":", "a", "''", "7", "/"])),
            41 => "unset IFS".into(),
            42 if self.in_function => format!("local IFS={}", self.random.pick(&[",", ":", "a", "7"])),
            43 if self.in_function => format!("local {name} {other}={word}"),
            44 if self.in_function => format!("local -r {name}={word}"),
            45 if self.in_function => format!("local -n {name}={other}; {name}={word}"),
            46 if self.in_function => format!("declare -g {name}={word}"),
            47 if self.in_function => format!("declare {name}={word}"),
            48 if self.in_function => format!("unset {name}; {name}={word}"),
            49 if self.in_function => format!("{name}={word}; return"),
            50 if self.in_function => format!("set -- {word} {second}; shift"),
            51 if self.in_function => "local -".into(),
            52 => format!("declare -n {name}={other}; {name}={word}"),
            53 => format!("declare -i {name}; {name}={word}"),
            54 => format!("declare -u {name}={word}"),
            55 => format!("declare -l {name}; {name}={word}"),
            56 => format!("declare -c {name}={word}"),
            57 => format!("declare -a {name}={word}"),
            58 => format!("declare -A v=([k]={word}); v[l]={second}"),
            59 => format!("declare -A {name}; {name}[k]={word}"),
            60 => format!("[[ {word} =~ (a)(.*) ]]; probe {} \"${{BASH_REMATCH[1]}}\"", self.number()),
            61 => format!("[[ {name} -eq {other} ]]"),
            62 => format!("[[ -v {name} && ${name} == {word} ]] && {other}={second}"),
            63 => format!("getopts ab: opt -a; probe {} \"$opt\" \"$OPTIND\"", self.number()),
            64 => format!("printf -v 'a[{}]' %s {word}", self.random.below(3)),
            65 => format!("printf -v {name} '%s-%s' {word} {second}"),
            66 => format!("printf -v {name} '%d' {word}"),
            67 => format!(": ${{{name}:={word}}}"),
            68 => format!(": $(({name}=4))"),
            69 => format!("let {name}=5"),
            70 => format!("let {name}={other}"),
            71 => format!("(({name}={other}+1))"),
            72 => format!("readonly {name}; {name}=ro"),
            73 => format!("readonly {name}={word}"),
            74 => "exec {fd}</dev/null".into(),
            75 => format!("{{ {name}={word}; }} 2>/dev/null"),
            76 => format!("false || {name}={word}"),
            77 => format!("true && {name}={word}"),
            78 => format!("! {name}={word}"),
            79 => format!("time {name}={word}"),
            80 => format!("({name}={word}; exit)"),
            81 => format!("if {name}={word}; then {other}={second}; fi"),
            82 => format!("while {name}={word}; false; do {other}={second}; done"),
            83 => format!("until {name}={word}; do {other}={second}; done"),
            84 => format!("for {name} in {word} {second}; do {other}=${name}; done"),
            85 => format!("for {name}; do {other}=${name}; done"),
            86 => format!("for {name} in \"$@\"; do {other}+=${name}; done"),
            87 => format!("case {word} in {second}) {name}=hit;; *) {name}=miss;; esac"),
            88 => format!("command export {name}={word}"),
            89 => format!("builtin declare {name}={word}"),
            90 => format!("\\export {name}={word}"),
            91 => format!("'export' {name}={word} {other}={second}"),
            92 => format!("export {name}={word} {other}={second}"),
            93 => format!("{name}=$({other}={word}; echo \"${other}\")"),
            94 => format!("{name}=`echo {second}`"),
            95 => format!("{name}=$(printf '%s' {word} {second})"),
            96 => format!("a=([2]={word} {second})"),
            97 => format!("a=({word} {second}); a+=(z)"),
            98 => format!("a[${{#a[@]}}]={word}"),
            99 => format!("a+={word}"),
            100 => format!("set -- \"$@\" {word}"),
            101 => format!("set -- ${name}"),
            102 => format!("set {word}"),
            103 => "set -o noglob".into(),
            104 => "set +o braceexpand".into(),
            105 => format!("echo() {{ {name}=shadowed; }}; echo"),
            106 => format!("cd() {{ {name}=shadowed; }}; cd /"),
            107 => format!("export() {{ {name}=shadowed; }}; export {other}={word}"),
            108 if deep => format!("coproc {name}={word}; wait"),
            109 => format!("read -r {name} <<E\n{word} ${other}\nE\n"),
            _ => format!("{name}={word}"),
        };
        self.push(&text);
    }

    fn shopt(&mut self) -> &'static str {
        let all = [
            "nullglob",
            "failglob",
            "nocaseglob",
            "nocasematch",
            "dotglob",
            "globstar",
            "lastpipe",
            "xpg_echo",
            "inherit_errexit",
            "localvar_inherit",
            "localvar_unset",
            "assoc_expand_once",
            "patsub_replacement",
            "expand_aliases",
            "extglob",
            "sourcepath",
        ];
        all[self.random.below(all.len())]
    }

    fn number(&mut self) -> usize {
        self.probes += 1;
        self.probes - 1
    }

    /// A word as text.
    fn sub_word(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.word(2);
        std::mem::replace(&mut self.text, text)
    }

    fn assignment(&mut self) {
        let name = self.name();
        match self.random.below(8) {
            0 => {
                let array = *self.random.pick(&["a", "b"]);
                self.push(&format!("{array}=("));
                for _ in 0..self.random.below(4) {
                    if self.random.one_in(6) {
                        let index = self.random.below(6);
                        self.push(&format!("[{index}]="));
                    }
                    self.word(1);
                    self.push(" ");
                }
                self.push(")");
            }
            1 => {
                let index = self.random.below(4);
                self.push(&format!("a[{index}]="));
                self.word(1);
            }
            2 => {
                self.push("a+=(");
                self.word(1);
                self.push(")");
            }
            3 => {
                let number = self.random.below(12) as i64 - 3;
                self.push(&format!("{name}={number}"));
            }
            _ => {
                self.push(name);
                self.push("=");
                if !self.random.one_in(8) {
                    self.word(1);
                }
            }
        }
    }

    fn word(&mut self, depth: usize) {
        if self.tame {
            return self.tame_word(depth);
        }
        let parts = 1 + self.random.below(3);
        for _ in 0..parts {
            self.part(depth);
        }
    }

    fn tame_word(&mut self, depth: usize) {
        for _ in 0..=self.random.below(2) {
            match self.random.below(12) {
                0..=4 => {
                    let text = *self
                        .random
                        .pick(&["a", "ab", "c/d", "7", "-n", "x y", "B.c", "*.c", "é", "", "~", "{a,b}"]);
                    let quoted = self.random.below(4);
                    match quoted {
                        0 => self.push(&format!("'{text}'")),
                        1 => self.push(&format!("\"{text}\"")),
                        _ => self.push(&text.replace(' ', "\\ ")),
                    }
                }
                5 | 6 => {
                    let parameter = self.parameter();
                    self.push(&format!("\"${{{parameter}}}\""));
                }
                7 => {
                    let name = self.name();
                    self.push(&format!("${name}"));
                }
                8 => {
                    let special = *self.random.pick(&[
                        "_",
                        "RANDOM",
                        "IFS",
                        "HOME",
                        "PWD",
                        "OLDPWD",
                        "OPTIND",
                        "REPLY",
                        "SECONDS",
                        "LINENO",
                        "BASH_SUBSHELL",
                        "FUNCNAME",
                        "opt",
                        "fd",
                        "BASH_REMATCH",
                        "MAPFILE",
                        "PATH",
                        "?",
                        "-",
                        "#",
                        "0",
                        "SHLVL",
                        "UID",
                        "DIRSTACK",
                        "PIPESTATUS",
                        "BASH_COMMAND",
                        "OPTARG",
                        "i",
                    ]);
                    self.push(&format!("\"${{{special}}}\""));
                }
                9 => {
                    let name = self.name();
                    let op = *self.random.pick(&[
                        ":-w", "-w", ":=w", ":+w", "#a", "%b", "##*/", "%/*", "/a/b", "//a", ":1", ":0:1",
                        "^^", ",,", "/#a/b", "/%b/c", "^", "#$y", "%$z", "/$y/$z",
                    ]);
                    let quote = *self.random.pick(&["\"", ""]);
                    self.push(&format!("{quote}${{{name}{op}}}{quote}"));
                }
                _ if depth < 3 => self.expansion(depth + 1, false),
                _ => self.push("q"),
            }
        }
    }

    fn literal(&mut self) {
        let text = *self.random.pick(&[
            "a",
            "b",
            "ab",
            "abc",
            "A",
            "Bc",
            "1",
            "42",
            "-",
            ".",
            "/",
            ":",
            "=",
            "x",
            "a/b",
            "*",
            "?",
            "[ab]",
            "[",
            "]",
            "{",
            "}",
            ",",
            "{a,b}",
            "{1..3}",
            "{,x}",
            "{a..c}",
            "{01..03}",
            "{1..6..2}",
            "{a,{b,c}}",
            "~",
            "~/x",
            "~+",
            "a=~",
            "a=b:~",
            "@",
            "!",
            "%",
            "^",
            "-n",
            "-e",
            "é",
            "{x}",
            "{}",
            "{a,b",
            "a..b",
            "+",
            "x=~",
            "\\&",
            "\\*",
            "\\ ",
            "\\~",
            "\\\\",
            "\\{",
            "\\$x",
            "'a b'",
            "''",
            "\"\"",
            "' '",
            "'*'",
            "'{a,b}'",
            "\"a  b\"",
            "$'a\\tb'",
            "$'\\x41'",
            "$'\\n'",
            "$'\\1'",
            "$'\\177'",
            "b*",
            "*c",
            "[!a]*",
            "[a-c]",
        ]);
        self.push(text);
    }

    fn part(&mut self, depth: usize) {
        if depth > 3 {
            return self.literal();
        }
        match self.random.below(30) {
            0..=9 => self.literal(),
            10..=12 => {
                self.push("\"");
                for _ in 0..self.random.below(4) {
                    self.quoted_part(depth + 1);
                }
                self.push("\"");
            }
            _ => self.expansion(depth, false),
        }
    }

    fn quoted_part(&mut self, depth: usize) {
        match self.random.below(4) {
            0 => {
                let text = *self
                    .random
                    .pick(&["a", " ", "b c", "*", "~", "'", "\\\"", "\\$", "\\a", "{a,b}", "é", "x:y", "  "]);
                self.push(text);
            }
            _ => self.expansion(depth, true),
        }
    }

    fn parameter(&mut self) -> String {
        match self.random.below(24) {
            0 => "a[@]".into(),
            1 => "a[*]".into(),
            2 => format!("a[{}]", self.random.below(3)),
            3 => "a[-1]".into(),
            4 => "a".into(),
            5 => "@".into(),
            6 => "*".into(),
            7 => "1".into(),
            8 => "2".into(),
            9 => "b[@]".into(),
            10 => "a[x]".into(),
            11 => "unset_one".into(),
            _ => self.name().into(),
        }
    }

    fn expansion(&mut self, depth: usize, quoted: bool) {
        if depth > 4 {
            return self.push("$x");
        }
        match self.random.below(40) {
            0..=5 => {
                let name = self.name();
                self.push(&format!("${name}"));
            }
            6..=8 => {
                let parameter = self.parameter();
                self.push(&format!("${{{parameter}}}"));
            }
            9 => self.push("$@"),
            10 => self.push("$*"),
            11 => self.push("$1"),
            12 => self.push("$#"),
            13 => {
                let parameter = self.parameter();
                self.push(&format!("${{#{parameter}}}"));
            }
            14..=19 => {
                let parameter = self.parameter();
                let op = *self.random.pick(&[":-", "-", ":=", "=", ":+", "+", ":-", ":+", ":?"]);
                self.push(&format!("${{{parameter}{op}"));
                self.operand(depth, quoted);
                self.push("}");
            }
            20..=23 => {
                let parameter = self.parameter();
                let op = *self.random.pick(&["#", "##", "%", "%%"]);
                self.push(&format!("${{{parameter}{op}"));
                self.pattern(depth);
                self.push("}");
            }
            24..=26 => {
                let parameter = self.parameter();
                let op = *self.random.pick(&["/", "//", "/#", "/%"]);
                self.push(&format!("${{{parameter}{op}"));
                self.pattern(depth);
                if !self.random.one_in(3) {
                    self.push("/");
                    self.operand(depth, quoted);
                }
                self.push("}");
            }
            27..=29 => {
                let parameter = self.parameter();
                self.push(&format!("${{{parameter}: "));
                self.arithmetic(depth + 1);
                if self.random.one_in(2) {
                    self.push(": ");
                    self.arithmetic(depth + 1);
                }
                self.push("}");
            }
            30 | 31 => {
                let parameter = self.parameter();
                let op = *self
                    .random
                    .pick(&["^", "^^", ",", ",,", "~", "~~", "@U", "@L", "@u", "@Q", "@E", "@P", "@a"]);
                self.push(&format!("${{{parameter}{op}"));
                if self.random.one_in(4) && !op.starts_with('@') {
                    self.pattern(depth);
                }
                self.push("}");
            }
            32 => {
                let name = self.name();
                self.push(&format!("${{!{name}}}"));
            }
            33 => self.push("${!a[@]}"),
            34 | 35 => {
                self.push("$((");
                self.arithmetic(depth + 1);
                self.push("))");
            }
            36 | 37 => {
                let command = *self.random.pick(&[
                    "echo ",
                    "echo -n ",
                    "echo -e ",
                    "printf ",
                    "printf %s ",
                    "printf '%s\\n' ",
                    "printf '%b' ",
                    "printf '<%3s|%-3s|%03d|%x>' ",
                    "",
                ]);
                self.push("$(");
                self.push(command);
                if !command.is_empty() {
                    let escapes = self.random.one_in(2);
                    if escapes {
                        let text = *self.random.pick(&[
                            "'\\x41\\n'",
                            "'\\101\\t'",
                            "'\\0101'",
                            "'a\\cb'",
                            "'\\u41'",
                            "'\\e'",
                            "'%d'",
                            "7",
                            "'\\\\'",
                            "'\\q'",
                        ]);
                        self.push(text);
                    } else {
                        self.word(depth + 1);
                    }
                    if self.random.one_in(3) {
                        self.push(" ");
                        self.word(depth + 1);
                    }
                    if self.random.one_in(5) {
                        self.push("; echo ");
                        self.word(depth + 1);
                    }
                }
                self.push(")");
            }
            _ => {
                let name = self.name();
                self.push(&format!("${name}"));
            }
        }
    }

    fn operand(&mut self, depth: usize, quoted: bool) {
        for _ in 0..self.random.below(3) {
            match self.random.below(6) {
                0 => self.push("a"),
                1 => self.push(" "),
                2 => self.expansion(depth + 1, quoted),
                3 if !quoted => self.literal(),
                4 => {
                    self.push("\"");
                    self.quoted_part(depth + 1);
                    self.push("\"");
                }
                _ => self.push("b c"),
            }
        }
    }

    fn pattern(&mut self, depth: usize) {
        for _ in 0..=self.random.below(2) {
            let text = *self.random.pick(&[
                "a",
                "b",
                "*",
                "?",
                "[ab]",
                "a*",
                "*b",
                "'*'",
                "\"*\"",
                "[!a]",
                "[a-c]",
                "[[:upper:]]",
                " ",
                "\\*",
                "",
            ]);
            if self.random.one_in(5) {
                self.expansion(depth + 1, false);
            } else {
                self.push(text);
            }
        }
    }

    fn arithmetic(&mut self, depth: usize) {
        match self.random.below(if depth > 3 { 5 } else { 12 }) {
            0 | 1 => {
                let number = self.random.below(6);
                self.push(&number.to_string());
            }
            2 => self.push("-1"),
            3 => {
                let name = self.name();
                self.push(name);
            }
            4 => {
                let name = self.name();
                self.push(&format!("${name}"));
            }
            5..=8 => {
                self.arithmetic(depth + 1);
                let op = *self.random.pick(&[
                    "+", "-", "*", "/", "%", "<<", "<", ">", "==", "&", "|", "^", "&&", "||", "**", ",",
                    ">=", "!=",
                ]);
                self.push(&format!(" {op} "));
                self.arithmetic(depth + 1);
            }
            9 => {
                let name = self.name();
                let op = *self.random.pick(&["=", "+=", "-=", "*="]);
                self.push(&format!("{name} {op} "));
                self.arithmetic(depth + 1);
            }
            10 => {
                self.push("(");
                self.arithmetic(depth + 1);
                self.push(")");
            }
            _ => {
                let name = self.name();
                let update = *self.random.pick(&["++", "--"]);
                self.push(&format!("{name}{update}"));
            }
        }
    }
}
