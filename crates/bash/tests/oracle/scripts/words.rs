//! Words, quotes and expansions.

use super::Scripts;

/// What a piece of a word stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Double,
    HereDoc,
    /// The operand of a `${…}` without quotes.
    Operand,
    /// The operand of a `${…}` in double quotes.
    QuotedOperand,
    Arithmetic,
}

impl Scripts<'_> {
    pub(super) fn words(&mut self, most: usize) -> String {
        let count = 1 + self.random.below(most);
        let words: Vec<String> = (0..count).map(|_| self.word(Quotes::None)).collect();
        words.join(" ")
    }

    /// A word, or a stretch of text where there are no words.
    pub(super) fn word(&mut self, quotes: Quotes) -> String {
        let mut text = String::new();
        let count = match quotes {
            Quotes::Arithmetic => 1,
            Quotes::None => 1 + self.random.below(2),
            _ => self.random.below(4),
        };
        for _ in 0..count {
            text += &self.piece(quotes);
        }
        if text.is_empty() && quotes == Quotes::Double {
            text += "\"\"";
        } else if quotes == Quotes::Double {
            text = format!("\"{text}\"");
        }
        text
    }

    fn piece(&mut self, quotes: Quotes) -> String {
        if !self.may_nest() || self.one_in(3) {
            return self.flat(quotes);
        }
        let plain = matches!(quotes, Quotes::None | Quotes::Operand);
        match self.random.below(14) {
            0..=3 => self.substitution(),
            4 | 5 => self.backtick(quotes),
            6..=8 => self.parameter(quotes),
            9 => format!("$(({}))", self.expression()),
            10 if plain => {
                let sign = self.pick(&["<", ">"]);
                format!("{sign}({})", self.enclosed(|s| s.list(1)))
            }
            11 if plain => self.word(Quotes::Double),
            12 if quotes == Quotes::QuotedOperand => self.word(Quotes::Double),
            12 if plain => format!("$\"{}\"", self.word(Quotes::HereDoc).replace('"', "")),
            13 => format!("$[{}]", self.expression()),
            _ => self.substitution(),
        }
    }

    /// A piece in which nothing runs.
    fn flat(&mut self, quotes: Quotes) -> String {
        let data = match quotes {
            Quotes::None => &[
                "a",
                "b",
                "-x",
                "$';k23'",
                "'$(k11)'",
                "'`k12`'",
                "\\$",
                "\\'",
                "\\\"",
                "\\`",
                "$'\\'$(k13)'",
                "''",
                "$",
                "~",
                "*",
                "[a-z]",
                "{a,b}",
                "{",
                "}",
                "!",
                "#",
                "'\n'",
                "\\\\",
                "$x",
                "$1",
                "\"$@\"",
                "=",
                ":",
                "\\;",
                "a=b",
                "'a'\"'\"'b'",
                "\"'\"",
                "'\"'",
                "$'\\n'",
                "\\\na",
                "in",
                "do",
                "\"\\$(k14)\"",
                "\"\\`\"",
                "é",
                "%",
                "^",
                "@",
                ",",
                "1",
                "[",
                "]",
                "+",
                "?",
            ][..],
            Quotes::Double | Quotes::HereDoc => &[
                "a", " ", "'", "'$x'", "\\$(k15)", "\\`", "\\\\", "$", "(", ")", "{", "}", "\n", "#", "\\a",
                "<", ">(", "\\\n", "$x", "${x}", "$@", "!", "é", ";", "&", "|", "*", "~", "$'a'", "\\$",
                "\\\"",
            ],
            Quotes::Operand => &[
                "a",
                " ",
                "'$(k16)'",
                "$'$(k21)'",
                "$'\\x24(k22)'",
                "$'\\n'",
                "'}'",
                "\"}\"",
                "\\}",
                "$x",
                "'",
                "$'\\''",
                "(",
                ")",
                "#",
                "~",
                "*",
                "/",
                "\\/",
                "{",
                ";",
                "&",
                "|",
                ":",
                "$",
                "\\\\",
                "'\"'",
                "\"'\"",
                "<",
                "\n",
                "\\\n",
                "%",
                "@",
                "b",
            ],
            Quotes::QuotedOperand => &[
                "a", " ", "'a'", "\\}", "$x", "'", "$'a'", "(", ")", "#", "\"a\"", "\"$x\"", "\"\\$\"",
                "\\$(k17)", "/", "{", ";", "\\\"", "\\\\", "''", "\"'\"", "\\'", "$", "\n", "\\\n", "\"}\"",
                "'}'", "\\`", "b", "*",
            ],
            Quotes::Arithmetic => &["1", "x", "a[1]", "$x", "${x}", "0", "10", "y", "x", "1"],
        };
        let piece = self.pick(data);
        if piece == "'" && matches!(quotes, Quotes::Operand) {
            return "''".into();
        }
        piece.to_owned()
    }

    pub(super) fn substitution(&mut self) -> String {
        match self.random.below(16) {
            0 => format!("${{ {}; }}", self.simple()),
            1 => format!("$(({}); {})", self.enclosed(|s| s.list(1)), self.enclosed(|s| s.list(1))),
            2 => format!("$( ({}))", self.enclosed(|s| s.list(1))),
            3 => format!("$({} )", self.enclosed(|s| s.list(2))),
            4 => format!("$(\n{}\n)", self.enclosed(|s| s.list(2))),
            5 => format!("$({} # )\n)", self.enclosed(|s| s.list(1))),
            6 => self.enclosed(|s| {
                let mut text = format!("$(cat {}", s.here_doc());
                s.flush(&mut text);
                text + ")"
            }),
            _ => format!("$({})", self.enclosed(|s| s.list(2))),
        }
    }

    fn backtick(&mut self, quotes: Quotes) -> String {
        let inner = self.enclosed(|s| s.list(1));
        let mut text = String::from("`");
        let double = matches!(quotes, Quotes::Double | Quotes::QuotedOperand);
        for c in inner.chars() {
            let odd = self.one_in(12);
            match c {
                '`' => text += "\\`",
                '\\' if !odd => text += "\\\\",
                '$' if odd => text += "\\$",
                '"' if double && !odd => text += "\\\"",
                c => text.push(c),
            }
        }
        text + "`"
    }

    fn parameter(&mut self, quotes: Quotes) -> String {
        let inner = match quotes {
            Quotes::None | Quotes::Operand => Quotes::Operand,
            _ => Quotes::QuotedOperand,
        };
        let name = self.pick(&["x", "x", "y", "1", "@", "a[0]", "a[@]", "u", "u", "HOME", "#", "!", "?"]);
        match self.random.below(16) {
            0..=3 => {
                let op = self.pick(&[":-", "-", ":=", "=", ":+", "+", ":?"]);
                format!("${{{name}{op}{}}}", self.word(inner))
            }
            4 | 5 => {
                let op = self.pick(&["#", "##", "%", "%%", "^", "^^", ",", ",,", "~"]);
                format!("${{{name}{op}{}}}", self.word(inner))
            }
            6 | 7 => {
                let op = self.pick(&["/", "//", "/#", "/%"]);
                format!("${{{name}{op}{}/{}}}", self.word(inner), self.word(inner))
            }
            8 => format!("${{x:{}}}", self.expression()),
            9 => format!("${{x:{}:{}}}", self.expression(), self.expression()),
            10 => format!("${{a[{}]}}", self.expression()),
            11 => format!("${{#{name}}}"),
            12 => format!("${{x@{}}}", self.pick(&["Q", "U", "P", "E", "A", "a"])),
            13 => self
                .pick(&["${!x}", "${!x@}", "${!a[@]}", "${!x:-a}", "${#}", "${##}", "${-}", "${x/}"])
                .into(),
            14 => format!("${{a[{}]:-{}}}", self.expression(), self.word(inner)),
            _ => format!("${{{name}}}"),
        }
    }
}
