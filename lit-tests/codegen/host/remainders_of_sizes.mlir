// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: rm -rf %t && mkdir %t && mapwright run %s --entry argument --output-dir %t && mv %t/out0.npy %t/arg0.npy
// RUN: mapwright run %s --specialize=off --inputs %t | FileCheck --check-prefix=VALUE %s

// Whatever `n` is, the elements keep their order: they are copied as they lie, and nothing is divided.
// CHECK-LABEL: func.func private @region_2(
// CHECK: %[[ALL:.*]] = arith.muli %arg3, %c2
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [%[[ALL]]]
// CHECK-NOT: arith.remui
// CHECK: vector.load %{{.*}}[%[[AT:[a-z0-9]+]]]
// CHECK: vector.store %{{.*}}[%[[AT]]]
// CHECK-NOT: arith.remui
// CHECK-LABEL: func.func private @region_1(

// numpy.arange(8).reshape(4, 2).reshape(2, -1)
// VALUE: dense<{{\[\[}}0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0{{\]\]}}> : tensor<2x4xf32>
func.func @main(%x: tensor<?x2xf32>) -> tensor<2x?xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %two, %r, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %y = stablehlo.dynamic_reshape %x, %s : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

func.func @argument() -> tensor<4x2xf32> {
  %x = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]> : tensor<4x2xf32>
  return %x : tensor<4x2xf32>
}
