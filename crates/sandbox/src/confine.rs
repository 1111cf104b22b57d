//! Gives up rights: capabilities, Landlock, system calls. In this order, each for good.
//!
//! Runs in the child: calls only, see [`crate::sys`].

use std::os::fd::RawFd;

use libc::sock_filter;

use crate::ablation::Layer;
use crate::boundary::{At as _, Failure};
use crate::channel::Facts;
use crate::enforcement::Stage;
use crate::landlock::{self, Ruleset};
use crate::machine::LAST_CAPABILITY;
use crate::plan::Plan;
use crate::sys::{self, Errno, Res};

/// Drops all capabilities but those to keep, from the bounding set too.
pub(crate) fn drop_privileges(keep: u64) -> Res<()> {
    for number in 0..=LAST_CAPABILITY {
        if keep & (1 << number) != 0 {
            continue;
        }
        match sys::prctl(libc::PR_CAPBSET_DROP, number) {
            Ok(()) => {}
            // The kernel knows no more capabilities from here on.
            Err(Errno(libc::EINVAL)) => break,
            // Without namespaces there may be none to drop, and none to drop them with.
            Err(Errno(libc::EPERM)) => break,
            Err(errno) => return Err(errno),
        }
    }
    sys::set_capabilities(keep)?;
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// Enters the Landlock rules.
pub(crate) fn enter_rules<'a>(ruleset: &'a Ruleset, facts: &mut Facts) -> Result<(), Failure<'a>> {
    let rules = match ruleset.prepare() {
        Ok(rules) => rules,
        Err((errno, path)) => return Err(Failure { stage: Stage::Landlock, errno, path }),
    };
    landlock::enter(rules).at(Stage::Landlock, c"")?;
    sys::close(rules);
    facts.landlock_abi = ruleset.version;
    facts.bits |= Facts::LANDLOCK;
    if ruleset.scopes != 0 {
        facts.bits |= Facts::SCOPES;
    }
    if ruleset.net != 0 {
        facts.bits |= Facts::NET_RULES;
    }
    Ok(())
}

/// Enters the filter, and gives what it reports through if it reports.
pub(crate) fn enter_filter(filter: &[sock_filter], notify: bool, facts: &mut Facts) -> Res<Option<RawFd>> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| Errno(libc::E2BIG))?,
        filter: filter.as_ptr().cast_mut(),
    };
    let flags = if notify { libc::SECCOMP_FILTER_FLAG_NEW_LISTENER } else { 0 };
    // SAFETY: the program points at as many lines as it says, and the kernel copies them.
    let ret =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    if ret < 0 {
        return Err(sys::errno());
    }
    facts.bits |= Facts::SECCOMP;
    Ok(notify.then_some(ret as RawFd))
}

/// Gives up everything a plan says, and gives what the filter reports through.
pub(crate) fn confine<'a>(plan: &'a Plan, facts: &mut Facts) -> Result<Option<RawFd>, Failure<'a>> {
    if plan.removed.lacks(Layer::Capabilities) {
        // The rules and the filter want this much at least.
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).at(Stage::Privileges, c"")?;
    } else {
        drop_privileges(plan.keep).at(Stage::Privileges, c"")?;
    }
    if let Some(ruleset) = &plan.ruleset {
        enter_rules(ruleset, facts)?;
    }
    match &plan.filter {
        Some(filter) => enter_filter(filter, plan.notify, facts).at(Stage::Seccomp, c""),
        None => Ok(None),
    }
}
