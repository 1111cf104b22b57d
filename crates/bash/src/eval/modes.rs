//! The options of a shell that change what words become.

use crate::Shell;

/// Options by what is known of them: on, off, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Modes {
    /// `set -f`
    pub(super) noglob: Option<bool>,
    /// `set +B` turns it off.
    pub(super) braces: Option<bool>,
    /// `set -e`
    pub(super) errexit: Option<bool>,
    /// `set -u`
    pub(super) nounset: Option<bool>,
    pub(super) nullglob: Option<bool>,
    pub(super) nocaseglob: Option<bool>,
    pub(super) failglob: Option<bool>,
    pub(super) extglob: Option<bool>,
    pub(super) nocasematch: Option<bool>,
    pub(super) lastpipe: Option<bool>,
    pub(super) xpg_echo: Option<bool>,
    /// The shell is bash, not another POSIX shell, and not in POSIX mode.
    pub(super) bash: bool,
    /// A locale in which letters have other cases, or no ASCII at all, may be set.
    pub(super) odd_locale: bool,
}

/// What a command did to the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It set what is now in the modes.
    Done,
    /// It may have changed how everything works.
    Lost,
}

impl Modes {
    pub(super) fn fresh(shell: Shell) -> Self {
        let bash = shell == Shell::Bash;
        let off = Some(false);
        let unless_bash = if bash { off } else { None };
        Modes {
            noglob: off,
            braces: if bash { Some(true) } else { None },
            errexit: off,
            nounset: off,
            nullglob: off,
            nocaseglob: off,
            failglob: off,
            extglob: unless_bash,
            nocasematch: off,
            lastpipe: unless_bash,
            xpg_echo: unless_bash,
            bash,
            odd_locale: false,
        }
    }

    pub(super) fn unknown() -> Self {
        Modes {
            noglob: None,
            braces: None,
            errexit: None,
            nounset: None,
            nullglob: None,
            nocaseglob: None,
            failglob: None,
            extglob: None,
            nocasematch: None,
            lastpipe: None,
            xpg_echo: None,
            bash: false,
            odd_locale: true,
        }
    }

    pub(super) fn join(self, other: Modes) -> Modes {
        let both = |a: Option<bool>, b: Option<bool>| if a == b { a } else { None };
        Modes {
            noglob: both(self.noglob, other.noglob),
            braces: both(self.braces, other.braces),
            errexit: both(self.errexit, other.errexit),
            nounset: both(self.nounset, other.nounset),
            nullglob: both(self.nullglob, other.nullglob),
            nocaseglob: both(self.nocaseglob, other.nocaseglob),
            failglob: both(self.failglob, other.failglob),
            extglob: both(self.extglob, other.extglob),
            nocasematch: both(self.nocasematch, other.nocasematch),
            lastpipe: both(self.lastpipe, other.lastpipe),
            xpg_echo: both(self.xpg_echo, other.xpg_echo),
            bash: self.bash && other.bash,
            odd_locale: self.odd_locale || other.odd_locale,
        }
    }

    /// `set -x` or `set +x` for one letter.
    pub(super) fn set_letter(&mut self, letter: u8, on: bool) -> Change {
        match letter {
            b'f' => self.noglob = Some(on),
            b'e' => self.errexit = Some(on),
            b'u' => self.nounset = Some(on),
            b'B' => self.braces = Some(on),
            // They report, stop, or concern files and jobs.
            b'a' | b'b' | b'C' | b'E' | b'h' | b'm' | b'n' | b'P' | b'T' | b't' | b'v' | b'x' => {}
            // `-k` makes any argument an assignment, `-H` rewrites text, `-p` depends on the user.
            _ => return Change::Lost,
        }
        Change::Done
    }

    /// `set -o name` or `set +o name`.
    pub(super) fn set_named(&mut self, name: &[u8], on: bool) -> Change {
        let letter = match name {
            b"noglob" => b'f',
            b"errexit" => b'e',
            b"nounset" => b'u',
            b"braceexpand" => b'B',
            b"allexport"
            | b"notify"
            | b"noclobber"
            | b"errtrace"
            | b"hashall"
            | b"monitor"
            | b"noexec"
            | b"physical"
            | b"functrace"
            | b"onecmd"
            | b"verbose"
            | b"xtrace"
            | b"pipefail"
            | b"emacs"
            | b"vi"
            | b"ignoreeof"
            | b"nolog"
            | b"interactive-comments" => return Change::Done,
            _ => return Change::Lost,
        };
        self.set_letter(letter, on)
    }

    /// `shopt -s name` or `shopt -u name`.
    pub(super) fn set_shopt(&mut self, name: &[u8], on: bool) -> Change {
        match name {
            b"nullglob" => self.nullglob = Some(on),
            b"nocaseglob" => self.nocaseglob = Some(on),
            b"failglob" => self.failglob = Some(on),
            b"extglob" => self.extglob = Some(on),
            b"nocasematch" => self.nocasematch = Some(on),
            b"lastpipe" => self.lastpipe = Some(on),
            b"xpg_echo" => self.xpg_echo = Some(on),
            // They change which files a pattern finds, or what an interactive shell does.
            b"dotglob"
            | b"globstar"
            | b"globskipdots"
            | b"autocd"
            | b"cdspell"
            | b"checkhash"
            | b"checkjobs"
            | b"checkwinsize"
            | b"cmdhist"
            | b"direxpand"
            | b"dirspell"
            | b"execfail"
            | b"force_fignore"
            | b"gnu_errfmt"
            | b"histappend"
            | b"histreedit"
            | b"histverify"
            | b"hostcomplete"
            | b"huponexit"
            | b"inherit_errexit"
            | b"interactive_comments"
            | b"lithist"
            | b"mailwarn"
            | b"no_empty_cmd_completion"
            | b"progcomp"
            | b"promptvars"
            | b"shift_verbose"
            | b"sourcepath" => {}
            _ => return Change::Lost,
        }
        Change::Done
    }
}
