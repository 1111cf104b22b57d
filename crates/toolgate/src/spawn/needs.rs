//! What a command needs of the machine, as far as its analysis vouches for it.

use toolgate_policy::analyse::{Analysis, Input};
use toolgate_policy::effect::Kind;

/// What a command needs of the machine.
///
/// A boundary gives no more than this. That the command was understood to the last word is what it takes
/// to be anything but [`Needs::Everything`]: code that can't be read keeps what the session allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Needs {
    /// Whatever the session allows.
    #[default]
    Everything,
    /// It reads files, and prints. What it leaves behind is in its own private directories.
    Reading,
}

impl Needs {
    /// What a command needs whose analysis says this.
    ///
    /// Only a command that does nothing but read is narrowed. What a build, a commit or a download needs
    /// besides (caches, hooks, helpers) is not among its effects, and taking it away would break them.
    ///
    /// ```
    /// use toolgate::bash::Shell;
    /// use toolgate::policy::analyse::{self, Context, NoLinks};
    /// use toolgate::spawn::Needs;
    ///
    /// let shell = Shell::Bash;
    /// let around = Context { cwd: "/w", home: "/h", roots: &[], env: &[], links: &NoLinks, shell };
    /// let needs = |command| Needs::of(&analyse::script(command, &around));
    /// assert_eq!(needs("git log --oneline | head"), Needs::Reading);
    /// assert_eq!(needs("git commit -m x"), Needs::Everything);
    /// assert_eq!(needs("./run"), Needs::Everything);
    /// ```
    pub fn of(analysis: &Analysis) -> Self {
        let reads = |kind: Kind| matches!(kind, Kind::Read | Kind::List | Kind::Secret | Kind::Env);
        let understood = analysis.unknown.is_none() && analysis.input == Input::Script;
        match understood && analysis.effects.iter().all(|effect| reads(effect.kind)) {
            true => Self::Reading,
            false => Self::Everything,
        }
    }
}
