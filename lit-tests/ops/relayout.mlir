// RUN: mapwright maps %s --direction both | FileCheck %s
// RUN: mapwright maps %s --compose | FileCheck %s --check-prefix=COMPOSED

// A tensor of 7 rows and 10 columns in tiles of 2x4: what does not divide is padding, in the last row of the last tiles and in their last two columns.

// CHECK-LABEL: func @main
// CHECK: linalg.pack
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1, d2, d3) -> (d1 * 2 + d2, d0 * 4 + d3), domain: d0 in [0, 2], d1 in [0, 3], d2 in [0, 1], d3 in [0, 3], d0 * 4 + d3 in [0, 9], d1 * 2 + d2 in [0, 6]
// CHECK-NEXT: result 0 -> operand 1
// CHECK-NEXT: KNOWN EMPTY
// CHECK-NEXT: result 0 -> operand 2
// CHECK-NEXT: (d0, d1, d2, d3) -> (), domain: d0 in [0, 2], d1 in [3, 3], d2 in [1, 1], d3 in [0, 3]
// CHECK-NEXT: (d0, d1, d2, d3) -> (), domain: d0 in [2, 2], d1 in [0, 3], d2 in [0, 1], d3 in [2, 3], d1 * 2 + d2 in [0, 6]
// CHECK-NEXT: operand 0 -> result 0
// CHECK-NEXT: (d0, d1) -> (d1 floordiv 4, d0 floordiv 2, d0 mod 2, d1 mod 4), domain: d0 in [0, 6], d1 in [0, 9]
// CHECK: operand 2 -> result 0
// CHECK-NEXT: ()[s0, s1] -> (s0, 3, 1, s1), domain: s0 in [0, 2], s1 in [0, 3]
// CHECK-NEXT: ()[s0, s1, s2] -> (2, s0, s1, s2), domain: s0 in [0, 3], s1 in [0, 1], s2 in [2, 3], s0 * 2 + s1 in [0, 6]
// CHECK: linalg.unpack
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d1 floordiv 4, d0 floordiv 2, d0 mod 2, d1 mod 4), domain: d0 in [0, 6], d1 in [0, 9]
// CHECK: operand 0 -> result 0
// CHECK-NEXT: (d0, d1, d2, d3) -> (d1 * 2 + d2, d0 * 4 + d3), domain: d0 in [0, 2], d1 in [0, 3], d2 in [0, 1], d3 in [0, 3], d0 * 4 + d3 in [0, 9], d1 * 2 + d2 in [0, 6]

// There and back is where it was, and padding goes nowhere.
// COMPOSED: result 0 -> argument 0
// COMPOSED-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 9]
// COMPOSED-NOT: argument 1
func.func @main(%x: tensor<7x10xf32>, %pad: f32) -> tensor<7x10xf32> {
  %e = tensor.empty() : tensor<3x4x2x4xf32>
  %p = linalg.pack %x padding_value(%pad : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<7x10xf32> -> tensor<3x4x2x4xf32>
  %t = stablehlo.exponential %p : tensor<3x4x2x4xf32>
  %f = tensor.empty() : tensor<7x10xf32>
  %u = linalg.unpack %t outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %f : tensor<3x4x2x4xf32> -> tensor<7x10xf32>
  return %u : tensor<7x10xf32>
}

// CHECK-LABEL: func @run_time_sizes
// A size that divides into tiles of a known size.
// CHECK: linalg.pack
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1){rt0, rt1} -> (d0 * 4 + d1), domain: d0 in [0, inf], d1 in [0, 3], {{.*}}d0 - rt0 in [-inf, -1], d0 * 4 + d1 - rt1 in [-inf, -1]; rt0 = get_dimension_size(%pack, 0)[]; rt1 = get_dimension_size(%arg0, 0)[]
// CHECK: operand 0 -> result 0
// CHECK-NEXT: (d0){rt0, rt1} -> (d0 floordiv 4, d0 mod 4)
// Of tiles whose size is not known, rows are exact and columns are any.
// CHECK: linalg.unpack
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1)[s0, s1]{rt0, rt1} -> (d0, s1, s0), domain: d0 in [0, 5], d1 in [0, 7], s0 in [0, 7], s1 in [0, 7], {{.*}}(not exact)
// CHECK: result 0 -> operand 2
// CHECK-NEXT: (d0, d1) -> (), domain: d0 in [0, 5], d1 in [0, 7]
func.func @run_time_sizes(%x: tensor<?xf32>, %y: tensor<6x?x?xf32>, %n: index, %e: tensor<?x4xf32>, %f: tensor<6x8xf32>) {
  %p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<?xf32> -> tensor<?x4xf32>
  %u = linalg.unpack %y inner_dims_pos = [1] inner_tiles = [%n] into %f : tensor<6x?x?xf32> -> tensor<6x8xf32>
  return
}
