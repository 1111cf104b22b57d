//! A real bash, and a stub that tells whether it was started.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A search path that holds nothing but a stub called `curl`, and a directory to work in.
pub(crate) struct Stage(PathBuf);

impl Stage {
    pub(crate) fn new(name: &str) -> Stage {
        let root = std::env::temp_dir().join(format!("toolgate-policy-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let stage = Stage(root);
        std::fs::create_dir_all(stage.bin()).unwrap();
        std::fs::create_dir_all(stage.work()).unwrap();
        let stub = stage.bin().join("curl");
        std::fs::write(&stub, "#!/bin/bash\necho \"$0 $*\" >> \"$STAGE_LOG\"\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        stage
    }

    /// Where programs are found.
    pub(crate) fn bin(&self) -> PathBuf {
        self.0.join("bin")
    }

    /// Where texts run.
    pub(crate) fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    /// Whether bash starts the stub when it runs this text.
    pub(crate) fn starts_stub(&self, text: &str) -> bool {
        let log: &Path = &self.0.join("log");
        let _ = std::fs::remove_file(log);
        let _ = Command::new("/bin/bash")
            .args(["-c", text])
            // A text that signals its group must not reach the tests.
            .process_group(0)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", self.bin())
            .env("STAGE_LOG", log)
            .env("HOME", self.work())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        log.exists()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
