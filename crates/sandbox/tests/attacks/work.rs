//! Common work of developers runs inside unchanged.

use std::path::Path;

use toolgate_sandbox::{Command, Network, Sandbox};

use super::ground::{everyone, finish, has, null};

#[test]
fn python_multiprocessing_works() {
    everyone(|ground| {
        ground.write(
            "work/pool.py",
            "
import multiprocessing, concurrent.futures
def double(x): return 2 * x
if __name__ == '__main__':
    with multiprocessing.Lock(): pass
    queue = multiprocessing.Queue(); queue.put(1); queue.get()
    shared = multiprocessing.Array('i', 3)
    with multiprocessing.Pool(2) as pool: print(pool.map(double, range(4)))
    with concurrent.futures.ProcessPoolExecutor(2) as pool: print(list(pool.map(double, range(3))))
    with multiprocessing.Manager() as manager: print(manager.list([1]))
",
        );
        ground.run("/usr/bin/python3 pool.py").says("[0, 2, 4, 6]").says("[0, 2, 4]").says("[1]");
    });
}

#[test]
fn python_tests_work() {
    everyone(|ground| {
        ground.write(
            "work/test_it.py",
            "
import tempfile, subprocess, unittest
class It(unittest.TestCase):
    def test_files(self):
        with tempfile.NamedTemporaryFile() as file: file.write(b'x')
        with tempfile.TemporaryDirectory() as directory: open(directory + '/x', 'w').close()
    def test_children(self):
        self.assertEqual(subprocess.run(['echo', 'x'], capture_output=True).stdout, b'x\\n')
",
        );
        ground.run("/usr/bin/python3 -m unittest -q").says("OK");
    });
}

#[test]
fn pytest_works() {
    everyone(|ground| {
        if !has("pytest") && !has("pytest-3") {
            println!("skipped: no pytest");
            return;
        }
        ground.write(
            "work/test_it.py",
            "def test_a_file(tmp_path): (tmp_path / 'x').write_text('x')\ndef test_output(capfd): print('x'); assert capfd.readouterr().out == 'x\\n'\n",
        );
        ground.run("$(command -v pytest || command -v pytest-3) -q").says("2 passed");
    });
}

#[test]
fn make_with_jobs_works() {
    everyone(|ground| {
        if !has("make") {
            println!("skipped: no make");
            return;
        }
        ground.write(
            "work/Makefile",
            "all: a b c\n%:\n\t@echo built $@ > $@\nsub:\n\t@$(MAKE) -f Makefile x\n",
        );
        ground
            .run("make -s -j4 && make -s -j2 sub && cat a b c x")
            .says("built a\nbuilt b\nbuilt c\nbuilt x\n");
    });
}

#[test]
fn compilers_work() {
    everyone(|ground| {
        if !has("gcc") {
            println!("skipped: no gcc");
            return;
        }
        ground.write("work/main.c", "#include <stdio.h>\nint main(void) { puts(\"compiled\"); }\n");
        ground.run("gcc -pipe -O1 -g main.c -o main && ./main").says("compiled");
    });
}

#[test]
fn debuggers_work_on_their_own_children() {
    everyone(|ground| {
        if has("strace") {
            ground
                .run(
                    "strace -f -e trace=execve -o log bash -c '/bin/echo traced; true' && grep -c execve log",
                )
                .says("traced")
                .says("2");
        }
        if has("gdb") {
            ground.run("gdb -batch -nx -ex 'break main' -ex run -ex 'info registers rip' --args /bin/true 2>&1; gdb -batch -nx -ex run --args /bin/echo ran")
                .says("ran").says("exited normally");
        }
    });
}

#[test]
fn node_and_npm_work() {
    everyone(|ground| {
        if !has("npm") {
            println!("skipped: no npm");
            return;
        }
        // Hidden, and npm wants to read it: it must go on without.
        ground.write("home/.npmrc", "//registry.example.org/:_authToken=SECRETKEY\n");
        ground.write("work/package.json", r#"{"name": "x", "version": "1.0.0", "scripts": {"test": "node test.js", "leak": "cat ../.npmrc"}}"#);
        ground.write(
            "work/test.js",
            "const { execSync, fork } = require('child_process'); const fs = require('fs'); fs.writeFileSync('out', 'x');
             const { Worker, isMainThread } = require('worker_threads');
             if (isMainThread) { new Worker(__filename).on('exit', () => console.log('tested', execSync('echo child').toString().trim())); }",
        );
        let ran = ground.run("npm test --silent; npm run leak");
        ran.says("tested child").never_says("SECRETKEY");
    });
}

#[test]
fn java_works() {
    everyone(|ground| {
        if !has("javac") && !has("java") {
            println!("skipped: no java");
            return;
        }
        ground.write(
            "work/Main.java",
            "public class Main { public static void main(String[] a) { System.out.println(\"ran\"); } }",
        );
        ground.run("java Main.java || java -version").says("r");
    });
}

#[test]
fn local_servers_work_where_a_loopback_is_given() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.network = Network::Loopback;
        ground.write("work/page", "served\n");
        let script = "/usr/bin/python3 -m http.server 8765 --bind 127.0.0.1 > log 2>&1 &
             /usr/bin/python3 - <<'END'
import time, urllib.request
for _ in range(200):
    try:
        print(urllib.request.urlopen('http://127.0.0.1:8765/page').read().decode())
        break
    except OSError:
        time.sleep(0.05)
END";
        ground.run_under(policy, script).says("served");
    });
}

/// With the tool chain of whoever runs the tests, whose home isn't the attacks' home.
#[test]
fn cargo_builds_and_tests() {
    let ground = super::ground::Ground::new();
    let Some(home) = std::env::var_os("HOME").filter(|home| Path::new(home).is_dir()) else {
        println!("skipped: no home");
        return;
    };
    ground.write(
        "work/Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    ground.write(
        "work/src/lib.rs",
        "pub fn f() -> u32 { 2 }\n#[test] fn works() { std::fs::rename(\"Cargo.lock\", \"target/moved\").unwrap(); assert_eq!(f(), 2); }\n",
    );
    let (reader, writer) = std::io::pipe().unwrap();
    let io = toolgate_sandbox::Io::Files {
        stdin: null(),
        stdout: writer.try_clone().unwrap().into(),
        stderr: writer.into(),
    };
    let command = Command::new([env!("CARGO"), "test", "--offline", "--quiet"], &ground.workspace, io);
    let host = std::env::vars_os().filter(|(name, _)| !name.to_string_lossy().starts_with("CARGO_TARGET"));
    let mut policy = ground.policy();
    policy.home = home.into();
    let ran = finish(Sandbox::new(policy).unwrap().spawn(command.env(host)).unwrap(), reader);
    ran.says("1 passed");
    assert_eq!(ran.enforcement.level, toolgate_sandbox::Level::Full);
}
