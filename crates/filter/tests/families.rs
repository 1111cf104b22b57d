//! Outputs of tools the rules were not written on: invented after the manner of each tool, to see that facts survive.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

use toolgate_filter::{CaptureOptions, Catalog, filter_captured};

struct Output {
    command: &'static str,
    exit: i32,
    stdout: String,
    stderr: String,
    facts: &'static [&'static str],
    /// What must be gone, or the filter does nothing for this tool.
    noise: &'static [&'static str],
}

fn out(
    command: &'static str,
    exit: i32,
    stdout: impl Into<String>,
    facts: &'static [&'static str],
    noise: &'static [&'static str],
) -> Output {
    Output { command, exit, stdout: stdout.into(), stderr: String::new(), facts, noise }
}

fn err(
    command: &'static str,
    exit: i32,
    stderr: impl Into<String>,
    facts: &'static [&'static str],
    noise: &'static [&'static str],
) -> Output {
    Output { command, exit, stdout: String::new(), stderr: stderr.into(), facts, noise }
}

fn rows(from: usize, to: usize, line: impl Fn(usize) -> String) -> String {
    (from..=to).map(|n| line(n) + "\n").collect()
}

fn outputs() -> Vec<Output> {
    vec![
        out("go test -race ./...", 1,
            rows(1, 30, |n| format!("=== RUN   TestCase{n}\n--- PASS: TestCase{n} (0.00s)"))
            + "=== RUN   TestQueue\n==================\nWARNING: DATA RACE\nWrite at 0x00c0000b4010 by goroutine 8:\n  example.com/app.(*Queue).Push()\n      /w/queue.go:31 +0x44\n==================\n    queue_test.go:19: got 3 want 4\n    testing.go:1465: race detected during execution of test\n--- FAIL: TestQueue (0.01s)\nFAIL\ncoverage: 71.4% of statements\nFAIL\texample.com/app\t0.031s\nFAIL\n",
            &["WARNING: DATA RACE", "/w/queue.go:31", "queue_test.go:19: got 3 want 4", "--- FAIL: TestQueue", "coverage: 71.4%"], &["TestCase7"]),
        out("go test ./...", 1,
            "panic: runtime error: index out of range [5] with length 3 [recovered]\n\tpanic: runtime error: index out of range [5] with length 3\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2({0x5, 0x6})\n\t/usr/local/go/src/testing/testing.go:1545 +0x238\ntesting.tRunner.func1()\n\t/usr/local/go/src/testing/testing.go:1548 +0x397\npanic({0x5, 0x6})\n\t/usr/local/go/src/runtime/panic.go:914 +0x21f\nexample.com/app.At(...)\n\t/w/at.go:9\nexample.com/app.TestAt(0x0)\n\t/w/at_test.go:7 +0x1d\nexit status 2\nFAIL\texample.com/app\t0.004s\n",
            &["index out of range [5] with length 3", "/w/at.go:9", "/w/at_test.go:7", "exit status 2"], &["testing.go:1548"]),
        err("npx jest --ci", 1,
            rows(1, 40, |n| format!("PASS src/errors{n}.test.ts\n  ✓ throws Error {n} ({n} ms)"))
            + "FAIL src/cart.test.ts\n  Cart\n    ✕ totals (9 ms)\n    ✓ adds\n\n  ● Cart › totals\n\n    TypeError: Cannot read properties of undefined (reading 'price')\n\n      12 |   const t = total(items);\n    > 13 |   return t.price;\n         |            ^\n\n      at total (src/cart.ts:13:12)\n      at Object.<anonymous> (src/cart.test.ts:8:20)\n      at new Promise (<anonymous>)\n      at jestAdapterInit (node_modules/jest-circus/build/x.js:1:2)\n\nTest Suites: 1 failed, 40 passed, 41 total\nTests:       1 failed, 41 passed, 42 total\n",
            &["● Cart › totals", "reading 'price'", "src/cart.ts:13:12", "src/cart.test.ts:8:20", "1 failed, 41 passed"], &["errors7.test.ts", "jest-circus"]),
        out("./gradlew assemble", 1,
            rows(1, 25, |n| format!("> Task :lib{n}:compileJava UP-TO-DATE"))
            + "> Task :app:compileJava FAILED\n/w/app/src/main/java/A.java:5: error: cannot find symbol\n    foo.bar();\n    ^\n  symbol:   variable foo\n  location: class A\n/w/app/src/main/java/A.java:9: warning: [deprecation] stop() in Thread has been deprecated\n1 error\n1 warning\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:compileJava'.\n> Compilation failed; see the compiler error output for details.\n\nBUILD FAILED in 2s\n26 actionable tasks: 1 executed, 25 up-to-date\n",
            &["A.java:5", "cannot find symbol", "variable foo", "A.java:9", "has been deprecated", "1 error", ":app:compileJava", "BUILD FAILED"], &[":lib7:"]),
        out("mvn -B verify", 1,
            "[INFO] Scanning for projects...\n".to_owned() + &rows(1, 60, |n| format!("Downloading from central: https://repo.maven.apache.org/maven2/x/{n}.jar\nDownloaded from central: https://repo.maven.apache.org/maven2/x/{n}.jar (1.2 kB at 30 kB/s)"))
            + "[INFO] -------------------------------------------------------------\n[ERROR] COMPILATION ERROR : \n[INFO] -------------------------------------------------------------\n[ERROR] /w/src/main/java/B.java:[12,9] cannot find symbol\n  symbol:   class Frob\n  location: class B\n[INFO] 1 error\n[INFO] BUILD FAILURE\n[INFO] Total time:  4.2 s\n",
            &["COMPILATION ERROR", "/w/src/main/java/B.java:[12,9]", "class Frob", "1 error", "BUILD FAILURE"], &["maven2/x/7.jar"]),
        out("dotnet build", 1,
            rows(1, 12, |n| format!("  Restored /w/p{n}/p{n}.csproj (in {n} ms)."))
            + &rows(1, 12, |n| format!("/w/A.cs({n},17): warning CS8602: Dereference of a possibly null reference. [/w/A.csproj]"))
            + "/w/B.cs(14,17): error CS0103: The name 'Foo' does not exist in the current context [/w/A.csproj]\n\nBuild FAILED.\n\n/w/B.cs(14,17): error CS0103: The name 'Foo' does not exist in the current context [/w/A.csproj]\n    12 Warning(s)\n    1 Error(s)\n",
            &["CS8602", "(12,17)", "/w/B.cs(14,17): error CS0103", "'Foo'", "Build FAILED", "12 Warning(s)", "1 Error(s)"], &["p7.csproj"]),
        err("docker build -t x .", 1,
            "#4 [internal] load .dockerignore\n#4 DONE 0.0s\n#9 [4/7] RUN npm ci\n#9 1.2 npm warn deprecated inflight@1.0.6: leaks memory\n#9 3.4 npm error code ERESOLVE\n#9 3.4 npm error Could not resolve dependency:\n#9 3.5 npm error peer react@\"^18\" from y@1.0.0\n#9 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n------\nDockerfile:9\n--------------------\n   7 |     COPY package.json .\n   9 | >>> RUN npm ci\n--------------------\nERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n",
            &["ERESOLVE", "peer react@\"^18\" from y@1.0.0", "Dockerfile:9", "exit code: 1", "inflight@1.0.6"], &[".dockerignore"]),
        out("kubectl describe pod web", 0,
            "Name:             web\nNamespace:        default\nContainers:\n  web:\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Restart Count:  41\nTolerations:      <none>\nEvents:\n  Normal   Scheduled  3m   default-scheduler  Successfully assigned default/web\n  Warning  BackOff    1m   kubelet            Back-off restarting failed container\n",
            &["CrashLoopBackOff", "OOMKilled", "137", "41", "Back-off restarting failed container"], &["Tolerations:"]),
        err("helm install web ./chart", 1,
            "Error: INSTALLATION FAILED: template: web/templates/deploy.yaml:12:8: executing \"web/templates/deploy.yaml\" at <.Values.image.tag>: nil pointer evaluating interface {}.tag\n",
            &["web/templates/deploy.yaml:12:8", "nil pointer"], &[]),
        out("aws ec2 describe-instances", 0,
            format!("{{\n    \"Reservations\": [\n{}\n    ]\n}}\n", (0..80).map(|n| format!("        {{\n            \"InstanceId\": \"i-{n:08x}0a1b2c3d4\",\n            \"State\": {{\n                \"Code\": {},\n                \"Name\": \"{}\"\n            }}\n        }}", if n == 41 { 80 } else { 16 }, if n == 41 { "stopped" } else { "running" })).collect::<Vec<_>>().join(",\n")),
            &["\"Name\": \"stopped\"", "i-000000290a1b2c3d4"], &[]),
        out("gh pr list", 0, rows(1, 30, |n| format!("{n}\tFix the thing number {n}\tfix-{n}\tOPEN")), &["17\tFix the thing number 17", "29\tFix"], &[]),
        out("gh run view 1 --log-failed", 0,
            rows(1, 90, |n| format!("build\tTest\t2026-01-01T00:00:{:02}.1Z test case {n} ok", n % 60)) + "build\tTest\t2026-01-01T00:01:31.1Z ##[error]Process completed with exit code 101.\n",
            &["##[error]Process completed with exit code 101."], &[]),
        out("terraform apply -auto-approve", 1,
            rows(0, 20, |n| format!("aws_instance.web[{n}]: Refreshing state... [id=i-{n}]"))
            + "  # aws_db_instance.main must be replaced\n-/+ resource \"aws_db_instance\" \"main\" {\n      ~ engine_version = \"14\" -> \"16\" # forces replacement\n      + arn            = (known after apply)\n    }\n\nPlan: 1 to add, 0 to change, 1 to destroy.\naws_db_instance.main: Destroying... [id=db-1]\n╷\n│ Error: deleting RDS DB Instance (db-1): InvalidParameterCombination: Cannot delete protected DB Instance\n│ \n│   with aws_db_instance.main,\n│   on main.tf line 4, in resource \"aws_db_instance\" \"main\":\n╵\n",
            &["must be replaced", "forces replacement", "1 to destroy", "Cannot delete protected DB Instance", "main.tf line 4"], &["web[7]"]),
        out("bundle exec rspec", 1,
            format!("{}F{}\n\nFailures:\n\n  1) Order total adds tax\n     Failure/Error: expect(order.total).to eq(110)\n\n       expected: 110\n            got: 100\n     # ./spec/order_spec.rb:14:in `block (3 levels)'\n     # /gems/rspec-core/lib/x.rb:1:in `y'\n     # /gems/rspec-core/lib/z.rb:2:in `w'\n\nFinished in 1.2 seconds\n200 examples, 1 failure, 3 pending\n\nFailed examples:\n\nrspec ./spec/order_spec.rb:12 # Order total adds tax\n", ".".repeat(120), ".".repeat(76)),
            &["Order total adds tax", "expected: 110", "got: 100", "./spec/order_spec.rb:14", "200 examples, 1 failure, 3 pending", "rspec ./spec/order_spec.rb:12"], &["Finished in"]),
        out("vendor/bin/phpunit", 2,
            "PHPUnit 10.5.0 by Sebastian Bergmann and contributors.\n\n.E.F                                 4 / 4 (100%)\n\nThere was 1 error:\n\n1) A\\BTest::testC\nError: Call to undefined method A\\B::c()\n\n/w/tests/BTest.php:9\n\n--\n\nThere was 1 failure:\n\n1) A\\BTest::testD\nFailed asserting that false is true.\n\n/w/tests/BTest.php:14\n\nERRORS!\nTests: 4, Assertions: 3, Errors: 1, Failures: 1.\n",
            &["A\\BTest::testC", "undefined method", "BTest.php:9", "testD", "false is true", "BTest.php:14", "Errors: 1, Failures: 1"], &["Sebastian"]),
        out("ninja -C build", 1,
            rows(1, 40, |n| format!("[{n}/90] Building CXX object src/CMakeFiles/a.dir/f{n}.cpp.o"))
            + "[41/90] Building CXX object src/CMakeFiles/a.dir/g.cpp.o\nFAILED: src/CMakeFiles/a.dir/g.cpp.o\n/usr/bin/c++ -Isrc -o src/CMakeFiles/a.dir/g.cpp.o -c ../src/g.cpp\n../src/g.cpp:17:10: fatal error: frob.h: No such file or directory\n   17 | #include <frob.h>\n      |          ^~~~~~~~\ncompilation terminated.\nninja: build stopped: subcommand failed.\n",
            &["FAILED: src/CMakeFiles/a.dir/g.cpp.o", "../src/g.cpp:17:10", "frob.h: No such file", "build stopped"], &["f20.cpp.o"]),
        err("cmake -S . -B build", 1,
            "CMake Error at CMakeLists.txt:12 (find_package):\n  Could not find a package configuration file provided by \"Frob\" with any of\n  the following names:\n\n    FrobConfig.cmake\n    frob-config.cmake\n",
            &["CMakeLists.txt:12", "\"Frob\"", "FrobConfig.cmake"], &[]),
        err("bazel test //...", 3,
            rows(1, 60, |n| format!("[{n} / 310] Compiling f{n}.cc; 1s linux-sandbox"))
            + "FAIL: //web:web_test (see /home/x/testlogs/web/web_test/test.log)\nINFO: From Testing //web:web_test:\n==================== Test output for //web:web_test:\nweb_test.cc:31: Failure\nExpected equality of these values:\n  Get(1)\n    Which is: 4\n  5\n[  FAILED  ] Web.Get (0 ms)\n//web:web_test  FAILED in 0.3s\n//db:db_test  PASSED in 0.1s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.\n",
            &["web_test.cc:31", "Which is: 4", "Web.Get", "FAILED in 0.3s", "1 fails locally", "testlogs/web/web_test/test.log"], &["f20.cc", "db_test  PASSED"]),
        out("pnpm install", 1,
            "Progress: resolved 1, reused 0, downloaded 0, added 0\nProgress: resolved 812, reused 800, downloaded 3, added 0\n ERR_PNPM_FETCH_404  GET https://registry.example/nope-zz: Not Found - 404\n\nThis error happened while installing a direct dependency of /w\n",
            &["ERR_PNPM_FETCH_404", "nope-zz", "404"], &["resolved 1,"]),
        out("yarn install", 1,
            "yarn install v1.22.19\n[1/4] Resolving packages...\n[2/4] Fetching packages...\nerror eslint@9.0.0: The engine \"node\" is incompatible with this module. Expected version \"^18.18.0\". Got \"16.1.0\"\nerror Found incompatible module.\n",
            &["eslint@9.0.0", "Expected version \"^18.18.0\"", "Got \"16.1.0\""], &["Resolving packages"]),
        err("uv pip install torch", 1,
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because torch==2.9 has no wheels with a matching Python ABI tag and you require torch, we can conclude that your requirements are unsatisfiable.\n",
            &["No solution found", "torch==2.9", "unsatisfiable"], &[]),
        out("ruff check", 1,
            rows(1, 14, |n| format!("F401 [*] `os{n}` imported but unused\n --> a{n}.py:1:8\n  |\n1 | import os{n}\n  |        ^^^\n  |\nhelp: Remove unused import: `os{n}`\n")) + "Found 14 errors.\n[*] 14 fixable with the `--fix` option.\n",
            &["F401", "a1.py:1:8", "a14.py:1:8", "`os14`", "Found 14 errors"], &[]),
        err("black --check src", 123,
            "would reformat /w/src/a.py\nerror: cannot format /w/src/b.py: Cannot parse for target version Python 3.12: 7:4: x = = 1\n\nOh no! 💥 💔 💥\n1 file would be reformatted, 9 files would be left unchanged, 1 file would fail to reformat.\n",
            &["/w/src/a.py", "/w/src/b.py", "7:4", "1 file would be reformatted"], &[]),
        out("systemctl status app", 3,
            "× app.service - My app\n     Loaded: loaded (/etc/systemd/system/app.service; enabled)\n     Active: failed (Result: exit-code) since Mon 2026-01-01; 3min ago\n    Process: 812 ExecStart=/usr/bin/app (code=exited, status=203/EXEC)\n   Main PID: 812 (code=exited, status=203/EXEC)\n        CPU: 2ms\n\nJan 01 00:00:00 h systemd[1]: app.service: Failed with result 'exit-code'.\n",
            &["Active: failed", "status=203/EXEC", "Failed with result"], &[]),
        out("dmesg", 0,
            rows(1, 200, |n| format!("[{:5}.{:06}] usb 1-1: new high-speed USB device number {n} using xhci_hcd", n, n * 7)) + "[  812.000001] Out of memory: Killed process 4711 (java) total-vm:9000000kB\n[  813.000001] EXT4-fs error (device vda1): ext4_lookup:1785: inode #2: comm ls\n",
            &["Killed process 4711 (java)", "EXT4-fs error (device vda1)"], &["device number 77 "]),
        out("journalctl -u nginx -n 200", 0,
            rows(1, 200, |n| format!("Jan 12 10:00:{:02} web-1 nginx[812]: 10.0.0.{n} - - GET /api/items/{n} 200 {n}", n % 60)) + "Jan 12 10:05:00 web-1 nginx[812]: 10.0.0.7 - - GET /api/pay 502 31\nJan 12 10:05:01 web-1 nginx[812]: connect() failed (111: Connection refused) while connecting to upstream\n",
            &["/api/pay 502", "Connection refused"], &["/api/items/77 "]),
        out("df -h", 0, rows(1, 12, |n| format!("/dev/sd{n}  100G  {n}G  {}G  {n}% /mnt/{n}", 100 - n)), &["/mnt/7", "/dev/sd12"], &[]),
        out("du -sh *", 0, rows(1, 60, |n| format!("{n}M\tdir-{n}")), &["31M\tdir-31"], &[]),
        out("find . -name '*.rs'", 0, rows(1, 60, |n| format!("./src/mod_{n}.rs")), &["./src/mod_31.rs"], &[]),
        out("grep -rn TODO src", 0, rows(1, 60, |n| format!("src/deep/path/file.rs:{n}:    // TODO {n}")), &["src/deep/path/file.rs", "31:    // TODO 31"], &[]),
        out("sort words.txt", 0, rows(1, 60, |n| format!("word {n}")), &["word 31"], &[]),
        out("cat values.yaml", 0, rows(1, 60, |n| format!("  replica_{n}: {n}")), &["replica_31: 31"], &[]),
        out("sqlite3 a.db 'select * from t'", 0, rows(1, 60, |n| format!("{n}|row {n}|ok")), &["31|row 31|ok"], &[]),
        out("python train.py", 0, rows(1, 60, |n| format!("epoch {n} loss 0.{} acc 0.{}", 9000 - n * 37 % 500, n * 13 % 100)), &["epoch 31 loss 0.", "epoch 60"], &[]),
        out("npx tsc --noEmit", 2,
            rows(1, 15, |n| format!("src/f{n}.ts({n},7): error TS7006: Parameter 'p{n}' implicitly has an 'any' type.")) + "src/g.ts(3,1): error TS2304: Cannot find name 'frob'.\n",
            &["src/f1.ts(1,7)", "TS7006", "src/f15.ts(15,7)", "'p15'", "src/g.ts(3,1): error TS2304", "'frob'"], &[]),
        out("npx eslint src", 1,
            rows(1, 12, |n| format!("\n/home/dev/project/frontend/src/components/f{n}.js\n  {n}:5  error  'a{n}' is not defined  no-undef\n  9:1  error  Unreachable code  no-unreachable")) + "\n✖ 24 problems (24 errors, 0 warnings)\n",
            &["f12.js", "12:5", "'a12' is not defined", "no-undef", "no-unreachable", "24 problems"], &[]),
        err("clang -c a.c", 1,
            rows(1, 9, |n| format!("a.c:{n}:5: warning: unused variable 'v{n}' [-Wunused-variable]\n    int v{n};\n        ^")) + "a.c:20:3: error: expected expression\n  )\n  ^\n9 warnings and 1 error generated.\n",
            &["a.c:1:5", "a.c", "9:5", "'v9'", "-Wunused-variable", "a.c:20:3: error: expected expression", "9 warnings and 1 error"], &[]),
        out("ansible-playbook site.yml", 2,
            rows(1, 30, |n| format!("ok: [web-{n}]")) + "fatal: [db-1]: FAILED! => {\"changed\": false, \"msg\": \"No package matching 'frob' found available\"}\n\nPLAY RECAP ****\ndb-1 : ok=1 changed=0 unreachable=0 failed=1\n",
            &["fatal: [db-1]", "No package matching 'frob'", "failed=1"], &["ok: [web-7]"]),
        out("cargo bench", 0, "running 2 tests\ntest a ... bench:          12 ns/iter (+/- 1)\ntest b ... bench:       4,711 ns/iter (+/- 9)\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 2 measured; 0 filtered out\n", &["12 ns/iter", "4,711 ns/iter"], &[]),
        out("npm audit", 1, "# npm audit report\n\nlodash  <4.17.21\nSeverity: high\nCommand Injection in lodash - https://github.com/advisories/GHSA-35jh-r3h4-6jhm\nfix available via `npm audit fix`\nnode_modules/lodash\n\n1 high severity vulnerability\n", &["lodash  <4.17.21", "GHSA-35jh-r3h4-6jhm", "1 high severity"], &[]),
        out("cargo audit", 1, "Crate:     time\nVersion:   0.1.43\nTitle:     Potential segfault in the time crate\nID:        RUSTSEC-2020-0071\nSolution:  Upgrade to >=0.2.23\n\nerror: 1 vulnerability found!\n", &["time", "0.1.43", "RUSTSEC-2020-0071", ">=0.2.23", "1 vulnerability"], &[]),
        err("node server.js", 1,
            "node:events:491\n      throw er; // Unhandled 'error' event\n      ^\n\nError: listen EADDRINUSE: address already in use :::8080\n    at Server.setupListenHandle [as _listen2] (node:net:1463:16)\n    at listenInCluster (node:net:1511:12)\n    at Object.<anonymous> (/w/server.js:12:8)\n    at Module._compile (node:internal/modules/cjs/loader:1218:14)\nEmitted 'error' event on Server instance at:\n  code: 'EADDRINUSE',\n  port: 8080\n",
            &["EADDRINUSE: address already in use :::8080", "/w/server.js:12:8", "port: 8080"], &["node:net:1511"]),
        err("python app.py", 1,
            "Traceback (most recent call last):\n  File \"/w/app.py\", line 9, in <module>\n    main()\n  File \"/w/app.py\", line 5, in main\n    requests.get(url)\n  File \"/venv/lib/python3.11/site-packages/requests/api.py\", line 73, in get\n    return request(\"get\", url, params=params, **kwargs)\n           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/venv/lib/python3.11/site-packages/requests/adapters.py\", line 519, in send\n    raise ConnectionError(e, request=request)\nrequests.exceptions.ConnectionError: HTTPConnectionPool(host='db', port=80): Max retries exceeded\n",
            &["app.py\", line 9", "app.py\", line 5", "requests.get(url)", "Max retries exceeded", "host='db'"], &["adapters.py"]),
        err("java -jar app.jar", 1,
            "Exception in thread \"main\" java.lang.IllegalStateException: no region\n\tat com.x.App.start(App.java:31)\n\tat com.x.App.main(App.java:9)\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)\n\tat org.springframework.boot.loader.Launcher.launch(Launcher.java:91)\nCaused by: java.io.IOException: closed\n\tat com.x.Io.read(Io.java:7)\n\t... 12 more\n",
            &["no region", "App.java:31", "App.java:9", "Caused by: java.io.IOException: closed", "Io.java:7"], &["Launcher.java"]),
        out("ctest", 8,
            rows(1, 30, |n| format!("      Start {n:2}: test_{n}\n {n:2}/31 Test  #{n}: test_{n} ........................   Passed    0.01 sec")) + "      Start 31: test_net\n 31/31 Test #31: test_net ........................***Failed    0.30 sec\n\n97% tests passed, 1 tests failed out of 31\n\nThe following tests FAILED:\n\t 31 - test_net (Failed)\nErrors while running CTest\n",
            &["test_net", "***Failed", "1 tests failed out of 31", "31 - test_net (Failed)"], &["test_17 ..."]),
        out("perl Makefile.PL && prove -v", 1, rows(1, 30, |n| format!("ok {n} - case {n}")) + "not ok 31 - drains\n#   Failed test 'drains'\n#   at t/a.t line 12.\n#          got: '3'\n#     expected: '4'\n1..31\n# Looks like you failed 1 test of 31.\n", &["not ok 31 - drains", "t/a.t line 12", "got: '3'", "expected: '4'", "failed 1 test of 31"], &[]),
        out("swift test", 1, "Test Case 'A.testOne' started at 2026\nTest Case 'A.testOne' passed (0.001 seconds)\n/w/Tests/ATests.swift:9: error: A.testTwo : XCTAssertEqual failed: (\"3\") is not equal to (\"4\")\nTest Case 'A.testTwo' failed (0.002 seconds)\n\t Executed 2 tests, with 1 failure (0 unexpected) in 0.003 seconds\n", &["ATests.swift:9", "(\"3\") is not equal to (\"4\")", "A.testTwo", "with 1 failure"], &["testOne' started"]),
        out("flake8 src", 1, rows(1, 20, |n| format!("src/app/module.py:{n}:80: E501 line too long ({} > 79 characters)", 80 + n)), &["src/app/module.py", "E501", "7:80", "20:80", "(100 > 79 characters)"], &[]),
        out("shellcheck a.sh", 1, "\nIn a.sh line 3:\nrm -rf $x/*\n       ^-- SC2115 (warning): Use \"${var:?}\" to ensure this never expands to /* .\n       ^-- SC2086 (info): Double quote to prevent globbing and word splitting.\n", &["a.sh line 3", "SC2115", "SC2086"], &[]),
        out("trivy fs .", 1, "Total: 1 (HIGH: 1, CRITICAL: 0)\n│ openssl │ CVE-2023-0286 │ HIGH │ 3.0.7 │ 3.0.8 │\n", &["CVE-2023-0286", "HIGH: 1", "3.0.8"], &[]),
    ]
}

#[test]
fn facts_of_every_family_survive_and_noise_goes() {
    let mut wrong = Vec::new();
    for case in outputs() {
        let done = filter_captured(
            &Catalog::built_in(),
            case.command,
            case.exit,
            case.stdout.as_bytes(),
            case.stderr.as_bytes(),
            CaptureOptions::default(),
        );
        for fact in case.facts {
            if !done.text.contains(fact) {
                wrong.push(format!("{}: lost {fact:?}\n{}", case.command, done.text));
            }
        }
        for noise in case.noise {
            if done.text.contains(noise) {
                wrong.push(format!("{}: still shows {noise:?}\n{}", case.command, done.text));
            }
        }
        assert!(done.filtered_tokens <= done.raw_tokens, "{}", case.command);
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
