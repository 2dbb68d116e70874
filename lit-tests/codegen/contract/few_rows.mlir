// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s

// Of few rows nothing is packed: columns are read where they are, by register tiles of half as many rows. How many rows there are is known at run
// time only. What whole register tiles leave over is half of one, half of that, and single rows: the same code, which reads the columns that were
// chosen.

// CHECK-LABEL: func.func private @region_0_pack0(
// CHECK-LABEL: func.func @region_0_pack0_tiles(%arg0: index
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %arg0, %c56
// CHECK: arith.select %[[FEW]], %c0
// CHECK-LABEL: func.func private @region_0(
// CHECK-SAME: %arg1: memref<256x256xf32>
// CHECK: %[[Y:.*]] = memref.reinterpret_cast %arg1
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %arg4, %c56
// CHECK: %[[PACKED:.*]] = memref.view
// CHECK: %[[OWN:.*]] = memref.cast %[[Y]]
// CHECK: %[[CHOSEN:.*]] = arith.select %[[FEW]], %[[OWN]], {{.*}} : memref<?xf32>
// CHECK: %[[END:.*]] = arith.select %[[FEW]]
// CHECK: scf.for {{.*}} to %[[END]] step %c1
// CHECK: vector.load %[[PACKED]]
// CHECK: scf.for {{.*}} step %c7
// CHECK: vector.load %[[CHOSEN]]
// CHECK: scf.for {{.*}} step %c3
// CHECK: vector.load %[[CHOSEN]]
// CHECK: scf.for {{.*}} step %c1
// CHECK: vector.load %[[CHOSEN]]
// CHECK-NOT: step %c7
func.func public @main(%x: tensor<?x256xf32>, %y: tensor<256x256xf32>) -> tensor<?x256xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}
