// RUN: mapwright-opt %s --indexing-legalize-tarray | FileCheck %s --check-prefixes=CHECK,ARRAYS
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s --check-prefixes=CHECK,FRONTEND
// RUN: mapwright-opt %s --indexing-legalize-tarray | not grep "[! ]tarray"

// An array at the border of a function is its buffer and offsets, a vector for each level, all as long as what is there; a shape is a vector. Offsets
// that are not well-formed, and lists longer than their maxima, are errors of the call.
// CHECK-LABEL: func.func @border(%arg0: tensor<?x4xf32>, %arg1: tensor<2xi64>, %arg2: tensor<?xi64>, %arg3: tensor<3xi64>)
// CHECK-SAME: -> (tensor<3xi64>, tensor<?x4xf32>, tensor<2xi64>, tensor<?xi64>)
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "offsets 0 of an array have a list of {0} elements, the declared maximum is {1}, at
// CHECK: %[[LEAVES:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[N:.*]] = stablehlo.convert %[[LEAVES]] : (tensor<i32>) -> tensor<i64>
// CHECK: stablehlo.compare EQ, %[[END:.*]], %[[N]],
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}, %[[END]], %[[N]]) {error_message = "offsets 1 of an array end with {0}, where there are {1} elements, at
func.func @border(%x: !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>, %s: !tarray.shape<3>) -> (!tarray.shape<3>, !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>) {
  // CHECK: return %arg3, %arg0, %{{.*}}, %arg2
  return %s, %x : !tarray.shape<3>, !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
}

// A body is made for all elements at once.
// CHECK-LABEL: func.func @at_once
func.func @at_once(%x: !tarray.array<tensor<4xf32>, max = 16>, %w: tensor<4x8xf32>) -> !tarray.array<tensor<8xf32>, max = 16> {
  // CHECK: stablehlo.exponential %{{.*}} : tensor<16x4xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %arg2, contracting_dims = [1] x [0] : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  // CHECK-NOT: stablehlo.while
  // CHECK: return
  %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<4xf32>, max = 16>) {
    %0 = stablehlo.exponential %e : tensor<4xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<8xf32>
    tarray.yield %1 : tensor<8xf32>
  }
  return %y : !tarray.array<tensor<8xf32>, max = 16>
}

// What has no rule for that runs in a loop over the elements that are there.
// CHECK-LABEL: func.func @one_by_one
func.func @one_by_one(%x: !tarray.array<tensor<4x4xf32>, max = 16>) -> !tarray.array<tensor<4x4xf32>, max = 16> {
  // CHECK: stablehlo.while
  // CHECK: stablehlo.cholesky %{{.*}} : tensor<4x4xf32>
  %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<4x4xf32>, max = 16>) {
    %0 = stablehlo.cholesky %e, lower = true : tensor<4x4xf32>
    tarray.yield %0 : tensor<4x4xf32>
  }
  return %y : !tarray.array<tensor<4x4xf32>, max = 16>
}

// Softmax along an axis is what one writes by hand.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.subtract %arg0, %{{.*}} : tensor<4x8xf32>
  // CHECK: stablehlo.exponential %{{.*}} : tensor<4x8xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1]
  // CHECK: stablehlo.divide %{{.*}} : tensor<4x8xf32>
  // CHECK-NOT: stablehlo.while
  // CHECK: return
  %y = tarray.apply_along_axis dim = 1 (%line in %x : tensor<4x8xf32>) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %m = tarray.reduce (%e in %line : tensor<8xf32>, %a = %low : tensor<f32>) {
      %0 = stablehlo.maximum %a, %e : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %d = tarray.broadcast (%e in %line : tensor<8xf32>, %b = %m : tensor<f32>) {
      %0 = stablehlo.subtract %e, %b : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %p = tarray.parallel_foreach (%e in %d : tensor<8xf32>) {
      %0 = stablehlo.exponential %e : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %s = tarray.reduce (%e in %p : tensor<8xf32>, %a = %zero : tensor<f32>) {
      %0 = stablehlo.add %a, %e : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %q = tarray.broadcast (%e in %p : tensor<8xf32>, %b = %s : tensor<f32>) {
      %0 = stablehlo.divide %e, %b : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    tarray.yield %q : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// Functions take and give arrays of each other, and bodies of control flow use them.
// CHECK-LABEL: func.func private @callee(%arg0: tensor<?xf32>, %arg1: tensor<2xi64>) -> (tensor<?xf32>, tensor<2xi64>)
func.func private @callee(%x: !tarray.array<tensor<f32>, max = 3>) -> !tarray.array<tensor<f32>, max = 3> {
  return %x : !tarray.array<tensor<f32>, max = 3>
}
// CHECK-LABEL: func.func @calls
func.func @calls(%x: !tarray.array<tensor<f32>, max = 3>, %c: tensor<i1>) -> tensor<i64> {
  // CHECK: call @callee(%{{.*}}, %{{.*}}) : (tensor<?xf32>, tensor<2xi64>) -> (tensor<?xf32>, tensor<2xi64>)
  %y = func.call @callee(%x) : (!tarray.array<tensor<f32>, max = 3>) -> !tarray.array<tensor<f32>, max = 3>
  // CHECK: "stablehlo.if"
  %n = "stablehlo.if"(%c) ({
    %0 = tarray.length %y : !tarray.array<tensor<f32>, max = 3>
    stablehlo.return %0 : tensor<i64>
  }, {
    %0 = stablehlo.constant dense<0> : tensor<i64>
    stablehlo.return %0 : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %n : tensor<i64>
}

// Arrays go through control flow as what they are made of: small ones have room for their maxima, so that sizes are known. In the end it is that of
// StableHLO.
// CHECK-LABEL: func.func @branches
// ARRAYS: %[[IF:.*]]:2 = scf.if %arg0 -> (tensor<4x2xf32>, tensor<i64>) {
// FRONTEND: %[[IF:.*]]:2 = "stablehlo.if"(%arg0) ({
// CHECK: %[[X:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %arg1, {{.*}} -> tensor<4x2xf32>
// ARRAYS: scf.yield %[[X]], %{{.*}} : tensor<4x2xf32>, tensor<i64>
// ARRAYS: } else {
// FRONTEND: stablehlo.return %[[X]], %{{.*}} : tensor<4x2xf32>, tensor<i64>
// CHECK: %[[Y:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %arg3, {{.*}} -> tensor<4x2xf32>
// ARRAYS: scf.yield %[[Y]], %{{.*}} : tensor<4x2xf32>, tensor<i64>
// FRONTEND: stablehlo.return %[[Y]], %{{.*}} : tensor<4x2xf32>, tensor<i64>
// CHECK: %[[THERE:.*]] = stablehlo.real_dynamic_slice %[[IF]]#0, {{.*}} -> tensor<?x2xf32>
// CHECK: return %[[THERE]], %{{.*}}
func.func @branches(%p: i1, %x: !tarray.array<tensor<2xf32>, max = 4>, %y: !tarray.array<tensor<2xf32>, max = 4>) -> !tarray.array<tensor<2xf32>, max = 4> {
  %0 = scf.if %p -> !tarray.array<tensor<2xf32>, max = 4> {
    scf.yield %x : !tarray.array<tensor<2xf32>, max = 4>
  } else {
    scf.yield %y : !tarray.array<tensor<2xf32>, max = 4>
  }
  return %0 : !tarray.array<tensor<2xf32>, max = 4>
}

// Others are what is there, also without a maximum.
// CHECK-LABEL: func.func @long_branches
// ARRAYS: %[[IF:.*]]:2 = scf.if %arg0 -> (tensor<?x2xf32>, tensor<i64>) {
// ARRAYS: scf.yield %arg1, %{{.*}} : tensor<?x2xf32>, tensor<i64>
// ARRAYS: } else {
// ARRAYS: scf.yield %arg3, %{{.*}} : tensor<?x2xf32>, tensor<i64>
// FRONTEND: %[[IF:.*]]:2 = "stablehlo.if"(%arg0) ({
// FRONTEND: stablehlo.return %arg1, %{{.*}} : tensor<?x2xf32>, tensor<i64>
// FRONTEND: stablehlo.return %arg3, %{{.*}} : tensor<?x2xf32>, tensor<i64>
// CHECK: return %[[IF]]#0, %{{.*}}
!long = !tarray.array<tensor<2xf32>, max = 100000>
func.func @long_branches(%p: i1, %x: !long, %y: !long) -> !long {
  %0 = scf.if %p -> !long {
    scf.yield %x : !long
  } else {
    scf.yield %y : !long
  }
  return %0 : !long
}

// `select` takes one of two lists as a branch does: they may be of different sizes.
// CHECK-LABEL: func.func @chosen
// CHECK: "stablehlo.if"(%arg0) ({
// CHECK: stablehlo.return %arg1, %{{.*}} : tensor<?x2xf32>, tensor<i64>
// CHECK: }, {
// CHECK: stablehlo.return %arg3, %{{.*}} : tensor<?x2xf32>, tensor<i64>
// CHECK: }) : (tensor<i1>) -> (tensor<?x2xf32>, tensor<i64>)
func.func @chosen(%p: tensor<i1>, %x: !long, %y: !long) -> !long {
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, !long
  return %0 : !long
}
