// RUN: mapwright fusion %s | FileCheck %s
// RUN: rm -rf %t && mkdir %t && mapwright run %s --entry argument --output-dir %t && mv %t/out0.npy %t/arg0.npy
// RUN: mapwright run %s --entry known --inputs %t | FileCheck --check-prefix=VALUE %s
// RUN: mapwright run %s --entry of_sizes --inputs %t | FileCheck --check-prefix=VALUE %s
// RUN: mapwright run %s --entry of_sizes --specialize=off --inputs %t | FileCheck --check-prefix=VALUE %s
// RUN: mapwright run %s --entry of_sizes --specialize=off --disable movement --inputs %t | FileCheck --check-prefix=VALUE %s
// RUN: mapwright run %s --entry of_sizes --interpret --inputs %t | FileCheck --check-prefix=VALUE %s

// What is flattened behind a transpose is read by digits of its index: each has a loop, and nothing is divided. Sums of it have their loops in the order
// of memory.
// CHECK-LABEL: func @known
// CHECK: schedule tiled [{{.*}}d0_1
// CHECK-LABEL: func @of_sizes
// CHECK: schedule tiled [{{.*}}d0_1

// x = numpy.arange(16 * 17 * 18).reshape(16, 17, 18); y = x.transpose(2, 0, 1).reshape(-1); y * 2, y.sum(), x.reshape(16, -1).max(1)
// VALUE: dense<[0.0, 36.0, 72.0, …, 9718.0, 9754.0, 9790.0]> : tensor<4896xf32>
// VALUE-NEXT: dense<11982960.0> : tensor<f32>
// VALUE-NEXT: dense<[305.0, 611.0, 917.0, {{.*}}, 4283.0, 4589.0, 4895.0]> : tensor<16xf32>
func.func @known(%x: tensor<16x17x18xf32>) -> (tensor<4896xf32>, tensor<f32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<16x17x18xf32>) -> tensor<18x16x17xf32>
  %y = stablehlo.reshape %t : (tensor<18x16x17xf32>) -> tensor<4896xf32>
  %twice = stablehlo.add %y, %y : tensor<4896xf32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4896xf32>, tensor<f32>) -> tensor<f32>
  %u = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<16x17x18xf32>) -> tensor<16x18x17xf32>
  %rows = stablehlo.reshape %u : (tensor<16x18x17xf32>) -> tensor<16x306xf32>
  %most = stablehlo.reduce(%rows init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<16x306xf32>, tensor<f32>) -> tensor<16xf32>
  return %twice, %sum, %most : tensor<4896xf32>, tensor<f32>, tensor<16xf32>
}

func.func @of_sizes(%x: tensor<?x?x?xf32>) -> (tensor<?xf32>, tensor<f32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x?xf32>) -> tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x?xf32>) -> tensor<i32>
  %c = stablehlo.get_dimension_size %x, dim = 2 : (tensor<?x?x?xf32>) -> tensor<i32>
  %bc = stablehlo.multiply %b, %c : tensor<i32>
  %abc = stablehlo.multiply %a, %bc : tensor<i32>
  %all = stablehlo.reshape %abc : (tensor<i32>) -> tensor<1xi32>
  %first = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
  %second = stablehlo.reshape %bc : (tensor<i32>) -> tensor<1xi32>
  %both = stablehlo.concatenate %first, %second, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = stablehlo.dynamic_reshape %t, %all : (tensor<?x?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %twice = stablehlo.add %y, %y : tensor<?xf32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %u = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %rows = stablehlo.dynamic_reshape %u, %both : (tensor<?x?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %most = stablehlo.reduce(%rows init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %twice, %sum, %most : tensor<?xf32>, tensor<f32>, tensor<?xf32>
}

func.func @argument() -> tensor<16x17x18xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4896xf32>
  %x = stablehlo.reshape %i : (tensor<4896xf32>) -> tensor<16x17x18xf32>
  return %x : tensor<16x17x18xf32>
}
