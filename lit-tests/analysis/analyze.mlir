// RUN: mapwright analyze %s --what views | FileCheck %s --check-prefix=VIEWS
// RUN: mapwright analyze %s --what utilization --tile-sizes 4,3 | FileCheck %s --check-prefix=USED
// RUN: mapwright analyze %s --what coalescing --width 4 | FileCheck %s --check-prefix=COALESCING
// RUN: mapwright analyze %s --what tiles | FileCheck %s --check-prefix=TILES
// RUN: mapwright analyze %s --what tiles --tile-sizes 2,3 --tile-offsets 1,0 | FileCheck %s --check-prefix=NUMBERS
// RUN: not mapwright analyze %s --what tiles --tile-sizes 9,9 --json 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not mapwright analyze %s --what tiles --tile-sizes 1 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not mapwright analyze %s --what coalescing --order 5,6 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not mapwright analyze %s --what coalescing --order 4,3,2,1,0 2>&1 | FileCheck %s --check-prefix=ORDERED
// RUN: not mapwright analyze %s --what views --tile-sizes 1 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not mapwright analyze %s --what views --width 8 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not mapwright analyze %s --what utilization --tile-sizes 1,1,1,1,1 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: mapwright analyze %s --what views --json | FileCheck %s --check-prefix=JSON
// RUN: not mapwright analyze %s --what colour 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: colour

// A transposition, half of it, backward: one window after the other. Merging the dimensions of that takes a copy.
// VIEWS: stablehlo.transpose ({{.*}}analyze.mlir
// VIEWS-NEXT: result 0, storage view, of %arg0, offset 0, strides [1,6], layout strided<[1, 6]>
// VIEWS: stablehlo.slice
// VIEWS-NEXT: result 0, storage view, of %arg0, offset 0, strides [2,6]
// VIEWS: stablehlo.reverse
// VIEWS-NEXT: result 0, storage view, of %arg0, offset 4, strides [-2,6], layout strided<[-2, 6], offset: 4>
// VIEWS: stablehlo.reshape
// VIEWS-NEXT: result 0, storage copy, reason no strides describe {{.*}}floordiv 4
// VIEWS: stablehlo.slice
// VIEWS-NEXT: result 0, storage view, of %3, offset 0, strides [1]
// VIEWS: stablehlo.reshape
// VIEWS-NEXT: result 0, storage view, of %3, offset 0, strides [3,1]
// VIEWS: stablehlo.concatenate
// VIEWS-NEXT: result 0, storage own
// JSON: "op":"stablehlo.transpose"{{.*}}"results":[{"result":0,"storage":"view","of":"%arg0","offset":0,"strides":[1,6],"layout":"strided<[1, 6]>"}]

// The slice uses half of its operand.
// USED: stablehlo.slice
// USED-NEXT: result 0, operand 0, elements 24, used 12, fraction 0.5, reads 12, reads_per_element 1.0, exact true, tile {{.*}}"used":9,
// The first piece of the concatenation is 3 of the 4 rows of the tile.
// USED: stablehlo.concatenate
// USED-NEXT: result 0, operand 0, {{.*}}"used":9,
// USED-NEXT: result 0, operand 1, {{.*}}"used":3,

// COALESCING: stablehlo.transpose
// COALESCING-NEXT: result 0, operand 0, {{.*}}order [0,1], loops [1,6], ranges [], kind strided, bytes_touched 768, bytes_used 96
// COALESCING: stablehlo.reverse
// COALESCING-NEXT: result 0, operand 0, {{.*}}loops [-4,1], ranges [], kind contiguous

// Root first, then upstream: two pieces, each where the tile reaches into it.
// TILES: stablehlo.concatenate
// TILES-NEXT: value %6, offsets ["o0","o1"], sizes ["t0","t1"]
// TILES: stablehlo.reshape
// TILES-NEXT: value %5, offsets ["o0","o1"], sizes ["-o0 + min(3, o0 + t0)","t1"], strides [1,1], conditions [], exact true, when ["-o0 + min(3, o0 + t0) >= 1"]
// TILES: argument
// TILES-NEXT: value %arg1, offsets ["max(3, o0) - 3","o1"], sizes ["o0 - max(3, o0) + t0","t1"], strides [1,1], conditions [], exact true, when ["o0 - max(3, o0) + t0 >= 1"]
// Flattened rows are one run of elements if they are whole.
// TILES: stablehlo.slice
// TILES-NEXT: value %4, {{.*}}conditions ["t1 in [3, 3]","o1 in [0, 0]"]

// NUMBERS: stablehlo.concatenate
// NUMBERS-NEXT: value %6, offsets ["1","0"], sizes ["2","3"]
// NUMBERS: stablehlo.reshape
// NUMBERS-NEXT: value %5, offsets ["1","0"], sizes ["2","3"]
// Six elements from the third on are no whole rows of four.
// NUMBERS: stablehlo.reverse
// NUMBERS-NEXT: value %2, refused a tile of 6 elements is not made of whole rows

// RANK: 1 sizes for a value of
// ORDER: [5, 6] is no order of 2 dimensions
// ORDERED: no result has 5 dimensions
// WIDE: a width of vectors says nothing about views
// OTHER: sizes of a tile says nothing about views
// SIZES: no result has 5 dimensions
// BEYOND: a tile of 9 elements from 0 on in steps of 1 is not within dimension 0 of size 5
func.func @f(%arg0: tensor<4x6xf32>, %arg1: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.slice %0 [0:6:2, 0:4] : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<3x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<3x4xf32>) -> tensor<12xf32>
  %s = stablehlo.slice %3 [0:9] : (tensor<12xf32>) -> tensor<9xf32>
  %4 = stablehlo.reshape %s : (tensor<9xf32>) -> tensor<3x3xf32>
  %5 = stablehlo.concatenate %4, %arg1, dim = 0 : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %5 : tensor<5x3xf32>
}
