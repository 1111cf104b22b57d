//! Settings and small tables whose values can be command lines: git, ssh, tar, cron, make, lftp, jq.

use crate::analyse::call::sounds_secret;
use crate::analyse::state::State;
use crate::analyse::{Analyst, Data};
use crate::argv::glob;
use crate::effect::Kind;
use crate::knowledge::schema::Lang;
use crate::word::{Word, is_exact};
use toolgate_bash::ast::Span;

/// Settings of git whose value is a command line.
const GIT_CODE: [&str; 45] = [
    "core.fsmonitor",
    "core.sshcommand",
    "core.editor",
    "core.pager",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "diff.external",
    "diff.*.command",
    "diff.*.textconv",
    "merge.*.driver",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "difftool.*.cmd",
    "difftool.*.path",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "credential.helper",
    "credential.*.helper",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "sequence.editor",
    "pager.*",
    "uploadpack.packobjectshook",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "remote.*.vcs",
    "remote.*.proxy",
    "browser.*.cmd",
    "browser.*.path",
    "man.*.cmd",
    "man.*.path",
    "web.browser",
    "interactive.difffilter",
    "sendemail.*",
    "trailer.*.command",
    "trailer.*.cmd",
    "tar.*.command",
    "guitool.*.cmd",
    "gui.*",
    "submodule.*.update",
    "hook.*.command",
    "imap.tunnel",
];

/// Settings of git that name files or places git takes code or settings from.
const GIT_SCRIPT: [&str; 10] = [
    "core.hookspath",
    "include.path",
    "includeif.*",
    "init.templatedir",
    "core.worktree",
    "core.gitdir",
    "blame.ignorerevsfile",
    "core.attributesfile",
    "mailmap.file",
    "extensions.*",
];

/// Settings of git that do not change what runs or where it connects.
const GIT_HARMLESS: [&str; 62] = [
    "color.*",
    "column.*",
    "user.*",
    "author.*",
    "committer.*",
    "log.*",
    "diff.algorithm",
    "diff.renames",
    "diff.renamelimit",
    "diff.colormoved",
    "diff.context",
    "diff.noprefix",
    "diff.mnemonicprefix",
    "diff.submodule",
    "diff.wserrorhighlight",
    "diff.tool",
    "diff.*.xfuncname",
    "diff.*.binary",
    "diff.ignoresubmodules",
    "diff.statgraphwidth",
    "merge.conflictstyle",
    "merge.ff",
    "merge.tool",
    "merge.renamelimit",
    "merge.log",
    "merge.stat",
    "pull.*",
    "push.default",
    "push.autosetupremote",
    "push.followtags",
    "rebase.*",
    "branch.*",
    "advice.*",
    "status.*",
    "commit.*",
    "init.defaultbranch",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.filemode",
    "core.ignorecase",
    "core.quotepath",
    "core.abbrev",
    "core.whitespace",
    "core.longpaths",
    "core.symlinks",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.untrackedcache",
    "core.compression",
    "core.excludesfile",
    "core.commentchar",
    "gc.*",
    "fetch.*",
    "safe.directory",
    "feature.*",
    "index.*",
    "pack.*",
    "rerere.*",
    "tag.*",
    "versionsort.*",
    "grep.*",
];

impl Analyst<'_> {
    /// `key=value` for git; with `keeps` it is written to a configuration and works later.
    pub(in crate::analyse) fn git_setting(&mut self, text: &str, span: Span, state: &State, keeps: bool) {
        let (key, value) = text.split_once('=').unwrap_or((text, "true"));
        if !is_exact(key) {
            self.unknown("a git setting whose name is not known", span);
            return;
        }
        let key = key.to_ascii_lowercase();
        let matches = |list: &[&str]| list.iter().any(|g| glob(g, &key));
        if let Some(_name) = key.strip_prefix("alias.") {
            match value.strip_prefix('!') {
                Some(code) => self.shell_from(code, span, state),
                None => {
                    let mut words = vec![Word::new("git", span)];
                    words.extend(super::split_quoted(value).into_iter().map(|w| Word::new(w, span)));
                    self.run(words, &mut state.clone(), &Data::Unknown, crate::analyse::program::By::Program);
                }
            }
            if keeps {
                self.push(Kind::Persist, Some("git alias"), span, "a name for a command, used later");
            }
            return;
        }
        if matches(&GIT_CODE) {
            if matches!(
                value,
                "" | "true"
                    | "false"
                    | "cat"
                    | "less"
                    | "less -FRX"
                    | "less -R"
                    | "0"
                    | "1"
                    | "no"
                    | "vim"
                    | "vi"
                    | "nano"
                    | "delta"
                    | "none"
                    | "checkout"
                    | "rebase"
                    | "merge"
            ) {
                return;
            }
            let code = value.trim_start_matches('!');
            self.code(Lang::Shell, code, span, &mut state.clone(), &Data::Unknown);
            if keeps {
                self.push(
                    Kind::Persist,
                    Some("git configuration"),
                    span,
                    "git runs the value of this setting",
                );
            } else if !self.is_plain_command(code) {
                self.unknown("git runs the value of this setting", span);
            }
            return;
        }
        if matches(&GIT_SCRIPT) {
            if keeps {
                self.push(
                    Kind::Persist,
                    Some("git configuration"),
                    span,
                    "git takes code or settings from there",
                );
            }
            self.path_from(Kind::Script, value, span, state);
            return;
        }
        if key.starts_with("url.")
            || key.starts_with("http.")
            || key.starts_with("protocol.")
            || key.starts_with("remote.")
            || key.starts_with("credential.")
        {
            self.push(Kind::Persist, Some("git configuration"), span, "it changes where git connects");
            return;
        }
        if !matches(&GIT_HARMLESS) {
            self.unknown("a git setting that is not known", span);
        }
    }

    fn is_plain_command(&self, code: &str) -> bool {
        let name = code.split_whitespace().next().unwrap_or("");
        !name.contains('/') && crate::knowledge::program(name).is_some()
    }

    /// `Option=value` or `Option value` for ssh.
    pub(in crate::analyse) fn ssh_option(&mut self, text: &str, span: Span, state: &State) {
        let (key, value) = match text.find(['=', ' ', '\t']) {
            Some(at) => (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or("").trim()),
            None => (text, ""),
        };
        match key.to_ascii_lowercase().as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" | "remotecommand" if value == "none" => {}
            "proxycommand" | "localcommand" | "knownhostscommand" => {
                self.shell_from(value.trim_matches('"'), span, state);
            }
            "remotecommand" => {}
            "xauthlocation" | "pkcs11provider" | "securitykeyprovider" | "include" => {
                self.path_from(Kind::Script, value, span, state)
            }
            "match" => {
                if let Some(at) = value.find("exec") {
                    self.shell_from(value.get(at + 4..).unwrap_or("").trim().trim_matches('"'), span, state);
                }
            }
            "proxyjump" | "hostname" => self.push(Kind::Send, Some(value), span, "a host to go through"),
            "stricthostkeychecking"
            | "batchmode"
            | "connecttimeout"
            | "port"
            | "user"
            | "loglevel"
            | "serveraliveinterval"
            | "serveralivecountmax"
            | "identitiesonly"
            | "identityfile"
            | "compression"
            | "forwardagent"
            | "userknownhostsfile"
            | "controlmaster"
            | "controlpath"
            | "controlpersist"
            | "permitlocalcommand"
            | "preferredauthentications"
            | "passwordauthentication"
            | "pubkeyauthentication"
            | "numberofpasswordprompts"
            | "addressfamily"
            | "checkhostip"
            | "tcpkeepalive"
            | "hostkeyalgorithms"
            | "requesttty"
            | "visualhostkey"
            | "globalknownhostsfile" => {}
            _ => self.unknown("an option of ssh that is not known", span),
        }
    }

    pub(in crate::analyse) fn tar_checkpoint(&mut self, text: &str, span: Span, state: &State) {
        match text.strip_prefix("exec=") {
            Some(code) => self.shell_from(code, span, state),
            None => {
                let word = text.split(['=', '"']).next().unwrap_or("");
                if !matches!(word, "dot" | "." | "echo" | "sleep" | "ttyout" | "totals" | "bell" | "wait") {
                    self.unknown("an action of tar that is not known", span);
                }
            }
        }
    }

    pub(in crate::analyse) fn lftp(&mut self, text: &str, span: Span, state: &State) {
        for c in text.split([';', '\n']) {
            let c = c.trim();
            if let Some(code) = c.strip_prefix('!').or_else(|| c.strip_prefix("shell ")) {
                self.shell_from(code, span, state);
            } else if let Some(rest) = c.strip_prefix("source").or_else(|| c.strip_prefix("local")) {
                self.unknown("lftp runs what it reads", span);
                let _ = rest;
            }
        }
    }

    pub(in crate::analyse) fn crontab(&mut self, text: &str, span: Span, state: &State) {
        for line in text.lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fields = if line.starts_with('@') { 1 } else { 5 };
            let mut rest = line;
            for _ in 0..fields {
                rest = rest.trim_start();
                rest = rest.find(char::is_whitespace).and_then(|at| rest.get(at..)).unwrap_or("");
            }
            self.shell_from(rest.trim(), span, state);
        }
    }

    /// A makefile or a piece of one: recipes and `$(shell …)` are followed, the rest is not known.
    pub(in crate::analyse) fn make(&mut self, text: &str, span: Span, state: &State) {
        let mut rest = text;
        while let Some(at) = rest.find("$(shell ") {
            let inner = rest.get(at + 8..).unwrap_or("");
            let mut depth = 1;
            let mut end = inner.len();
            for (i, c) in inner.char_indices() {
                match c {
                    '(' => depth += 1,
                    ')' => {
                        depth -= 1;
                        if depth == 0 {
                            end = i;
                            break;
                        }
                    }
                    _ => {}
                }
            }
            self.shell_from(inner.get(..end).unwrap_or(inner), span, state);
            rest = inner.get(end..).unwrap_or("");
        }
        for line in text.lines() {
            let recipe = match line.strip_prefix('\t') {
                Some(r) => Some(r),
                None if line.contains(':') && !line.contains(":=") => line.split_once(';').map(|(_, r)| r),
                None => None,
            };
            if let Some(r) = recipe {
                let r = r.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$");
                self.shell_from(&r, span, state);
            }
        }
        self.unknown("a makefile that is made up on the spot", span);
    }

    /// jq cannot run or write anything; it can print the environment.
    pub(in crate::analyse) fn jq(&mut self, text: &str, span: Span) {
        let mut in_text = false;
        let mut word = String::new();
        let mut dumps = false;
        let mut before = ' ';
        for c in text.chars().chain([' ']) {
            if c == '"' && before != '\\' {
                in_text = !in_text;
            }
            if !in_text && (c.is_alphanumeric() || matches!(c, '_' | '$' | '.')) {
                word.push(c);
            } else {
                // `env.FOO` and `$ENV.FOO` read one variable.
                let one = word.strip_prefix("env.").or_else(|| word.strip_prefix("$ENV."));
                dumps |= matches!(word.as_str(), "env" | "$ENV") || one.is_some_and(sounds_secret);
                word.clear();
            }
            before = c;
        }
        if dumps {
            self.push(Kind::Secret, Some("environment"), span, "the environment is printed");
        }
        if text.contains("import ") || text.contains("include ") {
            self.unknown("a jq filter that reads modules", span);
        }
    }
}
