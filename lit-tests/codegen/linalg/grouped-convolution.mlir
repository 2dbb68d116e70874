// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s --check-prefix=RUNS
// Convolutions in groups: of one feature each, with one result and with two, and of two features each.
// CHECK-LABEL: func.func private @f
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x5x6x3xf32>, tensor<2x2x3xf32>)
// CHECK: linalg.depthwise_conv_2d_nhwc_hwcm {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x5x6x3xf32>, tensor<2x2x3x2xf32>)
// CHECK: linalg.depthwise_conv_2d_nchw_chw {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x4x5x6xf32>, tensor<4x2x2xf32>)
// CHECK: linalg.conv_2d_ngchw_gfchw {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x2x2x5x6xf32>, tensor<2x3x2x2x2xf32>)
// CHECK: linalg.conv_2d_nhwgc_gfhwc {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x5x6x2x2xbf16>, tensor<2x3x2x2x2xbf16>)
// Features (1, 3, 5) and (2, 4, 6), each with the kernels (1, 100) and (10, 1000).
// RUNS: [301,  3010,  402,  4020],
// RUNS-NEXT: [503,  5030,  604,  6040]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @f(%a: tensor<1x5x6x3xf32>, %k: tensor<2x2x1x3xf32>, %m: tensor<2x2x1x6xf32>, %b: tensor<1x4x5x6xf32>, %l: tensor<4x1x2x2xf32>, %g: tensor<6x2x2x2xf32>, %c: tensor<1x5x6x4xbf16>, %h: tensor<6x2x2x2xbf16>)
    -> (tensor<1x4x5x3xf32>, tensor<1x4x5x6xf32>, tensor<1x4x4x5xf32>, tensor<1x6x4x5xf32>, tensor<1x4x5x6xbf16>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x5x6x3xf32>, tensor<2x2x1x3xf32>) -> tensor<1x4x5x3xf32>
  %1 = stablehlo.convolution(%a, %m) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x5x6x3xf32>, tensor<2x2x1x6xf32>) -> tensor<1x4x5x6xf32>
  %2 = stablehlo.convolution(%b, %l) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x4x5x6xf32>, tensor<4x1x2x2xf32>) -> tensor<1x4x4x5xf32>
  %3 = stablehlo.convolution(%b, %g) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x5x6xf32>, tensor<6x2x2x2xf32>) -> tensor<1x6x4x5xf32>
  %4 = stablehlo.convolution(%c, %h) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x5x6x4xbf16>, tensor<6x2x2x2xbf16>) -> tensor<1x4x5x6xbf16>
  return %0, %1, %2, %3, %4 : tensor<1x4x5x3xf32>, tensor<1x4x5x6xf32>, tensor<1x4x4x5xf32>, tensor<1x6x4x5xf32>, tensor<1x4x5x6xbf16>
}
func.func @main() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>
  %k = stablehlo.constant dense<[[[1.0, 10.0, 1.0, 10.0]], [[100.0, 1000.0, 100.0, 1000.0]]]> : tensor<2x1x4xf32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x3x2xf32>, tensor<2x1x4xf32>) -> tensor<1x2x4xf32>
  %u = tensor.cast %r : tensor<1x2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
