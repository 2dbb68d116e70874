// RUN: mapwright-opt %s | FileCheck %s
// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// What torch-xla prints: lists as `dense<…>`, parenthesised operands, bounds with -1.

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4x8xf32>, %n: tensor<i32>, %s: tensor<f32>) -> tuple<tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, -1]>>> {
  // CHECK: %0 = mhlo.constant dense<0> : tensor<i64>
  %0 = mhlo.constant dense<0> : tensor<i64>
  // CHECK: "mhlo.broadcast_in_dim"(%0) <{broadcast_dimensions = dense<> : tensor<0xi64>}> : (tensor<i64>) -> tensor<4xi64>
  %1 = "mhlo.broadcast_in_dim"(%0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i64>) -> tensor<4xi64>
  // Arrays are taken too.
  // CHECK: "mhlo.transpose"(%{{.*}}) <{permutation = array<i64: 1, 0>}>
  %2 = "mhlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK: mhlo.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xi32>
  %3 = mhlo.convert(%1) : (tensor<4xi64>) -> tensor<4xi32>
  // CHECK: mhlo.compare  NE, %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %4 = mhlo.compare NE, %1, %1 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // The compact form stands for what is written out here.
  // CHECK: mhlo.reduce(%{{.*}} init: %{{.*}}) applies mhlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = mhlo.reduce(%a init: %s) across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %z = mhlo.add %x, %y : tensor<f32>
    mhlo.return %z : tensor<f32>
  }
  // CHECK: "mhlo.rng_bit_generator"(%{{.*}}) <{rng_algorithm = #mhlo.rng_algorithm<PHILOX>}>
  %st = mhlo.constant dense<1> : tensor<2xui64>
  %6:2 = "mhlo.rng_bit_generator"(%st) {rng_algorithm = #mhlo.rng_algorithm<PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // CHECK: "mhlo.fusion"(%{{.*}}) <{fusion_kind = #mhlo<fusion_kind kLoop>}>
  %7 = "mhlo.fusion"(%a) ({
  ^bb0(%x: tensor<4x8xf32>):
    mhlo.return %x : tensor<4x8xf32>
  }) {fusion_kind = #mhlo<fusion_kind kLoop>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: "mhlo.set_dimension_size"(%{{.*}}, %{{.*}}) <{dimension = 0 : i64}> : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, ?]>>
  %8 = "mhlo.set_dimension_size"(%7, %n) {dimension = 0 : i64} : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, -1]>>
  // CHECK: mhlo.tuple %{{.*}} {xla_shape = "(f32[<=4,8]{1,0})"} : tuple<tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, ?]>>>
  %9 = "mhlo.tuple"(%8) {xla_shape = "(f32[<=4,8]{1,0})"} : (tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, -1]>>) -> tuple<tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, -1]>>>
  return %9 : tuple<tensor<?x8xf32, #mhlo.type_extensions<bounds = [4, -1]>>>
}

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: mhlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [1, 1]], reverse = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#mhlo<precision HIGH>, #mhlo<precision DEFAULT>]}
  %0 = mhlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#mhlo<precision HIGH>, #mhlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}
