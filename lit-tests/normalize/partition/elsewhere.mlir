// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole

// What needs a dimension as a whole is split along another one, where that sends less than all elements to all devices; of two layouts
// that exclude each other that of the larger operand stays, and a product of rows by columns leaves partial sums only where they are
// less than an operand.
sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @main
func.func @main(
    %a: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<4x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %c: tensor<64x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4x64xi32>) {
  // CHECK: "stablehlo.all_to_all"(%{{.*}}) {{.*}} : (tensor<4x8xi32>) -> tensor<16x2xi32>
  // CHECK: "stablehlo.sort"
  // CHECK: (tensor<16x2xi32>) -> tensor<16x2xi32>
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %2 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<16x8xi32>) -> tensor<16x8xi32>
  // CHECK: "stablehlo.all_gather"(%{{.*}}) {{.*}} : (tensor<4x16xi32>) -> tensor<4x64xi32>
  // CHECK: stablehlo.dot_general %{{.*}} : (tensor<4x64xi32>, tensor<64x16xi32>) -> tensor<4x16xi32>
  %1 = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0] : (tensor<4x64xi32>, tensor<64x64xi32>) -> tensor<4x64xi32>
  // What the program wants of the sorted numbers is made at its end.
  // CHECK: "stablehlo.all_to_all"(%{{.*}}) {{.*}} : (tensor<16x2xi32>) -> tensor<4x8xi32>
  return %0, %1 : tensor<16x8xi32>, tensor<4x64xi32>
}
