//! With each layer taken away, the attack that needs it gone succeeds.

use std::path::Path;

use toolgate_sandbox::{Layer, Level, Verdict, danger_examine_without, examine};

use super::ground::{everyone, is_root};

fn broken_without(layer: Layer, below: &Path) -> Vec<&'static str> {
    let found = danger_examine_without(below, layer).unwrap();
    found
        .findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::Broken)
        .map(|finding| finding.name)
        .collect()
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
            let broken = broken_without(layer, &ground.home);
            assert!(broken.contains(&attack), "without {layer:?} only {broken:?} succeed");
        }
        // Others than root own none of the kernel's settings.
        if is_root() {
            let broken = broken_without(Layer::ClosedProc, &ground.home);
            assert!(broken.contains(&"change-kernel"), "{broken:?}");
        }
    });
}
