//! Reads `kb/*.toml` and writes the tables of `src/knowledge/schema.rs` as Rust text.

use crate::knowledge_lines::{self as lines, Like, Subject};
use crate::schema::{Kind, Role, Slot, Style, Takes};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use toml::{Table, Value};

/// The Rust text of all tables, or every mistake that was found.
pub(crate) fn compile(folder: &Path) -> Result<String, Vec<String>> {
    let mut files: Vec<_> = match std::fs::read_dir(folder) {
        Ok(dir) => {
            dir.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect()
        }
        Err(e) => return Err(vec![format!("reading {}: {e}", folder.display())]),
    };
    files.sort();
    let mut tables = Tables::default();
    let mut errors = Vec::new();
    let mut programs: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(e) = program(&mut tables, &mut programs, &file, &stem) {
            errors.push(format!("kb/{stem}.toml: {e}"));
        }
    }
    if errors.is_empty() { Ok(tables.write(&programs)) } else { Err(errors) }
}

fn program(
    tables: &mut Tables,
    programs: &mut BTreeMap<String, (usize, bool)>,
    file: &Path,
    stem: &str,
) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
    let aliases = take_str(&mut table, "aliases")?.unwrap_or_default();
    let versioned = match table.remove("versioned") {
        None => false,
        Some(Value::Boolean(b)) => b,
        Some(_) => return Err("`versioned` is true or false".into()),
    };
    let style = match take_str(&mut table, "style")? {
        Some(s) => lines::style(&s)?,
        None => Style::Gnu,
    };
    if !table.contains_key("examples") {
        return Err("no `examples`".into());
    }
    let name = take_str(&mut table, "name")?.unwrap_or_else(|| stem.to_owned());
    let spec = tables.spec(table, style, &[], "")?;
    for n in std::iter::once(name.as_str()).chain(aliases.split_whitespace()) {
        if programs.insert(n.to_owned(), (spec, versioned)).is_some() {
            return Err(format!("`{n}` is described twice"));
        }
    }
    Ok(())
}

fn take_str(table: &mut Table, key: &str) -> Result<Option<String>, String> {
    match table.remove(key) {
        None => Ok(None),
        Some(Value::String(s)) => Ok(Some(s)),
        Some(_) => Err(format!("`{key}` is a string")),
    }
}

fn take_list(table: &mut Table, key: &str) -> Result<Vec<String>, String> {
    match table.remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .into_iter()
            .map(|v| match v {
                Value::String(s) => Ok(s),
                _ => Err(format!("`{key}` is a list of strings")),
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is a list of strings")),
    }
}

fn take_tables(table: &mut Table, key: &str) -> Result<Vec<Table>, String> {
    match table.remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .into_iter()
            .map(|v| match v {
                Value::Table(t) => Ok(t),
                _ => Err(format!("`{key}` is a list of tables")),
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is a list of tables")),
    }
}

/// A run as it is written: start and length.
type Run = (usize, usize);

#[derive(Default)]
struct Tables {
    text: String,
    known: HashMap<String, (usize, usize)>,
    words: Vec<(usize, usize)>,
    ids: Vec<usize>,
    names: Vec<String>,
    opts: Vec<String>,
    roles: Vec<String>,
    slots: Vec<String>,
    effects: Vec<String>,
    tests: Vec<String>,
    restated: Vec<String>,
    /// All names of each option.
    listed: Vec<Vec<String>>,
    whens: Vec<String>,
    subs: Vec<String>,
    specs: Vec<String>,
    role_runs: HashMap<Vec<String>, Run>,
    slot_runs: HashMap<Vec<String>, Run>,
    effect_runs: HashMap<Vec<String>, Run>,
}

/// The options of a spec by name, for its conditions and those of its sub-commands.
type Scope = HashMap<String, (usize, usize)>;

impl Tables {
    fn text(&mut self, s: &str) -> (usize, usize) {
        if let Some(&at) = self.known.get(s) {
            return at;
        }
        let at = (self.text.len(), s.len());
        self.text.push_str(s);
        self.known.insert(s.to_owned(), at);
        at
    }

    fn words(&mut self, list: impl IntoIterator<Item = String>) -> Run {
        let list: Vec<_> = list.into_iter().map(|w| self.text(&w)).collect();
        let start = self.words.len();
        self.words.extend(list);
        (start, self.words.len() - start)
    }

    fn roles(&mut self, roles: &[Role]) -> Run {
        let list: Vec<String> =
            roles.iter().map(|r| format!("Role::{r:?}").replace('(', "(Lang::")).collect();
        intern(&mut self.roles, &mut self.role_runs, list)
    }

    fn slots(&mut self, slots: &[Slot]) -> Run {
        let list: Vec<String> = slots
            .iter()
            .map(|s| {
                let role = format!("Role::{:?}", s.role).replace('(', "(Lang::");
                format!("Slot{{role:{role},repeat:Repeat::{:?}}}", s.repeat)
            })
            .collect();
        intern(&mut self.slots, &mut self.slot_runs, list)
    }

    fn effects(&mut self, list: &[(Kind, String)]) -> Run {
        let list: Vec<String> = list
            .iter()
            .map(|(kind, target)| {
                let t = self.text(target);
                format!("Stated{{kind:Kind::{kind:?},target:Text({},{})}}", t.0, t.1)
            })
            .collect();
        intern(&mut self.effects, &mut self.effect_runs, list)
    }

    fn spec(
        &mut self,
        mut table: Table,
        style: Style,
        scopes: &[&Scope],
        path: &str,
    ) -> Result<usize, String> {
        let at = |e: String| if path.is_empty() { e } else { format!("[sub.{path}]: {e}") };
        // The number is taken before the sub-commands take theirs.
        let number = self.specs.len();
        self.specs.push(String::new());
        table.remove("examples");
        let summary = take_str(&mut table, "summary").map_err(at)?.unwrap_or_default();
        if path.is_empty() && summary.is_empty() {
            return Err("no `summary`".into());
        }
        let why = take_str(&mut table, "why").map_err(at)?.unwrap_or_default();
        let unlisted = take_str(&mut table, "unlisted").map_err(at)?.unwrap_or_default();
        let info = take_str(&mut table, "info").map_err(at)?.unwrap_or_else(|| "--version --help".to_owned());
        let hands_to = take_str(&mut table, "as").map_err(at)?.unwrap_or_default();
        let special = take_str(&mut table, "special").map_err(at)?.unwrap_or_default();
        let globals_after = match take_str(&mut table, "globals").map_err(at)?.as_deref() {
            None | Some("anywhere") => true,
            Some("before") => false,
            Some(_) => return Err(at("`globals` is before or anywhere".into())),
        };
        let operands = match take_str(&mut table, "operands").map_err(at)? {
            Some(s) => lines::operands(&s).map_err(at)?,
            None => Vec::new(),
        };
        let effects = effects(take_list(&mut table, "effects").map_err(at)?).map_err(at)?;
        let stdin = match take_str(&mut table, "stdin").map_err(at)? {
            Some(s) => lines::role(&s).map_err(at)?,
            None => Role::Text,
        };
        let style = if operands.iter().any(|s| matches!(s.role, Role::ProgramRest | Role::ProgramStdin))
            && style == Style::Gnu
        {
            Style::Posix
        } else {
            style
        };
        let options = take_str(&mut table, "options").map_err(at)?.unwrap_or_default();
        let mut scope = Scope::new();
        let mut sorted: BTreeMap<String, usize> = BTreeMap::new();
        let mut sharp = operands.iter().any(|s| !harmless(s.role));
        for line in options.lines() {
            let Some(o) = lines::option(line).map_err(at)? else { continue };
            sharp |= o.effects.iter().any(|e| !only_reads(e.0)) || o.roles.iter().any(|r| !harmless(*r));
            let roles = self.roles(&o.roles);
            let list = self.effects(&o.effects);
            let id = self.opts.len();
            self.opts.push(format!(
                "Opt{{takes:Takes::{:?},rest:{},roles:Run({},{}),effects:Run({},{})}}",
                o.takes, o.rest, roles.0, roles.1, list.0, list.1
            ));
            self.listed.push(o.names.clone());
            for name in o.names {
                // A name may be listed twice when its meaning hangs on what follows (`-n`, `-n 5`):
                // the later line, the one with more to say, wins.
                scope.insert(name.clone(), (id, roles.1));
                sorted.insert(name, id);
            }
        }
        let names_start = self.names.len();
        for (name, id) in &sorted {
            let t = self.text(name);
            self.names.push(format!("Name{{name:Text({},{}),option:{id}}}", t.0, t.1));
        }
        let names = (names_start, self.names.len() - names_start);
        let mut all: Vec<&Scope> = scopes.to_vec();
        all.push(&scope);
        let mut whens = Vec::new();
        for when in take_tables(&mut table, "when").map_err(at)? {
            whens.push(self.when(when, &all, &mut sharp).map_err(at)?);
        }
        let whens_run = (self.whens.len(), whens.len());
        self.whens.extend(whens);
        let mut subs: BTreeMap<String, usize> = BTreeMap::new();
        match table.remove("sub") {
            None => {}
            Some(Value::Table(list)) => {
                for (key, value) in list {
                    let Value::Table(sub) = value else { return Err(at(format!("[sub.{key}] is a table"))) };
                    let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    let spec = self.spec(sub, style_of_sub(style), &all, &inner)?;
                    let names: Vec<&str> = if key.is_empty() || key.starts_with("-m ") {
                        vec![key.as_str()]
                    } else {
                        key.split_whitespace().collect()
                    };
                    for n in names {
                        if subs.insert(n.to_owned(), spec).is_some() {
                            return Err(at(format!("sub-command `{n}` is described twice")));
                        }
                    }
                }
            }
            Some(_) => return Err(at("`sub` is a table".into())),
        }
        if let Some(key) = table.keys().next() {
            return Err(at(format!("unknown key `{key}`")));
        }
        let has_bare = subs.contains_key("");
        let subs_run = (self.subs.len(), subs.len());
        for (name, spec) in subs {
            let t = self.text(&name);
            self.subs.push(format!("Sub{{name:Text({},{}),spec:{spec},versioned:false}}", t.0, t.1));
        }
        let info = self.words(info.split_whitespace().map(str::to_owned));
        let (operands, effects) = (self.slots(&operands), self.effects(&effects));
        let [summary, why, unlisted, hands_to, special] =
            [summary, why, unlisted, hands_to, special].map(|s| self.text(&s));
        let stdin = format!("Role::{stdin:?}").replace('(', "(Lang::");
        self.specs[number] = format!(
            "Spec{{style:Style::{style:?},globals_after:{globals_after},has_bare:{has_bare},sharp:{sharp},\
             summary:{},why:{},unlisted:{},info:{},names:{},operands:{},effects:{},stdin:{stdin},whens:{},\
             subs:{},hands_to:{},special:{}}}",
            show_text(summary),
            show_text(why),
            show_text(unlisted),
            show_run(info),
            show_run(names),
            show_run(operands),
            show_run(effects),
            show_run(whens_run),
            show_run(subs_run),
            show_text(hands_to),
            show_text(special),
        );
        Ok(number)
    }

    fn when(&mut self, mut table: Table, scopes: &[&Scope], sharp: &mut bool) -> Result<String, String> {
        let tests = take_str(&mut table, "if")?.ok_or("a `when` without `if`")?;
        let tests = lines::tests(&tests)?;
        let mut written = Vec::new();
        for t in tests {
            let subject = match t.subject {
                Subject::Option(names) => {
                    format!("Subject::Option({})", show_run(self.options(&names, scopes)?))
                }
                Subject::Value(names) => {
                    format!("Subject::Value({})", show_run(self.options(&names, scopes)?))
                }
                Subject::DashDash => "Subject::DashDash".into(),
                Subject::Count(o, n) => format!("Subject::Count(Ordering::{o:?},{n})"),
                Subject::Operand(n) => format!("Subject::Operand({n})"),
                Subject::Last => "Subject::Last".into(),
                Subject::Any => "Subject::Any".into(),
            };
            let like = match t.like {
                Like::Present => "Like::Present".into(),
                Like::Word(list) => format!("Like::Word({})", show_run(self.words(list))),
                Like::Glob(list) => format!("Like::Glob({})", show_run(self.words(list))),
                Like::Path => "Like::Path".into(),
            };
            written.push(format!("Test{{not:{},subject:{subject},like:{like}}}", t.not));
        }
        let tests = (self.tests.len(), written.len());
        self.tests.extend(written);
        let effects = effects(take_list(&mut table, "effects")?)?;
        *sharp |= effects.iter().any(|e| !only_reads(e.0));
        let effects = self.effects(&effects);
        let (has_operands, operands) = match take_str(&mut table, "operands")? {
            Some(s) => (true, lines::operands(&s)?),
            None => (false, Vec::new()),
        };
        *sharp |= operands.iter().any(|s| !harmless(s.role));
        let operands = self.slots(&operands);
        let stdin = match take_str(&mut table, "stdin")? {
            Some(s) => format!("Some(Role::{:?})", lines::role(&s)?).replace("Code(", "Code(Lang::"),
            None => "None".into(),
        };
        let mut restated = Vec::new();
        for line in take_str(&mut table, "options")?.unwrap_or_default().lines() {
            let Some(o) = lines::option(line)? else { continue };
            if !o.effects.is_empty() {
                return Err(format!("effects go into `effects` of the block: `{line}`"));
            }
            let roles = self.roles(&o.roles);
            for name in &o.names {
                let (id, arity) = find(name, scopes)?;
                if o.takes != Takes::Nothing && arity != o.roles.len() {
                    return Err(format!("`{line}` changes the number of values"));
                }
                restated.push(format!("Restated{{option:{id},roles:{}}}", show_run(roles)));
            }
        }
        let options = (self.restated.len(), restated.len());
        self.restated.extend(restated);
        let why = take_str(&mut table, "why")?.unwrap_or_default();
        let why = self.text(&why);
        if let Some(key) = table.keys().next() {
            return Err(format!("unknown key `{key}` in `when`"));
        }
        Ok(format!(
            "When{{tests:{},effects:{},has_operands:{has_operands},operands:{},stdin:{stdin},options:{},why:{}}}",
            show_run(tests),
            show_run(effects),
            show_run(operands),
            show_run(options),
            show_text(why)
        ))
    }

    fn options(&mut self, names: &[String], scopes: &[&Scope]) -> Result<Run, String> {
        let mut ids = Vec::new();
        for n in names {
            let id = find(n, scopes)?.0;
            // A test for one name would hold for the others of its line too.
            if let Some(other) = self.listed.get(id).and_then(|l| l.iter().find(|l| !names.contains(l))) {
                return Err(format!(
                    "a condition names `{n}` but not `{other}` of the same line: give it a line of its own"
                ));
            }
            ids.push(id);
        }
        ids.sort_unstable();
        ids.dedup();
        let start = self.ids.len();
        self.ids.extend(ids);
        Ok((start, self.ids.len() - start))
    }

    fn write(mut self, programs: &BTreeMap<String, (usize, bool)>) -> String {
        let list: Vec<String> = programs
            .iter()
            .map(|(name, (spec, versioned))| {
                let t = self.text(name);
                format!("Sub{{name:Text({},{}),spec:{spec},versioned:{versioned}}}", t.0, t.1)
            })
            .collect();
        let words: Vec<String> = self.words.iter().map(|t| format!("Text({},{})", t.0, t.1)).collect();
        let ids: Vec<String> = self.ids.iter().map(usize::to_string).collect();
        let mut out = String::new();
        let _ = writeln!(out, "static TEXT: &str = {:?};", self.text);
        for (name, kind, rows) in [
            ("PROGRAMS", "Sub", &list),
            ("WORDS", "Text", &words),
            ("IDS", "u32", &ids),
            ("NAMES", "Name", &self.names),
            ("OPTS", "Opt", &self.opts),
            ("ROLES", "Role", &self.roles),
            ("SLOTS", "Slot", &self.slots),
            ("EFFECTS", "Stated", &self.effects),
            ("TESTS", "Test", &self.tests),
            ("RESTATED", "Restated", &self.restated),
            ("WHENS", "When", &self.whens),
            ("SUBS", "Sub", &self.subs),
            ("SPECS", "Spec", &self.specs),
        ] {
            let _ = writeln!(out, "static {name}: [{kind}; {}] = [", rows.len());
            for row in rows {
                let _ = writeln!(out, "{row},");
            }
            let _ = writeln!(out, "];");
        }
        out
    }
}

/// A sub-command reads its words as the program does; only what was implied by the program's own operands is not passed on.
fn style_of_sub(style: Style) -> Style {
    match style {
        Style::Posix | Style::Bundle => Style::Gnu,
        other => other,
    }
}

/// Roles that can do no more than read and print.
fn harmless(role: Role) -> bool {
    matches!(role, Role::Text | Role::Read | Role::List | Role::Code(crate::schema::Lang::Jq))
}

fn only_reads(kind: Kind) -> bool {
    matches!(kind, Kind::Read | Kind::List)
}

fn effects(list: Vec<String>) -> Result<Vec<(Kind, String)>, String> {
    list.iter().map(|e| lines::effect(e)).collect()
}

fn find(name: &str, scopes: &[&Scope]) -> Result<(usize, usize), String> {
    scopes
        .iter()
        .rev()
        .find_map(|s| s.get(name))
        .copied()
        .ok_or_else(|| format!("option `{name}` of a condition is not listed"))
}

fn intern(pool: &mut Vec<String>, known: &mut HashMap<Vec<String>, Run>, list: Vec<String>) -> Run {
    if list.is_empty() {
        return (0, 0);
    }
    if let Some(&run) = known.get(&list) {
        return run;
    }
    let run = (pool.len(), list.len());
    pool.extend(list.iter().cloned());
    known.insert(list, run);
    run
}

fn show_text(t: (usize, usize)) -> String {
    format!("Text({},{})", t.0, t.1)
}

fn show_run(r: Run) -> String {
    format!("Run({},{})", r.0, r.1)
}
