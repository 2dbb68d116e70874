// Five optimisations, each with the others and switched off.
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize,func.func(indexing-fuse{maps=false}))' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize,func.func(indexing-fuse{maps=false disable=fusion}))' | FileCheck %s --check-prefix=NO-FUSION
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize,func.func(indexing-fuse{maps=false disable=movement}))' | FileCheck %s --check-prefix=NO-MOVEMENT
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize{disable=common-values},func.func(indexing-fuse{maps=false}))' | FileCheck %s --check-prefix=NO-COMMON
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize{disable=distribution},func.func(indexing-fuse{maps=false}))' | FileCheck %s --check-prefix=NO-DISTRIBUTION
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize{disable=batching},func.func(indexing-fuse{maps=false}))' | FileCheck %s --check-prefix=NO-BATCHING

// Operations share one loop; without fusion each has its own, and what lies between them is in memory.
// CHECK-LABEL: func.func @fusion
// CHECK: indexing.fusion
// CHECK: stablehlo.exponential
// CHECK-NOT: indexing.fusion
// CHECK: stablehlo.multiply
// CHECK: return
// NO-FUSION-LABEL: func.func @fusion
// NO-FUSION: %[[POWERS:.*]] = indexing.fusion
// NO-FUSION-NEXT: stablehlo.exponential
// NO-FUSION: %[[SUM:.*]] = indexing.fusion({{.*}} = %[[POWERS]] : tensor<8x16xf32>
// NO-FUSION-NEXT: stablehlo.add
// NO-FUSION: indexing.fusion({{.*}} = %[[SUM]] : tensor<8x16xf32>
// NO-FUSION-NEXT: stablehlo.multiply
func.func @fusion(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.exponential %x : tensor<8x16xf32>
  %1 = stablehlo.add %0, %y : tensor<8x16xf32>
  %2 = stablehlo.multiply %1, %y : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// What moves elements is a part of the index of who reads it: no tensor of the moved elements is in memory.
// CHECK-LABEL: func.func @movement
// CHECK: indexing.fusion(%{{.*}} = %arg0 : tensor<8x16xf32>, %{{.*}} = %arg1 : tensor<16x4xf32>)
// CHECK-NOT: indexing.fusion
// CHECK: stablehlo.tanh
// CHECK: return
// NO-MOVEMENT-LABEL: func.func @movement
// NO-MOVEMENT: %[[TURNED:.*]] = indexing.fusion
// NO-MOVEMENT-NEXT: stablehlo.transpose
// NO-MOVEMENT: %[[CUT:.*]] = indexing.fusion({{.*}} = %[[TURNED]] : tensor<16x8xf32>
// NO-MOVEMENT-NEXT: stablehlo.slice
// NO-MOVEMENT: %[[JOINED:.*]] = indexing.fusion({{.*}} = %[[CUT]] : tensor<16x4xf32>
// NO-MOVEMENT-NEXT: stablehlo.concatenate
// NO-MOVEMENT: indexing.fusion({{.*}} = %[[JOINED]] : tensor<16x8xf32>
// NO-MOVEMENT-NEXT: stablehlo.tanh
func.func @movement(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.slice %0 [0:16, 2:6] : (tensor<16x8xf32>) -> tensor<16x4xf32>
  %2 = stablehlo.concatenate %1, %y, dim = 1 : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x8xf32>
  %3 = stablehlo.tanh %2 : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// Two loops multiply each token with the same matrix: one product. The moves around another one are written differently; their maps are the same.
!token = tensor<64xf32>
!list = !tarray.array<!token, max = 128>
// CHECK-LABEL: func.func @common
// CHECK-COUNT-2: stablehlo.dot_general
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
// NO-COMMON-LABEL: func.func @common
// NO-COMMON-COUNT-4: stablehlo.dot_general
// NO-COMMON: return
func.func @common(%x: !list, %w: tensor<64x64xf32>, %v: tensor<64x4xf32>) -> (!list, tensor<4x64xf32>) {
  %y = tarray.parallel_foreach (%t in %x : !list) {
    %0 = stablehlo.dot_general %t, %w, contracting_dims = [0] x [0] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %1 = stablehlo.tanh %0 : tensor<64xf32>
    tarray.yield %1 : tensor<64xf32>
  }
  %z = tarray.parallel_foreach (%t in %x : !list, %s in %y : !list) {
    %0 = stablehlo.dot_general %t, %w, contracting_dims = [0] x [0] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %1 = stablehlo.add %0, %s : tensor<64xf32>
    tarray.yield %1 : tensor<64xf32>
  }
  %a = stablehlo.transpose %v, dims = [1, 0] : (tensor<64x4xf32>) -> tensor<4x64xf32>
  %b = stablehlo.reshape %v : (tensor<64x4xf32>) -> tensor<64x2x2xf32>
  %c = stablehlo.transpose %b, dims = [1, 2, 0] : (tensor<64x2x2xf32>) -> tensor<2x2x64xf32>
  %d = stablehlo.reshape %c : (tensor<2x2x64xf32>) -> tensor<4x64xf32>
  %e = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %f = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %g = stablehlo.add %e, %f : tensor<4x64xf32>
  return %z, %g : !list, tensor<4x64xf32>
}

// A loop over the tokens of sentences: one product of all tokens that there are. Without distribution it is a product for each token, without batching
// the sentences are padded.
// CHECK-LABEL: func.func @tokens
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.dot_general {{.*}} : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
// CHECK: return
// NO-DISTRIBUTION-LABEL: func.func @tokens
// NO-DISTRIBUTION: stablehlo.while
// NO-DISTRIBUTION: stablehlo.while
// NO-DISTRIBUTION: stablehlo.dot_general {{.*}} : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
// NO-BATCHING-LABEL: func.func @tokens
// NO-BATCHING-NOT: stablehlo.while
// NO-BATCHING: stablehlo.dot_general {{.*}} : (tensor<4x128x64xf32>, tensor<64x64xf32>) -> tensor<4x128x64xf32>
func.func @tokens(%x: !tarray.array<!list, max = 4>, %w: tensor<64x64xf32>) -> !tarray.array<!list, max = 4> {
  %y = tarray.parallel_foreach (%l in %x : !tarray.array<!list, max = 4>) {
    %z = tarray.parallel_foreach (%t in %l : !list) {
      %0 = stablehlo.dot_general %t, %w, contracting_dims = [0] x [0] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
      tarray.yield %0 : tensor<64xf32>
    }
    tarray.yield %z : !list
  }
  return %y : !tarray.array<!list, max = 4>
}
