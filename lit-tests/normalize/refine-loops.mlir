// RUN: mapwright-opt %s --indexing-refine-shapes=types='tensor<4xf32>' | FileCheck %s
// RUN: mapwright run %s > %t.special
// RUN: mapwright run %s --specialize=off | diff %t.special -
// RUN: mapwright run %s --interpret | diff %t.special -
// RUN: FileCheck %s --check-prefix=VALUES < %t.special
// What StableHLO's loops carry has one type, too: a size that a round changes stays unknown in it and behind it. The loop begins with four numbers, which
// become 16, then two, then four others.

// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>)
// CHECK: stablehlo.concatenate {{.*}} -> tensor<?xf32>
// CHECK: stablehlo.add %{{.*}} : tensor<4xf32>
// CHECK: return {{.*}} : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
// VALUES: tensor<16xf32>
// VALUES: tensor<2xf32>
// VALUES: tensor<4xf32>
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %o = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  %longer:3 = stablehlo.while(%i = %z, %a = %x, %k = %x) : tensor<i32>, tensor<?xf32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %o : tensor<i32>
    %b = stablehlo.concatenate %a, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %l = stablehlo.add %k, %k : tensor<?xf32>
    stablehlo.return %j, %b, %l : tensor<i32>, tensor<?xf32>, tensor<?xf32>
  }
  %shorter:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %o : tensor<i32>
    %d = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %e = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.real_dynamic_slice %a, %s, %e, %s : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %j, %b : tensor<i32>, tensor<?xf32>
  }
  return %longer#1, %shorter#1, %longer#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
