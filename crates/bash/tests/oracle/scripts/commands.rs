//! Lists, pipelines, commands, redirections.

use super::Scripts;
use super::words::Quotes;

impl Scripts<'_> {
    /// Commands and what separates them, without a terminator at the end.
    pub(super) fn list(&mut self, most: usize) -> String {
        let count = 1 + self.random.below(most);
        let mut text = self.gap();
        for number in 0..count {
            text += &self.and_or();
            if number + 1 < count {
                self.separator(&mut text);
            }
        }
        text
    }

    /// A list that a reserved word can follow.
    fn closed(&mut self, most: usize) -> String {
        let mut text = self.list(most);
        match self.random.below(8) {
            0 => text += " &",
            1 | 2 => self.newline(&mut text),
            _ => text += &format!("{}; ", self.blank()),
        }
        if text.ends_with('&') {
            text += " ";
        }
        text
    }

    fn separator(&mut self, text: &mut String) {
        match self.random.below(12) {
            0 => *text += " & ",
            1 => {
                *text += " & # k1 $(k2)";
                self.newline(text);
            }
            2 => {
                let comment = self.pick(&["k3", "'", "\"", "$(k4", "`", ")", "\\", "<<E", "}", "esac"]);
                *text += &format!(" # {comment}");
                self.newline(text);
            }
            3..=6 => self.newline(text),
            7 => {
                *text += ";";
                self.newline(text);
                *text += "\n \t";
            }
            _ => *text += "; ",
        }
    }

    /// Nothing, mostly; else something that may stand in front of a command.
    fn gap(&mut self) -> String {
        let mut text = match self.random.below(16) {
            0 => return " ".into(),
            1 => String::new(),
            2 => "# k5 )".into(),
            3 => return "\\\n".into(),
            _ => return String::new(),
        };
        self.newline(&mut text);
        text
    }

    pub(super) fn blank(&mut self) -> &'static str {
        match self.random.below(24) {
            0 => "  ",
            1 => "\t",
            2 => " \\\n ",
            _ => "",
        }
    }

    fn and_or(&mut self) -> String {
        let mut text = self.pipeline();
        while self.one_in(5) {
            text += self.pick(&[" && ", " || ", "&&", "||", " && # k6\n", " ||\\\n"]);
            if text.ends_with('\n') && !text.ends_with("\\\n") {
                text.pop();
                self.newline(&mut text);
            }
            text += &self.pipeline();
        }
        text
    }

    fn pipeline(&mut self) -> String {
        let mut text = String::new();
        if self.one_in(14) {
            text +=
                self.pick(&["! ", "time ", "time -p ", "! time ", "time ! ", "! ! ", "time -- ", "!\\\n "]);
        }
        text += &self.command();
        while self.one_in(6) {
            text += self.pick(&[" | ", "|", " |& ", " |\\\n"]);
            if self.one_in(8) {
                self.newline(&mut text);
            }
            text += &self.command();
        }
        text
    }

    fn command(&mut self) -> String {
        if !self.may_nest() || self.one_in(2) {
            return self.simple();
        }
        let mut text = match self.random.below(17) {
            0 => format!("{{ {}}}", self.closed(2)),
            1 => format!("({})", self.list(2)),
            2 => format!("(({}); {})", self.list(1), self.list(1)),
            3 => self.if_command(),
            4 => {
                let word = self.pick(&["while", "until"]);
                // Loops end, whatever the stubs do.
                let bound = if word == "while" { "((n++<3))" } else { "((n++>3))" };
                format!("{word} {}{bound}; {}", self.closed(1), self.do_group())
            }
            5 => self.for_command(),
            6 => format!(
                "for (({};{};{})){}",
                self.expression(),
                self.bound(),
                self.expression(),
                self.for_body()
            ),
            7 | 8 => self.case_command(),
            // A redirection of its own: a reader at a pipe could wait forever.
            9 => return format!("select x in {}; {} <<<1", self.words(2), self.do_group()),
            10 => return self.function(),
            11 => return self.coproc(),
            12 | 13 => format!("[[ {} ]]", self.condition(2)),
            14 => format!("(({}))", self.expression()),
            15 => format!("(({}) )", self.list(1)),
            _ => format!("{{\n{}\n}}", self.list(2)),
        };
        while self.one_in(6) {
            text += " ";
            text += &self.redirection();
        }
        text
    }

    fn if_command(&mut self) -> String {
        let mut text = format!("if {}then {}", self.closed(1), self.closed(2));
        if self.one_in(4) {
            text += &format!("elif {}then\n{}", self.closed(1), self.closed(1));
        }
        if self.one_in(3) {
            text += &format!("else {}", self.closed(1));
        }
        text + "fi"
    }

    fn do_group(&mut self) -> String {
        format!("do {}done", self.closed(2))
    }

    fn for_body(&mut self) -> String {
        match self.random.below(4) {
            0 => format!(" {{ {}}}", self.closed(1)),
            1 => format!("\n{}", self.do_group()),
            _ => format!("; {}", self.do_group()),
        }
    }

    fn for_command(&mut self) -> String {
        match self.random.below(5) {
            0 => format!("for x; {}", self.do_group()),
            1 => format!("for x {}", self.do_group()),
            2 => {
                let mut text = format!("for x in {}", self.words(3));
                self.newline(&mut text);
                text + &self.do_group()
            }
            3 => format!("for x\nin {}; {{ {}}}", self.words(2), self.closed(1)),
            _ => format!("for x in {}; {}", self.words(3), self.do_group()),
        }
    }

    fn case_command(&mut self) -> String {
        let mut text = format!("case {}{}in", self.word(Quotes::None), self.pick(&[" ", " ", " ", "\n"]));
        if self.one_in(3) {
            self.newline(&mut text);
        } else {
            text += " ";
        }
        let count = self.random.below(3);
        for number in 0..=count {
            text += self.pick(&["(", "", "", "( "]);
            text += &self.word(Quotes::None);
            if self.one_in(4) {
                text += &format!(" | {}", self.word(Quotes::None));
            } else if self.one_in(3) {
                text += "|*";
            }
            text += self.pick(&[")", " ) ", ")\n"]);
            if text.ends_with('\n') {
                text.pop();
                self.newline(&mut text);
            }
            if !self.one_in(6) {
                text += &self.list(2);
            }
            if number == count && self.one_in(3) {
                text += self.pick(&["\n", ";"]);
                self.flush(&mut text);
            } else {
                text += self.pick(&[";; ", " ;& ", ";;&", ";;\n"]);
                self.flush(&mut text);
            }
        }
        text + " esac"
    }

    fn function(&mut self) -> String {
        let name = format!("f{}", self.functions);
        self.functions += 1;
        let body = match self.random.below(4) {
            0 => format!("({})", self.list(1)),
            1 => format!("if {}then {}fi", self.closed(1), self.closed(1)),
            _ => format!("{{ {}}}", self.closed(2)),
        };
        let head = self.pick(&["@() ", "@()", "@ ( )\n", "function @ ", "function @() ", "function @\n"]);
        let mut text = format!("{}{body}", head.replace('@', &name));
        if self.one_in(4) {
            text += " ";
            text += &self.redirection();
        }
        self.separator(&mut text);
        text + &name
    }

    fn coproc(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("coproc {{ {}}}", self.closed(1)),
            1 => format!("coproc N ({})", self.list(1)),
            2 => format!("coproc N {{ {}}}", self.closed(1)),
            _ => format!("coproc {}", self.simple()),
        }
    }

    pub(super) fn simple(&mut self) -> String {
        let mut text = String::new();
        while self.one_in(8) {
            text += &self.assignment();
            text += " ";
        }
        while self.one_in(14) {
            text += &self.redirection();
            text += " ";
        }
        if !text.is_empty() && self.one_in(4) {
            return text;
        }
        if self.one_in(9) {
            return text + &self.builtin();
        }
        text += &self.name();
        let count = self.random.below(3);
        for _ in 0..count {
            text += " ";
            text += self.blank();
            if self.one_in(5) {
                text += &self.redirection();
            } else {
                text += &self.word(Quotes::None);
            }
        }
        text
    }

    /// A command word: a stub, in one of many spellings.
    fn name(&mut self) -> String {
        let name = self.stub();
        let number = &name[1..];
        match self.random.below(24) {
            0 => format!("\\{name}"),
            1 => format!("k\"{number}\""),
            2 => format!("'{name}'"),
            3 => format!("k''{number}"),
            4 => format!("$'\\x6b{number}'"),
            5 => format!("k\\\n{number}"),
            6 => format!("\"{name}\""),
            7 => format!("{{{name},a}}"),
            8 => format!("$'k\\06{}{}'", &number[..1], &number[1..]),
            _ => name,
        }
    }

    fn builtin(&mut self) -> String {
        match self.random.below(16) {
            0 => format!("declare x={}", self.word(Quotes::None)),
            1 => format!("declare -a a=({})", self.elements()),
            2 => format!("export y={} a", self.word(Quotes::None)),
            3 => format!("local x={}", self.word(Quotes::None)),
            4 => format!("readonly z={}", self.word(Quotes::None)),
            5 => format!("alias w={}", self.word(Quotes::None)),
            6 => format!(": {}", self.words(2)),
            7 => format!("echo {}", self.words(2)),
            8 => format!("[ {} = {} ]", self.word(Quotes::Double), self.word(Quotes::Double)),
            9 => format!("test -n {}", self.word(Quotes::None)),
            10 => format!("printf %s {}", self.words(2)),
            11 => format!("read x <<< {}", self.word(Quotes::None)),
            12 => format!("set -- {}", self.words(2)),
            13 => format!("let {}", self.word(Quotes::Double)),
            14 => {
                let builtin =
                    self.pick(&["unset", "declare", "printf -v", "read <<<1", "test -v", "export", "let"]);
                let name = self.stub();
                format!("{builtin} 'a[$({name})]'")
            }
            _ => "true".into(),
        }
    }

    pub(super) fn assignment(&mut self) -> String {
        let sign = self.pick(&["=", "=", "+="]);
        match self.random.below(8) {
            0 => format!("a[{}]{sign}{}", self.expression(), self.word(Quotes::None)),
            1 | 2 => format!("a{sign}({})", self.elements()),
            3 => format!("x{sign}"),
            _ => format!("x{sign}{}", self.word(Quotes::None)),
        }
    }

    fn elements(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(3) {
            if self.one_in(3) {
                text += &format!("[{}]=", self.expression());
            }
            text += &self.word(Quotes::None);
            text += self.pick(&[" ", "\n", " # k7\n", "  "]);
        }
        text
    }

    pub(super) fn redirection(&mut self) -> String {
        if self.one_in(4) {
            return self.here_doc();
        }
        match self.random.below(14) {
            0 => format!("<<<{}", self.word(Quotes::None)),
            1 => format!("<<< {}", self.word(Quotes::None)),
            2 => "2>&1".into(),
            3 => ">&2".into(),
            4 => "{v}>o".into(),
            5 => "&>o".into(),
            6 => "&>>o".into(),
            7 => ">|o".into(),
            8 => "3<>o".into(),
            9 => format!("< <({})", self.enclosed(|s| s.list(1))),
            10 => format!("> >({})", self.enclosed(|s| s.list(1))),
            11 => "0<&-".into(),
            12 => format!(">>o{}", self.word(Quotes::Double)),
            _ => ">o".into(),
        }
    }

    pub(super) fn here_doc(&mut self) -> String {
        self.delimiters += 1;
        let number = self.delimiters;
        let mut name = self.pick(&["E", "E", "F", "EOF"]).to_owned();
        if self.one_in(3) {
            name += &number.to_string();
        }
        let strip = self.one_in(4);
        let quoted = self.one_in(3);
        let mut body = String::new();
        for _ in 0..self.random.below(4) {
            let line = if quoted {
                let lines =
                    ["$(k8)", "'", "\"", "a\\", "`k9`", ")", "E)", "F", " E", "E ", "#", "${x", "\\", "EOF"];
                self.pick(&lines).to_owned()
            } else if self.one_in(3) {
                let lines = [
                    "'", "\"", "a\\", ")", "E)", " E", "E ", "# $", "'$(:)'", "\\$(k10)", "\\\\", "x\\", "}",
                ];
                self.pick(&lines).to_owned()
            } else {
                self.enclosed(|s| s.word(Quotes::HereDoc))
            };
            if strip && !self.one_in(3) {
                body += "\t";
            }
            body += &line;
            body += "\n";
        }
        if strip && self.one_in(2) {
            body += "\t";
        }
        body += &name;
        body += "\n";
        self.pending.push(body);
        let written = match (quoted, self.random.below(4)) {
            (false, _) => name,
            (_, 0) => format!("\"{name}\""),
            (_, 1) => format!("\\{name}"),
            (_, 2) => format!("{}''{}", &name[..1], &name[1..]),
            _ => format!("'{name}'"),
        };
        format!("<<{}{}{written}", if strip { "-" } else { "" }, if self.one_in(4) { " " } else { "" })
    }
}
