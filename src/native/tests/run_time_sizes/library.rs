//! Functions compiled ahead of time, which a program in C calls.

use mapwright_mlir::Op;
use mapwright_native::{
    CompileOptions,
    artifact::{self, Format},
};
use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A call of a function, by its number, and what has to be printed: sizes and bits of its result.
struct Call {
    line: String,
    expected: String,
    what: String,
}

/// Objects, a table of their functions, and calls of these.
pub struct Library {
    folder: PathBuf,
    objects: Vec<PathBuf>,
    declared: String,
    table: String,
    functions: usize,
    calls: Vec<Call>,
}

impl Library {
    pub fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("mapwright-sizes-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self {
            folder,
            objects: Vec::new(),
            declared: String::new(),
            table: String::new(),
            functions: 0,
            calls: Vec::new(),
        }
    }

    /// Compiles a module with functions of these names, and results of these types. Returns the
    /// number of the first one.
    pub fn add<'t>(
        &mut self,
        module: Op<'_>,
        functions: impl Iterator<Item = (&'t str, &'t str)>,
    ) -> usize {
        let options = CompileOptions {
            prefix: format!("moved{}", self.objects.len()),
            ..CompileOptions::default()
        };
        let made = artifact::compile(module, &options, Format::Object).unwrap();
        let object = self.folder.join(format!("{}.o", options.prefix));
        fs::write(&object, &made.bytes).unwrap();
        self.objects.push(object);
        let first = self.functions;
        for (name, ty) in functions {
            let symbol = format!("{}_{name}", options.prefix);
            assert!(made.symbols.contains(&symbol), "{:?}", made.symbols);
            let (rank, is_static) = (ty.matches('x').count(), !ty.contains('?'));
            writeln!(self.declared, "extern entry {symbol};").unwrap();
            let line = format!("  {{{symbol}, {rank}, {}}},", i32::from(is_static));
            writeln!(self.table, "{line}").unwrap();
            self.functions += 1;
        }
        first
    }

    /// Notes a call with arguments of the sizes `n`, `m`, `n` by 6 and `k`.
    pub fn call(
        &mut self,
        function: usize,
        [n, m, k]: [i64; 3],
        expected: (&[i64], &[u8]),
        what: String,
    ) {
        let words = expected.1.chunks_exact(4);
        let bits: Vec<u32> = words
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect();
        self.calls.push(Call {
            line: format!("{function} {n} {m} {k}"),
            expected: format!("{:?} {bits:?}", expected.0),
            what,
        });
    }

    /// Links the program, makes all calls and says which give something else.
    pub fn differences(self) -> Vec<String> {
        let header = format!(
            "#include \"mapwright-c/runtime.h\"\n#include <stdint.h>\n\ntypedef int32_t entry(const mw_context *, const void *const *, const int64_t *, void **, int64_t *);\n\
             {}static const struct {{\n  entry *entry;\n  int rank, is_static;\n}} TABLE[] = {{\n{}}};\n",
            self.declared, self.table
        );
        fs::write(self.folder.join("table.h"), header).unwrap();
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = self.folder.join("calls");
        // The static library is beside the test, or where cargo puts what was asked for.
        let test = std::env::current_exe().unwrap();
        let mut places = test
            .ancestors()
            .skip(1)
            .map(|p| p.join("libmapwright_runtime.a"));
        let runtime = places.find(|place| place.exists()).unwrap();
        let linked = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
            .args(["-std=c11", "-Wall", "-Werror"])
            .arg(own.join("tests/run_time_sizes/library.c"))
            .arg("-I")
            .arg(&self.folder)
            .arg("-I")
            .arg(own.join("../../include"))
            .args(&self.objects)
            .arg(runtime)
            .args(["-lm", "-lpthread", "-ldl", "-o"])
            .arg(&program)
            .output()
            .unwrap();
        assert!(
            linked.status.success(),
            "{}",
            String::from_utf8_lossy(&linked.stderr)
        );
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines: Vec<&str> = self.calls.iter().map(|call| call.line.as_str()).collect();
        let (asked, mut stdin) = (lines.join("\n"), child.stdin.take().unwrap());
        let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        fs::remove_dir_all(&self.folder).unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{:?}: {found}", output.status);
        assert_eq!(found.lines().count(), self.calls.len());
        (self.calls.iter().zip(found.lines()))
            .filter(|(call, found)| call.expected != *found)
            .map(|(call, found)| {
                format!(
                    "{}, ahead of time: {found}, not {}",
                    call.what, call.expected
                )
            })
            .collect()
    }
}
