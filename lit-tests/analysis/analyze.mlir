// RUN: mapwright analyze %s --what views | FileCheck %s --check-prefix=VIEWS
// RUN: mapwright analyze %s --what utilization --tile-sizes 4,3 | FileCheck %s --check-prefix=USED
// RUN: mapwright analyze %s --what coalescing --width 4 | FileCheck %s --check-prefix=COALESCING
// RUN: mapwright analyze %s --what tiles | FileCheck %s --check-prefix=TILES
// RUN: mapwright analyze %s --what tiles --tile-sizes 2,3 --tile-offsets 1,0 | FileCheck %s --check-prefix=NUMBERS
// RUN: mapwright analyze %s --what tiles --tile-sizes 9,9 --json | FileCheck %s --check-prefix=BEYOND
// RUN: mapwright analyze %s --what views --json | FileCheck %s --check-prefix=JSON
// RUN: not mapwright analyze %s --what colour 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: colour

// A transposition, half of it, backward: one window after the other. Merging the dimensions of that takes a copy.
// VIEWS: stablehlo.transpose ({{.*}}analyze.mlir
// VIEWS-NEXT: layout strided<[1, 6]>
// VIEWS: stablehlo.slice
// VIEWS-NEXT: layout strided<[2, 6]>
// VIEWS: stablehlo.reverse
// VIEWS-NEXT: layout strided<[-2, 6], offset: 4>
// VIEWS: stablehlo.reshape
// VIEWS-NEXT: reason no strides describe {{.*}}, result 0, storage copy
// VIEWS: stablehlo.reshape
// VIEWS-NEXT: of %3, offset 0, result 0, storage view
// VIEWS: stablehlo.concatenate
// VIEWS-NEXT: storage own
// JSON: "op":"stablehlo.transpose"{{.*}}"results":[{"result":0,"storage":"view","of":"%arg0","offset":0,"strides":[1,6],"layout":"strided<[1, 6]>"}]

// The slice uses half of its operand.
// USED: stablehlo.slice
// USED-NEXT: fraction 0.5,
// USED-SAME: used 12
// The first piece of the concatenation is 3 of the 4 rows of the tile.
// USED: stablehlo.concatenate
// USED-NEXT: operand 0
// USED-SAME: tile {{.*}}"used":9

// COALESCING: stablehlo.transpose
// COALESCING-NEXT: kind strided
// COALESCING-SAME: loops [1,6]
// COALESCING: stablehlo.reverse
// COALESCING-NEXT: kind contiguous
// COALESCING-SAME: loops [-4,1]

// Root first, then upstream: two pieces, each where the tile reaches into it.
// TILES: stablehlo.concatenate
// TILES-NEXT: offsets ["o0","o1"]
// TILES: stablehlo.reshape
// TILES-NEXT: value %4
// TILES-SAME: when [
// TILES: argument
// TILES-NEXT: value %arg1
// TILES: argument
// TILES-NEXT: refused

// NUMBERS: stablehlo.concatenate
// NUMBERS-NEXT: offsets ["1","0"], sizes ["2","3"]
// NUMBERS: stablehlo.reshape
// NUMBERS-NEXT: offsets ["1","0"], sizes ["2","3"]

// BEYOND: "refused":"a tile of 9 elements from 0 on in steps of 1 is not within dimension 0 of size 5"
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
