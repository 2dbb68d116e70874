// RUN: split-file %s %t
// RUN: mapwright run %t/one.mlir
// RUN: mapwright run %t/one.mlir --interpret
// RUN: mapwright-opt %t/one.mlir --indexing-legalize-to-linalg -o /dev/null
// RUN: mapwright-opt %t/slices.mlir --indexing-annotate | FileCheck %s --check-prefix=MAPS
// RUN: not mapwright run %t/slices.mlir 2>&1 | FileCheck %s
// RUN: not mapwright run %t/slices.mlir --interpret 2>&1 | FileCheck %s
// RUN: not mapwright run %t/windows.mlir 2>&1 | FileCheck %s --check-prefix=WINDOWS
// RUN: not mapwright run %t/windows.mlir --interpret 2>&1 | FileCheck %s --check-prefix=WINDOWS
// RUN: not mapwright-opt %t/slices.mlir --indexing-legalize-to-linalg 2>&1 | FileCheck %s
// RUN: not mapwright-opt %t/windows.mlir --indexing-legalize-to-linalg 2>&1 | FileCheck %s --check-prefix=WINDOWS

// Initial values that are no scalars, as older programs have them. Of reductions those of one element are scalars. Reductions of slices are read and printed, but no
// map says what their computation mixes, and nothing computes them.

// CHECK: slices.mlir:2:8: error: 'stablehlo.reduce' op {{.*}}reduces slices, of the type tensor<5xf32>
// MAPS: it reduces slices of the sizes [5], and not single elements
// WINDOWS: windows.mlir:2:8: error: 'stablehlo.reduce_window' op {{.*}}reduces slices, of the type tensor<4xf32>

//--- one.mlir
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 4.0, 3.0, 2.0]> : tensor<4xf32>
  %ten = stablehlo.constant dense<10.0> : tensor<1xf32>
  %0 = "stablehlo.reduce"(%x, %ten) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<1xf32>) -> tensor<f32>
  check.expect_eq_const %0, dense<20.0> : tensor<f32>
  return
}

//--- slices.mlir
func.func @main(%x: tensor<7x5xf32>, %z: tensor<5xf32>) -> tensor<5xf32> {
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%p: tensor<5xf32>, %q: tensor<5xf32>):
    %s = stablehlo.add %p, %q : tensor<5xf32>
    stablehlo.return %s : tensor<5xf32>
  }) {dimensions = array<i64: 0>} : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

//--- windows.mlir
func.func @main(%m: tensor<4x2xf32>, %z: tensor<4xf32>) -> tensor<2x1xf32> {
  %r = "stablehlo.reduce_window"(%m, %z) ({
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %s = stablehlo.add %p, %q : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }) {window_dimensions = array<i64: 4, 2>, window_strides = array<i64: 3, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xf32>, tensor<4xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
