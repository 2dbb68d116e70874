//! `find_package(Mapwright)` of an installed tree, from a C++ project that adds our passes to its
//! own pass manager.

use crate::support::{folder, llvm, programs, root, run};
use std::fs;

#[test]
fn a_cpp_project_adds_our_passes_to_its_own_pass_manager() {
    let folder = folder("cmake");
    // As packagers do: below another folder than the one where it is going to be.
    let prefix = folder.join("opt/mapwright");
    run(
        "cmake",
        [
            "-E".to_owned(),
            "env".into(),
            format!("DESTDIR={}", folder.display()),
            "cmake".into(),
            "-DPREFIX=/opt/mapwright".into(),
            format!("-DPROGRAMS={}", programs().display()),
            "-P".into(),
            root().join("cmake/install.cmake").display().to_string(),
        ],
    )
    .ok();

    let build = folder.join("build");
    run(
        "cmake",
        [
            "-G".to_owned(),
            "Ninja".into(),
            "-S".into(),
            root().join("examples/cmake").display().to_string(),
            "-B".into(),
            build.display().to_string(),
            format!("-DCMAKE_PREFIX_PATH={}", prefix.display()),
            format!("-DCMAKE_CXX_COMPILER={}/bin/clang++", llvm().display()),
            format!("-DCMAKE_C_COMPILER={}/bin/clang", llvm().display()),
            "-DCMAKE_BUILD_TYPE=Release".into(),
        ],
    )
    .ok();
    run("cmake", ["--build".as_ref(), build.as_os_str()]).ok();

    for program in ["with_runtime", "with_runtime_static"] {
        let none: [&str; 0] = [];
        assert_eq!(run(build.join(program), none).ok(), "1 2 3\n");
    }
    let needed = run("ldd", [build.join("with_runtime")]).ok();
    assert!(
        needed.contains("libmapwright_runtime.so") && !needed.contains("LLVM"),
        "{needed}"
    );
    let description =
        fs::read_to_string(prefix.join("lib/pkgconfig/mapwright-runtime.pc")).unwrap();
    for line in [
        "prefix=${pcfiledir}/../..",
        "Libs: -L${libdir} -lmapwright_runtime",
    ] {
        assert!(description.contains(line), "{description}");
    }
    for file in [
        "doc/mapwright/LICENSE",
        "man/man1/mapwright.1",
        "man/man1/mapwright-reduce.1",
        "bash-completion/completions/mapwright",
        "zsh/site-functions/_mapwright",
        "fish/vendor_completions.d/mapwright.fish",
    ] {
        assert!(prefix.join("share").join(file).exists(), "no {file}");
    }
    let symbols = |file: &str| run(llvm().join("bin/llvm-nm"), [prefix.join(file)]).ok();
    for file in ["bin/mapwright", "lib/libmapwright.so"] {
        assert_eq!(symbols(file), "", "{file} has what only a debugger reads");
    }

    let file = folder.join("f.mlir");
    fs::write(
        &file,
        "func.func @f(%a: tensor<10x20xf32>) -> (tensor<10x20xf32>, tensor<11x20xf32>) {
           %0 = stablehlo.reverse %a, dims = [0] : tensor<10x20xf32>
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %1 = stablehlo.pad %0, %z, low = [1, 0], high = [0, 0], interior = [0, 0]
             : (tensor<10x20xf32>, tensor<f32>) -> tensor<11x20xf32>
           return %0, %1 : tensor<10x20xf32>, tensor<11x20xf32>
         }",
    )
    .unwrap();
    let text = run(build.join("pipeline"), [&file]).ok();
    assert!(
        text.contains("(d0, d1) -> (-d0 + 9, d1), domain: d0 in [0, 9], d1 in [0, 19]"),
        "{text}"
    );
    assert!(
        text.contains("no pass: mapwright has no pass named indexing-nothing"),
        "{text}"
    );
    // Upstream's `affine.apply` of the maps, with the variables' ranges, and a map that was made
    // from upstream's.
    for line in [
        "#map = affine_map<(d0, d1) -> (-d0 + 9)>",
        "func.func @access_0(%arg0: index {test.range = [0, 9]}, %arg1: index {test.range = [0, 19]}) -> (index, index)",
        "affine.apply #map(%arg0, %arg1)",
        "func.func @access_1(%arg0: index {test.range = [1, 10]}, %arg1: index {test.range = [0, 19]})",
        "made: #indexing.map<(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [0, 10]>, simplified: (d0) -> (d0), domain: d0 in [0, 9]",
        "no map of two range variables and one symbol",
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    // A value that an option cannot have is found when the pass is made, not when it runs.
    assert!(
        text.contains("option direction must be one of") && text.contains("not 'sideways'"),
        "{text}"
    );
}

#[test]
fn the_installed_programs_run() {
    let prefix = folder("install");
    run(
        "cmake",
        [
            format!("-DPREFIX={}", prefix.display()),
            format!("-DPROGRAMS={}", programs().display()),
            "-P".into(),
            root().join("cmake/install.cmake").display().to_string(),
        ],
    )
    .ok();
    for program in ["mapwright-opt", "mapwright-lsp-server", "mapwright"] {
        run(prefix.join("bin").join(program), ["--help"]).ok();
    }
}

/// A package is made of what was built, without cargo, and works where it is unpacked.
#[test]
fn a_package_works_elsewhere() {
    let folder = folder("package");
    let make = |target: &str| {
        let programs = format!("PROGRAMS={}", programs().display());
        let source = root().display().to_string();
        let arguments = ["-C", &source, "CARGO=false", &programs, target];
        run("make", arguments).ok()
    };
    let file_of = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("-- "));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let tarball = file_of(&make("tarball"));
    let there = folder.display().to_string();
    run("tar", ["-C", &there, "-xf", &tarball]).ok();
    let tree = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let version = run(tree.join("bin/mapwright"), ["--version"]).ok();
    for word in ["mapwright 0.", "LLVM 22.", "target "] {
        assert!(version.contains(word), "no {word} in {version}");
    }
    let man = fs::read_to_string(tree.join("share/man/man1/mapwright-run.1")).unwrap();
    assert!(man.contains("\\-\\-interpret"), "{man}");
    if std::path::Path::new("/usr/bin/dpkg-deb").exists() {
        let package = file_of(&make("deb"));
        let files = run("dpkg-deb", ["-c", &package]).ok();
        for file in [
            "/usr/bin/mapwright",
            "/usr/share/doc/mapwright/copyright",
            "/usr/lib/libmapwright.so",
        ] {
            assert!(
                files.contains(&format!(".{file}\n")),
                "no {file} in\n{files}"
            );
        }
        assert!(!files.contains(&there), "{files}");
    }
}
