// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse{maps=false}),indexing-schedule{vector-bits=256})' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse{maps=false}),indexing-schedule{vector-bits=256},indexing-schedule{vector-bits=512})' | FileCheck %s
// RUN: mapwright fusion %s | FileCheck %s --check-prefix=COMMAND
// RUN: mapwright fusion %s --json | FileCheck %s --check-prefix=JSON
// The chooser's schedule stands beside each region; what stands there already stays. The command prints that for the machine that it runs on.

// COMMAND: schedule tiled [{{.*}}transpose_blocks(d0){{.*}}]
// COMMAND: schedule contraction [{{.*}}register_tile({{.*}})
// JSON: "schedule":{{ ?}}"tiled [

// CHECK-LABEL: @transposed
// CHECK: schedule = #indexing.schedule<tiled [tile(d0, 64), tile(d1, 64), lanes(d1, 16), transpose_blocks(d0), store_blocks(4)]>
func.func @transposed(%x: tensor<100x200xf32>) -> tensor<200x100xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<100x200xf32>) -> tensor<200x100xf32>
  return %0 : tensor<200x100xf32>
}

// CHECK-LABEL: @product
// CHECK: schedule = #indexing.schedule<contraction [tile(mo, 1), tile(m, 30), tile(n, 48), register_tile(6, 2)]>
func.func @product(%x: tensor<30x40xf32>, %y: tensor<40x48xf32>) -> tensor<30x48xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<30x40xf32>, tensor<40x48xf32>) -> tensor<30x48xf32>
  return %0 : tensor<30x48xf32>
}

// The sum of a row is needed before its elements are divided: the exponentials are kept until then.
// CHECK-LABEL: @softmax
// CHECK: schedule = #indexing.schedule<tiled [tile(d0, 8), lanes(d1, 8, 4), row_block(d0, 8), keep(v5), reciprocal(2)]>
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %l) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x128xf32>
  %e = stablehlo.exponential %d : tensor<64x128xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// CHECK-LABEL: @sorted
// CHECK-NOT: indexing.schedule
func.func @sorted(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
