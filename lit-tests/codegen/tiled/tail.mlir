// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Two whole vectors in a loop, and a masked one for the five elements that are left.

// CHECK: func.func {{.*}}@region_0(%[[OUT:.*]]: memref<37xi32>
// CHECK: scf.for
// CHECK: arith.muli {{.*}} : vector<16xi32>
// CHECK: vector.store {{.*}}, %[[OUT]]
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: vector.maskedstore %[[OUT]]{{.*}}, %[[MASK]]

// VALUES: dense<[0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361, 400, 441, 484, 529, 576, 625, 676, 729, 784, 841, 900, 961, 1024, 1089, 1156, 1225, 1296]>
func.func public @main() -> tensor<37xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<37xi32>
  %1 = stablehlo.multiply %0, %0 : tensor<37xi32>
  return %1 : tensor<37xi32>
}
