// What does not matter goes: other operations, functions, arguments, results and attributes.
// RUN: mapwright reduce %s --if 'grep -q stablehlo.tanh' -o - | FileCheck %s --implicit-check-not=stablehlo --implicit-check-not=mhlo

// CHECK:      module {
// CHECK-NEXT:   func.func public @main(%arg0: tensor<1x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT:     %0 = stablehlo.tanh %arg0 : tensor<1x1xf32>
// CHECK-NEXT:     return %0 : tensor<1x1xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<64x32xf32> {mhlo.sharding = "{replicated}"}, %y: tensor<32x16xf32>) -> (tensor<64x16xf32> {jax.result_info = "a"}, tensor<64xf32>) {
    %0 = stablehlo.exponential %x : tensor<64x32xf32>
    %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    %2 = stablehlo.tanh %1 : tensor<64x16xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<64x16xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x16xf32>, tensor<f32>) -> tensor<64xf32>
    %5 = func.call @unused_result(%4) : (tensor<64xf32>) -> tensor<64xf32>
    return %3, %5 : tensor<64x16xf32>, tensor<64xf32>
  }
  func.func private @unused_result(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stablehlo.sine %x : tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
