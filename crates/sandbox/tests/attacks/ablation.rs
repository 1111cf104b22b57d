//! With each layer taken away, the attack that needs it gone succeeds.

use std::path::Path;

use toolgate_sandbox::{Layer, Level, Verdict, danger_examine_without, examine};

use super::ground::{everyone, is_root};

/// Whether an attack succeeds once a layer is gone.
fn succeeds_without(layer: Layer, attack: &str, below: &Path) -> bool {
    let found = danger_examine_without(below, layer, attack).unwrap();
    assert_eq!(found.findings.len(), 1, "{attack}");
    found.findings[0].verdict == Verdict::Broken
}

#[test]
fn every_layer_is_missed() {
    everyone(|ground| {
        let whole = examine(&ground.home, Level::Full).unwrap();
        assert!(whole.is_whole(), "{whole:?}");
        let missed = [
            (Layer::Sweep, "change-modes"),
            (Layer::Hides, "read-hidden"),
            (Layer::Pins, "plant-hook"),
            (Layer::Scratch, "read-temporary"),
            (Layer::FreshProc, "see-processes"),
            (Layer::Capabilities, "keep-privileges"),
            (Layer::Landlock, "reach-abstract"),
            (Layer::Seccomp, "reach-network"),
            (Layer::Seccomp, "ask-the-ring"),
            (Layer::Seccomp, "foreign-calls"),
            (Layer::Seccomp, "type-into-terminal"),
            (Layer::Seccomp, "new-namespaces"),
            (Layer::ClosedInit, "read-first-process"),
            (Layer::Descriptors, "inherit-files"),
        ];
        for (layer, attack) in missed {
            assert!(succeeds_without(layer, attack, &ground.home), "{attack} doesn't need {layer:?}");
        }
        // Others than root own none of the kernel's settings.
        if is_root() {
            assert!(succeeds_without(Layer::ClosedProc, "change-kernel", &ground.home));
        }
    });
}
