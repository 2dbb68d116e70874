// RUN: cp %s %t.mlir
// RUN: not mapwright-opt %t.mlir -o %t.mlir 2>&1 | FileCheck %s
// RUN: not mapwright-opt %t.mlir --emit-portable-artifact -o %t.mlir 2>&1 | FileCheck %s
// RUN: cmp %s %t.mlir

// CHECK: error: the output '{{.*}}.mlir' is the input: give another file
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
