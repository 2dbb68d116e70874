// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=256 | FileCheck %s

// Between the lanes in front of the first whole vector and the first vector that goes past the caches there is one that does not: it has its
// cache line in common with those lanes.

// CHECK: func.func {{.*}}@region_
// CHECK: vector.maskedstore
// CHECK: vector.maskedstore
// CHECK-NOT: scf.for
// CHECK: vector.store %{{[^{]*}} : memref<
// CHECK: scf.for
// CHECK: vector.store {{.*}}nontemporal
func.func public @main(%x: tensor<1024x2048xf32>) -> tensor<1024x2048xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [0, 2], high = [0, 0], interior = [0, 0] : (tensor<1024x2048xf32>, tensor<f32>) -> tensor<1024x2050xf32>
  %s = stablehlo.slice %p [0:1024, 0:2048] : (tensor<1024x2050xf32>) -> tensor<1024x2048xf32>
  %r = stablehlo.add %s, %s : tensor<1024x2048xf32>
  return %r : tensor<1024x2048xf32>
}
