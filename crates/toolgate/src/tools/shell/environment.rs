//! Which variables of the host a command gets.
//!
//! An agent's process holds keys and tokens that its commands have no business with, so variables
//! are let in by name and never kept out by name. What makes a shell or the dynamic loader run
//! other code than the command is not let in even on request.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use toolgate_exec::{CallContext, SkillEnv, ToolError};

/// The names a command inherits, and why. A final `*` stands for any rest.
const INHERITED: &[(&str, &str)] = &[
    ("PATH", "programs are found by it"),
    ("HOME", "programs keep their configuration and caches below it"),
    ("USER", "who runs it; git and ssh ask"),
    ("LOGNAME", "the same by its POSIX name"),
    ("SHELL", "editors and `make` start it"),
    ("LANG", "the language of messages and the encoding of text"),
    ("LANGUAGE", "the order of languages of messages (gettext)"),
    ("LC_*", "the same, by category"),
    ("TERM", "what a terminal would be able to show"),
    ("COLORTERM", "the same, for colours"),
    ("NO_COLOR", "a person's wish for plain text"),
    ("TZ", "times are shown in this zone"),
    ("TMPDIR", "temporary files go here"),
    ("XDG_CACHE_HOME", "caches are found again"),
    ("XDG_CONFIG_HOME", "configuration is found"),
    ("XDG_DATA_HOME", "installed data is found"),
    ("XDG_STATE_HOME", "state is found again"),
    ("CARGO_HOME", "cargo's registry and binaries"),
    ("CARGO_TARGET_DIR", "where builds go, so that they are found again"),
    ("RUSTUP_HOME", "toolchains"),
    ("RUSTUP_TOOLCHAIN", "which of them"),
    ("GOPATH", "Go's modules and binaries"),
    ("GOROOT", "Go's own files"),
    ("GOCACHE", "Go's build cache"),
    ("GOMODCACHE", "Go's module cache"),
    ("JAVA_HOME", "which Java"),
    ("ANDROID_HOME", "which Android tools"),
    ("NVM_DIR", "which Node.js"),
    ("VIRTUAL_ENV", "which Python environment is active"),
    ("CONDA_PREFIX", "the same for conda"),
    ("CONDA_DEFAULT_ENV", "its name"),
    ("PYENV_ROOT", "which Python versions"),
    ("RBENV_ROOT", "which Ruby versions"),
    ("SDKROOT", "which macOS SDK"),
    ("DEVELOPER_DIR", "which Xcode"),
    ("NIX_PATH", "where Nix finds packages"),
    ("NIX_SSL_CERT_FILE", "certificates under Nix"),
    ("SSL_CERT_FILE", "certificates of an organisation's own authority"),
    ("SSL_CERT_DIR", "the same as a directory"),
    ("WSL_DISTRO_NAME", "programs behave differently inside WSL"),
];

/// Names that are never inherited, and why. A final `*` stands for any rest.
const NEVER: &[(&str, &str)] = &[
    ("BASH_ENV", "bash runs this file before the command"),
    ("ENV", "sh runs this file before the command"),
    ("SHELLOPTS", "bash takes its options from it"),
    ("BASHOPTS", "the same"),
    ("PS4", "bash expands it, substitutions included, when it traces"),
    ("PROMPT_COMMAND", "bash runs it"),
    ("BASH_FUNC_*", "a function that stands in for a program"),
    ("LD_*", "the dynamic loader runs code from it"),
    ("DYLD_*", "the same on macOS"),
    ("GCONV_PATH", "the C library loads code from it"),
];

fn listed(name: &OsStr, list: &[(&str, &str)]) -> Option<usize> {
    let name = name.as_encoded_bytes();
    list.iter().position(|(pattern, _)| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix.as_bytes()),
        None => name == pattern.as_bytes(),
    })
}

/// Why a name can't be let in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// It would make the shell or the loader run other code than the command.
    #[error("variable `{name}` is never inherited: {why}")]
    Never {
        /// The name.
        name: String,
        /// What it would do.
        why: &'static str,
    },
    /// It is no name of a variable.
    #[error("`{name}` is no name of a variable")]
    NoName {
        /// The text.
        name: String,
    },
}

/// The variables that every command starts from.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    vars: BTreeMap<OsString, OsString>,
    host: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// What is let in of these variables.
    pub fn of(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let host: BTreeMap<_, _> = vars
            .into_iter()
            .filter(|(name, value)| listed(name, NEVER).is_none() && !is_function(value))
            .collect();
        let vars = host
            .iter()
            .filter(|(name, _)| listed(name, INHERITED).is_some())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self { vars, host }
    }

    /// What is let in of this process's own variables, as they are now.
    pub fn of_this_process() -> Self {
        Self::of(std::env::vars_os())
    }

    /// Lets in more names; names that are not set are no matter.
    ///
    /// # Errors
    /// Where a name can't be let in, whoever asks.
    pub fn inherit<S: AsRef<str>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self, EnvironmentError> {
        for name in names {
            let name = name.as_ref();
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(EnvironmentError::NoName { name: name.to_owned() });
            }
            if let Some((_, why)) = listed(OsStr::new(name), NEVER).and_then(|at| NEVER.get(at)) {
                return Err(EnvironmentError::Never { name: name.to_owned(), why });
            }
            if let Some((name, value)) = self.host.get_key_value(OsStr::new(name)) {
                self.vars.insert(name.clone(), value.clone());
            }
        }
        Ok(self)
    }

    /// What is let in, as far as it is UTF-8.
    pub fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
    }

    /// The value of a variable that is let in.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The environment of one call: the host's, the call's on top, the skill's on top of that.
    ///
    /// The skill's variables are what it declared; no list takes them away again.
    pub(super) fn for_call(
        &self,
        context: &CallContext,
        skill: Option<&SkillEnv>,
    ) -> Result<BTreeMap<OsString, OsString>, ToolError> {
        let mut all = self.vars.clone();
        let call = context.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in call.chain(skill.into_iter().flat_map(SkillEnv::vars)) {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                // The value may be a secret: only the name is told.
                return Err(ToolError::invalid_params(format!(
                    "environment variable `{}` has a name or value that no program can be given",
                    name.escape_default()
                )));
            }
            all.insert(name.into(), value.into());
        }
        Ok(all)
    }
}

/// Bash before 2014, and some still, take a function from any variable whose value begins like this.
fn is_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"() {")
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Environment {
        Environment::of(pairs.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))))
    }

    #[test]
    fn secrets_of_the_host_stay_out_and_paths_come_in() {
        let env =
            env(&[("PATH", "/bin"), ("GITHUB_TOKEN", "x"), ("AWS_SECRET_ACCESS_KEY", "x"), ("LC_TIME", "C")]);
        assert_eq!(env.var("PATH"), Some(OsStr::new("/bin")));
        assert_eq!(env.var("LC_TIME"), Some(OsStr::new("C")));
        assert_eq!(env.var("GITHUB_TOKEN"), None);
        assert_eq!(env.var("AWS_SECRET_ACCESS_KEY"), None);
    }

    #[test]
    fn what_runs_other_code_is_not_let_in_even_on_request() {
        for name in ["BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_FUNC_ls%%", "PS4"] {
            let refused = env(&[(name, "x")]).inherit([name]).unwrap_err();
            assert!(matches!(refused, EnvironmentError::Never { .. }), "{name}");
        }
        let env = env(&[("HOME", "() { :; }; echo pwned"), ("FOO", "() { :; }")]).inherit(["FOO"]).unwrap();
        assert_eq!((env.var("HOME"), env.var("FOO")), (None, None));
    }

    #[test]
    fn a_name_on_request_comes_in_and_a_bad_name_is_told() {
        let env = env(&[("FOO", "1")]).inherit(["FOO", "UNSET"]).unwrap();
        assert_eq!(env.var("FOO"), Some(OsStr::new("1")));
        assert!(matches!(env.inherit(["A=B"]), Err(EnvironmentError::NoName { .. })));
    }

    #[test]
    fn bytes_that_are_no_utf8_pass_through() {
        let odd = OsString::from_vec(vec![b'/', 0xff]);
        let env =
            Environment::of([("TMPDIR".into(), odd.clone()), (OsString::from_vec(vec![0xfe]), odd.clone())]);
        assert_eq!(env.var("TMPDIR"), Some(odd.as_os_str()));
    }

    #[test]
    fn the_skill_wins_over_the_call_and_the_call_over_the_host() {
        let base = env(&[("PATH", "/bin"), ("TERM", "a"), ("TZ", "a")]);
        let context = CallContext::new().env("TERM", "b").env("TZ", "b");
        let skill = SkillEnv::from(std::collections::HashMap::from([
            ("TZ".to_owned(), "c".to_owned()),
            ("OPENAI_API_KEY".to_owned(), "k".to_owned()),
        ]));
        let all = base.for_call(&context, Some(&skill)).unwrap();
        let var = |name: &str| all.get(OsStr::new(name)).and_then(|v| v.to_str());
        assert_eq!((var("PATH"), var("TERM"), var("TZ")), (Some("/bin"), Some("b"), Some("c")));
        assert_eq!(var("OPENAI_API_KEY"), Some("k"));
    }

    #[test]
    fn a_variable_that_can_t_be_passed_is_refused_without_its_value() {
        let context = CallContext::new().env("A", "se\0cret");
        let error = env(&[]).for_call(&context, None).unwrap_err().to_string();
        assert!(error.contains("`A`") && !error.contains("cret"), "{error}");
    }

    #[test]
    fn every_entry_says_why_and_none_is_in_both_lists() {
        for (name, why) in INHERITED {
            assert!(!why.is_empty());
            assert!(listed(OsStr::new(name), NEVER).is_none(), "{name}");
        }
    }
}
