//! Compound commands.

use super::{Printer, ends_in_prefix};
use crate::ast::{
    Arithmetic, CaseArm, CaseEnd, Compound, CompoundCommand, Condition, ConditionOp, List, Word,
};

impl<'s> Printer<'s> {
    pub(super) fn compound(&mut self, compound: &'s CompoundCommand) {
        self.compound_kind(&compound.kind);
        for redirection in &compound.redirections {
            self.text(" ");
            self.redirection(redirection);
        }
    }

    fn compound_kind(&mut self, kind: &'s Compound) {
        match kind {
            Compound::Group(list) => {
                self.text("{");
                self.block(list);
                self.text("}");
            }
            Compound::Subshell(list) => {
                self.text("(");
                self.parenthesized(list);
                self.text(")");
            }
            Compound::If { branches, otherwise } => self.if_command(branches, otherwise.as_ref()),
            Compound::While { condition, body } => self.conditional_loop("while", condition, body),
            Compound::Until { condition, body } => self.conditional_loop("until", condition, body),
            Compound::For { variable, words, body } => {
                self.word_loop("for ", variable, words.as_deref(), body);
            }
            Compound::Select { variable, words, body } => {
                self.word_loop("select ", variable, words.as_deref(), body);
            }
            Compound::ArithmeticFor { init, condition, update, body } => {
                self.arithmetic_loop([init, condition, update], body);
            }
            Compound::Case { word, arms } => self.case_command(word, arms),
            Compound::Condition(condition) => {
                self.text("[[ ");
                self.condition(condition);
                self.text(" ]]");
            }
            Compound::Arithmetic(arithmetic) => {
                self.text("((");
                self.arithmetic_text(arithmetic);
                self.text("))");
            }
        }
    }

    fn if_command(&mut self, branches: &'s [(List, List)], otherwise: Option<&'s List>) {
        for (at, (condition, body)) in branches.iter().enumerate() {
            self.text(if at == 0 { "if" } else { "elif" });
            self.condition_list(condition);
            self.text("then");
            self.block(body);
        }
        if let Some(body) = otherwise {
            self.text("else");
            self.block(body);
        }
        self.text("fi");
    }

    fn conditional_loop(&mut self, keyword: &str, condition: &'s List, body: &'s List) {
        self.text(keyword);
        self.condition_list(condition);
        self.text("do");
        self.block(body);
        self.text("done");
    }

    fn word_loop(&mut self, keyword: &str, variable: &[u8], words: Option<&'s [Word]>, body: &'s List) {
        self.text(keyword);
        self.text(variable);
        if let Some(words) = words {
            self.text(" in");
            for word in words {
                self.text(" ");
                self.word(word);
            }
        }
        self.text("; do");
        self.block(body);
        self.text("done");
    }

    fn arithmetic_loop(&mut self, head: [&'s Arithmetic; 3], body: &'s List) {
        self.text("for ((");
        for (at, arithmetic) in head.into_iter().enumerate() {
            if at > 0 {
                self.text(";");
            }
            self.arithmetic_text(arithmetic);
        }
        self.text(")); do");
        self.block(body);
        self.text("done");
    }

    fn case_command(&mut self, word: &'s Word, arms: &'s [CaseArm]) {
        self.text("case ");
        self.word(word);
        self.text(" in");
        self.indent = self.indent.saturating_add(1);
        for arm in arms {
            self.blank();
            self.case_arm(arm);
        }
        self.indent = self.indent.saturating_sub(1);
        self.blank();
        self.text("esac");
    }

    fn case_arm(&mut self, arm: &'s CaseArm) {
        self.text("(");
        for (at, pattern) in arm.patterns.iter().enumerate() {
            if at > 0 {
                self.text(" | ");
            }
            self.word(pattern);
        }
        self.text(")");
        self.indent = self.indent.saturating_add(1);
        if !arm.body.items.is_empty() {
            self.blank();
            self.items(&arm.body);
        }
        if self.inline && ends_in_prefix(&arm.body) {
            self.text(";");
        }
        self.blank();
        self.indent = self.indent.saturating_sub(1);
        self.text(match arm.end {
            CaseEnd::Break => ";;",
            CaseEnd::FallThrough => ";&",
            CaseEnd::Continue => ";;&",
        });
    }

    fn condition(&mut self, condition: &'s Condition) {
        match condition {
            Condition::Word(word) => self.word(word),
            Condition::Unary { op, operand } => {
                self.text(op);
                self.text(" ");
                self.word(operand);
            }
            Condition::Binary { op, left, right } => {
                self.word(left);
                self.text(" ");
                self.text(operator(*op));
                self.text(" ");
                self.word(right);
            }
            Condition::Not(inner) => {
                self.text("! ");
                self.condition(inner);
            }
            Condition::And(members) => self.conditions(members, " && "),
            Condition::Or(members) => self.conditions(members, " || "),
            Condition::Group(inner) => {
                self.text("( ");
                self.condition(inner);
                self.text(" )");
            }
        }
    }

    fn conditions(&mut self, members: &'s [Condition], between: &str) {
        for (at, member) in members.iter().enumerate() {
            if at > 0 {
                self.text(between);
            }
            self.condition(member);
        }
    }
}

fn operator(op: ConditionOp) -> &'static str {
    match op {
        ConditionOp::Match => "==",
        ConditionOp::NotMatch => "!=",
        ConditionOp::Regex => "=~",
        ConditionOp::Before => "<",
        ConditionOp::After => ">",
        ConditionOp::Equal => "-eq",
        ConditionOp::NotEqual => "-ne",
        ConditionOp::Less => "-lt",
        ConditionOp::LessOrEqual => "-le",
        ConditionOp::Greater => "-gt",
        ConditionOp::GreaterOrEqual => "-ge",
        ConditionOp::NewerThan => "-nt",
        ConditionOp::OlderThan => "-ot",
        ConditionOp::SameFile => "-ef",
    }
}
