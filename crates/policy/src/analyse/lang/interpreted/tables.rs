//! Which names reach out of a program, by language.
//!
//! A name with a dot is compared from the right, component by component (`os.remove` fits `os.remove` and
//! not `list.remove`); a name without one fits the last component.

use crate::knowledge::schema::Lang;

pub(super) struct Table {
    /// Reach the network.
    pub net: &'static [&'static str],
    /// Take a command line or the words of one.
    pub shell: &'static [&'static str],
    /// Take program text.
    pub eval: &'static [&'static str],
    /// Remove the file they are given.
    pub delete: &'static [&'static str],
    /// Write the file they are given.
    pub write: &'static [&'static str],
    /// Read the file they are given.
    pub read: &'static [&'static str],
    /// Open a file in a mode that follows.
    pub open: &'static [&'static str],
    /// Give the whole environment.
    pub secret: &'static [&'static str],
    /// Can do anything.
    pub touchy: &'static [&'static str],
    /// Do nothing but compute and print.
    pub safe: &'static [&'static str],
    /// Modules that reach the network.
    net_modules: &'static [&'static str],
    /// Modules that compute, or whose dangerous names are above.
    safe_modules: &'static [&'static str],
}

impl Table {
    pub(super) fn is(&self, list: &[&str], name: &str) -> bool {
        list.iter().any(|entry| {
            if entry.contains('.') {
                name == *entry || name.strip_suffix(entry).is_some_and(|rest| rest.ends_with('.'))
            } else {
                name == *entry || name.rsplit('.').next() == Some(entry)
            }
        })
    }

    pub(super) fn net_module(&self, module: &str) -> bool {
        within(self.net_modules, module)
    }

    pub(super) fn safe_module(&self, module: &str) -> bool {
        within(self.safe_modules, module)
    }
}

/// Whether a module is one of these or inside one of them.
fn within(list: &[&str], module: &str) -> bool {
    list.iter().any(|m| module.strip_prefix(m).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':'])))
}

pub(super) fn of(lang: Lang) -> Option<&'static Table> {
    Some(match lang {
        Lang::Python => &PYTHON,
        Lang::Perl => &PERL,
        Lang::Ruby => &RUBY,
        Lang::Node => &NODE,
        Lang::Php => &PHP,
        Lang::Lua => &LUA,
        Lang::Tcl => &TCL,
        _ => return None,
    })
}

static PYTHON: Table = Table {
    net: &[
        "urlopen", "urlretrieve", "urllib.request", "requests", "httpx", "aiohttp", "create_connection", "socket.socket", "HTTPConnection", "HTTPSConnection",
        "http.client", "http.server", "HTTPServer", "TCPServer", "ftplib", "smtplib", "telnetlib", "poplib", "imaplib", "nntplib", "xmlrpc", "paramiko", "gethostbyname",
        "getaddrinfo", "getfqdn", "gethostbyaddr", "open_connection", "start_server", "websockets", "websocket", "boto3", "botocore", "urllib3", "pycurl", "webbrowser",
    ],
    shell: &[
        "os.system", "os.popen", "system", "popen", "subprocess.run", "subprocess.call", "subprocess.Popen", "subprocess.check_call", "subprocess.check_output",
        "subprocess.getoutput", "subprocess.getstatusoutput", "Popen", "check_output", "check_call", "getoutput", "getstatusoutput", "create_subprocess_shell",
        "create_subprocess_exec", "pty.spawn", "commands.getoutput",
    ],
    eval: &["eval", "exec", "compile", "execfile"],
    delete: &["os.remove", "os.unlink", "os.rmdir", "os.removedirs", "shutil.rmtree", "rmtree", "removedirs", "unlink", "rmdir", "send2trash", "shutil.move", "os.rename", "os.replace", "rename"],
    write: &["write_text", "write_bytes", "touch", "os.mkdir", "os.makedirs", "makedirs", "mkdir", "os.chmod", "os.chown", "os.truncate", "os.mknod", "os.mkfifo", "os.utime", "extractall", "chmod", "lchmod", "chown"],
    read: &["read_text", "read_bytes", "os.listdir", "os.scandir", "os.walk", "os.stat", "listdir", "scandir", "os.path.exists", "os.path.getsize", "os.path.isfile", "os.path.isdir"],
    open: &["open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "fdopen"],
    secret: &["os.environ", "environ", "environb", "keyring", "getpass"],
    touchy: &[
        "getattr", "setattr", "delattr", "globals", "locals", "vars", "importlib", "import_module", "breakpoint", "ctypes", "cffi", "pickle", "cPickle", "marshal", "shelve", "dill", "code", "codeop",
        "runpy", "pty", "multiprocessing", "ProcessPoolExecutor", "os.exec", "execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "spawnl", "spawnle", "spawnv", "spawnve", "spawnvp", "spawnlp", "posix_spawn", "fork", "forkpty", "os.kill", "killpg", "os.symlink", "os.link",
        "symlink", "symlink_to", "hardlink_to", "link_to", "os.open", "os.write", "os.chdir", "chdir", "chroot", "setuid", "setgid", "putenv", "shutil.copy", "copyfile", "copytree", "copy2", "copymode", "sqlite3", "mmap", "fcntl", "signal", "resource", "site", "sitecustomize", "builtins", "gc", "inspect", "types", "sys.modules", "sys.settrace", "sys.path", "setprofile", "yaml", "subprocess", "socket", "ssl", "asyncio", "sh", "pexpect", "fabric", "invoke", "tempfile", "distutils", "setuptools", "pip", "ensurepip", "venv", "zipfile", "tarfile", "shutil", "FileIO", "input",
    ],
    safe: &[
        "print", "len", "range", "str", "int", "float", "list", "dict", "set", "tuple", "sorted", "sum", "min", "max", "enumerate", "zip", "map", "filter", "abs", "round", "any", "all", "isinstance",
        "issubclass", "type", "repr", "format", "chr", "ord", "hex", "bin", "oct", "bool", "bytes", "bytearray", "iter", "next", "reversed", "slice", "hash", "divmod", "pow", "complex", "frozenset", "ascii", "callable", "object", "super", "Exception", "ValueError", "KeyError", "IndexError", "TypeError", "StopIteration", "RuntimeError", "NotImplementedError", "AssertionError", "OSError", "FileNotFoundError", "SystemExit", "KeyboardInterrupt", "ImportError",
        "for", "in", "if", "else", "elif", "while", "import", "from", "as", "def", "return", "lambda", "and", "or", "not", "is", "None", "True", "False", "with", "try", "except", "finally", "raise", "pass", "break", "continue", "class", "yield", "assert", "del", "global", "nonlocal", "async", "await", "self", "_", "exit", "quit",
    ],
    net_modules: &["urllib.request", "urllib2", "requests", "httpx", "aiohttp", "http.client", "http.server", "ftplib", "smtplib", "telnetlib", "poplib", "imaplib", "nntplib", "xmlrpc", "paramiko", "websockets", "websocket", "boto3", "urllib3", "pycurl", "webbrowser", "socketserver", "socket", "fsspec", "s3fs", "gcsfs", "google.cloud", "azure", "openai", "anthropic", "twisted", "scapy", "dns", "grpc", "tweepy", "slack_sdk", "httplib", "httplib2", "treq", "pyftpdlib", "SimpleHTTPServer", "pymysql", "psycopg2", "redis", "pymongo"],
    safe_modules: &[
        "json", "sys", "re", "math", "cmath", "collections", "itertools", "functools", "datetime", "time", "string", "textwrap", "random", "statistics", "decimal", "fractions", "os", "pathlib", "glob", "fnmatch", "csv", "hashlib", "hmac", "base64", "struct", "typing", "dataclasses", "enum", "pprint", "ast", "tokenize",
        "token", "keyword", "unicodedata", "difflib", "argparse", "copy", "heapq", "bisect", "operator", "platform", "calendar", "uuid", "zlib", "binascii", "html", "xml.etree", "xml.dom", "tomllib", "tomli", "configparser", "io", "numbers", "array", "queue", "contextlib", "abc", "locale", "gettext", "traceback", "warnings", "secrets", "codecs", "urllib.parse", "ipaddress", "mimetypes", "email", "stat", "errno", "filecmp", "linecache", "reprlib", "zoneinfo", "graphlib", "colorsys", "gzip", "bz2", "lzma", "shlex", "__future__", "sysconfig", "timeit", "logging", "unittest", "doctest", "numpy",
    ],
};

static PERL: Table = Table {
    net: &["IO.Socket", "IO.Socket.INET", "Socket", "LWP", "LWP.UserAgent", "LWP.Simple", "HTTP.Tiny", "Net", "socket", "connect", "gethostbyname", "getaddrinfo", "INET", "WWW.Mechanize", "Mojo.UserAgent"],
    shell: &["system", "exec", "open2", "open3", "popen"],
    eval: &["eval"],
    delete: &["unlink", "rmdir", "rmtree", "remove_tree", "rename", "move"],
    write: &["mkdir", "make_path", "mkpath", "truncate", "utime"],
    read: &["opendir", "stat", "glob", "slurp", "read_file"],
    open: &[],
    secret: &["ENV"],
    touchy: &["open", "sysopen", "do", "require", "fork", "kill", "syscall", "dbmopen", "symlink", "link", "chmod", "chown", "chroot", "chdir", "CORE", "Fcntl", "XSLoader", "DynaLoader", "Inline", "POSIX", "pipe", "readpipe", "File.Copy", "copy", "UNIVERSAL", "can", "AUTOLOAD", "tie"],
    safe: &[
        "print", "printf", "say", "my", "our", "local", "if", "else", "elsif", "unless", "while", "until", "for", "foreach", "and", "or", "not", "xor", "x", "eq", "ne", "lt", "gt", "le", "ge", "cmp", "split", "join", "map", "grep", "sort", "reverse", "keys", "values", "each", "exists", "defined", "delete",
        "push", "pop", "shift", "unshift", "splice", "length", "substr", "index", "rindex", "uc", "lc", "ucfirst", "lcfirst", "sprintf", "chomp", "chop", "chr", "ord", "hex", "oct", "abs", "int", "sqrt", "sin", "cos", "rand", "time", "localtime", "gmtime", "scalar", "wantarray", "ref", "bless", "return", "last", "next", "redo", "die", "warn", "exit", "sub", "use", "no", "strict", "warnings", "utf8", "feature", "BEGIN", "END",
        "STDIN", "STDOUT", "STDERR", "ARGV", "NR", "undef", "eof", "pos", "quotemeta", "sprintf", "pack", "unpack", "lines", "List.Util", "sum", "max", "min", "first", "uniq", "Data.Dumper", "Dumper", "JSON.PP", "decode_json", "encode_json", "binmode", "_", "v5", "tr", "y", "wait", "package", "constant", "parent", "base", "Encode", "decode", "encode", "MIME.Base64", "decode_base64", "encode_base64", "Time.HiRes", "Getopt.Long", "File.Basename", "basename", "dirname", "Text.Wrap",
    ],
    net_modules: &["IO.Socket", "Socket", "LWP", "HTTP", "Net", "WWW", "Mojo"],
    safe_modules: &["strict", "warnings", "utf8", "feature", "List.Util", "Data.Dumper", "JSON.PP", "JSON", "Encode", "MIME.Base64", "Time.HiRes", "Getopt.Long", "File.Basename", "Text.Wrap", "constant", "integer", "bigint", "open", "v5", "Digest", "Time.Local", "Scalar.Util", "Unicode.Normalize", "charnames", "locale", "parent", "base"],
};

static RUBY: Table = Table {
    net: &["Net.HTTP", "Net.FTP", "Net.SMTP", "Net.SSH", "URI.open", "TCPSocket", "UDPSocket", "TCPServer", "Socket", "HTTParty", "Faraday", "RestClient", "HTTP", "Excon", "OpenURI", "WEBrick", "Resolv", "OpenSSL.SSL"],
    shell: &["system", "exec", "spawn", "popen", "popen2", "popen3", "popen2e", "capture2", "capture2e", "capture3", "Open3.pipeline"],
    eval: &["eval", "instance_eval", "class_eval", "module_eval", "binding"],
    delete: &["File.delete", "File.unlink", "Dir.rmdir", "Dir.delete", "Dir.unlink", "rm", "rm_f", "rm_r", "rm_rf", "rmtree", "remove_dir", "remove_entry", "remove_entry_secure", "remove_file", "File.rename", "FileUtils.mv", "mv", "safe_unlink"],
    write: &["File.write", "IO.write", "binwrite", "File.truncate", "Dir.mkdir", "mkdir_p", "makedirs", "FileUtils.touch", "FileUtils.mkdir", "touch", "mkdir", "File.chmod"],
    read: &["File.read", "IO.read", "IO.readlines", "File.readlines", "File.foreach", "binread", "Dir.entries", "Dir.children", "Dir.glob", "File.exist", "File.size"],
    open: &["File.open", "File.new", "IO.open", "open"],
    secret: &["ENV"],
    touchy: &["send", "__send__", "public_send", "method", "define_method", "const_get", "syscall", "fork", "Process", "ObjectSpace", "Fiddle", "Marshal", "load", "autoload", "trap", "at_exit", "PTY", "Kernel", "IO.sysopen", "FileUtils.cp", "cp_r", "cp", "ln_s", "chmod_R", "chown_R", "Tempfile", "YAML", "test", "instance_variable_set", "callcc", "DRb"],
    safe: &[
        "puts", "print", "p", "pp", "printf", "sprintf", "format", "if", "else", "elsif", "unless", "while", "until", "for", "in", "do", "end", "def", "class", "module", "return", "yield", "nil", "true", "false", "self", "and", "or", "not", "then", "case", "when", "begin", "rescue", "ensure", "raise", "next", "break", "redo", "require", "loop", "lambda", "proc", "Integer", "Float", "String", "Array", "Hash", "Struct", "Time", "Date", "JSON",
        "Math", "Set", "Regexp", "Comparable", "Enumerable", "rand", "srand", "gets", "ARGF", "STDIN", "STDOUT", "STDERR", "exit", "abort", "warn", "freeze", "attr_accessor", "attr_reader", "new", "RUBY_VERSION", "RUBY_PLATFORM", "ARGV", "CSV", "Digest", "SecureRandom", "Base64", "BigDecimal", "Rational", "Complex", "Range", "Random", "sleep", "catch", "throw", "initialize", "Object", "StandardError", "File.basename", "File.extname", "File.join", "File.dirname", "URI.parse", "URI",
    ],
    net_modules: &["net", "open-uri", "socket", "httparty", "faraday", "rest-client", "webrick", "openssl", "resolv", "http", "excon", "typhoeus", "mechanize"],
    safe_modules: &["json", "set", "time", "date", "csv", "pp", "digest", "securerandom", "base64", "bigdecimal", "ostruct", "optparse", "forwardable", "prime", "matrix", "English", "abbrev", "shellwords", "stringio", "strscan", "zlib", "uri", "fileutils", "pathname", "yaml", "erb", "benchmark", "open3"],
};

static NODE: Table = Table {
    net: &["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "http.request", "http.get", "https.request", "https.get", "createServer", "net.connect", "createConnection", "dns.lookup", "dns.resolve", "axios", "navigator.sendBeacon", "Deno.connect", "Deno.listen", "Deno.serve", "Deno.connectTls", "Deno.resolveDns", "Bun.serve", "Bun.connect", "Bun.listen", "createSocket", "lookup"],
    shell: &["exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "Deno.Command", "Deno.run", "Bun.spawn", "Bun.spawnSync", "Bun.$"],
    eval: &["eval", "Function", "runInThisContext", "runInNewContext", "runInContext"],
    delete: &["rmSync", "rm", "unlinkSync", "unlink", "rmdirSync", "rmdir", "renameSync", "rename", "remove", "removeSync", "emptyDirSync", "Deno.remove", "Deno.removeSync"],
    write: &["writeFileSync", "writeFile", "appendFileSync", "appendFile", "createWriteStream", "mkdirSync", "mkdir", "truncateSync", "truncate", "chmodSync", "chmod", "utimesSync", "outputFileSync", "Deno.writeTextFile", "Deno.writeTextFileSync", "Deno.writeFile", "Bun.write"],
    read: &["readFileSync", "readFile", "createReadStream", "readdirSync", "readdir", "statSync", "existsSync", "lstatSync", "readJsonSync", "Deno.readTextFile", "Deno.readTextFileSync", "Deno.readFile", "Bun.file"],
    open: &["openSync"],
    secret: &["process.env", "Deno.env", "Bun.env"],
    touchy: &["process.binding", "process.dlopen", "fork", "Worker", "worker_threads", "vm", "cluster", "child_process", "module", "inspector", "symlinkSync", "symlink", "linkSync", "copyFileSync", "copyFile", "cpSync", "cp", "process.kill", "process.chdir", "process.setuid", "globalThis", "Reflect", "constructor", "getBuiltinModule", "mainModule", "Deno.dlopen", "Deno.kill", "WebAssembly", "v8", "repl"],
    safe: &[
        "console", "JSON", "Math", "Object", "Array", "String", "Number", "Boolean", "Date", "RegExp", "Map", "Set", "Symbol", "Promise", "BigInt", "parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "decodeURIComponent", "encodeURI", "decodeURI", "Buffer", "process.version", "process.versions", "process.argv", "process.stdout", "process.stdin", "process.stderr", "process.platform", "process.arch", "process.cwd", "process.exit",
        "process.uptime", "process.memoryUsage", "process.hrtime", "process.exitCode", "process.on", "const", "let", "var", "function", "return", "if", "else", "for", "of", "in", "while", "do", "switch", "case", "default", "break", "continue", "new", "this", "typeof", "instanceof", "try", "catch", "finally", "throw", "await", "async", "yield", "class", "extends", "true", "false", "null", "undefined", "NaN", "Infinity", "require", "import", "from", "as", "export", "void", "delete", "Error", "TypeError", "RangeError", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "structuredClone", "setTimeout", "Intl", "Uint8Array", "performance", "util", "path", "os", "fs", "_", "utf8",
    ],
    net_modules: &["http", "https", "net", "dgram", "tls", "dns", "http2", "axios", "node-fetch", "undici", "ws", "got", "request", "superagent", "socket.io", "socket.io-client", "express", "fastify", "koa", "puppeteer", "playwright", "ssh2", "ftp", "nodemailer", "pg", "mysql", "mysql2", "redis", "ioredis", "mongodb", "aws-sdk", "@aws-sdk", "openai"],
    safe_modules: &["fs", "fs/promises", "path", "os", "util", "assert", "events", "buffer", "string_decoder", "querystring", "url", "crypto", "zlib", "stream", "timers", "readline", "perf_hooks", "punycode", "process", "child_process"],
};

static PHP: Table = Table {
    net: &["curl_init", "curl_exec", "curl_multi_exec", "curl_setopt", "fsockopen", "pfsockopen", "stream_socket_client", "stream_socket_server", "socket_create", "socket_connect", "mail", "ftp_connect", "ssh2_connect", "gethostbyname", "dns_get_record", "dns_check_record", "checkdnsrr", "getmxrr", "SoapClient", "get_headers", "http_get", "Guzzle", "GuzzleHttp", "mysqli_connect", "mysqli", "PDO"],
    shell: &["system", "exec", "shell_exec", "passthru", "popen", "proc_open", "pcntl_exec"],
    eval: &["eval", "assert", "create_function"],
    delete: &["unlink", "rmdir", "rename"],
    write: &["file_put_contents", "mkdir", "touch", "chmod", "chown", "move_uploaded_file", "ftruncate"],
    read: &["file_get_contents", "file", "readfile", "scandir", "opendir", "glob", "file_exists", "is_file", "filesize", "parse_ini_file", "simplexml_load_file", "highlight_file", "show_source", "copy"],
    open: &["fopen", "SplFileObject"],
    secret: &["getenv", "_ENV", "_SERVER", "phpinfo"],
    touchy: &["call_user_func", "call_user_func_array", "preg_replace_callback", "array_map", "usort", "register_shutdown_function", "include", "include_once", "require", "require_once", "dl", "putenv", "ini_set", "symlink", "link", "posix_kill", "pcntl_fork", "unserialize", "ReflectionFunction", "ReflectionMethod", "FFI", "extract", "parse_str", "mb_send_mail", "imap_open", "error_log"],
    safe: &[
        "echo", "print", "printf", "sprintf", "print_r", "var_dump", "var_export", "json_encode", "json_decode", "strlen", "strtoupper", "strtolower", "substr", "strpos", "str_replace", "explode", "implode", "trim", "count", "array", "array_keys", "array_values", "array_merge", "in_array", "sort", "range", "max", "min", "abs", "round", "floor", "ceil", "intval", "floatval", "date", "time", "strtotime", "isset", "empty", "if", "else", "elseif", "foreach", "for", "while", "as", "function", "return", "new", "class", "true", "false", "null", "md5", "sha1", "hash", "base64_encode", "base64_decode", "phpversion", "PHP_VERSION", "PHP_EOL", "PHP_OS", "str_repeat", "number_format", "preg_match", "preg_split", "ucfirst", "exit", "die", "STDIN", "STDOUT", "mt_rand", "rand", "random_int", "fgets", "fwrite", "is_array", "is_string", "array_sum", "array_unique", "php_sapi_name", "sys_get_temp_dir",
    ],
    net_modules: &[],
    safe_modules: &[],
};

static LUA: Table = Table {
    net: &["socket", "http.request", "socket.tcp", "socket.connect"],
    shell: &["os.execute", "io.popen", "vim.fn.system", "execute", "popen"],
    eval: &["load", "loadstring"],
    delete: &["os.remove", "os.rename"],
    write: &["io.output"],
    read: &["io.lines", "io.input"],
    open: &["io.open"],
    secret: &["os.getenv"],
    touchy: &["dofile", "loadfile", "debug", "package", "ffi", "os.tmpname", "setfenv", "getfenv", "_G", "_ENV", "rawset", "collectgarbage"],
    safe: &["print", "pairs", "ipairs", "next", "type", "tostring", "tonumber", "string", "table", "math", "select", "error", "assert", "pcall", "setmetatable", "getmetatable", "local", "function", "end", "if", "then", "else", "elseif", "for", "in", "do", "while", "repeat", "until", "return", "break", "nil", "true", "false", "and", "or", "not", "unpack", "io.write", "io.read", "io.stdout", "os.time", "os.date", "os.clock", "utf8", "require", "_VERSION", "arg", "io", "os"],
    net_modules: &["socket", "ssl", "http", "copas", "lsocket"],
    safe_modules: &["cjson", "json", "dkjson", "inspect", "lpeg"],
};

static TCL: Table = Table {
    net: &["socket", "http", "http.geturl", "ftp", "tls", "dns"],
    shell: &[],
    eval: &["eval", "uplevel", "subst"],
    delete: &[],
    write: &[],
    read: &[],
    open: &[],
    secret: &["env"],
    touchy: &["exec", "spawn", "open", "file", "source", "load", "package", "interp", "rename", "after", "trace", "cd", "glob", "send", "vwait", "fileevent", "chan", "interact", "log_file", "system"],
    safe: &["puts", "set", "expr", "if", "else", "elseif", "for", "foreach", "while", "proc", "return", "list", "lindex", "llength", "lappend", "string", "incr", "format", "split", "join", "lsort", "regexp", "regsub", "clock", "info", "dict", "array", "exit", "stdout", "stderr", "length", "toupper", "tolower", "patchlevel", "append", "break", "continue", "switch"],
    net_modules: &[],
    safe_modules: &[],
};
