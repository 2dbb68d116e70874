// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Integers of four bits from and to upstream: a byte each, with zeros above.
// CHECK: [6,  6]
// CHECK: [-1,  2,  -3]
// CHECK: [-8,  -7,  0]
// CHECK: [-1,  2,  -3]
// CHECK: [-8,  -7,  0]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func private @q(%w: tensor<2x3xi4>, %x: tensor<3xf32>) -> (tensor<2xf32>, tensor<2x3xi4>) {
  %f = stablehlo.convert %w : (tensor<2x3xi4>) -> tensor<2x3xf32>
  %r = stablehlo.dot_general %f, %x, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %n = stablehlo.negate %w : tensor<2x3xi4>
  return %r, %n : tensor<2xf32>, tensor<2x3xi4>
}
func.func @main() {
  %w = arith.constant dense<[[1,-2,3],[-8,7,0]]> : tensor<2x3xi4>
  %x = arith.constant dense<[1.0,2.0,3.0]> : tensor<3xf32>
  %r, %n = call @q(%w, %x) : (tensor<2x3xi4>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2x3xi4>)
  %e = tensor.empty() : tensor<2x3xi32>
  %i = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%n : tensor<2x3xi4>) outs(%e : tensor<2x3xi32>) {
  ^bb0(%v: i4, %o: i32):
    %s = arith.extsi %v : i4 to i32
    linalg.yield %s : i32
  } -> tensor<2x3xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%i : tensor<2x3xi32>) outs(%n : tensor<2x3xi4>) {
  ^bb0(%v: i32, %o: i4):
    %s = arith.trunci %v : i32 to i4
    linalg.yield %s : i4
  } -> tensor<2x3xi4>
  %k = stablehlo.convert %m : (tensor<2x3xi4>) -> tensor<2x3xi32>
  %ur = tensor.cast %r : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%ur) : (tensor<*xf32>) -> ()
  %ui = tensor.cast %i : tensor<2x3xi32> to tensor<*xi32>
  call @printMemrefI32(%ui) : (tensor<*xi32>) -> ()
  %uk = tensor.cast %k : tensor<2x3xi32> to tensor<*xi32>
  call @printMemrefI32(%uk) : (tensor<*xi32>) -> ()
  return
}
