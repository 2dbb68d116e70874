//! The C header against the library: every function is declared, every constant has the same value,
//! and a C program that is linked with the static library alone runs.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};
use std::process::Command;

use mapwright_runtime::{ElementKind, Status, ffi};

fn header() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include/mapwright-c/runtime.h")
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{command:?}\n{}{errors}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(errors, "", "{command:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_function_is_declared() {
    let text = std::fs::read_to_string(header()).unwrap();
    let declared: std::collections::BTreeSet<String> = text
        .split("mw_")
        .skip(1)
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name))
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .map(|name| format!("mw_{name}"))
        .collect();
    let exported: std::collections::BTreeSet<String> = ffi::symbols()
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect();
    assert_eq!(declared, exported);
}

/// The name of a kind's constant: `MW_F8E4M3FN`, `MW_U4`, `MW_C64`.
fn constant(kind: ElementKind) -> String {
    format!("MW_{}", format!("{kind:?}").to_uppercase())
}

#[test]
fn constants_have_the_same_values() {
    let directory = directory("constants");
    let mut source = String::from("#include <mapwright-c/runtime.h>\n#include <stddef.h>\n");
    let mut check = |condition: String| {
        source.push_str(&format!("_Static_assert({condition}, \"{condition}\");\n"))
    };
    for kind in ElementKind::ALL {
        check(format!("{} == {}", constant(kind), kind.code()));
    }
    let statuses = [
        (Status::Ok, "OK"),
        (Status::InvalidArgument, "INVALID_ARGUMENT"),
        (Status::OutOfMemory, "OUT_OF_MEMORY"),
        (Status::Internal, "INTERNAL"),
        (Status::CheckFailed, "CHECK_FAILED"),
        (Status::CallbackFailed, "CALLBACK_FAILED"),
        (Status::Timeout, "TIMEOUT"),
        (Status::OutOfBounds, "OUT_OF_BOUNDS"),
        (Status::ShapeMismatch, "SHAPE_MISMATCH"),
        (Status::Aborted, "ABORTED"),
        (Status::NotFound, "NOT_FOUND"),
        (Status::Unsupported, "UNSUPPORTED"),
    ];
    for (status, name) in statuses {
        check(format!("MW_{name} == {}", status as i32));
    }
    use mapwright_runtime::collective::Mode;
    use mapwright_runtime::fft::FftKind;
    use mapwright_runtime::linalg::Transpose;
    use mapwright_runtime::random::{Algorithm, Distribution};
    use mapwright_runtime::sort::Order;
    for (name, value) in [
        ("ASCENDING", Order::Ascending as i32),
        ("DESCENDING", Order::Descending as i32),
        ("ASCENDING_TOTAL", Order::AscendingTotal as i32),
        ("DESCENDING_TOTAL", Order::DescendingTotal as i32),
        ("RANDOM_DEFAULT", Algorithm::Default as i32),
        ("RANDOM_THREE_FRY", Algorithm::ThreeFry as i32),
        ("RANDOM_PHILOX", Algorithm::Philox as i32),
        ("RANDOM_UNIFORM", Distribution::Uniform as i32),
        ("RANDOM_NORMAL", Distribution::Normal as i32),
        ("FFT", FftKind::Forward as i32),
        ("IFFT", FftKind::Inverse as i32),
        ("RFFT", FftKind::RealForward as i32),
        ("IRFFT", FftKind::RealInverse as i32),
        ("NO_TRANSPOSE", Transpose::No as i32),
        ("TRANSPOSE", Transpose::Transpose as i32),
        ("ADJOINT", Transpose::Adjoint as i32),
        ("CROSS_REPLICA", Mode::CrossReplica as i32),
        ("CROSS_PARTITION", Mode::CrossPartition as i32),
        (
            "CROSS_REPLICA_AND_PARTITION",
            Mode::CrossReplicaAndPartition as i32,
        ),
        ("FLATTENED_IDS", Mode::FlattenedIds as i32),
    ] {
        check(format!("MW_{name} == {value}"));
    }
    check(format!(
        "sizeof(mw_sort_operand) == {}",
        size_of::<ffi::SortOperand>()
    ));
    check(format!(
        "offsetof(mw_sort_operand, kind) == {}",
        std::mem::offset_of!(ffi::SortOperand, kind)
    ));
    type View = mapwright_runtime::custom_call::BufferView;
    check(format!("sizeof(mw_buffer_view) == {}", size_of::<View>()));
    check(format!(
        "offsetof(mw_buffer_view, shape) == {}",
        std::mem::offset_of!(View, shape)
    ));
    check(format!(
        "sizeof(mw_process_groups) == {}",
        size_of::<ffi::ProcessGroups>()
    ));
    check(format!(
        "offsetof(mw_process_groups, size) == {}",
        std::mem::offset_of!(ffi::ProcessGroups, size)
    ));
    check(format!(
        "sizeof(mw_collective_operand) == {}",
        size_of::<ffi::CollectiveOperand>()
    ));
    check(format!(
        "offsetof(mw_collective_operand, output) == {}",
        std::mem::offset_of!(ffi::CollectiveOperand, output)
    ));
    let file = directory.join("constants.c");
    std::fs::write(&file, source).unwrap();
    let include = header().parent().unwrap().parent().unwrap().to_owned();
    run(Command::new("cc")
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-fsyntax-only",
            "-I",
        ])
        .arg(&include)
        .arg(&file));
    let text = "#include <mapwright-c/runtime.h>\nint main() { return MW_OK; }\n";
    let file = directory.join("header.cpp");
    std::fs::write(&file, text).unwrap();
    run(Command::new("c++")
        .args([
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-fsyntax-only",
            "-I",
        ])
        .arg(&include)
        .arg(&file));
}

const PROGRAM: &str = r#"
#include <mapwright-c/runtime.h>
#include <stdio.h>
#include <string.h>

static void square(const void *block, int64_t begin, int64_t end) {
  double *x = *(double *const *)block;
  for (int64_t i = begin; i < end; ++i) x[i] *= x[i];
}

static int32_t twice(void *user, const mw_context *context, const mw_buffer_view *arguments, int64_t argument_count,
                     mw_buffer_view *results, int64_t result_count, const char *attributes) {
  (void)user; (void)context; (void)attributes;
  if (argument_count != 1 || result_count != 1) return MW_INVALID_ARGUMENT;
  *(float *)results[0].data = 2 * *(const float *)arguments[0].data;
  return MW_OK;
}

int main(void) {
  mw_context *context = mw_context_create(2);
  if (!context || mw_context_threads(context) != 2) return 1;
  double *x = mw_alloc(context, 1000 * sizeof(double));
  if (!x || (uintptr_t)x % 64) return 2;
  for (int i = 0; i < 1000; ++i) x[i] = i;
  if (mw_parallel_for(context, square, &x, 1000) || x[999] != 999.0 * 999.0) return 3;
  mw_free(context, x, 1000 * sizeof(double));

  float keys[] = {3, -1, 2};
  int32_t payload[] = {0, 1, 2};
  mw_sort_operand operands[] = {{keys, keys, MW_F32}, {payload, payload, MW_I32}};
  int64_t shape[] = {3};
  int32_t order = MW_ASCENDING;
  if (mw_sort(context, operands, 2, shape, 1, 0, &order, 1) || payload[0] != 1 || payload[1] != 2 || payload[2] != 0) return 4;

  if (mw_sort(context, operands, 2, shape, 1, 7, &order, 1) != MW_INVALID_ARGUMENT) return 5;
  if (!strstr(mw_error_message(context), "dimension 7")) return 6;
  mw_clear_error(context);
  if (mw_error_status(context) != MW_OK) return 7;

  mw_register_custom_call("twice", twice, NULL);
  float input = 21, output = 0;
  mw_buffer_view argument = {&input, MW_F32, 0, NULL}, result = {&output, MW_F32, 0, NULL};
  if (mw_custom_call(context, "twice", &argument, 1, &result, 1, "{}") || output != 42) return 8;
  if (mw_custom_call(context, "thrice", &argument, 1, &result, 1, "{}") != MW_NOT_FOUND) return 9;
  mw_clear_error(context);
  if (mw_custom_call(context, "thrice", &argument, 1, &result, 1, "{}") != MW_NOT_FOUND) return 9;
  if (mw_failed_at(context, "line 7") != MW_NOT_FOUND || mw_failed_at(context, "line 1") != MW_NOT_FOUND) return 9;
  if (!strstr(mw_error_message(context), "\"thrice\", in line 7") || strstr(mw_error_message(context), "line 1")) return 9;

  mw_set_memory_limit(context, 1000);
  if (mw_alloc(context, 1 << 20)) return 10;
  mw_context_destroy(context);
  puts("all is well");
  return 0;
}
"#;

/// The static library, as it is built beside this test (which is `target/PROFILE/deps/NAME`): with
/// the shared one among its forms the crate's files have no hash in their names. Another call of
/// cargo would replace them by those of other features, and with them what the tests that come
/// later were built with.
fn static_library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.with_file_name("libmapwright_runtime.a")
}

#[test]
fn a_c_program_links_with_the_static_library_alone() {
    let directory = directory("program");
    let library = static_library();
    let file = directory.join("program.c");
    std::fs::write(&file, PROGRAM).unwrap();
    let program = directory.join("program");
    let include = header().parent().unwrap().parent().unwrap().to_owned();
    run(Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-O1", "-I"])
        .arg(include)
        .arg(&file)
        .arg(library)
        .args(["-lpthread", "-lm", "-ldl", "-Wl,--gc-sections", "-o"])
        .arg(&program));
    assert_eq!(run(&mut Command::new(&program)), "all is well\n");
}
