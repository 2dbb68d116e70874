// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A loop of StableHLO whose next values are in the buffers of others: they are copied at the end of each round.
// CHECK: [11,  14,  19]
// CHECK: [17,  22,  30]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[1.0,2.0,3.0]> : tensor<3xf32>
  %y = arith.constant dense<[5.0,6.0,8.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %i0 = stablehlo.constant dense<0.0> : tensor<3xf32>
  %r:3 = stablehlo.while(%k = %i, %a = %x, %b = %y) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k1 = stablehlo.add %k, %one : tensor<i32>
    %v = stablehlo.add %a, %b : tensor<3xf32>
    stablehlo.return %k1, %b, %v : tensor<i32>, tensor<3xf32>, tensor<3xf32>
  }
  %p = stablehlo.add %r#1, %i0 : tensor<3xf32>
  %q = stablehlo.add %r#2, %i0 : tensor<3xf32>
  %up = tensor.cast %p : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%up) : (tensor<*xf32>) -> ()
  %uq = tensor.cast %q : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%uq) : (tensor<*xf32>) -> ()
  return
}
