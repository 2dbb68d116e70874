// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s

// The last place that an index is clamped to follows from a size that is known at run time only. What has no such size is as many tiles for all of
// them.

// CHECK: llvm.call @region_0({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
// CHECK-NOT: @region_0_tiles
// CHECK-LABEL: func.func {{.*}}@region_0(%arg0: memref<1xf32>
// CHECK: %[[LAST:.*]] = arith.addi %arg3, %c-1
// CHECK: arith.maxsi %[[LAST]], %c0
// CHECK: arith.minsi
// CHECK: vector.load
func.func public @main(%x: tensor<?x256xf32>, %i: tensor<i32>) -> tensor<256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 256] : (tensor<?x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
  %r = stablehlo.reshape %s : (tensor<1x256xf32>) -> tensor<256xf32>
  %d = stablehlo.add %r, %r : tensor<256xf32>
  return %d : tensor<256xf32>
}
