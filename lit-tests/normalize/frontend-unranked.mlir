// RUN: split-file %s %t
// RUN: mapwright-opt %t/known.mlir | mapwright-opt - | FileCheck %s --check-prefix=TEXT
// RUN: mapwright-opt %t/known.mlir --indexing-normalize | FileCheck %s
// RUN: mapwright run %t/known.mlir
// RUN: mapwright run --interpret %t/known.mlir
// RUN: mapwright-opt %t/known.mlir --indexing-legalize-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: not mapwright run %t/open.mlir 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not mapwright run --interpret %t/open.mlir 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not mapwright run %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER

// Operations of CHLO take tensors whose rank is not known; where casts say what these are, results have shapes, and what is cast back is checked.

// TEXT: chlo.broadcast_add {{.*}} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
// TEXT: chlo.broadcast_compare {{.*}} : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xi1>
// CHECK-NOT: tensor<*
// LINALG-NOT: tensor<*
// OPEN: open.mlir:2:8: error: 'chlo.erf' op operand #0 is tensor<*xf32>, and no cast says what its shape is
// OTHER: other.mlir:4:8: error: 'chlo.broadcast_add' op

//--- known.mlir
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [-5.0, 16.0]]> : tensor<3x2xf32>
  %y = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = tensor.cast %x : tensor<3x2xf32> to tensor<*xf32>
  %b = tensor.cast %y : tensor<2xf32> to tensor<*xf32>
  %0 = chlo.broadcast_add %a, %b : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = chlo.square %0 : tensor<*xf32> -> tensor<*xf32>
  %2 = tensor.cast %1 : tensor<*xf32> to tensor<3x2xf32>
  check.expect_eq_const %2, dense<[[4.0, 16.0], [16.0, 36.0], [16.0, 324.0]]> : tensor<3x2xf32>
  %3 = chlo.broadcast_compare %1, %y {comparison_direction = #chlo<comparison_direction GT>} : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xi1>
  %4 = tensor.cast %3 : tensor<*xi1> to tensor<?x2xi1>
  %5 = tensor.cast %4 : tensor<?x2xi1> to tensor<3x2xi1>
  check.expect_eq_const %5, dense<true> : tensor<3x2xi1>
  return
}
//--- open.mlir
func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {
  %r = chlo.erf %x : tensor<*xf32> -> tensor<*xf32>
  return %r : tensor<*xf32>
}
//--- other.mlir
func.func @main(%x: tensor<3xf32>, %y: tensor<2xf32>) {
  %a = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  %b = tensor.cast %y : tensor<2xf32> to tensor<*xf32>
  %r = chlo.broadcast_add %a, %b : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}
