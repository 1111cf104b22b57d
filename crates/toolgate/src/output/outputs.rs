//! Where outputs are kept that are too long to be shown.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use toolgate_exec::{ResourceLink, Session, StoredOutput};
use toolgate_filter::overflow::{
    Cut, OutputId, OverflowConfig, Persist, Spool, SpoolSummary, Store, StoreError,
};

use super::SecretValues;

/// How the reader of a result reads on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadBy {
    /// By a call of the tool `output_read`.
    #[default]
    Tool,
    /// By running `toolgate output read`.
    Command,
}

/// The store of outputs, opened when the first one needs it.
///
/// A clone is the same store. Small outputs cost nothing here: no file, no folder, no look at the disk.
#[derive(Clone)]
pub struct Outputs {
    config: Arc<OverflowConfig>,
    secrets: SecretValues,
    read_by: ReadBy,
    store: Arc<Mutex<Option<Store>>>,
}

impl Outputs {
    /// A store with these settings.
    pub fn new(config: OverflowConfig) -> Self {
        let (secrets, store) = (SecretValues::default(), Arc::default());
        Self { config: Arc::new(config), secrets, read_by: ReadBy::Tool, store }
    }

    /// Masks these values in what is written, besides known shapes and the variables of the call's skill.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretValues) -> Self {
        self.secrets = secrets;
        self
    }

    /// Says how whoever reads the results reads on.
    #[must_use]
    pub fn read_by(mut self, how: ReadBy) -> Self {
        self.read_by = how;
        self
    }

    /// Characters of an output that are shown at most.
    pub fn threshold(&self) -> usize {
        self.config.threshold
    }

    /// Whether anything is kept at all.
    pub fn keeps(&self) -> bool {
        self.config.persist != Persist::Never
    }

    /// The store itself.
    ///
    /// # Errors
    /// Where its folder can't be made, opened or be private.
    pub fn store(&self) -> Result<Store, StoreError> {
        let mut open = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*open {
            return Ok(store.clone());
        }
        Ok(open.insert(Store::open(&self.config)?).clone())
    }

    /// An id for an output that may come to be kept; `None` where nothing is.
    pub(crate) fn id(&self) -> Option<OutputId> {
        self.keeps().then(OutputId::random)?.ok()
    }

    /// Begins to write an output.
    pub(crate) fn create(&self, id: OutputId) -> Result<Spool, StoreError> {
        self.store()?.create_as(id)
    }

    /// A text as it may be shown or written. What was masked before stays as it is.
    pub(crate) fn masked(&self, text: &str, session: &Session) -> String {
        toolgate_filter::redact::redact(text, &self.secrets.of(session)).into_owned()
    }

    /// Writes a whole output, masked by [`masked`](Self::masked).
    pub(crate) fn save(&self, id: OutputId, text: &str) -> StoredOutput {
        match self.create(id) {
            Ok(mut spool) => {
                spool.write(text.as_bytes());
                self.finish(spool)
            }
            Err(error) => StoredOutput {
                bytes: text.len() as u64,
                lines: lines(text.as_bytes()),
                missing_bytes: text.len() as u64,
                error: Some(told(&error)),
                ..StoredOutput::default()
            },
        }
    }

    /// Ends an output, and makes room where it took more than there was.
    pub(crate) fn finish(&self, spool: Spool) -> StoredOutput {
        let stored = self.stored(&spool.finish());
        if let Ok(store) = self.store() {
            let _ = store.sweep(std::time::SystemTime::now());
        }
        stored
    }

    /// What a result says of an output that was written.
    fn stored(&self, summary: &SpoolSummary) -> StoredOutput {
        let (missing_bytes, error) = match &summary.cut {
            Cut::None => (0, None),
            Cut::Size { bytes, .. } => (*bytes, Some("longer than one output may be".to_owned())),
            Cut::Storage { bytes, error } => (*bytes, Some(error.clone())),
        };
        StoredOutput {
            id: Some(summary.id.to_string()),
            bytes: summary.bytes,
            lines: summary.lines,
            missing_bytes,
            error,
            read: Some(self.how(&summary.id.to_string())),
        }
    }

    /// How to read the output with this id.
    pub(crate) fn how(&self, id: &str) -> String {
        match self.read_by {
            ReadBy::Tool => format!("output_read id={id}"),
            ReadBy::Command => format!("toolgate output read {id}"),
        }
    }

    /// How to read it from a line on, or from a byte on where it has no lines to go by.
    pub(crate) fn how_from(&self, id: &str, line: u64, byte: u64, by_line: bool) -> String {
        let how = self.how(id);
        match (self.read_by, by_line) {
            (ReadBy::Tool, true) => format!("{how} from_line={line}"),
            (ReadBy::Tool, false) => format!("{how} offset={byte}"),
            (ReadBy::Command, true) => format!("{how} --from-line {line}"),
            (ReadBy::Command, false) => format!("{how} --offset {byte}"),
        }
    }
}

impl fmt::Debug for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The place of a stored output, for clients that follow links.
pub(crate) fn link(stored: &StoredOutput) -> Option<ResourceLink> {
    let id = stored.id.as_ref()?;
    let name = format!("the whole output, {} bytes", stored.bytes);
    Some(ResourceLink { uri: format!("toolout:///{id}"), name, mime_type: Some("text/plain".to_owned()) })
}

/// An error with what is behind it.
pub(crate) fn told(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Lines of a text; a last one without an end counts.
pub(crate) fn lines(text: &[u8]) -> u64 {
    let ends = text.iter().filter(|b| **b == b'\n').count() as u64;
    ends + u64::from(!matches!(text.last(), None | Some(b'\n')))
}
