// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,transform-preload-library{transform-library-paths=%S/Inputs/layouts.mlir},transform-interpreter,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A packed layout between operations of StableHLO: tiles of 2x4 for a tensor of 3x5, with columns of tiles in front. Upstream moves elements there and
// back; what is computed on the layout is computed on the padding, too.
// CHECK: [-3,   -6,   -9,   -12,   -15]
// CHECK: [-18,   -21,   -24,   -27,   -30]
// CHECK: [-33,   -36,   -39,   -42,   -45]
// Sums of tiles, twice the elements with 100 for padding: of the last one -30 and 1400.
// CHECK: [-80,   700]
// CHECK: [1170,   1370]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0]]> : tensor<3x5xf32>
  %n = stablehlo.negate %x : tensor<3x5xf32>
  %hundred = arith.constant 100.0 : f32
  %e = tensor.empty() : tensor<2x2x2x4xf32>
  %p = linalg.pack %n padding_value(%hundred : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<3x5xf32> -> tensor<2x2x2x4xf32>
  %d = stablehlo.add %p, %p : tensor<2x2x2x4xf32>
  %f = tensor.empty() : tensor<3x5xf32>
  %q = linalg.unpack %d outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %f : tensor<2x2x2x4xf32> -> tensor<3x5xf32>
  %r = stablehlo.subtract %q, %x : tensor<3x5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x2x2x4xf32>, tensor<f32>) -> tensor<2x2xf32>
  %u = tensor.cast %r : tensor<3x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %s : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
