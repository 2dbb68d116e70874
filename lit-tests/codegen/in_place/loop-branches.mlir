// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A loop of StableHLO whose branches give what it carries, or new values.
// CHECK: [5,  6,  8]
// CHECK: [5,  6,  8]
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
    %odd = stablehlo.and %k, %one : tensor<i32>
    %od = stablehlo.compare EQ, %odd, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v:2 = "stablehlo.if"(%od) ({
      %w = stablehlo.multiply %a, %b : tensor<3xf32>
      stablehlo.return %w, %a : tensor<3xf32>, tensor<3xf32>
    }, {
      stablehlo.return %b, %b : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    stablehlo.return %k1, %v#0, %v#1 : tensor<i32>, tensor<3xf32>, tensor<3xf32>
  }
  %p = stablehlo.add %r#1, %i0 : tensor<3xf32>
  %q = stablehlo.add %r#2, %i0 : tensor<3xf32>
  %up = tensor.cast %p : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%up) : (tensor<*xf32>) -> ()
  %uq = tensor.cast %q : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%uq) : (tensor<*xf32>) -> ()
  return
}
