// RUN: mapwright-opt %s --indexing-simplify-affine | FileCheck %s
// RUN: mapwright-opt %s --indexing-simplify-affine=verify-each-rewrite --indexing-simplify-affine | FileCheck %s

// CHECK-DAG: [[$TURNED:#.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: [[$BROADCAST:#.*]] = affine_map<(d0, d1) -> (0, d1)>

// The last start of the loop is 56, and 56 + 8 is the size.
// CHECK-LABEL: func.func @loop
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<8xf32>, memref<64xf32>
func.func @loop(%in: memref<64xf32>, %out: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 step 8 {
    %v = vector.transfer_read %in[%i], %zero : memref<64xf32>, vector<8xf32>
    vector.transfer_write %v, %out[%i] : vector<8xf32>, memref<64xf32>
  }
  return
}

// One element too few, and a start below zero.
// CHECK-LABEL: func.func @outside
// CHECK: vector.transfer_read %{{[^{]*}} : memref<63xf32>, vector<8xf32>
// CHECK: vector.transfer_read %{{[^{]*}} : memref<64xf32>, vector<8xf32>
func.func @outside(%short: memref<63xf32>, %in: memref<64xf32>, %out: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 step 8 {
    %v = vector.transfer_read %short[%i], %zero : memref<63xf32>, vector<8xf32>
    %before = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
    %w = vector.transfer_read %in[%before], %zero : memref<64xf32>, vector<8xf32>
    %sum = arith.addf %v, %w : vector<8xf32>
    vector.transfer_write %sum, %out[%i] {in_bounds = [true]} : vector<8xf32>, memref<64xf32>
  }
  return
}

// Each dimension of the vector by itself, through the permutation: %j runs along the first. Sizes that are not known prove nothing.
// CHECK-LABEL: func.func @permuted
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true, false], permutation_map = [[$TURNED]]}
// CHECK: vector.transfer_read {{.*}} {in_bounds = [false, true]}
func.func @permuted(%in: tensor<30x32xf32>, %open: tensor<?x32xf32>) -> (vector<8x8xf32>, vector<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %none = arith.constant dense<0.0> : vector<8x8xf32>
  %a, %b = scf.for %j = %c0 to %c32 step %c8 iter_args(%x = %none, %y = %none) -> (vector<8x8xf32>, vector<8x8xf32>) {
    %v = vector.transfer_read %in[%j, %j], %zero {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : tensor<30x32xf32>, vector<8x8xf32>
    %w = vector.transfer_read %open[%j, %j], %zero : tensor<?x32xf32>, vector<8x8xf32>
    scf.yield %v, %w : vector<8x8xf32>, vector<8x8xf32>
  }
  return %a, %b : vector<8x8xf32>, vector<8x8xf32>
}

// The remainder of a start is in [0, 24] whatever the start is: digits of one number are not bounded apart.
// CHECK-LABEL: func.func @digits
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : memref<32xf32>, vector<8xf32>
func.func @digits(%in: memref<32xf32>, %out: memref<256xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 256 step 8 {
    %low = affine.apply affine_map<(d0) -> (d0 - (d0 floordiv 32) * 32)>(%i)
    %v = vector.transfer_read %in[%low], %zero : memref<32xf32>, vector<8xf32>
    vector.transfer_write %v, %out[%i] {in_bounds = [true]} : vector<8xf32>, memref<256xf32>
  }
  return
}

// A dimension of one element that is inside runs along any: the map is the minor identity, which is not written. One that may be
// outside keeps its place, and so does one of several elements.
// CHECK-LABEL: func.func @one_element
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true, true]} : memref<4x5x16xf32>, vector<1x8xf32>
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true, true]} : memref<4x16xf32>, vector<1x8xf32>
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true, true], permutation_map = [[$BROADCAST]]} : memref<4x16xf32>, vector<2x8xf32>
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true, true]} : vector<1x8xf32>, memref<4x5x16xf32>
// CHECK: vector.transfer_read {{.*}} {in_bounds = [false, true], permutation_map = {{.*}}} : memref<4x5x16xf32>, vector<1x8xf32>
func.func @one_element(%in: memref<4x5x16xf32>, %flat: memref<4x16xf32>, %out: memref<4x5x16xf32>, %n: index) -> vector<1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = vector.transfer_read %in[%c1, %n, %c8], %zero {permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>} : memref<4x5x16xf32>, vector<1x8xf32>
  %1 = vector.transfer_read %flat[%n, %c8], %zero {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<4x16xf32>, vector<1x8xf32>
  %2 = vector.transfer_read %flat[%n, %c8], %zero {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<4x16xf32>, vector<2x8xf32>
  vector.transfer_write %0, %out[%c1, %n, %c8] {permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>} : vector<1x8xf32>, memref<4x5x16xf32>
  %3 = vector.transfer_read %in[%n, %c1, %c8], %zero {permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>} : memref<4x5x16xf32>, vector<1x8xf32>
  %4 = vector.extract %2[1] : vector<8xf32> from vector<2x8xf32>
  %5 = arith.addf %0, %1 : vector<1x8xf32>
  %6 = arith.addf %5, %3 : vector<1x8xf32>
  %7 = vector.broadcast %4 : vector<8xf32> to vector<1x8xf32>
  %8 = arith.addf %6, %7 : vector<1x8xf32>
  return %8 : vector<1x8xf32>
}

// With a mask the map stays, as the mask's shape follows it. A length that is a multiple of the machine's is not known.
// CHECK-LABEL: func.func @masked
// CHECK: vector.transfer_read {{.*}}, %{{.*}} {in_bounds = [true, true], permutation_map = {{.*}}} : memref<4x5x16xf32>, vector<1x8xf32>
// CHECK: vector.transfer_read %{{[^{]*}} : memref<4x5x16xf32>, vector<[4]xf32>
func.func @masked(%in: memref<4x5x16xf32>, %mask: vector<1x8xi1>) -> (vector<1x8xf32>, vector<[4]xf32>) {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %0 = vector.transfer_read %in[%c1, %c1, %c1], %zero, %mask {permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>} : memref<4x5x16xf32>, vector<1x8xf32>
  %1 = vector.transfer_read %in[%c1, %c1, %c1], %zero : memref<4x5x16xf32>, vector<[4]xf32>
  return %0, %1 : vector<1x8xf32>, vector<[4]xf32>
}

// An element of the source is a vector: only the dimensions before it are indexed.
// CHECK-LABEL: func.func @vector_elements
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : memref<8xvector<4xf32>>, vector<2x4xf32>
func.func @vector_elements(%in: memref<8xvector<4xf32>>) -> vector<2x4xf32> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %c6 = arith.constant 6 : index
  %0 = vector.transfer_read %in[%c6], %zero : memref<8xvector<4xf32>>, vector<2x4xf32>
  return %0 : vector<2x4xf32>
}
