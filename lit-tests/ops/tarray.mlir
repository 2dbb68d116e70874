// RUN: mapwright maps %s --direction both | FileCheck %s
// RUN: mapwright maps %s --compose | FileCheck %s --check-prefix=COMPOSE

// The index space of an array has its levels in front of the dimensions of a leaf. How long a list is, and where it begins in a buffer, are runtime
// variables with bounds.

// CHECK-LABEL: func @tensors
func.func @tensors(%t: tensor<4x8xf32>, %k: tensor<3xi32>) -> (!tarray.array<tensor<4xf32>, max = 8>, !tarray.array<tensor<4x4xf32>, max = 2>) {
  // CHECK: tarray.slices
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
  // CHECK-NEXT: operand 0 -> result 0
  // CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]
  %0 = tarray.slices %t dim = 1 : tensor<4x8xf32>
  // CHECK: tarray.chunks
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1, d2) -> (d1, d0 * 4 + d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]
  %1 = tarray.chunks %t n = 2 dim = 1 : tensor<4x8xf32>
  // CHECK: tarray.embedding
  // CHECK: result 0 -> operand 1
  // CHECK-NEXT: (d0, d1){rt0} -> (d1, rt0), domain: d0 in [0, 2], d1 in [0, 3], rt0 in [0, 7]; rt0 = %arg1[(d0, d1) -> (d0)
  %2 = tarray.embedding %k in %t dim = 1 : tensor<3xi32>, tensor<4x8xf32>
  // CHECK: tarray.reshape
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1) -> (d0 * 2 + d1 floordiv 8, d1 mod 8)
  %3 = tarray.reshape %t to (2, -1) : tensor<4x8xf32>
  // CHECK: tarray.slice at
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1) -> (d0, d1 * 2 + 1)
  %4 = tarray.slice %t [1 : 2 : 8] dim = 1 : tensor<4x8xf32>
  return %0, %1 : !tarray.array<tensor<4xf32>, max = 8>, !tarray.array<tensor<4x4xf32>, max = 2>
}

// CHECK-LABEL: func @arrays
func.func @arrays(%v: tensor<12x2xf32>, %o: tensor<2xi64>, %p: tensor<4xi64>, %s: !tarray.shape<1>) -> !tarray.array<tensor<2xf32>, max = 4> {
  // The offsets of the second level say where the leaves of a list begin.
  // CHECK: tarray.from_offsets
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1, d2){rt0, rt1, rt2} -> (d1 + rt0, d2), domain: d0 in [0, 2], d1 in [0, 3], d2 in [0, 1], rt0 in [0, 12], rt1 in [1, 3], rt2 in [1, 4], d0 - rt1 in [-3, -1], d1 - rt2 in [-4, -1]; rt0 = %arg2[(d0, d1, d2) -> (d0),
  // CHECK: operand 0 -> result 0
  // CHECK-NEXT: -> (s0, d0 - rt0, d1)
  %0 = tarray.from_offsets %v, %o, %p max = [3, 4] : tensor<12x2xf32>, tensor<2xi64>, tensor<4xi64>
  // An index beyond the end is that of the last element.
  // CHECK: tarray.index
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: -> (min(rt0, rt1 - 1), d0, d1)
  %1 = tarray.index %0 at %s : !tarray.array<!tarray.array<tensor<2xf32>, max = 4>, max = 3>, !tarray.shape<1>
  // An element of a scan is made of those up to its own.
  // CHECK: tarray.scan
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1)[s0, s1]{{.*}} -> (s0, s1), {{.*}}d0 - s0 in [0, 3]{{.*}}(not exact)
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %2 = tarray.scan forward (%e in %1 : !tarray.array<tensor<2xf32>, max = 4>, %a = %zero : tensor<2xf32>) {
    %sum = stablehlo.add %a, %e : tensor<2xf32>
    tarray.yield %sum : tensor<2xf32>
  }
  // COMPOSE-LABEL: func @arrays
  // COMPOSE: result 0 -> argument 0
  // COMPOSE-NEXT: (d0, d1)[s0, s1]{{.*}} -> (s0 + rt{{[0-9]+}}, s1)
  return %2 : !tarray.array<tensor<2xf32>, max = 4>
}

// A body reads of a value from outside what the element that it works on is made of; a reshape of a run-time size moves within a row.
// COMPOSE-LABEL: func @captured
// COMPOSE: result 0 -> argument 1
// COMPOSE-NEXT: {{^ *}}(d0, d1)[s0]{{.*}} -> (s0)
// COMPOSE: result 0 -> argument 2
// COMPOSE-NEXT: {{^ *}}(d0, d1)[s0]{{.*}} -> (s0, d1)
// COMPOSE: result 1 -> argument 3
// COMPOSE-NEXT: {{^ *}}(d0, d1, d2){{.*}} -> (d0, d1 * 4 + d2)
func.func @captured(%x: !tarray.array<tensor<8xf32>, max = 4>, %s: tensor<8xf32>, %w: tensor<8x8xf32>, %t: tensor<?x8xf32>) -> (!tarray.array<tensor<8xf32>, max = 4>, tensor<?x2x4xf32>) {
  %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<8xf32>, max = 4>) {
    %0 = stablehlo.add %e, %s : tensor<8xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    tarray.yield %1 : tensor<8xf32>
  }
  %r = tarray.reshape %t to (-1, 2, 4) : tensor<?x8xf32>
  return %y, %r : !tarray.array<tensor<8xf32>, max = 4>, tensor<?x2x4xf32>
}
