// RUN: mapwright-opt %s --indexing-analyze=what=views | FileCheck %s --check-prefix=VIEWS
// RUN: mapwright-opt %s --indexing-analyze='what=utilization tile-sizes=2,4' | FileCheck %s --check-prefix=USED
// RUN: mapwright-opt %s --indexing-analyze='what=coalescing width=16 order=1,0' | FileCheck %s --check-prefix=COALESCING
// RUN: mapwright-opt %s --indexing-analyze=what=tiles | FileCheck %s --check-prefix=TILES
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-analyze{what=tiles tile-sizes=2,4 tile-offsets=4,0 tile-strides=1,1}))' | FileCheck %s --check-prefix=NUMBERS
// RUN: mapwright-opt %s --indexing-analyze --indexing-analyze=what=utilization --indexing-analyze=what=coalescing --indexing-analyze=what=tiles --indexing-strip | FileCheck %s --check-prefix=STRIP --implicit-check-not=indexing.
// RUN: mapwright-opt %s --indexing-analyze=what=tiles | mapwright-opt | FileCheck %s --check-prefix=TILES
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-analyze{what=views})' | FileCheck %s --check-prefix=VIEWS
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-analyze{what=tiles tile-sizes=2,4})' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not mapwright-opt %s --indexing-analyze=what=colour 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mapwright-opt %s --indexing-analyze=width=0 2>&1 | FileCheck %s --check-prefix=WIDTH

// PIPELINE: indexing-analyze{{.*}}tile-sizes={2,4}{{.*}}what=tiles
// WRONG: colour
// WIDTH: option width must be between 1 and 4096

// A transposed matrix is the same buffer with the strides exchanged; the dynamic slice of it begins at a place of run time.
// VIEWS-LABEL: func.func @f
// VIEWS: stablehlo.transpose
// VIEWS-SAME: indexing.views = [{layout = "strided<[1, 16]>", of = "%arg0", offset = 0 : i64, result = 0 : i64, storage = "view", strides = [1, 16]}]
// VIEWS: stablehlo.dynamic_slice
// VIEWS-SAME: layout = "strided<[1, 16], offset: ?>"
// VIEWS-SAME: of = "%arg0"
// VIEWS-SAME: runtime_offset = [{clamp = [0, 8], index = "{{.*}}", stride = 1 : i64, value = "%arg1"}]
// VIEWS: stablehlo.dot
// VIEWS-SAME: indexing.views = [{result = 0 : i64, storage = "own"}]

// The dot reads every row of its left operand 4 times, every column of the right one 8 times; a tile of 2x4 elements reads 2 rows.
// USED-LABEL: func.func @f
// USED: stablehlo.dot
// USED-SAME: {elements = 64 : i64, exact = true, fraction = 1.000000e+00 : f64, operand = 0 : i64, reads = 256 : i64, reads_per_element = 4.000000e+00 : f64, result = 0 : i64, tile = {exact = true, fraction = 2.500000e-01 : f64, offsets = [0, 0], reads = 64 : i64, reads_per_element = 4.000000e+00 : f64, sizes = [2, 4], used = 16 : i64}, used = 64 : i64}

// With the loop over dimension 0 inside, the transposition walks along the rows of its operand.
// COALESCING-LABEL: func.func @f
// COALESCING: stablehlo.transpose
// COALESCING-SAME: kind = "contiguous"
// COALESCING-SAME: line_efficiency = 1.000000e+00
// COALESCING-SAME: loops = [16, 1]
// COALESCING-SAME: order = [1, 0]

// TILES-LABEL: func.func @f
// TILES-SAME: attributes {indexing.tiles = [{conditions = [], exact = true, offsets = ["0", "o1"], sizes = ["8", "t1"]
// TILES-SAME: offsets = ["0", "o0 + rt0"], runtime = [{clamp = [0, 8], index = "{{.*}}", name = "rt0", value = "%arg1"}], sizes = ["8", "t0"]
// TILES-SAME: value = "%arg0"}]} {
// TILES: stablehlo.dynamic_slice
// TILES-SAME: offsets = ["o0", "0"]
// TILES-SAME: sizes = ["t0", "8"]
// TILES: stablehlo.dot
// TILES-SAME: indexing.tiles = [{conditions = [], exact = true, offsets = ["o0", "o1"], sizes = ["t0", "t1"], strides = [1, 1]
// TILES-SAME: value = "%2"

// NUMBERS: stablehlo.dynamic_slice
// NUMBERS-SAME: offsets = ["4", "0"]
// NUMBERS-SAME: sizes = ["2", "8"]

// STRIP-LABEL: func.func @f
// STRIP: stablehlo.dot
func.func @f(%arg0: tensor<8x16xf32>, %arg1: tensor<i32>, %arg2: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.dynamic_slice %0, %arg1, %c, sizes = [8, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot %1, %arg2 : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
