//! A signal to us ends the call in good order: what it started first, then ourselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio_util::sync::CancellationToken;

/// Watches for the signals that ask a program to end.
///
/// The command runs in a session of its own, so that Ctrl-C reaches us alone.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    first: CancellationToken,
    second: CancellationToken,
    number: Arc<AtomicU8>,
}

impl Signals {
    /// Starts watching. Must be called in the runtime.
    pub(crate) fn watch() -> std::io::Result<Self> {
        let signals = Self {
            first: CancellationToken::new(),
            second: CancellationToken::new(),
            number: Arc::new(AtomicU8::new(0)),
        };
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
                // Whoever started us with it ignored (nohup, a shell's background job) wants us to go on.
                if toolgate::spawn::ignores_signal(kind.as_raw_value()) {
                    continue;
                }
                let mut stream = signal(kind)?;
                let signals = signals.clone();
                tokio::spawn(async move {
                    while stream.recv().await.is_some() {
                        signals.came(kind.as_raw_value());
                    }
                });
            }
        }
        Ok(signals)
    }

    #[cfg(unix)]
    fn came(&self, number: i32) {
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        match self.number.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => self.first.cancel(),
            Err(_) => self.second.cancel(),
        }
    }

    /// Fires with the first signal: the call's cancel signal.
    pub(crate) fn cancel(&self) -> CancellationToken {
        self.first.clone()
    }

    /// Waits for a second signal: whoever sent it does not want to wait for good order.
    pub(crate) async fn again(&self) {
        self.second.cancelled().await;
    }

    /// The signal that came first, if one did.
    pub(crate) fn number(&self) -> Option<u8> {
        Some(self.number.load(Ordering::Relaxed)).filter(|n| *n != 0)
    }
}
