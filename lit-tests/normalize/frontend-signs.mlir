// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s --implicit-check-not=si32
// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=KERNEL --implicit-check-not=si32
// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// Integers of a signed type are StableHLO's signed integers, which have none.

// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<1xi32>, %arg2: tensor<f32>) -> tensor<4xf32>
// CHECK: call @set(%arg0, %arg1, %arg2) : (tensor<4xf32>, tensor<1xi32>, tensor<f32>) -> tensor<4xf32>
// CHECK: func.func private @set(%arg0: tensor<4xf32>, %arg1: tensor<1xi32>, %arg2: tensor<f32>) -> tensor<4xf32>
// KERNEL: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<1xi32>, %arg2: tensor<f32>)
func.func @main(%x: tensor<4xf32>, %i: tensor<1xsi32>, %u: tensor<f32>) -> tensor<4xf32> {
  %r = func.call @set(%x, %i, %u) : (tensor<4xf32>, tensor<1xsi32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @set(%x: tensor<4xf32>, %i: tensor<1xsi32>, %u: tensor<f32>) -> tensor<4xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>} : (tensor<4xf32>, tensor<1xsi32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
