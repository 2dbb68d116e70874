// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s --check-prefix=RUNS
// What upstream has an operation for becomes it; reversed windows, groups and other orders of dimensions are `linalg.generic`.
// CHECK-LABEL: func.func private @f
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: linalg.conv_1d_nwc_wcf {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x6x2xbf16>, tensor<3x2x1xbf16>) outs(%{{.*}} : tensor<1x4x1xf32>)
// CHECK: linalg.generic
// With x[i] = (i, i) and the kernel ((0, 1), (2, 3), (4, 2)) it is i + 5 (i + 1) + 6 (i + 2).
// RUNS: [17],
// RUNS-NEXT: [29],
// RUNS-NEXT: [41],
// RUNS-NEXT: [53]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @f(%a: tensor<1x5x6x3xf32>, %k: tensor<2x2x3x4xf32>, %b: tensor<1x3x5x6xf32>, %l: tensor<4x3x2x2xf32>, %c: tensor<1x6x2xbf16>, %m: tensor<3x2x1xbf16>)
    -> (tensor<1x3x5x4xf32>, tensor<1x4x4x5xf32>, tensor<1x4x1xbf16>, tensor<1x4x1xbf16>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 1], pad = [[1, 0], [0, 1]], rhs_dilate = [1, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x6x3xf32>, tensor<2x2x3x4xf32>) -> tensor<1x3x5x4xf32>
  %1 = stablehlo.convolution(%b, %l) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x5x6xf32>, tensor<4x3x2x2xf32>) -> tensor<1x4x4x5xf32>
  %2 = stablehlo.convolution(%c, %m) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2xbf16>, tensor<3x2x1xbf16>) -> tensor<1x4x1xbf16>
  %3 = stablehlo.convolution(%c, %m) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2xbf16>, tensor<3x2x1xbf16>) -> tensor<1x4x1xbf16>
  return %0, %1, %2, %3 : tensor<1x3x5x4xf32>, tensor<1x4x4x5xf32>, tensor<1x4x1xbf16>, tensor<1x4x1xbf16>
}
func.func @main() {
  %x = stablehlo.iota dim = 1 : tensor<1x6x2xf32>
  %k = stablehlo.constant dense<[[[0.0], [1.0]], [[2.0], [3.0]], [[4.0], [2.0]]]> : tensor<3x2x1xf32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2xf32>, tensor<3x2x1xf32>) -> tensor<1x4x1xf32>
  %u = tensor.cast %r : tensor<1x4x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
