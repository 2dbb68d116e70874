// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse '--indexing-lower=vector-bits=512 disable=prefetches' | FileCheck %s --check-prefix=OFF
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse '--indexing-lower=vector-bits=512 bounds-checks' | FileCheck %s --check-prefix=CHECKED

// Down columns, rows are a page apart: those that come are asked for ahead, for reading in the sweep that reads them first, for writing in the
// one that stores. No index is behind the end.

// CHECK: func.func {{.*}}@region_
// CHECK: %[[LAST:.*]] = arith.constant 524287 : index
// CHECK: memref.prefetch {{.*}}, read, locality<3>, data
// CHECK: memref.prefetch {{.*}}, write, locality<3>, data

// OFF-NOT: memref.prefetch

// CHECKED: memref.prefetch {{.*}}, read, locality<3>, data
func.func public @main(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<1024xf32>) -> tensor<512x1024xf32>
  %d = stablehlo.subtract %x, %mb : tensor<512x1024xf32>
  %e = stablehlo.exponential %d : tensor<512x1024xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<1024xf32>) -> tensor<512x1024xf32>
  %r = stablehlo.divide %e, %sb : tensor<512x1024xf32>
  return %r : tensor<512x1024xf32>
}
