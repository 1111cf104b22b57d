//! Masks secrets in what a tool gave, or failed with.

use std::borrow::Cow;

use toolgate_exec::{BoxFuture, Layer, Next, Outcome, Request, Session};
use toolgate_filter::redact::{Secrets, redact};

use crate::output::SecretValues;

/// Masks secrets in every text of an answer: known shapes, the values that were added, and the
/// variables of the call's skill.
///
/// It stands inside of the filter and the overflow, next to the tool, so that neither shows nor
/// stores what it takes out. A tool whose output streams masks it itself as the bytes come; what is
/// masked already stays as it is.
///
/// ```
/// use toolgate::layers::RedactLayer;
/// use toolgate::output::SecretValues;
/// let secrets = SecretValues::new();
/// let layer = RedactLayer::new(secrets.clone());
/// secrets.add(["a value of the active skill"]); // masked from here on
/// # let _ = layer;
/// ```
#[derive(Clone, Debug, Default)]
pub struct RedactLayer {
    secrets: SecretValues,
}

impl RedactLayer {
    /// Masks these values, and known shapes.
    pub fn new(secrets: SecretValues) -> Self {
        Self { secrets }
    }
}

impl Layer for RedactLayer {
    fn name(&self) -> &'static str {
        "redact"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let before = self.secrets.of(request.session());
            let session = request.session().clone();
            let mut outcome = next.run(request).await;
            // A value that was added while the tool ran may be the very one it printed; one that was
            // taken away was still a secret when the tool began.
            mask(&mut outcome, &before);
            mask(&mut outcome, &self.secrets.of(&session));
            outcome
        })
    }

    fn mask(&self, text: &str, session: &Session) -> Option<String> {
        self.secrets.masked(text, session)
    }
}

fn mask(outcome: &mut Outcome, secrets: &Secrets) {
    let mut change = |text: &mut String| {
        if let Cow::Owned(masked) = redact(text, secrets) {
            *text = masked;
        }
    };
    match outcome {
        Ok(output) => output.each_text(&mut change),
        Err(error) => error.each_text(&mut change),
    }
}
