// RUN: mapwright-opt %s --indexing-refine-shapes=types='tensor<i32>;tensor<4xf32>' | FileCheck %s
// RUN: mapwright run %s > %t.special
// RUN: mapwright run %s --specialize=off | diff %t.special -
// RUN: mapwright run %s --interpret | diff %t.special -
// RUN: FileCheck %s --check-prefix=VALUES < %t.special
// RUN: mapwright run %s --entry doubled > %t.special
// RUN: mapwright run %s --entry doubled --specialize=off | diff %t.special -
// RUN: mapwright run %s --entry doubled --interpret | diff %t.special -
// What branches hand out has one type, too: a size that they do not agree in stays unknown in it and behind it.

// CHECK-LABEL: func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>)
// CHECK: stablehlo.case
// CHECK: tensor.cast %{{.*}} : tensor<8xf32> to tensor<?xf32>
// CHECK: tensor.cast %{{.*}} : tensor<4xf32> to tensor<?xf32>
// CHECK: tensor<i32>) -> (tensor<?xf32>, tensor<4xf32>)
// VALUES: tensor<{{[48]}}xf32>
func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r:2 = "stablehlo.case"(%n) ({
    %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %0, %x : tensor<?xf32>, tensor<?xf32>
  }, {
    stablehlo.return %x, %x : tensor<?xf32>, tensor<?xf32>
  }) : (tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>)
  %s = stablehlo.negate %r#0 : tensor<?xf32>
  return %s : tensor<?xf32>
}

// A public function that another one calls with the size that it knows.
func.func @doubled(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @calls(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = func.call @doubled(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @calls_by_way_of_another(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = func.call @calls(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
