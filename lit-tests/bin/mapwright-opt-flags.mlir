// Upstream's flags, since it is upstream's driver.
// RUN: mapwright-opt --help | FileCheck %s --check-prefix=HELP
// RUN: mapwright-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: mapwright-opt %s --split-input-file --verify-diagnostics
// RUN: split-file %s %t
// RUN: mapwright-opt %t/good.mlir --indexing-strip --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: mapwright-opt %t/good.mlir --indexing-strip --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: mapwright-opt %t/good.mlir --emit-bytecode -o %t/good.mlirbc
// RUN: mapwright-opt %t/good.mlirbc | FileCheck %s --check-prefix=BYTECODE
// RUN: mapwright-opt %t/good.mlir --pass-pipeline='builtin.module(func.func(indexing-strip),cse)' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: mapwright-opt %t/good.mlir --indexing-strip --mlir-generate-reproducer=%t/again.mlir
// RUN: mapwright-opt %t/again.mlir --run-reproducer | FileCheck %s --check-prefix=BYTECODE
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t/again.mlir

// HELP-DAG: --indexing-strip
// HELP-DAG: --canonicalize
// DIALECTS: Available Dialects:{{.*}}arith
// AFTER: IR Dump After IndexingStrip (indexing-strip)
// TIMING: IndexingStrip
// BYTECODE: func.func private @f()
// PIPELINE: func.func(
// PIPELINE:   indexing-strip
// REPRODUCER: pipeline: "builtin.module(indexing-strip)"

//--- good.mlir
func.func private @f()

// -----

//--- bad.mlir
func.func @g(%a: f32) {
  // expected-error @+1 {{op requires the same type for all operands and results}}
  %0 = "arith.addf"(%a, %a) : (f32, f32) -> f64
  return
}
