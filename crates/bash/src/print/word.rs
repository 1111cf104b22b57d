//! Words, quotes and expansions.

use super::{Printer, Separator, ends_in_background, ends_in_prefix};
use crate::ast::{
    Arithmetic, CaseChange, CommandSubstitution, List, Parameter, ParameterName, ParameterOp, Part, PartKind,
    ProcessDirection, ReplaceWhich, Subscript, SubscriptKind, SubstitutionStyle, Word,
};

impl<'s> Printer<'s> {
    pub(super) fn word(&mut self, word: &'s Word) {
        self.parts(&word.parts);
    }

    pub(super) fn parts(&mut self, parts: &'s [Part]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, part: &'s Part) {
        match &part.kind {
            PartKind::Literal(literal) => self.text(&literal.text),
            PartKind::Escaped(byte) => self.text([b'\\', *byte]),
            PartKind::SingleQuoted(text) => {
                self.text("'");
                self.text(text);
                self.text("'");
            }
            PartKind::AnsiC(raw) => {
                self.text("$'");
                self.text(raw);
                self.text("'");
            }
            PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => {
                if matches!(part.kind, PartKind::Localized(_)) {
                    self.text("$");
                }
                self.text("\"");
                for part in inner {
                    self.quoted_part(part);
                }
                self.text("\"");
            }
            PartKind::Parameter(parameter) => self.parameter(parameter),
            PartKind::Command(substitution) => self.substitution(substitution),
            PartKind::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            PartKind::Process(process) => {
                self.text(match process.direction {
                    ProcessDirection::Read => "<(",
                    ProcessDirection::Write => ">(",
                });
                self.substituted(&process.body);
                self.text(")");
            }
            PartKind::ExtendedGlob(glob) => {
                self.text([glob.op]);
                self.text("(");
                for (at, alternative) in glob.alternatives.iter().enumerate() {
                    if at > 0 {
                        self.text("|");
                    }
                    self.word(alternative);
                }
                self.text(")");
            }
            PartKind::ArrayAssignment(assignment) => self.assignment(assignment),
        }
    }

    pub(super) fn subscript(&mut self, subscript: &'s Subscript) {
        self.text("[");
        match &subscript.kind {
            SubscriptKind::At => self.text("@"),
            SubscriptKind::Star => self.text("*"),
            SubscriptKind::Index(arithmetic) => self.arithmetic_text(arithmetic),
        }
        self.text("]");
    }

    /// A part directly inside double quotes.
    fn quoted_part(&mut self, part: &'s Part) {
        match &part.kind {
            PartKind::Command(substitution)
                if substitution.style == SubstitutionStyle::Backtick && !self.in_operand =>
            {
                self.backtick(&substitution.body, b"\\`\"");
            }
            _ => self.part(part),
        }
    }

    fn substitution(&mut self, substitution: &'s CommandSubstitution) {
        match substitution.style {
            SubstitutionStyle::Dollar => {
                self.text("$(");
                self.substituted(&substitution.body);
                self.text(")");
            }
            SubstitutionStyle::SameShell => self.same_shell("${ ", &substitution.body),
            SubstitutionStyle::SameShellReply => self.same_shell("${| ", &substitution.body),
            SubstitutionStyle::Backtick => self.backtick(&substitution.body, b"\\`"),
        }
    }

    fn same_shell(&mut self, open: &str, list: &'s List) {
        let outer = std::mem::take(&mut self.pending);
        self.text(open);
        self.inline_items(list);
        if self.pending.is_empty() {
            self.text(if ends_in_background(list) { " " } else { "; " });
        }
        self.end_here_docs();
        self.text("}");
        self.pending = outer;
    }

    /// Backticks around a list. Bash takes a backslash in front of these bytes away before it reads the text.
    fn backtick(&mut self, list: &'s List, escaped: &[u8]) {
        let before = std::mem::take(&mut self.out);
        let outer = std::mem::take(&mut self.pending);
        let separator = std::mem::replace(&mut self.separator, Separator::Semicolon);
        self.inline_items(list);
        if ends_in_prefix(list) {
            self.text(";");
        }
        self.end_here_docs();
        self.separator = separator;
        self.pending = outer;
        let inner = std::mem::replace(&mut self.out, before);
        self.text("`");
        for byte in inner {
            if escaped.contains(&byte) {
                self.text("\\");
            }
            self.text([byte]);
        }
        self.text("`");
    }

    fn arithmetic(&mut self, arithmetic: &'s Arithmetic) {
        if arithmetic.bracket {
            self.text("$[");
            self.arithmetic_text(arithmetic);
            self.text("]");
        } else {
            self.text("$((");
            self.arithmetic_text(arithmetic);
            self.text("))");
        }
    }

    pub(super) fn arithmetic_text(&mut self, arithmetic: &'s Arithmetic) {
        self.operand_parts(&arithmetic.parts);
    }

    fn operand_parts(&mut self, parts: &'s [Part]) {
        let in_operand = std::mem::replace(&mut self.in_operand, true);
        self.parts(parts);
        self.in_operand = in_operand;
    }

    fn parameter(&mut self, parameter: &'s Parameter) {
        if !parameter.braced {
            self.text("$");
            return self.name(&parameter.name);
        }
        self.text("${");
        if parameter.indirect || matches!(parameter.op, ParameterOp::Names { .. }) {
            self.text("!");
        }
        if parameter.op == ParameterOp::Length {
            self.text("#");
        }
        self.name(&parameter.name);
        if let Some(subscript) = &parameter.subscript {
            self.subscript(subscript);
        }
        self.operator(&parameter.op);
        self.text("}");
    }

    fn name(&mut self, name: &ParameterName) {
        match name {
            ParameterName::Variable(name) => self.text(name),
            ParameterName::Positional(number) => self.text(number.to_string()),
            ParameterName::Special(byte) => self.text([*byte]),
        }
    }

    fn operator(&mut self, op: &'s ParameterOp) {
        let colon = |colon: &bool, op: &'static str| if *colon { op } else { op.trim_start_matches(':') };
        match op {
            ParameterOp::Plain | ParameterOp::Length => {}
            ParameterOp::Default { colon: is, word } => self.operand(colon(is, ":-"), word),
            ParameterOp::Assign { colon: is, word } => self.operand(colon(is, ":="), word),
            ParameterOp::Error { colon: is, word } => self.operand(colon(is, ":?"), word),
            ParameterOp::Alternative { colon: is, word } => self.operand(colon(is, ":+"), word),
            ParameterOp::RemovePrefix { longest, pattern } => {
                self.operand(if *longest { "##" } else { "#" }, pattern);
            }
            ParameterOp::RemoveSuffix { longest, pattern } => {
                self.operand(if *longest { "%%" } else { "%" }, pattern);
            }
            ParameterOp::Replace { which, pattern, replacement } => {
                let op = match which {
                    ReplaceWhich::First => "/",
                    ReplaceWhich::All => "//",
                    ReplaceWhich::Prefix => "/#",
                    ReplaceWhich::Suffix => "/%",
                };
                self.operand(op, pattern);
                if let Some(replacement) = replacement {
                    self.operand("/", replacement);
                }
            }
            ParameterOp::Slice { offset, length } => {
                self.text(":");
                self.arithmetic_text(offset);
                if let Some(length) = length {
                    self.text(":");
                    self.arithmetic_text(length);
                }
            }
            ParameterOp::Case { change, pattern } => {
                let op = match change {
                    CaseChange::UpperFirst => "^",
                    CaseChange::UpperAll => "^^",
                    CaseChange::LowerFirst => ",",
                    CaseChange::LowerAll => ",,",
                    CaseChange::ToggleFirst => "~",
                    CaseChange::ToggleAll => "~~",
                };
                self.operand(op, pattern);
            }
            ParameterOp::Transform(letter) => self.text([b'@', *letter]),
            ParameterOp::Names { separate } => self.text(if *separate { "@" } else { "*" }),
        }
    }

    fn operand(&mut self, op: &str, word: &'s Word) {
        self.text(op);
        self.operand_parts(&word.parts);
    }
}
