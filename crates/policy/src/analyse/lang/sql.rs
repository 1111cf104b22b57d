//! SQL and the commands of its shells.

use crate::analyse::Analyst;
use crate::analyse::state::State;
use crate::effect::Kind;
use crate::knowledge::schema::Lang;
use crate::word::is_exact;
use toolgate_bash::ast::Span;

impl Analyst<'_> {
    pub(in crate::analyse) fn sql(&mut self, lang: Lang, text: &str, span: Span, state: &State) {
        if !is_exact(text) {
            self.unknown("part of a query is not known", span);
        }
        let mut statements = String::new();
        for line in text.lines() {
            let trimmed = line.trim_start();
            if lang == Lang::Sql {
                self.client_commands(line, span, state);
            }
            if lang == Lang::Sqlite && trimmed.starts_with('.') {
                self.dot_command(trimmed, span, state);
            } else if lang == Lang::Psql && trimmed.starts_with('\\') {
                self.backslash_command(trimmed, span, state);
            } else {
                if lang == Lang::Psql && line.contains('\\') {
                    self.backslash_command(
                        line.get(line.find('\\').unwrap_or(0)..).unwrap_or(""),
                        span,
                        state,
                    );
                }
                statements.push_str(line);
                statements.push('\n');
            }
        }
        for s in split(&statements) {
            self.statement(lang, &s, span, state);
            let at = self.at(span);
            self.out.statements.push((s, at));
        }
    }

    fn statement(&mut self, lang: Lang, words: &[String], span: Span, state: &State) {
        let has = |w: &str| words.iter().any(|x| x == w);
        let Some(first) = words.first() else { return };
        let lost = match first.as_str() {
            "drop" | "truncate" => true,
            "delete" | "update" => !has("where"),
            "alter" => has("drop"),
            "with" => has("delete") || has("update"),
            "explain" => has("analyze") && (has("delete") || has("update") || has("truncate")),
            "flush" | "flushall" | "flushdb" | "shutdown" | "reset" | "kill" | "purge" => true,
            "copy" => has("program"),
            _ => false,
        };
        if lost {
            if lang == Lang::Sqlite {
                for d in state.dirs.clone() {
                    self.path(Kind::Loss, "database", span, &[d], state, "rows or tables are removed");
                }
            } else {
                self.push(
                    Kind::Host,
                    Some("database"),
                    span,
                    "rows, tables or databases on a server are removed",
                );
            }
        }
        for f in [
            "load_extension",
            "readfile",
            "writefile",
            "edit",
            "fts3_tokenizer",
            "pg_read_file",
            "pg_ls_dir",
            "lo_import",
            "lo_export",
            "xp_cmdshell",
            "sys_exec",
            "load_file",
            "dblink",
        ] {
            if has(f) {
                self.unknown("a query calls a function that reaches files or programs", span);
            }
        }
        if first == "attach"
            || has("outfile")
            || has("dumpfile")
            || has("infile")
            || (has("vacuum") && has("into"))
        {
            self.unknown("a query names a file", span);
        }
        if first == "copy" && has("program") {
            self.unknown("a query runs a program", span);
        }
    }

    /// Commands of the client `mysql` in a line of SQL: `\\! cmd`, `system cmd`, `source file`.
    fn client_commands(&mut self, line: &str, span: Span, state: &State) {
        for (at, _) in line.match_indices("\\!") {
            self.shell_from(line.get(at + 2..).unwrap_or("").trim(), span, state);
        }
        for part in line.split(';') {
            let part = part.trim();
            let (word, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
            match word.to_ascii_lowercase().as_str() {
                "system" | "pager" | "\\P" => self.shell_from(rest.trim(), span, state),
                "source" | "\\." if !rest.is_empty() => {
                    self.path_from(Kind::Script, rest.trim(), span, state);
                }
                "tee" | "\\T" => self.path_from(Kind::Write, rest.trim(), span, state),
                _ => {}
            }
        }
    }

    fn dot_command(&mut self, line: &str, span: Span, state: &State) {
        let words = super::split_quoted(line);
        let name = words.first().map_or("", String::as_str);
        let rest = line.get(name.len()..).unwrap_or("").trim();
        let file = words.get(1).cloned();
        // `|cmd args` to the end of the line, or `"|cmd args"`.
        let piped = match &file {
            Some(f) if rest.starts_with(['"', '\'']) => f.strip_prefix('|').map(str::to_owned),
            _ => rest.strip_prefix('|').map(str::to_owned),
        };
        match name {
            ".shell" | ".system" | ".sh" | ".sy" | ".sys" | ".she" | ".shel" => {
                self.shell_from(rest, span, state)
            }
            ".tables" | ".schema" | ".indexes" | ".indices" | ".databases" | ".dump" | ".mode"
            | ".headers" | ".header" | ".width" | ".quit" | ".exit" | ".help" | ".show" | ".stats"
            | ".timer" | ".echo" | ".nullvalue" | ".separator" | ".print" | ".dbinfo" | ".fullschema"
            | ".lint" | ".eqp" | ".bail" | ".changes" | ".explain" | ".prompt" | ".limit" | ".sha3sum"
            | ".version" | ".timeout" => {}
            ".output" | ".once" | ".log" | ".trace" | ".backup" | ".save" | ".clone" => match piped {
                Some(code) => self.shell_from(&code, span, state),
                None if file.is_some() => {
                    if let Some(f) = words.last() {
                        self.path_from(Kind::Write, f, span, state);
                    }
                }
                None => {}
            },
            ".excel" => self.unknown("a spreadsheet is opened", span),
            ".open" => {
                if let Some(f) = words.last() {
                    self.path_from(Kind::Write, f, span, state);
                }
            }
            ".import" | ".restore" => match (piped, file) {
                (Some(code), _) => self.shell_from(&code, span, state),
                (None, Some(f)) => self.path_from(Kind::Read, &f, span, state),
                (None, None) => {}
            },
            ".read" => match (piped, file) {
                (Some(code), _) => self.shell_from(&code, span, state),
                (None, Some(f)) => self.path_from(Kind::Script, &f, span, state),
                (None, None) => {}
            },
            ".cd" => self.unknown("sqlite changes its directory", span),
            _ => self.unknown("a dot-command of sqlite that is not known", span),
        }
    }

    fn backslash_command(&mut self, line: &str, span: Span, state: &State) {
        let rest = line.trim_start_matches('\\');
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '!' | '+' | '?')).collect();
        let args = rest.get(name.len()..).unwrap_or("").trim();
        let first = name.chars().next();
        if first == Some('!') {
            self.shell_from(rest.get(1..).unwrap_or("").trim(), span, state);
            return;
        }
        match name.trim_end_matches('+') {
            "d" | "dt" | "dv" | "di" | "ds" | "dn" | "df" | "du" | "l" | "list" | "q" | "x" | "t" | "a"
            | "timing" | "pset" | "conninfo" | "echo" | "h" | "?" | "dT" | "dp" | "z" | "encoding"
            | "set" | "unset" | "r" | "p" | "H" | "C" | "f" => {}
            "o" | "g" | "gx" | "w" if args.starts_with('|') => {
                self.shell_from(args.trim_start_matches('|'), span, state)
            }
            "o" | "w" | "s" if !args.is_empty() => self.path_from(Kind::Write, args, span, state),
            "g" | "gx" | "o" | "s" => {}
            "i" | "ir" | "include" => self.path_from(Kind::Script, args, span, state),
            _ => self.unknown("a backslash command of psql that is not known", span),
        }
    }
}

/// Statements as lower-case words, without what stands in quotes and comments.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    let end = |word: &mut String, words: &mut Vec<String>| {
        if !word.is_empty() {
            words.push(std::mem::take(word).to_ascii_lowercase());
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' | '`' => {
                end(&mut word, &mut words);
                while let Some(d) = chars.next() {
                    if d == c {
                        if chars.peek() == Some(&c) {
                            chars.next();
                        } else {
                            break;
                        }
                    }
                }
            }
            '-' if chars.peek() == Some(&'-') => {
                end(&mut word, &mut words);
                while chars.next_if(|c| *c != '\n').is_some() {}
            }
            '/' if chars.peek() == Some(&'*') => {
                // `/*! … */` is run by one server.
                end(&mut word, &mut words);
                chars.next();
                if chars.peek() == Some(&'!') {
                    chars.next();
                    continue;
                }
                let mut last = ' ';
                for d in chars.by_ref() {
                    if last == '*' && d == '/' {
                        break;
                    }
                    last = d;
                }
            }
            ';' => {
                end(&mut word, &mut words);
                out.push(std::mem::take(&mut words));
            }
            c if c.is_alphanumeric() || c == '_' => word.push(c),
            _ => end(&mut word, &mut words),
        }
    }
    end(&mut word, &mut words);
    out.push(words);
    out.retain(|w| !w.is_empty());
    out
}
