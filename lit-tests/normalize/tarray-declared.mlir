// RUN: mapwright-opt %s --indexing-legalize-tarray | FileCheck %s
// RUN: not mapwright run %s 2>&1 | FileCheck %s --check-prefix=PLACE

// A function that is only declared is called for one element after the other, by whoever has it; code of the program alone cannot be made.
// CHECK: stablehlo.while
// CHECK: func.call @f(%{{.*}}) : (tensor<f32>) -> tensor<f32>
// PLACE: :[[# @LINE + 3]]:8: error: 'func.call' op calls @f, which has no body: of the passes that lower, `indexing-lower-in-place` alone
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @main(%x: !tarray.array<tensor<f32>, max = 3>) -> !tarray.array<tensor<f32>, max = 3> {
  %y = tarray.vectorize @f(%x) : !tarray.array<tensor<f32>, max = 3> -> !tarray.array<tensor<f32>, max = 3>
  return %y : !tarray.array<tensor<f32>, max = 3>
}
