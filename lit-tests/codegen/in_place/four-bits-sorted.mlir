// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// What the runtime library computes of integers of four bits, it computes of bytes: sorted, sorted by what a function makes of them, and the largest.
// CHECK: [-8,  -3,  0,  1,  7]
// CHECK: [7,  1,  0,  -3,  -8]
// CHECK: [7,  1]
// CHECK: [4,  0]
func.func private @printMemrefI32(tensor<*xi32>)
func.func private @f(%x: tensor<?xi4>) -> (tensor<?xi4>, tensor<?xi4>, tensor<2xi4>, tensor<2xi32>) {
  %up = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %c = stablehlo.compare LT, %a, %b : (tensor<i4>, tensor<i4>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<?xi4>) -> tensor<?xi4>
  %down = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %na = stablehlo.not %a : tensor<i4>
    %nb = stablehlo.not %b : tensor<i4>
    %c = stablehlo.compare LT, %na, %nb : (tensor<i4>, tensor<i4>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<?xi4>) -> tensor<?xi4>
  %s = tensor.cast %x : tensor<?xi4> to tensor<5xi4>
  %top:2 = chlo.top_k(%s, k = 2) : tensor<5xi4> -> (tensor<2xi4>, tensor<2xi32>)
  return %up, %down, %top#0, %top#1 : tensor<?xi4>, tensor<?xi4>, tensor<2xi4>, tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, -3, 0, -8, 7]> : tensor<5xi4>
  %d = tensor.cast %x : tensor<5xi4> to tensor<?xi4>
  %r:4 = call @f(%d) : (tensor<?xi4>) -> (tensor<?xi4>, tensor<?xi4>, tensor<2xi4>, tensor<2xi32>)
  %up = stablehlo.convert %r#0 : (tensor<?xi4>) -> tensor<?xi32>
  %down = stablehlo.convert %r#1 : (tensor<?xi4>) -> tensor<?xi32>
  %top = stablehlo.convert %r#2 : (tensor<2xi4>) -> tensor<2xi32>
  %u0 = tensor.cast %up : tensor<?xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %down : tensor<?xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %top : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u2) : (tensor<*xi32>) -> ()
  %u3 = tensor.cast %r#3 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u3) : (tensor<*xi32>) -> ()
  return
}
