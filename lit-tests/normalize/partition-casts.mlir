// RUN: split-file %s %t
// RUN: not mapwright run %t/two.mlir 2>&1 | FileCheck %t/two.mlir
// RUN: not mapwright run %t/two.mlir --interpret 2>&1 | FileCheck %t/two.mlir
// RUN: not mapwright run %t/shapes.mlir 2>&1 | FileCheck %t/shapes.mlir
// RUN: not mapwright run %t/shapes.mlir --interpret 2>&1 | FileCheck %t/shapes.mlir
// RUN: not mapwright run %t/sharding.mlir 2>&1 | FileCheck %t/sharding.mlir
// RUN: mapwright run %t/one.mlir
// RUN: mapwright run %t/one.mlir --interpret
// RUN: mapwright maps %t/one.mlir | FileCheck %t/one.mlir
// RUN: mapwright maps %t/shapes.mlir | FileCheck %t/shapes.mlir --check-prefix=MAPS

// Between the whole of a tensor and what one partition has of it: with one partition the two are the same.

//--- two.mlir
// CHECK: two.mlir:5:8: error: 'stablehlo.custom_call' op calls @SPMDFullToShardShape
// CHECK-SAME: the program is for 2 partitions ('mhlo.num_partitions'), and runs on one
module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%a: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) : (tensor<6x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) : (tensor<3x2xf32>) -> tensor<6x2xf32>
  return %1 : tensor<6x2xf32>
}
}

//--- shapes.mlir
// CHECK: error: 'stablehlo.custom_call' op calls @SPMDShardToFullShape from tensor<3x2xf32> to tensor<6x2xf32>
// CHECK-SAME: with one partition, the types must be the same
// MAPS: UNKNOWN (calls @SPMDShardToFullShape
func.func @main(%a: tensor<3x2xf32>) -> tensor<6x2xf32> {
  %0 = stablehlo.custom_call @SPMDShardToFullShape(%a) : (tensor<3x2xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}

//--- sharding.mlir
// CHECK: error: 'stablehlo.custom_call' op calls @Sharding, which hands on its operand of the type tensor<3xf32>, with a result of the type tensor<3xi32>
func.func @main(%a: tensor<3xf32>) -> tensor<3xi32> {
  %0 = stablehlo.custom_call @Sharding(%a) : (tensor<3xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

//--- one.mlir
// CHECK: (d0, d1) -> (d0, d1)
func.func @main() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %1 = stablehlo.custom_call @LayoutConstraint(%0) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return
}
