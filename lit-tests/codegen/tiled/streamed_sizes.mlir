// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s

// Rows of run-time size begin at cache lines where their sizes are multiples of one, which is 16 elements of 4 bytes.

// CHECK-LABEL: func.func {{.*}}@region_0
// CHECK: %[[LINE:.*]] = arith.constant 16 : index
// CHECK: arith.cmpi sge
// CHECK: arith.remui %{{.*}}, %[[LINE]]
// CHECK: arith.remui %{{.*}}, %[[LINE]]
// CHECK: scf.if
// CHECK-COUNT-16: vector.store {{.*}}nontemporal
func.func public @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = stablehlo.add %t, %t : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
