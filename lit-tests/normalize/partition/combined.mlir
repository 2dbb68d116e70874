// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 2 | FileCheck %s --check-prefix=GIVES

// Sums that do not follow from each other are sent together; what reads the first comes after. One that follows, one of another kind and one of another
// type are sent by themselves.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = stablehlo.reduce({{.*}}applies stablehlo.add
// CHECK: %[[B:.*]] = stablehlo.reduce({{.*}}applies stablehlo.add
// CHECK: "stablehlo.all_reduce"({{.*}}) <{
// CHECK: stablehlo.maximum
// CHECK: (tensor<2xi32>) -> tensor<2xi32>
// CHECK: "stablehlo.all_reduce"({{.*}}) <{
// CHECK: (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NOT: stablehlo.multiply
// CHECK: %[[S:.*]]:2 = "stablehlo.all_reduce"(%[[A]], %[[B]])
// CHECK: (tensor<2xi32>, tensor<4xi32>) -> (tensor<2xi32>, tensor<4xi32>)
// CHECK: stablehlo.multiply %[[S]]#0, %[[S]]#0 : tensor<2xi32>
// CHECK: "stablehlo.all_reduce"({{.*}}) <{
// CHECK: (tensor<i32>) -> tensor<i32>
// CHECK-NOT: stablehlo.all_reduce
func.func @main() -> (tensor<2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.iota dim = 0 : tensor<4x2xi32>
  %x = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x2xi32>
  %1 = stablehlo.iota dim = 0 : tensor<6x4xi32>
  %y = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]> : tensor<6x4xi32>
  %a0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2xi32>, tensor<i32>) -> tensor<2xi32>
  %a1 = sdy.sharding_constraint %a0 <@mesh, [{}]> : tensor<2xi32>
  %a = stablehlo.multiply %a1, %a1 : tensor<2xi32>
  %b0 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x4xi32>, tensor<i32>) -> tensor<4xi32>
  %b = sdy.sharding_constraint %b0 <@mesh, [{}]> : tensor<4xi32>
  %c0 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4x2xi32>, tensor<i32>) -> tensor<2xi32>
  %c = sdy.sharding_constraint %c0 <@mesh, [{}]> : tensor<2xi32>
  %2 = stablehlo.convert %x : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %d0 = stablehlo.reduce(%2 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
  %d = sdy.sharding_constraint %d0 <@mesh, [{}]> : tensor<2xf32>
  %3 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<4x2xi32>
  %4 = stablehlo.multiply %3, %x : tensor<4x2xi32>
  %e = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xi32>, tensor<i32>) -> tensor<i32>
  // GIVES: dense<[36, 36]> : tensor<2xi32>
  // GIVES: dense<[15, 15, 15, 15]> : tensor<4xi32>
  // GIVES: dense<[3, 3]> : tensor<2xi32>
  // GIVES: dense<[6.0, 6.0]> : tensor<2xf32>
  // GIVES: dense<432> : tensor<i32>
  return %a, %b, %c, %d, %e : tensor<2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xf32>, tensor<i32>
}
