// RUN: mapwright-opt %s --indexing-legalize-tarray="packing=always" --split-input-file | FileCheck %s
// RUN: mapwright-opt %s --indexing-legalize-tarray="packing=always" --split-input-file | not grep "[! ]tarray"
// RUN: mapwright-opt %s --indexing-legalize-tarray="packing=never" --split-input-file | FileCheck %s --check-prefix=PADDED
// RUN: mapwright-opt %s --indexing-legalize-tarray="distribution=false" --split-input-file | FileCheck %s --check-prefix=WHOLE

// What is done to the elements of lists is one operation on all that there are.
// CHECK-LABEL: func.func @tokens(%arg0: tensor<?x4xf32>, %arg1: tensor<2xi64>, %arg2: tensor<?xi64>,
// CHECK: stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
// CHECK-NOT: stablehlo.while
// CHECK: return

// With padding, of each list as many as there may be.
// PADDED-LABEL: func.func @tokens
// PADDED: stablehlo.dot_general {{.*}} : (tensor<3x16x4xf32>, tensor<4x8xf32>) -> tensor<3x16x8xf32>

// Without distribution, one element after the other.
// WHOLE-LABEL: func.func @tokens
// WHOLE: stablehlo.while
// WHOLE: stablehlo.while
// WHOLE: stablehlo.dot_general {{.*}} : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<8xf32>
!list = !tarray.array<tensor<4xf32>, max = 16>
!wide = !tarray.array<tensor<8xf32>, max = 16>
func.func @tokens(%x: !tarray.array<!list, max = 3>, %w: tensor<4x8xf32>) -> !tarray.array<!wide, max = 3> {
  %y = tarray.parallel_foreach (%l in %x : !tarray.array<!list, max = 3>) {
    %z = tarray.parallel_foreach (%e in %l : !list) {
      %0 = stablehlo.dot_general %e, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<8xf32>
      tarray.yield %0 : tensor<8xf32>
    }
    tarray.yield %z : !wide
  }
  return %y : !tarray.array<!wide, max = 3>
}

// -----

// What looks at a list as a whole takes list after list, each as long as it is, and what comes of them lies at the same places.
// CHECK-LABEL: func.func @lists
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: %[[ONE:.*]] = stablehlo.real_dynamic_slice {{.*}} -> tensor<?x4xf32>
// CHECK: %[[PAIRS:.*]] = stablehlo.dot_general %[[ONE]], %[[ONE]], {{.*}} -> tensor<?x?xf32>
// CHECK: %[[OUT:.*]] = stablehlo.dot_general %[[PAIRS]], %[[ONE]], {{.*}} -> tensor<?x4xf32>
// CHECK: stablehlo.dynamic_update_slice {{.*}}, %[[OUT]], {{.*}} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x4xf32>
// CHECK: }
// What follows is done to all elements again.
// CHECK: stablehlo.exponential {{.*}} : tensor<?x4xf32>
!list = !tarray.array<tensor<4xf32>, max = 16>
func.func @lists(%x: !tarray.array<!list, max = 3>) -> !tarray.array<!list, max = 3> {
  %y = tarray.parallel_foreach (%l in %x : !tarray.array<!list, max = 3>) {
    %s = tarray.stack %l dim = 0 : !list
    %p = stablehlo.dot_general %s, %s, contracting_dims = [1] x [1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
    %q = stablehlo.dot_general %p, %s, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %r = tarray.slices %q dim = 0 max = 16 : tensor<?x4xf32>
    %z = tarray.parallel_foreach (%e in %r : !list) {
      %0 = stablehlo.exponential %e : tensor<4xf32>
      tarray.yield %0 : tensor<4xf32>
    }
    tarray.yield %z : !list
  }
  return %y : !tarray.array<!list, max = 3>
}

// -----

// Three levels, and a value that each list of the middle one has of its own: each leaf takes that of its list.
// CHECK-LABEL: func.func @three
// CHECK: %[[OWN:.*]] = "stablehlo.gather"({{.*}} -> tensor<?x2xf32>
// CHECK: stablehlo.add %arg0, %[[OWN]] : tensor<?x2xf32>
// CHECK-NOT: stablehlo.while
// CHECK: return
!row = !tarray.array<tensor<2xf32>, max = 5>
!page = !tarray.array<!row, max = 4>
!book = !tarray.array<!page, max = 3>
func.func @three(%x: !book, %w: tensor<2xf32>) -> !book {
  %y = tarray.parallel_foreach (%page in %x : !book) {
    %z = tarray.parallel_foreach (%row in %page : !page) {
      %n = tarray.length %row : !row
      %f = stablehlo.convert %n : (tensor<i64>) -> tensor<f32>
      %v = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %u = tarray.parallel_foreach (%e in %row : !row) {
        %0 = stablehlo.add %e, %v : tensor<2xf32>
        tarray.yield %0 : tensor<2xf32>
      }
      tarray.yield %u : !row
    }
    tarray.yield %z : !page
  }
  return %y : !book
}

// -----

// What a body does to a list as a whole is one operation on the elements of all lists where its map does the same to each of them (a product of each
// with a matrix, a sum along each), and is done list by list where it relates them to each other.
// CHECK-LABEL: func.func @each_slice
// CHECK-NOT: stablehlo.while
// CHECK: %[[WIDE:.*]] = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
// CHECK: %[[FIRST:.*]] = stablehlo.transpose %[[WIDE]], dims = [1, 0] : (tensor<?x8xf32>) -> tensor<8x?xf32>
// CHECK: %[[SUMS:.*]] = stablehlo.reduce(%[[FIRST]] {{.*}} across dimensions = [0] : (tensor<8x?xf32>, tensor<f32>) -> tensor<?xf32>
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: stablehlo.real_dynamic_slice %[[SUMS]]
// CHECK: stablehlo.reduce({{.*}} across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
!list = !tarray.array<tensor<4xf32>, max = 16>
func.func @each_slice(%x: !tarray.array<!list, max = 3>, %w: tensor<4x8xf32>) -> !tarray.array<tensor<f32>, max = 3> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = tarray.parallel_foreach (%l in %x : !tarray.array<!list, max = 3>) {
    %s = tarray.stack %l dim = 0 : !list
    %q = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
    %t = tarray.transpose %q dims = [1, 0] : tensor<?x8xf32>
    %u = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x?xf32>, tensor<f32>) -> tensor<?xf32>
    %v = stablehlo.reduce(%u init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    tarray.yield %v : tensor<f32>
  }
  return %y : !tarray.array<tensor<f32>, max = 3>
}

// -----

// A function of one sentence for all of them: what it does to rows is one product on the rows of all, and only what relates them goes through
// sentence by sentence. What is behind that is done to all rows again.
// CHECK-LABEL: func.func @sentences
// CHECK: stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
// CHECK: %[[SEEN:.*]] = stablehlo.while
// CHECK: do {
// CHECK: stablehlo.dot_general {{.*}} -> tensor<?x?xf32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<?x8xf32>
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.dynamic_update_slice
// CHECK: }
// CHECK: stablehlo.dot_general %{{.*}}, %arg4, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
// CHECK-NOT: stablehlo.while
// CHECK: return
!list = !tarray.array<tensor<4xf32>, max = 16>
func.func private @sentence(%x: tensor<?x4xf32>, %v: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %q = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %p = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
  %s = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %z = stablehlo.add %x, %y : tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
func.func @sentences(%x: !tarray.array<!list, max = 3>, %v: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> !tarray.array<!list, max = 3> {
  %y = tarray.vectorize @sentence(%x, %v, %w) : !tarray.array<!list, max = 3>, tensor<4x8xf32>, tensor<8x4xf32> -> !tarray.array<!list, max = 3>
  return %y : !tarray.array<!list, max = 3>
}
