// RUN: mapwright-opt %s --indexing-annotate=direction=output-to-input --mlir-print-local-scope | FileCheck %s --check-prefix=MAPS
// RUN: mapwright-opt %s --indexing-analyze=what=views | FileCheck %s --check-prefix=VIEWS
// RUN: mapwright-opt %s --indexing-analyze=what=coalescing | FileCheck %s --check-prefix=COALESCING
// RUN: mapwright-opt %s --indexing-analyze=what=utilization | FileCheck %s --check-prefix=UTILIZATION
// RUN: mapwright-opt %s --indexing-analyze=what=tiles | FileCheck %s --check-prefix=TILES
// RUN: mapwright maps %s --compose | FileCheck %s --check-prefix=COMPOSED
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-annotate,indexing-simplify,indexing-analyze{what=views},indexing-strip)' | FileCheck %s --check-prefix=STRIPPED --implicit-check-not=indexing.

// Maps go through MLIR's own operations as through StableHLO's.
// STRIPPED: tensor.extract_slice

// MAPS: tensor.extract_slice %{{.*}}[0, %arg1] {{.*}}(d0, d1){rt0} -> (d0, d1 + rt0), domain: d0 in [0, 3], d1 in [0, 2], rt0 in [0, 3]>
// MAPS: tensor.extract_slice %{{.*}}[%c2, 0] {{.*}}(d0) -> (2, d0 * 2), domain: d0 in [0, 2]>
// MAPS: tensor.insert_slice {{.*}}(d0, d1) -> (d1), domain: d0 in [1, 1], d1 in [0, 2]>], [#indexing.map<(d0, d1) -> (0, d1), domain: d0 in [0, 0], d1 in [0, 2]>, #indexing.map<(d0, d1) -> (d0, d1), domain: d0 in [2, 3], d1 in [0, 2]>]
// MAPS: linalg.transpose {{.*}}(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 3]>], [#indexing.map<KNOWN EMPTY>]
// MAPS: tensor.collapse_shape {{.*}}(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]>
// MAPS: linalg.broadcast {{.*}}(d0, d1) -> (d1), domain: d0 in [0, 3], d1 in [0, 11]>
// MAPS: (d0, d1) -> (d0 - 1, d1), domain: d0 in [1, 4], d1 in [0, 11]>{{.*}}to tensor<5x12xf32>
// MAPS: arith.addf {{.*}}(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 11]>

// VIEWS: tensor.extract_slice %{{.*}}[0, %arg1] {{.*}}layout = "strided<[6, 1], offset: ?>"
// VIEWS: tensor.extract_slice %{{.*}}[%c2, 0] {{.*}}layout = "strided<[2], offset: 12>"
// VIEWS: linalg.transpose {{.*}}storage = "own"
// VIEWS: tensor.collapse_shape {{.*}}layout = "strided<[1]>"

// COALESCING: linalg.transpose {{.*}}indexing.coalescing
// UTILIZATION: tensor.extract_slice %{{.*}}[%c2, 0] {{.*}}indexing.utilization
// UTILIZATION: linalg.generic
// TILES: tensor.pad
// TILES: indexing.tiles

// The sum of neighbours in a window, of what was sliced, updated, turned, flattened, repeated and padded.
// COMPOSED: linalg.generic
// COMPOSED-NEXT: result 0 -> operand 0
// COMPOSED-NEXT: (d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 4], d1 in [0, 9], s0 in [0, 2]
// COMPOSED-NEXT: result 0 -> operand 1
// COMPOSED-NEXT: KNOWN EMPTY
// COMPOSED-NEXT: result 0 -> operand 2
// COMPOSED-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 9]
// COMPOSED: result 0 -> argument 0
// COMPOSED-NEXT: (d0, d1)[s0] -> (2, ((d1 + s0) floordiv 4) * 2), domain: d0 in [1, 4], d1 in [0, 9], s0 in [0, 2], (d1 + s0) mod 4 in [1, 1]
// COMPOSED-NEXT: (d0, d1)[s0]{rt0} -> (0, (d1 + s0) floordiv 4 + rt0), {{.*}}rt0 = %arg1
// COMPOSED-NEXT: (d0, d1)[s0]{rt0} -> ((d1 + s0) mod 4, (d1 + s0) floordiv 4 + rt0), {{.*}}(d1 + s0) mod 4 in [2, 3]
// COMPOSED: result 0 -> argument 2
// COMPOSED-NEXT: (d0, d1) -> (), domain: d0 in [0, 4], d1 in [0, 9] (not exact)
func.func @main(%x: tensor<4x6xf32>, %i: index, %v: f32) -> tensor<5x10xf32> {
  %c2 = arith.constant 2 : index
  %e = stablehlo.exponential %x : tensor<4x6xf32>
  %s = tensor.extract_slice %e[0, %i] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %s2 = tensor.extract_slice %e[%c2, 0] [1, 3] [1, 2] : tensor<4x6xf32> to tensor<3xf32>
  %in = tensor.insert_slice %s2 into %s[1, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
  %t0 = tensor.empty() : tensor<3x4xf32>
  %t = linalg.transpose ins(%in : tensor<4x3xf32>) outs(%t0 : tensor<3x4xf32>) permutation = [1, 0]
  %c = tensor.collapse_shape %t [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  %b0 = tensor.empty() : tensor<4x12xf32>
  %b = linalg.broadcast ins(%c : tensor<12xf32>) outs(%b0 : tensor<4x12xf32>) dimensions = [0]
  %n = stablehlo.negate %b : tensor<4x12xf32>
  %p = tensor.pad %n low[1, 0] high[0, 0] {
  ^bb0(%a0: index, %a1: index):
    tensor.yield %v : f32
  } : tensor<4x12xf32> to tensor<5x12xf32>
  %d = arith.addf %p, %p : tensor<5x12xf32>
  %h = tensor.empty() : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<5x10xf32>
  %w = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%d, %h : tensor<5x12xf32>, tensor<3xf32>) outs(%zero : tensor<5x10xf32>) {
  ^bb0(%a: f32, %k: f32, %sum: f32):
    %0 = arith.addf %a, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<5x10xf32>
  return %w : tensor<5x10xf32>
}
