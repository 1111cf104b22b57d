//! Folds stack frames of libraries and runtimes: the frames of one's own code say where it broke.
//!
//! Knows the traces of Rust, JavaScript, Python, Java and its kin, Go, .NET, Ruby and PHP. The
//! message above a trace is not a frame and is never touched.

use super::{Held, Line, Next, Stage};
use crate::scan;

/// Fewer hidden lines than this are shown.
const LEAST: u64 = 2;

#[derive(Default)]
pub(crate) struct Frames {
    /// A line whose fate the next line decides.
    pending: Option<Held>,
    /// Lines of library frames since the last line shown.
    held: Vec<Held>,
    hidden: u64,
    /// Of a Python frame that was left out: its source lines follow, deeper than this, so many.
    python: Option<(usize, u8)>,
    /// Of a Go frame that was left out: the line with its place follows.
    go: bool,
}

impl Frames {
    fn hide(&mut self, line: Line<'_>) {
        self.hidden += 1;
        if self.hidden <= LEAST {
            self.held.push(line.into());
        }
    }

    fn flush(&mut self, next: &mut Next<'_>) {
        let held = std::mem::take(&mut self.held);
        if self.hidden >= LEAST {
            next.note(&format!("[… {} lines of library frames …]", self.hidden));
            next.folded(self.hidden);
        } else {
            for line in &held {
                next.line(line.line());
            }
        }
        self.hidden = 0;
    }

    fn show(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if self.hidden > 0 {
            self.flush(next);
        }
        next.line(line);
    }

    /// Lets go of a Rust symbol line whose place did not follow.
    fn settle(&mut self, next: &mut Next<'_>) {
        if let Some(held) = self.pending.take() {
            if rust_library(&held.text) {
                self.hide(held.line());
            } else {
                self.show(held.line(), next);
            }
        }
    }
}

/// `   4: core::option::expect_failed` → what stands after the number.
fn rust_symbol(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 4 || text.len() == trimmed.len() {
        return None;
    }
    let rest = trimmed[digits..].strip_prefix(": ")?.trim_start();
    let rest = rest.strip_prefix("0x").map_or(rest, |hex| {
        let n = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        hex[n..].strip_prefix(" - ").unwrap_or(rest)
    });
    (scan::holds(rest, "::")
        || matches!(
            rest,
            "main" | "_start" | "__libc_start_main" | "rust_begin_unwind" | "start_thread" | "clone"
        ))
    .then_some(rest)
}

fn rust_library(text: &str) -> bool {
    let Some(symbol) = rust_symbol(text) else { return false };
    let symbol = symbol.trim_start_matches(['<', '&']);
    [
        "std::",
        "core::",
        "alloc::",
        "__rust",
        "rust_begin_unwind",
        "test::",
        "_start",
        "__libc_start_main",
        "start_thread",
        "clone",
    ]
    .iter()
    .any(|start| symbol.starts_with(start))
        || symbol == "main"
}

fn library_path(path: &str) -> bool {
    [
        "/node_modules/",
        "node:",
        "/site-packages/",
        "/dist-packages/",
        "<frozen ",
        "/lib/python3",
        "/rustc/",
        "/.cargo/registry/",
        "/gems/",
        "/vendor/",
        "/usr/local/go/src/",
        "/go/pkg/mod/",
        "/usr/lib/ruby/",
        "(internal/",
        "/usr/share/php",
        "webpack:///./node_modules",
        "/usr/lib/node_modules/",
    ]
    .iter()
    .any(|part| scan::holds(path, part))
        || path.starts_with("node_modules/")
}

fn javascript_library(text: &str) -> bool {
    let trimmed = text.trim_start();
    let Some(rest) = trimmed.strip_prefix("at ").or_else(|| trimmed.strip_prefix("❯ ")) else {
        return false;
    };
    text.len() > trimmed.len()
        && (rest.contains("(node:")
            || rest.starts_with("node:")
            || rest.starts_with("async node:")
            || rest.contains("/node_modules/")
            || rest.starts_with("node_modules/")
            || rest.contains("(node_modules/")
            || rest.contains("(internal/")
            || rest.contains("(native)")
            || rest == "new Promise (<anonymous>)"
            || rest == "<anonymous>")
}

fn java_library(text: &str) -> bool {
    let trimmed = text.trim_start();
    if text.len() == trimmed.len() {
        return false;
    }
    if trimmed.starts_with("... ")
        && (trimmed.ends_with(" more") || trimmed.ends_with(" common frames omitted"))
    {
        return true;
    }
    let Some(rest) = trimmed.strip_prefix("at ") else { return false };
    let rest = rest.rsplit_once("//").map_or(rest, |(_, r)| r);
    let rest = rest.strip_prefix("java.base/").unwrap_or(rest);
    [
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "org.junit.",
        "junit.",
        "org.gradle.",
        "org.apache.maven.",
        "org.springframework.",
        "kotlin.",
        "kotlinx.",
        "scala.",
        "groovy.",
        "org.codehaus.groovy.",
        "org.testng.",
        "org.mockito.",
        "org.scalatest.",
        "sbt.",
        "worker.org.gradle.",
        "io.netty.",
        "reactor.",
        "org.eclipse.jetty.",
        "org.apache.catalina.",
        "clojure.",
        "System.",
        "Microsoft.",
        "Xunit.",
        "NUnit.",
        "MSTest.",
        "InvokeStub_",
    ]
    .iter()
    .any(|start| rest.starts_with(start))
}

/// A Go function line of the runtime or the test runner.
fn go_library(text: &str) -> bool {
    [
        "runtime.",
        "runtime/debug.",
        "testing.",
        "reflect.",
        "created by testing.",
        "created by runtime.",
        "net/http.(",
        "panic(",
    ]
    .iter()
    .any(|start| text.starts_with(start))
        && (text.ends_with(')') || text.starts_with("created by "))
        && (text.contains('(') || text.starts_with("created by "))
}

/// Indentation of a Python frame of a library, if the line opens one.
fn python_library(text: &str) -> Option<usize> {
    let trimmed = text.trim_start();
    let indent = text.len() - trimmed.len();
    if let Some(rest) = trimmed.strip_prefix("File \"") {
        let path = rest.split('"').next()?;
        return (rest.contains("\", line ") && library_path(path)).then_some(indent);
    }
    // pytest's short form: `../lib/python3.11/importlib/__init__.py:126: in import_module`.
    if indent == 0
        && let Some((place, _)) = scan::split_once(trimmed, ": in ")
    {
        return library_path(place).then_some(0);
    }
    None
}

fn ruby_or_php_library(text: &str) -> bool {
    let trimmed = text.trim_start();
    let ruby = (trimmed.starts_with("from /") || trimmed.starts_with("# /")) && library_path(trimmed);
    let php = trimmed.starts_with('#')
        && trimmed[1..].starts_with(|c: char| c.is_ascii_digit())
        && trimmed.contains("/vendor/");
    ruby || php
}

impl Stage for Frames {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.settle(next);
            self.python = None;
            return self.show(line, next);
        }
        let text = line.text;
        if let Some(held) = self.pending.take() {
            // `             at ./src/main.rs:9:20` belongs to the symbol above it.
            if text.trim_start().starts_with("at ") && text.starts_with("  ") {
                if rust_library(&held.text) || library_path(text) {
                    self.hide(held.line());
                    self.hide(line);
                } else {
                    self.show(held.line(), next);
                    self.show(line.known(), next);
                }
                return;
            }
            self.pending = Some(held);
            self.settle(next);
        }
        if let Some((indent, left)) = self.python {
            let deeper = text.len() - text.trim_start().len() > indent;
            // pytest marks the lines of an error with `E`, which ends the frame.
            if deeper && left > 0 && !text.starts_with('E') && !text.trim_start().starts_with("File \"") {
                self.python = Some((indent, left - 1));
                return self.hide(line);
            }
            self.python = None;
        }
        if std::mem::take(&mut self.go) && text.starts_with('\t') {
            return self.hide(line);
        }
        if rust_symbol(text).is_some() {
            self.pending = Some(line.into());
            return;
        }
        if let Some(indent) = python_library(text) {
            self.python = Some((indent, 5));
            return self.hide(line);
        }
        if go_library(text) {
            self.go = true;
            return self.hide(line);
        }
        if javascript_library(text) || java_library(text) || ruby_or_php_library(text) {
            return self.hide(line);
        }
        self.show(line, next);
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.settle(next);
        if self.hidden > 0 {
            self.flush(next);
        }
    }
}
