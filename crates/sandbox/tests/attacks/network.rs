//! Leaving the machine, and reaching programs of the host that would.

use std::io::Read as _;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use toolgate_sandbox::{Error, Network, Policy, Sandbox, Strictness};

use super::ground::{Ground, everyone, has};

/// Python that tries every kind of socket and says which could be made.
const FAMILIES: &str = "
import socket
made = []
for family in range(0, 46):
    for kind in (1, 2, 3, 4, 5):
        for protocol in (0, 1, 6, 15, 16, 17, 262):
            try:
                socket.socket(family, kind, protocol).close()
                made.append(family)
            except OSError:
                pass
print('families', sorted(set(made)))";

#[test]
fn denied_means_that_no_socket_exists() {
    everyone(|ground| {
        ground.python(FAMILIES).says("families [1]\n");
    });
}

#[test]
fn strict_denies_local_sockets_too() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.strictness = Strictness::Strict;
        let sandbox = Sandbox::new(policy).unwrap();
        ground.run_in(&sandbox, ["/usr/bin/python3", "-c", FAMILIES]).says("families []\n");
        // A pair is connected to nobody else, unless it is one of datagrams.
        let pairs = "
import errno, socket
socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
try:
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    print('MADE')
except OSError as error:
    assert error.errno == errno.EPERM
print('done')";
        ground.run_in(&sandbox, ["/usr/bin/python3", "-c", pairs]).never_says("MADE").says("done");
        let ran = ground.run_in(&sandbox, ["cat", "/proc/net/dev"]);
        assert_eq!(ran.ok().lines().count(), 3, "only its own loopback: {ran:?}");
    });
}

#[test]
fn a_listener_of_the_host_is_not_reached() {
    everyone(|ground| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let program = format!(
            "
import socket
for family, address in [(socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::ffff:127.0.0.1')]:
    try:
        socket.socket(family).connect((address, {port}))
        print('CONNECTED')
    except OSError:
        pass
print('done')"
        );
        for network in [Network::Deny, Network::Loopback] {
            let mut policy = ground.policy();
            policy.network = network;
            let ran = ground.run_in(&Sandbox::new(policy).unwrap(), ["/usr/bin/python3", "-c", &program]);
            ran.never_says("CONNECTED").says("done");
            assert!(listener.accept().is_err());
        }
        let mut policy = ground.policy();
        policy.network = Network::Allow;
        let ran = ground.run_in(&Sandbox::new(policy).unwrap(), ["/usr/bin/python3", "-c", &program]);
        ran.says("CONNECTED");
        assert!(listener.accept().is_ok());
    });
}

#[test]
fn a_loopback_of_its_own_serves_and_leads_nowhere() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.network = Network::Loopback;
        let program = "
import errno, socket
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b'hello')
print(client.recv(9))
for address in ['1.1.1.1', '169.254.169.254', '10.0.0.1']:
    for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM]:
        try:
            socket.socket(socket.AF_INET, kind).connect((address, 53))
            print('ROUTED', address)
        except OSError as error:
            assert error.errno == errno.ENETUNREACH, error
for family in (16, 17, 40, 38):
    for protocol in (0, 4, 9, 12, 15, 16):
        try:
            socket.socket(family, 3, protocol)
            assert (family, protocol) == (16, 0), (family, protocol)
        except OSError:
            pass
print('done')";
        ground
            .run_in(&Sandbox::new(policy).unwrap(), ["/usr/bin/python3", "-c", program])
            .never_says("ROUTED")
            .says("b'hello'")
            .says("done");
    });
}

#[test]
fn refused_sockets_are_told_of() {
    everyone(|ground| {
        let ran = ground.python(
            "
import errno, socket
for _ in range(40):
    try:
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    except OSError as error:
        assert error.errno == errno.EAFNOSUPPORT
print('done')",
        );
        ran.says("done");
        assert_eq!(ran.exit.refused_count, 40);
        let first = ran.exit.refused[0];
        assert_eq!(
            (first.family, first.kind, first.pid),
            (libc::AF_INET6 as u32, libc::SOCK_DGRAM as u32, 2)
        );
        assert!(ran.exit.refused.len() >= 16 && first.to_string().contains("ipv6 datagram"));
    });
}

#[test]
fn sockets_of_the_hosts_programs_are_not_reached() {
    everyone(|ground| {
        let abstract_name = format!("toolgate-attack-{}", std::process::id());
        let _abstract =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
        let paths = [
            ground.path("home/agent.sock"),
            ground.path("home/agent sock"),
            ground.path("work/host.sock"),
            std::env::temp_dir().join(format!("toolgate-attack-{}.sock", std::process::id())),
        ];
        let listeners: Vec<_> = paths.iter().map(|path| UnixListener::bind(path).unwrap()).collect();
        let names: Vec<String> = paths.iter().map(|path| format!("{:?}", path.to_str().unwrap())).collect();
        let program = format!(
            "
import socket
for name in [{}, '\\0{abstract_name}', '/run/docker.sock', '/var/run/docker.sock', '/run/dbus/system_bus_socket', '/run/user/0/bus']:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(name)
            print('CONNECTED', name)
        except OSError as error:
            pass
print('done')",
            names.join(", ")
        );
        let ran = ground.python(&program);
        drop(listeners);
        for path in paths {
            std::fs::remove_file(path).ok();
        }
        ran.never_says("CONNECTED").says("done");
    });
}

/// Without the variable the socket is still there, for whoever knows its path.
#[test]
fn the_hosts_keys_and_services_do_not_answer() {
    everyone(|ground| {
        if has("ssh-agent") {
            let socket = ground.path("home/agent");
            let agent = std::process::Command::new("ssh-agent")
                .args(["-D", "-a"])
                .arg(&socket)
                .stdout(std::process::Stdio::null())
                .spawn();
            let mut agent = agent.unwrap();
            while !socket.exists() {
                std::thread::yield_now();
            }
            let ask = format!("SSH_AUTH_SOCK={} ssh-add -l; echo status $?", socket.display());
            let ran = ground.run(&ask);
            agent.kill().unwrap();
            agent.wait().unwrap();
            ran.says("status 2");
        }
        if has("systemd-run") {
            // A service manager would run it outside of everything.
            ground
                .run("systemd-run --user --wait touch escaped; systemd-run --wait touch escaped; ls")
                .never_says("escaped\n");
        }
    });
}

#[test]
fn sockets_among_its_own_processes_work() {
    everyone(|ground| {
        let program = "
import os, socket, tempfile
for name in ['here.sock', '/tmp/there.sock', '\\0abstract', os.path.join(tempfile.mkdtemp(), 's')]:
    server = socket.socket(socket.AF_UNIX)
    server.bind(name)
    server.listen()
    client = socket.socket(socket.AF_UNIX)
    client.connect(name)
print('done')";
        ground.python(program).says("done");
    });
}

#[test]
fn a_scope_by_names_is_a_refusal_for_now() {
    let policy = Policy { network: Network::Only(vec!["example.org".into()]), ..Ground::new().policy() };
    assert_eq!(Sandbox::new(policy).unwrap_err(), Error::NetworkScope);
}

#[test]
fn names_resolve_where_the_network_is_allowed() {
    everyone(|ground| {
        // The resolver's file is often a link into a directory that is private inside.
        let mut policy = ground.policy();
        policy.network = Network::Allow;
        let mut outside = String::new();
        if std::fs::File::open("/etc/resolv.conf")
            .and_then(|mut file| file.read_to_string(&mut outside))
            .is_ok()
        {
            assert_eq!(ground.run_under(policy, "cat /etc/resolv.conf").ok(), outside);
        }
    });
}
