//! Arithmetic, and conditions.

use super::Scripts;
use super::words::Quotes;

impl Scripts<'_> {
    pub(super) fn expression(&mut self) -> String {
        if !self.may_nest() {
            return self.pick(&["1", "x", "0", "x++", "a[0]", " 2 ", "x=1"]).into();
        }
        match self.random.below(12) {
            0 => format!("({})", self.expression()),
            1 => format!("{}?{}:{}", self.operand_of(), self.operand_of(), self.operand_of()),
            2 => format!("x={}", self.expression()),
            3 => format!("-{}", self.operand_of()),
            4 => format!("a[{}]", self.expression()),
            5 => format!("a[{}]+=1", self.expression()),
            6 => format!("\"{}\"", self.operand_of()),
            7 => {
                let op =
                    self.pick(&["+", " << ", "&&", "||", ", ", " > ", "**", "%1+", "==", "|", "^", "\n+"]);
                format!("{}{op}{}", self.operand_of(), self.operand_of())
            }
            _ => self.operand_of(),
        }
    }

    fn operand_of(&mut self) -> String {
        self.word(Quotes::Arithmetic)
    }

    /// An expression that ends a loop soon.
    pub(super) fn bound(&mut self) -> String {
        if self.one_in(3) { "0".into() } else { format!("m++<3&&{}", self.operand_of()) }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.one_in(3) {
            let inner = self.condition(depth - 1);
            return match self.random.below(5) {
                0 => format!("! {inner}"),
                1 => format!("( {inner} )"),
                2 => format!("{inner} && {}", self.condition(depth - 1)),
                3 => format!("{inner} ||\n{}", self.condition(depth - 1)),
                _ => format!("({inner})"),
            };
        }
        match self.random.below(9) {
            0 => format!("-n {}", self.word(Quotes::None)),
            1 => format!("-v a[{}]", self.pick(&["0", "x", "$x"])),
            2 => {
                let op = self.pick(&["-eq", "-lt", "-ne"]);
                format!("{} {op} {}", self.word(Quotes::Arithmetic), self.word(Quotes::Arithmetic))
            }
            3 => {
                let op = self.pick(&["==", "!=", "="]);
                format!("{} {op} {}", self.word(Quotes::None), self.pattern())
            }
            4 => {
                let regex = self.pick(&[
                    "a",
                    "(a|b)",
                    "^[a ]",
                    "\\(a",
                    "'('",
                    "[[:alpha:]]",
                    "(a b)",
                    "($'$(k24)')",
                    "\"$(k18)\"",
                    "$(k19)",
                ]);
                let end = self.word(Quotes::Double);
                format!("{} =~ {regex}{end}", self.word(Quotes::None))
            }
            5 => {
                let op = self.pick(&["<", ">", "-nt", "-ef"]);
                format!("{} {op} {}", self.word(Quotes::None), self.word(Quotes::None))
            }
            6 => format!("-z {}", self.word(Quotes::Double)),
            _ => self.word(Quotes::None),
        }
    }

    fn pattern(&mut self) -> String {
        if self.one_in(2) {
            return self.word(Quotes::None);
        }
        let op = self.pick(&["@", "!", "*", "+", "?"]);
        let first = self.word(Quotes::None);
        format!(
            "{op}({first}|{})",
            self.pick(&["a", "a b", "$'$(k25)'", "$x", "", "@(b)", "'|'", "\"$(k20)\""])
        )
    }
}
