//! Paths that a Python program puts together from constants, or gets by walking over a directory.

use super::Scan;
use super::tokens::Token;
use crate::knowledge::schema::Lang;
use crate::word::SOME;

/// How deep expressions are followed.
const DEPTH: u8 = 8;

impl Scan<'_> {
    /// The path that is the argument at `at`, with the last token of it.
    pub(super) fn path_argument(&self, at: usize) -> Option<(usize, String)> {
        if self.lang == Lang::Python {
            let (path, after) = self.path_at(at, 0)?;
            return Some((after - 1, path));
        }
        Some((at, self.constant(at)?.to_owned()))
    }

    /// The path a method is called on: `Path("x").unlink()`, `(Path("x") / "y").unlink()`, or a variable.
    pub(super) fn receiver(&self, i: usize) -> Option<String> {
        if let Some((root, _)) = self.name(i)?.split_once('.') {
            return self.path_of(root, 0);
        }
        // Back over `a("b").c("d")` to where it begins.
        let mut start = i;
        while start > 2 && self.sign(start - 1, '.') && self.sign(start - 2, ')') {
            let open = self.opening(start - 2)?;
            start = if open > 0 && self.name(open - 1).is_some() { open - 1 } else { open };
        }
        if start == i {
            return None;
        }
        if self.lang == Lang::Python {
            let (path, after) = self.path_at(start, 0)?;
            return (after + 1 == i).then_some(path);
        }
        let maker = self.name(start)?.rsplit('.').next()?;
        let made = matches!(maker, "Path" | "PosixPath" | "Pathname" | "new") && start + 5 == i;
        made.then(|| self.constant(start + 2)).flatten().map(str::to_owned)
    }

    /// The parenthesis that the one at `close` closes.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (0..=close).rev().take(256).find(|i| {
            depth += usize::from(self.sign(*i, ')'));
            depth -= usize::from(depth > 0 && self.sign(*i, '('));
            depth == 0
        })
    }

    /// The path that the expression at `at` makes, and the token behind it.
    fn path_at(&self, at: usize, depth: u8) -> Option<(String, usize)> {
        let (mut path, mut at) = self.path_operand(at, depth)?;
        loop {
            if self.sign(at, '/') {
                let (right, after) = self.path_operand(at + 1, depth)?;
                (path, at) = (under(&path, &right), after);
            } else if self.sign(at, '+') {
                let (right, after) = self.path_operand(at + 1, depth)?;
                (path, at) = (path + &right, after);
            } else if self.sign(at, '.') && self.sign(at + 2, '(') {
                match self.name(at + 1)? {
                    "resolve" | "absolute" | "as_posix" if self.sign(at + 3, ')') => at += 4,
                    "expanduser" if self.sign(at + 3, ')') => {
                        (path, at) = (self.without_tilde(&path), at + 4)
                    }
                    "joinpath" => {
                        let (right, after) = self.joined(at + 3, depth)?;
                        (path, at) = (under(&path, &right), after);
                    }
                    _ => return Some((path, at)),
                }
            } else {
                return Some((path, at));
            }
        }
    }

    fn path_operand(&self, at: usize, depth: u8) -> Option<(String, usize)> {
        if depth > DEPTH || self.rewired() {
            return None;
        }
        let name = match self.tokens.get(at)? {
            Token::Text(text) => return (!text.is_empty()).then(|| (text.clone(), at + 1)),
            Token::Sign('(') => {
                let (path, after) = self.path_at(at + 1, depth + 1)?;
                return self.sign(after, ')').then_some((path, after + 1));
            }
            Token::Name(name) => name,
            _ => return None,
        };
        if !self.sign(at + 1, '(') {
            return Some((self.path_of(name, depth)?, at + 1));
        }
        if self.is_local(name) {
            return None;
        }
        let full = self.full(name);
        let last = full.rsplit('.').next().unwrap_or(&full);
        let none = self.sign(at + 2, ')');
        match last {
            "home" if full.ends_with("Path.home") && none => Some((self.home.clone(), at + 3)),
            "cwd" | "getcwd" | "Path" if none => Some((".".to_owned(), at + 3)),
            "join" if full != "os.path.join" => None,
            "Path" | "PosixPath" | "PurePath" | "PurePosixPath" | "str" | "fspath" | "abspath"
            | "realpath" | "normpath" | "join" => self.joined(at + 2, depth),
            "expanduser" => {
                let (path, after) = self.joined(at + 2, depth)?;
                Some((self.without_tilde(&path), after))
            }
            _ => None,
        }
    }

    /// Arguments up to the parenthesis, joined as parts of a path.
    fn joined(&self, at: usize, depth: u8) -> Option<(String, usize)> {
        let (mut path, mut at) = self.path_at(at, depth + 1)?;
        while self.sign(at, ',') {
            let (right, after) = self.path_at(at + 1, depth + 1)?;
            (path, at) = (under(&path, &right), after);
        }
        self.sign(at, ')').then_some((path, at + 1))
    }

    /// Whether the text gives the makers of paths another meaning: `os.path.join = f`, `class Path`.
    fn rewired(&self) -> bool {
        const MAKERS: [&str; 6] = ["os", "glob", "pathlib", "Path", "PosixPath", "PurePath"];
        self.locals.iter().any(|name| MAKERS.contains(&name.split('.').next().unwrap_or(name)))
    }

    /// Whether a list is as a loop gave it: bound once, and nothing done to it.
    fn untouched(&self, list: &str) -> bool {
        let only = self.bound.get(list) == Some(&2);
        only && !(0..self.tokens.len()).any(|i| match self.name(i) {
            Some(name) if name == list => self.sign(i + 1, '[') || self.sign(i + 1, '.'),
            Some(name) => name.strip_prefix(list).is_some_and(|rest| rest.starts_with('.')),
            None => false,
        })
    }

    fn without_tilde(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => under(&self.home, rest.trim_start_matches('/')),
            _ => text.to_owned(),
        }
    }

    /// The path a variable holds.
    fn path_of(&self, name: &str, depth: u8) -> Option<String> {
        if let Some(known) = self.constants.get(name).or_else(|| self.paths.get(name)) {
            return Some((*known).to_owned());
        }
        if let Some(walked) = self.walked.get(name) {
            return Some(walked.clone());
        }
        let at = self.given_at.get(name).filter(|_| depth < DEPTH)?;
        let (path, after) = self.path_at(*at, depth + 1)?;
        let ends = after >= self.tokens.len() || self.sign(after, '\n') || self.sign(after, ';');
        ends.then_some(path)
    }

    /// Finds the variables of loops over what is in a directory.
    pub(super) fn hold_walks(&mut self) {
        if self.lang != Lang::Python {
            return;
        }
        let mut files: Vec<String> = Vec::new();
        for i in 0..self.tokens.len() {
            if self.name(i) != Some("for") {
                continue;
            }
            // `for root, dirs, files in os.walk("x")`
            let three = self.sign(i + 2, ',') && self.sign(i + 4, ',') && self.name(i + 6) == Some("in");
            let found: Vec<(usize, String)> =
                if three && self.name(i + 7).is_some_and(|n| self.full(n) == "os.walk") {
                    files.extend([i + 3, i + 5].iter().filter_map(|j| self.name(*j)).map(str::to_owned));
                    self.joined(i + 9, 0)
                        .map(|(path, _)| (i + 1, under(&path, &SOME.to_string())))
                        .into_iter()
                        .collect()
                } else if self.name(i + 2) == Some("in") {
                    self.walk_at(i + 3, &files).map(|path| (i + 1, path)).into_iter().collect()
                } else {
                    Vec::new()
                };
            for (at, path) in found {
                // Bound here and nowhere else.
                if let Some(name) = self.name(at).filter(|n| self.bound.get(n) == Some(&2)).map(str::to_owned)
                {
                    self.walked.insert(name, path);
                }
            }
        }
    }

    /// What a loop over the expression at `at` gives, if it walks over a directory.
    fn walk_at(&self, mut at: usize, files: &[String]) -> Option<String> {
        while matches!(self.name(at), Some("sorted" | "list" | "reversed" | "set" | "tuple"))
            && self.sign(at + 1, '(')
        {
            at += 2;
        }
        if self.rewired() {
            return None;
        }
        if let Some(name) = self.name(at) {
            if files.iter().any(|f| f == name && self.untouched(f)) && !self.sign(at + 1, '(') {
                return Some(SOME.to_string());
            }
            let full = self.full(name);
            match full.as_str() {
                "glob.glob" | "glob.iglob" if self.sign(at + 1, '(') => {
                    return self.constant(at + 2).filter(|p| !p.is_empty()).map(starred);
                }
                "os.listdir" => return Some(SOME.to_string()),
                _ => {}
            }
            // `p.rglob("*.py")`
            if let Some((root, "rglob" | "glob" | "iterdir")) = name.split_once('.')
                && let Some(directory) = self.path_of(root, 0)
            {
                return self.pattern(at + 1, &directory);
            }
        }
        let (directory, after) = self.path_at(at, 0)?;
        let walks =
            self.sign(after, '.') && matches!(self.name(after + 1), Some("rglob" | "glob" | "iterdir"));
        walks.then(|| self.pattern(after + 2, &directory)).flatten()
    }

    /// What `("*.py")` at `at` finds in a directory.
    fn pattern(&self, at: usize, directory: &str) -> Option<String> {
        if !self.sign(at, '(') {
            return None;
        }
        if self.sign(at + 1, ')') {
            return Some(under(directory, &SOME.to_string()));
        }
        let pattern = self.constant(at + 1).filter(|p| !p.is_empty())?;
        Some(under(directory, &starred(pattern)))
    }
}

/// A path below another, or the path itself if it is absolute.
fn under(directory: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{directory}/{path}") }
}

/// A pattern with its wildcards marked.
fn starred(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => out.push(SOME),
            '[' => {
                // One character of a set: which is told no closer.
                let _ = chars.by_ref().find(|c| *c == ']');
                out.push(SOME);
            }
            c => out.push(c),
        }
    }
    out
}
