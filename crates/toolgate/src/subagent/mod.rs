//! Agents that work for another agent, with less than it has.
//!
//! A [`SubagentSpec`] says what a sub-agent gets; [`SubagentManager::spawn`] makes it, on the executor its
//! parent uses. The parent's session and those of its other children are left untouched, and a child's
//! scope is never wider than its parent's, grandchildren included.
//!
//! ```
//! use std::sync::Arc;
//! use toolgate::exec::{NetworkScope, Pipeline, ToolExecutor};
//! use toolgate::shell::ShellTool;
//! use toolgate::subagent::{SubagentManager, SubagentSpec};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let parent = Pipeline::builder().tool(ShellTool::builder().build().unwrap()).build().unwrap();
//! let manager = SubagentManager::new(Arc::new(parent), 4);
//! let child = manager.spawn(&SubagentSpec::new("reader").network(NetworkScope::Deny)).await.unwrap();
//! assert!(child.execute("```bash\ncurl example.org\n```").await.is_err());
//! assert_eq!(child.transcript().len(), 1);
//! # });
//! ```

mod budget;
mod manager;
mod skills;
mod spec;
mod transcript;

pub use budget::Budget;
pub use manager::{SpawnError, Subagent, SubagentManager, build_filtered_executor};
pub use skills::{BadGlob, Skill, SkillFilter};
pub use spec::{PermissionMode, SubagentSpec};
pub use toolgate_exec::{NetworkScope, normalize_tool_id};
pub use transcript::{Entry, Outcome};

pub use crate::executors::{FilteredToolExecutor, NetworkDenyToolExecutor, PlanModeExecutor};
pub use crate::gates::ToolPolicy;
