//! What the pipeline itself costs: one call through gates and layers to a tool that does nothing.
//!
//! `cargo bench -p toolgate-exec`; the target is 5 µs with 5 gates and 8 layers.
#![allow(clippy::unwrap_used, missing_docs)]

use toolgate_exec::{Pipeline, ToolExecutor, Verdict, map_output};
use toolgate_testkit::{FixedGate, ScriptedTool, doors::bash_call};

fn main() {
    divan::main();
}

#[divan::bench(args = [(0, 0), (5, 8)])]
fn one_call(bencher: divan::Bencher<'_, '_>, (gates, layers): (usize, usize)) {
    let tool = ScriptedTool::bash();
    let mut builder = Pipeline::builder().tool(tool.clone());
    for _ in 0..gates {
        builder = builder.gate(FixedGate::of("never", Verdict::Allow));
    }
    for _ in 0..layers {
        builder = builder.layer(map_output("pass", |_, output| output));
    }
    let pipeline = builder.build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let call = bash_call("ls -la");
    bencher.bench_local(|| {
        tool.forget();
        runtime.block_on(pipeline.execute_tool_call(&call))
    });
}
