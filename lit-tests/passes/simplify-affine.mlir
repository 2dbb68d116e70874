// RUN: mapwright-opt %s --indexing-simplify-affine | FileCheck %s
// RUN: mapwright-opt %s --indexing-simplify-affine --indexing-simplify-affine | FileCheck %s

// The induction variable is in [0, 7]: no remainder, no quotient.
// CHECK-DAG: [[$IDENTITY:#.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: [[$SYMBOL:#.*]] = affine_map<()[s0] -> (s0)>
// CHECK-DAG: [[$BOTH:#.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: [[$KEPT:#.*]] = affine_map<(d0, d1) -> (d0 + d1 floordiv 4, d1)>
// CHECK-DAG: [[$OPEN:#.*]] = affine_map<(d0) -> (d0 mod 8)>

// CHECK-LABEL: func.func @apply
// CHECK: affine.apply [[$IDENTITY]](%{{.*}})
func.func @apply(%out: memref<8xindex>) {
  affine.for %i = 0 to 8 {
    %0 = affine.apply affine_map<(d0) -> (d0 mod 8 + (d0 floordiv 8) * 3)>(%i)
    affine.store %0, %out[%i] : memref<8xindex>
  }
  return
}

// A reshape of what a reshape made, in the index of a load and of a store.
// CHECK-LABEL: func.func @load_store
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} * 4 + %{{.*}}]
func.func @load_store(%in: memref<8x4xf32>, %out: memref<32xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %0 = affine.load %in[(%i * 4 + %j) floordiv 4, (%i * 4 + %j) mod 4] : memref<8x4xf32>
      affine.store %0, %out[((%i * 4 + %j) floordiv 8) * 8 + (%i * 4 + %j) mod 8] : memref<32xf32>
    }
  }
  return
}

// The step is known, too: multiples of four.
// CHECK-LABEL: func.func @step
// CHECK: affine.load %{{.*}}[%{{[a-z0-9_]+}}] :
func.func @step(%in: memref<32xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to 32 step 4 iter_args(%s = %zero) -> f32 {
    %0 = affine.load %in[(%i floordiv 4) * 4] : memref<32xf32>
    %1 = arith.addf %s, %0 : f32
    affine.yield %1 : f32
  }
  return %sum : f32
}

// Bounds come through other operations: %k is in [0, 3], a minimum is at most its parts.
// CHECK-LABEL: func.func @through
// CHECK: affine.apply [[$SYMBOL]]()[%{{.*}}]
// CHECK: affine.apply [[$IDENTITY]](%{{.*}})
func.func @through(%out: memref<16xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %k = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%i)
    %0 = affine.apply affine_map<()[s0] -> (s0 mod 4)>()[%k]
    memref.store %0, %out[%i] : memref<16xindex>
    %m = affine.min affine_map<(d0) -> (d0, 7)>(%i)
    %1 = affine.apply affine_map<(d0) -> (d0 mod 8)>(%m)
    memref.store %1, %out[%i] : memref<16xindex>
  }
  return
}

// Nothing is known of an argument: it stays.
// CHECK-LABEL: func.func @unknown
// CHECK: affine.apply [[$OPEN]](%{{.*}})
func.func @unknown(%i: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 mod 8)>(%i)
  return %0 : index
}

// Loops of structured operations run over the sizes of the operands; plain dimensions stay, as they give the sizes.
// CHECK-LABEL: func.func @generic
// CHECK: linalg.generic
// CHECK-SAME: indexing_maps = {{\[}}[[$BOTH]], [[$BOTH]]]
func.func @generic(%in: tensor<8x4xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0 + d1 floordiv 4, d1 mod 4)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%in : tensor<8x4xf32>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The operand is longer than the loop: a plain dimension there would change how often the loop runs.
// CHECK-LABEL: func.func @longer
// CHECK: linalg.generic
// CHECK-SAME: indexing_maps = {{\[}}[[$KEPT]], [[$BOTH]]]
func.func @longer(%in: tensor<9x4xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0 + d1 floordiv 4, d1 mod 4)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%in : tensor<9x4xf32>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
