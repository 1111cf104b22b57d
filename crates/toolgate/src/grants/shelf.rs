//! The grants that count for one session, wherever they are kept.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use sha2::{Digest, Sha256};
use toolgate_exec::{Findings, Normaliser, Session, ToolCall};
use toolgate_policy::path::below;

use super::grant::{Grant, Scope};
use super::live::{Index, Live};
use super::propose::Proposal;
use super::store::{Body, GrantsError, Lock, MOST, Stamp, stamp};

/// How long a grant for a project or a user holds where nobody says.
pub const DEFAULT_TIME: Duration = Duration::from_secs(30 * 24 * 3600);
/// The longest a grant can hold.
pub const LONGEST_TIME: Duration = Duration::from_secs(366 * 24 * 3600);
/// How long a grant for a session holds at the most.
pub const SESSION_TIME: Duration = Duration::from_secs(12 * 3600);

/// The grants that count for one session.
///
/// Those for a project are kept under its path in the user's state directory: nothing that lies in a project
/// grants anything. A grant for a directory holds below it too.
pub struct Grants {
    /// Where they are kept; nowhere for those of a session alone.
    dir: Option<PathBuf>,
    workspace: String,
    /// Names the session, where it has a file of its own.
    session: fn() -> Option<String>,
    files: OnceLock<Vec<Place>>,
    shelf: RwLock<Shelf>,
    /// What was wrong with a file when it was last looked at.
    problem: Mutex<Option<GrantsError>>,
    clock: fn() -> u64,
}

/// A file with grants.
#[derive(Clone, Debug)]
struct Place {
    scope: Scope,
    path: PathBuf,
    project: Option<String>,
}

#[derive(Default)]
struct Shelf {
    session: Vec<Grant>,
    stored: Vec<(Option<Stamp>, Vec<Grant>)>,
    /// All of them together, for whoever judges.
    all: Arc<Index>,
}

/// A grant with where it is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// How far it reaches.
    pub scope: Scope,
    /// The project it is kept for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The grant.
    pub grant: Grant,
}

impl fmt::Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grants").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Grants {
    /// Grants of one session alone, which end with it.
    pub fn in_memory(workspace: &Path) -> Self {
        Self {
            dir: None,
            workspace: workspace.to_string_lossy().into_owned(),
            session: || None,
            files: OnceLock::new(),
            shelf: RwLock::default(),
            problem: Mutex::default(),
            clock: unix_time,
        }
    }

    /// The grants kept in `dir` for the user and for the project in `workspace`, an absolute path without links.
    ///
    /// # Errors
    /// Where a file can't be read, is not the user's own, or says what can't be granted.
    pub fn open(dir: &Path, workspace: &Path) -> Result<Self, GrantsError> {
        Self::open_for(dir, workspace, || None)
    }

    /// The same, and those of the session in a file of its own, for the processes that make it up. Its name is
    /// asked for once, when there is a grant to look for or to keep; without one they end with this process.
    ///
    /// # Errors
    /// As [`Grants::open`].
    pub fn open_for(
        dir: &Path,
        workspace: &Path,
        session: fn() -> Option<String>,
    ) -> Result<Self, GrantsError> {
        let grants = Self { dir: Some(dir.to_owned()), session, ..Self::in_memory(workspace) };
        grants.reload()?;
        Ok(grants)
    }

    /// Takes the time, in seconds of Unix time, from elsewhere.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> u64) -> Self {
        self.clock = clock;
        self
    }

    /// The grants that hold now.
    pub(crate) fn live(&self) -> Live {
        let shelf = self.shelf.read().unwrap_or_else(PoisonError::into_inner);
        Live::new(shelf.all.clone(), (self.clock)())
    }

    /// Whether what is given here holds for commands in this directory.
    pub(crate) fn hold_in(&self, dir: Option<&str>) -> bool {
        dir.is_some_and(|dir| below(&self.workspace, dir).is_some())
    }

    /// Gives what was proposed. Where it is there already, its time begins anew.
    ///
    /// # Errors
    /// Where it can't be kept; then nothing of it was granted.
    pub fn add(
        &self,
        scope: Scope,
        proposal: &Proposal,
        time: Option<Duration>,
    ) -> Result<Vec<Grant>, GrantsError> {
        let within = (scope != Scope::User).then(|| self.workspace.clone());
        let longest = if scope == Scope::Session { SESSION_TIME } else { LONGEST_TIME };
        let usual = if scope == Scope::Session { SESSION_TIME } else { DEFAULT_TIME };
        let created = (self.clock)();
        let expires = created.saturating_add(time.unwrap_or(usual).min(longest).as_secs());
        let new: Vec<Grant> = proposal
            .parts
            .iter()
            .map(|(form, lifts)| {
                let grant = Grant::new(proposal.tool.clone(), form.clone(), lifts.clone(), within.clone());
                Grant { created, expires, ..grant }
            })
            .collect();
        self.change(scope, |grants| {
            grants.retain(|g| created < g.expires && !new.iter().any(|n| n.id == g.id));
            grants.extend(new.iter().cloned());
        })?;
        Ok(new)
    }

    /// Takes a grant back, wherever it is kept; gives what was taken.
    ///
    /// # Errors
    /// Where a file can't be changed.
    pub fn revoke(&self, id: &str) -> Result<Vec<Listed>, GrantsError> {
        let found: Vec<Listed> = self.list().into_iter().filter(|l| l.grant.id == id).collect();
        if found.iter().any(|l| l.scope == Scope::Session) && !self.has_session_file() {
            let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
            shelf.session.retain(|g| g.id != id);
            shelf.gather();
        }
        if let Some(dir) = &self.dir {
            let _lock = Lock::of(dir)?;
            for place in self.files() {
                let mut body = Body::load(&place.path)?;
                let before = body.grants.len();
                body.grants.retain(|g| g.id != id);
                if body.grants.len() != before {
                    body.save(&place.path)?;
                }
            }
        }
        self.reload()?;
        Ok(found)
    }

    /// All that are kept for this session, those that ended included.
    pub fn list(&self) -> Vec<Listed> {
        let shelf = self.shelf.read().unwrap_or_else(PoisonError::into_inner);
        let memory = shelf.session.iter().map(|grant| Listed {
            scope: Scope::Session,
            project: None,
            grant: grant.clone(),
        });
        let stored = self.kept().iter().zip(&shelf.stored).flat_map(|(place, (_, grants))| {
            grants.iter().map(|grant| Listed {
                scope: place.scope,
                project: place.project.clone(),
                grant: grant.clone(),
            })
        });
        memory.chain(stored).collect()
    }

    /// Those of every project there are, whatever directory this session works in.
    ///
    /// # Errors
    /// Where the directory can't be read. A file that can't be used is left out.
    pub fn list_of_all_projects(&self) -> Result<Vec<Listed>, GrantsError> {
        let Some(dir) = &self.dir else { return Ok(self.list()) };
        let mut listed: Vec<Listed> = self.list().into_iter().filter(|l| l.scope != Scope::Project).collect();
        let projects = dir.join("projects");
        let entries = match std::fs::read_dir(&projects) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listed),
            entries => entries.map_err(|source| GrantsError::Io {
                doing: "looking for grants in",
                path: projects.clone(),
                source,
            })?,
        };
        for path in entries
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "json"))
        {
            let Ok(body) = Body::load(&path) else { continue };
            let project = body.project;
            listed.extend(body.grants.into_iter().map(|grant| Listed {
                scope: Scope::Project,
                project: project.clone(),
                grant,
            }));
        }
        Ok(listed)
    }

    /// What is wrong with a file, if something is. Its grants don't count then.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(ToString::to_string)
    }

    /// Looks whether files have changed, and reads those again. What can't be read grants nothing.
    pub fn refresh(&self) {
        let changed = {
            let shelf = self.shelf.read().unwrap_or_else(PoisonError::into_inner);
            let files = self.kept();
            files.len() != shelf.stored.len()
                || files.iter().zip(&shelf.stored).any(|(place, (known, _))| stamp(&place.path) != *known)
        };
        if changed {
            let problem = self.reload().err();
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
        }
    }

    /// Where they are kept: the user's, those of the project and of the directories above it, the session's.
    fn files(&self) -> &[Place] {
        self.files.get_or_init(|| {
            let Some(dir) = &self.dir else { return Vec::new() };
            let mut files = vec![Place { scope: Scope::User, path: dir.join("user.json"), project: None }];
            for project in Path::new(&self.workspace).ancestors().filter_map(Path::to_str) {
                let path = dir.join("projects").join(file_of(project));
                files.push(Place { scope: Scope::Project, path, project: Some(project.to_owned()) });
            }
            if let Some(name) = (self.session)() {
                let path = dir.join("sessions").join(file_of(&name));
                files.push(Place { scope: Scope::Session, path, project: None });
            }
            files
        })
    }

    /// The same, once anything is kept: who never granted anything is spared a look for each file.
    fn kept(&self) -> &[Place] {
        let missing = |dir: &PathBuf| {
            dir.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        if self.files.get().is_none() && self.dir.as_ref().is_none_or(missing) {
            return &[];
        }
        self.files()
    }

    fn has_session_file(&self) -> bool {
        self.files().iter().any(|place| place.scope == Scope::Session)
    }

    fn change(&self, scope: Scope, change: impl FnOnce(&mut Vec<Grant>)) -> Result<(), GrantsError> {
        let place = self.files().iter().find(|place| place.scope == scope);
        let (place, dir) = match (place, &self.dir) {
            (Some(place), Some(dir)) => (place, dir),
            _ if scope == Scope::Session => {
                let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                change(&mut shelf.session);
                shelf.gather();
                return Ok(());
            }
            _ => return Err(GrantsError::NoPlace(scope)),
        };
        let _lock = Lock::of(dir)?;
        let mut grants = Body::load(&place.path)?.grants;
        change(&mut grants);
        if grants.len() > MOST {
            return Err(GrantsError::TooMany { path: place.path.clone() });
        }
        Body::new(place.project.clone(), grants).save(&place.path)?;
        self.reload()
    }

    /// Reads every file. One that can't be used stops it, and its grants are gone.
    fn reload(&self) -> Result<(), GrantsError> {
        let mut problem = Ok(());
        let mut stored = Vec::new();
        for place in self.kept() {
            // Taken before it is read: what is written in between is read again.
            let stamp = stamp(&place.path);
            let grants = match Body::load(&place.path).and_then(|body| place.own(body)) {
                Ok(grants) => grants,
                Err(error) => {
                    problem = Err(error);
                    Vec::new()
                }
            };
            stored.push((stamp, grants));
        }
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        shelf.stored = stored;
        shelf.gather();
        problem
    }
}

impl Place {
    /// The grants of a file, if it is the one of this place.
    fn own(&self, body: Body) -> Result<Vec<Grant>, GrantsError> {
        if body.grants.is_empty() || body.project == self.project {
            return Ok(body.grants);
        }
        let why = format!("it is the file of {}", body.project.as_deref().unwrap_or("no project"));
        Err(GrantsError::Unusable { path: self.path.clone(), why })
    }
}

impl Shelf {
    fn gather(&mut self) {
        let stored = self.stored.iter().flat_map(|(_, grants)| grants);
        self.all = Arc::new(Index::of(self.session.iter().chain(stored).cloned()));
    }
}

/// Looks for grants that were given or taken back elsewhere, before a call is judged.
#[derive(Clone, Debug)]
pub struct GrantsWatch(pub Arc<Grants>);

impl Normaliser for GrantsWatch {
    fn name(&self) -> &'static str {
        "grants"
    }

    fn normalise(&self, _: &mut ToolCall, _: &mut Findings, _: &Session) -> Result<(), String> {
        self.0.refresh();
        Ok(())
    }
}

/// The name of the file that is kept for a project or session, whatever that is called.
fn file_of(name: &str) -> String {
    let hash: String = Sha256::digest(name.as_bytes()).iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!("{hash}.json")
}

fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
