//! Writes a script back in a canonical form.
//!
//! The text parses to the same tree again, spans apart. Blanks, comments, line continuations and the
//! choice between `;` and newline are what gets lost.

use crate::ast::{
    Arithmetic, Assignment, CaseChange, CaseEnd, Command, CommandSubstitution, Compound, CompoundCommand,
    Condition, ConditionOp, Connector, Descriptor, HereDocId, Item, List, Parameter, ParameterName,
    ParameterOp, Part, PartKind, Pipe, Pipeline, Prefix, ProcessDirection, Redirection, RedirectionOp,
    ReplaceWhich, Script, SimpleCommand, Subscript, SubscriptKind, SubstitutionStyle, Target, Terminator,
    Value, Word,
};

/// Writes a script in canonical form.
///
/// ```
/// use toolgate_bash::{Options, parse, print};
///
/// let script = parse(b"if  a|b ;then c & fi   # really\n>f d", &Options::default())?;
/// assert_eq!(print(&script), b"if a | b; then\n    c &\nfi\n>f d\n");
/// # Ok::<(), toolgate_bash::Unknown>(())
/// ```
pub fn print(script: &Script) -> Vec<u8> {
    let mut printer = Printer { script, out: Vec::new(), pending: Vec::new(), indent: 0, inline: false };
    printer.items(&script.body);
    if !script.body.items.is_empty() {
        printer.newline();
    }
    printer.out
}

struct Printer<'s> {
    script: &'s Script,
    out: Vec<u8>,
    /// Here-documents whose bodies follow the next newline.
    pending: Vec<HereDocId>,
    indent: usize,
    /// Inside a word: no line is begun without need.
    inline: bool,
}

impl<'s> Printer<'s> {
    fn text(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    fn newline(&mut self) {
        self.text("\n");
        for id in std::mem::take(&mut self.pending) {
            let Some(doc) = self.script.here_doc(id) else { continue };
            let pending = std::mem::take(&mut self.pending);
            match doc.body.parts.as_slice() {
                [Part { kind: PartKind::SingleQuoted(raw), .. }] if doc.quoted => self.text(raw),
                parts => self.parts(parts),
            }
            if doc.terminated {
                self.text(&doc.delimiter);
                self.text("\n");
            }
            self.pending = pending;
        }
        if !self.inline {
            for _ in 0..self.indent {
                self.text("    ");
            }
        }
    }

    /// Ends a command inside a list or in front of a reserved word.
    fn end(&mut self, terminator: Terminator) {
        let background = terminator == Terminator::Background;
        if background {
            self.text(" &");
        }
        if self.inline && self.pending.is_empty() {
            self.text(if background { " " } else { "; " });
        } else {
            self.newline();
        }
    }

    /// The members of a list with what stands between them, but nothing behind the last.
    fn items(&mut self, list: &'s List) {
        for (at, item) in list.items.iter().enumerate() {
            if at > 0 {
                let end =
                    list.items.get(at.saturating_sub(1)).map_or(Terminator::Sequential, |before| before.end);
                self.end(end);
            }
            self.item(item);
        }
        if let Some(Item { end: Terminator::Background, .. }) = list.items.last() {
            self.text(" &");
        }
    }

    /// A list, and what separates it from the reserved word behind it.
    fn block(&mut self, list: &'s List) {
        self.indent = self.indent.saturating_add(1);
        if self.inline && self.pending.is_empty() {
            self.text(" ");
        } else {
            self.newline();
        }
        self.items(list);
        self.indent = self.indent.saturating_sub(1);
        self.close(list);
    }

    /// What stands between a list and a reserved word.
    fn close(&mut self, list: &'s List) {
        let background = list.items.last().is_some_and(|item| item.end == Terminator::Background);
        if !(self.inline && self.pending.is_empty()) {
            self.newline();
        } else if background {
            self.text(" ");
        } else {
            self.text("; ");
        }
    }

    /// A condition, up to the reserved word behind it.
    fn condition_list(&mut self, list: &'s List) {
        self.text(" ");
        self.items(list);
        let background = list.items.last().is_some_and(|item| item.end == Terminator::Background);
        if !self.pending.is_empty() {
            self.newline();
        } else {
            self.text(if background { " " } else { "; " });
        }
    }

    fn item(&mut self, item: &'s Item) {
        self.pipeline(&item.first);
        for (connector, pipeline) in &item.rest {
            self.text(match connector {
                Connector::And => " && ",
                Connector::Or => " || ",
            });
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &'s Pipeline) {
        for (at, prefix) in pipeline.prefixes.iter().enumerate() {
            if at > 0 {
                self.text(" ");
            }
            self.text(match prefix {
                Prefix::Not => "!",
                Prefix::Time => "time",
                Prefix::TimePosix => "time -p",
            });
        }
        if !pipeline.prefixes.is_empty() && !pipeline.stages.is_empty() {
            self.text(" ");
        }
        for stage in &pipeline.stages {
            self.command(&stage.command);
            match stage.pipe {
                None => {}
                Some(Pipe::Stdout) => self.text(" | "),
                Some(Pipe::StdoutAndStderr) => self.text(" |& "),
            }
        }
    }

    fn command(&mut self, command: &'s Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                if function.keyword {
                    self.text("function ");
                }
                self.text(&function.name);
                self.text(if function.keyword { " " } else { "() " });
                self.compound(&function.body);
            }
            Command::Coproc(coproc) => {
                self.text("coproc ");
                if let Some(name) = &coproc.name {
                    self.text(name);
                    self.text(" ");
                }
                self.command(&coproc.command);
            }
        }
    }

    fn simple(&mut self, simple: &'s SimpleCommand) {
        enum Piece<'s> {
            Assignment(&'s Assignment),
            Word(&'s Word),
            Redirection(&'s Redirection),
        }
        // A redirection in front of a word can keep it from being a reserved one.
        let mut pieces: Vec<(u32, Piece<'s>)> = Vec::new();
        pieces.extend(simple.assignments.iter().map(|a| (a.span.start, Piece::Assignment(a))));
        pieces.extend(simple.words.iter().map(|w| (w.span.start, Piece::Word(w))));
        pieces.extend(simple.redirections.iter().map(|r| (r.span.start, Piece::Redirection(r))));
        pieces.sort_by_key(|(start, _)| *start);
        for (at, (_, piece)) in pieces.iter().enumerate() {
            if at > 0 {
                self.text(" ");
            }
            match piece {
                Piece::Assignment(assignment) => self.assignment(assignment),
                Piece::Word(word) => self.word(word),
                Piece::Redirection(redirection) => self.redirection(redirection),
            }
        }
    }

    fn assignment(&mut self, assignment: &'s Assignment) {
        self.text(&assignment.name);
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        self.text(if assignment.append { "+=" } else { "=" });
        match &assignment.value {
            Value::Scalar(word) => self.word(word),
            Value::Array(elements) => {
                self.text("(");
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        self.text(" ");
                    }
                    if let Some(subscript) = &element.subscript {
                        self.subscript(subscript);
                        self.text(if element.append { "+=" } else { "=" });
                    }
                    self.word(&element.value);
                }
                self.text(")");
            }
        }
    }

    fn subscript(&mut self, subscript: &'s Subscript) {
        self.text("[");
        match &subscript.kind {
            SubscriptKind::At => self.text("@"),
            SubscriptKind::Star => self.text("*"),
            SubscriptKind::Index(arithmetic) => self.parts(&arithmetic.parts),
        }
        self.text("]");
    }

    fn redirection(&mut self, redirection: &'s Redirection) {
        match &redirection.fd {
            None => {}
            Some(Descriptor::Number(number)) => self.text(number.to_string()),
            Some(Descriptor::Variable(name)) => {
                self.text("{");
                self.text(name);
                self.text("}");
            }
        }
        self.text(match redirection.op {
            RedirectionOp::Read => "<",
            RedirectionOp::Write => ">",
            RedirectionOp::Append => ">>",
            RedirectionOp::Clobber => ">|",
            RedirectionOp::ReadWrite => "<>",
            RedirectionOp::DuplicateInput => "<&",
            RedirectionOp::DuplicateOutput => ">&",
            RedirectionOp::WriteBoth => "&>",
            RedirectionOp::AppendBoth => "&>>",
            RedirectionOp::HereString => "<<<",
            RedirectionOp::HereDoc => "<<",
            RedirectionOp::HereDocStripTabs => "<<-",
        });
        match &redirection.target {
            Target::Word(word) => {
                // `<` in front of `<(…)` would be another operator.
                if matches!(word.parts.first(), Some(Part { kind: PartKind::Process(_), .. })) {
                    self.text(" ");
                }
                self.word(word);
            }
            Target::HereDoc(id) => {
                let Some(doc) = self.script.here_doc(*id) else { return };
                if doc.quoted {
                    self.quoted_delimiter(&doc.delimiter);
                } else {
                    self.text(&doc.delimiter);
                }
                self.pending.push(*id);
            }
        }
    }

    fn quoted_delimiter(&mut self, delimiter: &[u8]) {
        if !delimiter.contains(&b'\'') {
            self.text("'");
            self.text(delimiter);
            self.text("'");
            return;
        }
        for byte in delimiter {
            self.text([b'\\', *byte]);
        }
    }

    fn compound(&mut self, compound: &'s CompoundCommand) {
        match &compound.kind {
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
            Compound::If { branches, otherwise } => {
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
            Compound::While { condition, body } => self.conditional_loop("while", condition, body),
            Compound::Until { condition, body } => self.conditional_loop("until", condition, body),
            Compound::For { variable, words, body } => {
                self.word_loop("for ", variable, words.as_deref(), body)
            }
            Compound::Select { variable, words, body } => {
                self.word_loop("select ", variable, words.as_deref(), body);
            }
            Compound::ArithmeticFor { init, condition, update, body } => {
                self.text("for ((");
                self.parts(&init.parts);
                self.text(";");
                self.parts(&condition.parts);
                self.text(";");
                self.parts(&update.parts);
                self.text("))");
                self.before_do();
                self.block(body);
                self.text("done");
            }
            Compound::Case { word, arms } => {
                self.text("case ");
                self.word(word);
                self.text(" in");
                self.indent = self.indent.saturating_add(1);
                for arm in arms {
                    self.between();
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
                        self.between();
                        self.items(&arm.body);
                    }
                    self.between();
                    self.indent = self.indent.saturating_sub(1);
                    self.text(match arm.end {
                        CaseEnd::Break => ";;",
                        CaseEnd::FallThrough => ";&",
                        CaseEnd::Continue => ";;&",
                    });
                }
                self.indent = self.indent.saturating_sub(1);
                self.between();
                self.text("esac");
            }
            Compound::Condition(condition) => {
                self.text("[[ ");
                self.condition(condition);
                self.text(" ]]");
            }
            Compound::Arithmetic(arithmetic) => {
                self.text("((");
                self.parts(&arithmetic.parts);
                self.text("))");
            }
        }
        for redirection in &compound.redirections {
            self.text(" ");
            self.redirection(redirection);
        }
    }

    /// A blank or a new line.
    fn between(&mut self) {
        if self.inline && self.pending.is_empty() {
            self.text(" ");
        } else {
            self.newline();
        }
    }

    fn before_do(&mut self) {
        if self.pending.is_empty() {
            self.text("; do");
        } else {
            self.newline();
            self.text("do");
        }
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
        self.before_do();
        self.block(body);
        self.text("done");
    }

    /// A list inside parentheses that are there already.
    fn parenthesized(&mut self, list: &'s List) {
        let inline = std::mem::replace(&mut self.inline, true);
        let start = self.out.len();
        self.items(list);
        if !self.pending.is_empty() {
            self.newline();
        }
        self.inline = inline;
        // Two parentheses in a row would be arithmetic.
        if self.out.get(start) == Some(&b'(') {
            self.out.insert(start, b' ');
        }
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
                self.text(match op {
                    ConditionOp::Match => " == ",
                    ConditionOp::NotMatch => " != ",
                    ConditionOp::Regex => " =~ ",
                    ConditionOp::Before => " < ",
                    ConditionOp::After => " > ",
                    ConditionOp::Equal => " -eq ",
                    ConditionOp::NotEqual => " -ne ",
                    ConditionOp::Less => " -lt ",
                    ConditionOp::LessOrEqual => " -le ",
                    ConditionOp::Greater => " -gt ",
                    ConditionOp::GreaterOrEqual => " -ge ",
                    ConditionOp::NewerThan => " -nt ",
                    ConditionOp::OlderThan => " -ot ",
                    ConditionOp::SameFile => " -ef ",
                });
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

    fn word(&mut self, word: &'s Word) {
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &'s [Part]) {
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
                self.parts(inner);
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
                self.nested(&process.body);
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

    /// A list inside a word, with its own here-documents.
    fn nested(&mut self, list: &'s List) {
        let pending = std::mem::take(&mut self.pending);
        self.parenthesized(list);
        self.pending = pending;
    }

    fn substitution(&mut self, substitution: &'s CommandSubstitution) {
        match substitution.style {
            SubstitutionStyle::Dollar => {
                self.text("$(");
                self.nested(&substitution.body);
                self.text(")");
            }
            SubstitutionStyle::SameShell | SubstitutionStyle::SameShellReply => {
                let reply = substitution.style == SubstitutionStyle::SameShellReply;
                self.text(if reply { "${|" } else { "${" });
                let pending = std::mem::take(&mut self.pending);
                let inline = std::mem::replace(&mut self.inline, true);
                self.text(" ");
                self.items(&substitution.body);
                self.close(&substitution.body);
                self.inline = inline;
                self.pending = pending;
                self.text("}");
            }
            SubstitutionStyle::Backtick => {
                let outer = std::mem::take(&mut self.out);
                let pending = std::mem::take(&mut self.pending);
                let inline = std::mem::replace(&mut self.inline, true);
                self.items(&substitution.body);
                if !self.pending.is_empty() {
                    self.newline();
                }
                self.inline = inline;
                self.pending = pending;
                let inner = std::mem::replace(&mut self.out, outer);
                self.text("`");
                for byte in inner {
                    // Bash takes one backslash away before it reads the text.
                    if matches!(byte, b'\\' | b'`') {
                        self.text("\\");
                    }
                    self.text([byte]);
                }
                self.text("`");
            }
        }
    }

    fn arithmetic(&mut self, arithmetic: &'s Arithmetic) {
        if arithmetic.bracket {
            self.text("$[");
            self.parts(&arithmetic.parts);
            self.text("]");
        } else {
            self.text("$((");
            self.parts(&arithmetic.parts);
            self.text("))");
        }
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
                self.parts(&offset.parts);
                if let Some(length) = length {
                    self.text(":");
                    self.parts(&length.parts);
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
        self.word(word);
    }
}
