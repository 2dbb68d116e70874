// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s
// RUN: mapwright-opt %s --indexing-legalize-to-linalg | FileCheck %s

// Maps of index values are arithmetic on them. Quotients are rounded down, remainders not negative.

// CHECK-LABEL: func.func @apply
// CHECK-SAME: %[[I:.*]]: index, %[[S:.*]]: index
// CHECK-NOT: indexing.apply
// CHECK-DAG: arith.floordivsi %{{.*}}, %{{.*}} : index
// CHECK-DAG: arith.addi %{{.*}}, %[[S]] : index
// CHECK: return
func.func @apply(%i: index, %s: index) -> (index, index) {
  %0:2 = indexing.apply #indexing.map<(d0)[s0] -> (d0 floordiv 4 + s0, (d0 - 3) mod 4), domain: d0 in [0, 31], s0 in [0, 1]>(%i, %s) : index, index
  return %0#0, %0#1 : index, index
}
