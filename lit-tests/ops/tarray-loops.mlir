// RUN: mapwright maps %s --compose --direction both | FileCheck %s

// Loops over elements have the maps of their bodies: the place of the element stands before the index inside of it. A list that a loop
// makes is as long as the one that it goes through, so one runtime variable says how long they are. All of these maps are exact.

!list = !tarray.array<tensor<4xf32>, max = 6>
!lists = !tarray.array<!tarray.array<tensor<4xf32>, max = 6>, max = 5>

// CHECK-LABEL: func @reversed
// CHECK: {{^  result 0 -> argument 0$}}
// CHECK-NEXT: {{^ *}}(d0, d1){rt0} -> (d0, -d1 + 3), {{.*}} d0 - rt0 in [-6, -1]; rt0 = len(%arg0)[
// CHECK-NEXT: {{^  result 0 -> argument 1$}}
// CHECK-NEXT: {{^ *}}(d0, d1){rt0} -> (d1), domain: d0 in [0, 5], d1 in [0, 3], rt0 in [1, 6], d0 - rt0 in [-6, -1]; rt0
// CHECK: {{^  argument 0 -> result 0$}}
// CHECK-NEXT: {{^ *}}(d0, d1){rt0} -> (d0, -d1 + 3)
func.func @reversed(%x: !list, %w: tensor<4xf32>) -> !list {
  %y = tarray.parallel_foreach (%e in %x : !list) {
    %z = stablehlo.reverse %e, dims = [0] : tensor<4xf32>
    %s = stablehlo.add %z, %w : tensor<4xf32>
    tarray.yield %s : tensor<4xf32>
  }
  return %y : !list
}

// Lists of lists, by a product of each element with a matrix. Nothing of this is "not exact".
// CHECK-LABEL: func @nested
// CHECK-NOT: not exact
// CHECK: {{^  result 0 -> argument 0$}}
// CHECK-NEXT: {{^ *}}(d0, d1, d2)[s0]{rt0, rt1} -> (d0, d1, -s0 + 3), {{.*}} rt0 = len(%arg0)[(d0, d1, d2) -> (d0), {{.*}} rt1 = len(%arg0)[(d0, d1, d2) -> ()
// CHECK-NEXT: {{^  result 0 -> argument 1$}}
// CHECK-NEXT: {{^ *}}(d0, d1, d2)[s0]{rt0, rt1} -> (s0, d2)
// CHECK-NEXT: {{^  result 0 -> argument 2$}}
// CHECK-NEXT: {{^ *}}(d0, d1, d2)[s0]{rt0, rt1} -> (-s0 + 3)
// CHECK-NOT: not exact
// CHECK-LABEL: func @tensors
func.func @nested(%x: !lists, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> !tarray.array<!tarray.array<tensor<3xf32>, max = 6>, max = 5> {
  %y = tarray.parallel_foreach (%l in %x : !lists) {
    %m = tarray.broadcast (%e in %l : !list, %k = %b : tensor<4xf32>) {
      %z = stablehlo.multiply %e, %k : tensor<4xf32>
      tarray.yield %z : tensor<4xf32>
    }
    %n = tarray.parallel_foreach (%e in %m : !list) {
      %r = stablehlo.reverse %e, dims = [0] : tensor<4xf32>
      %z = stablehlo.dot_general %r, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
      tarray.yield %z : tensor<3xf32>
    }
    tarray.yield %n : !tarray.array<tensor<3xf32>, max = 6>
  }
  return %y : !tarray.array<!tarray.array<tensor<3xf32>, max = 6>, max = 5>
}

// Scalars of tensors, and functions of parts of them. What the body does not look at is not read.
// CHECK: {{^  result 0 -> argument 0$}}
// CHECK-NEXT: {{^ *}}(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 3]{{$}}
// CHECK-NEXT: {{^  result 0 -> argument 1$}}
// CHECK-NEXT: {{^ *}}(d0, d1) -> (d0), domain: d0 in [0, 6], d1 in [0, 3]{{$}}
// CHECK-NEXT: {{^  result 1 -> argument 0$}}
// CHECK-NEXT: {{^ *}}(d0, d1) -> (d0, d1 + 1), domain: d0 in [0, 6], d1 in [0, 1]{{$}}
// CHECK-NEXT: {{^  result 2 -> argument 1$}}
func.func private @middle(%e: tensor<4xf32>) -> tensor<2xf32> {
  %a = stablehlo.slice %e [1:3] : (tensor<4xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func @tensors(%x: tensor<7x4xf32>, %y: tensor<7xf32>) -> (tensor<7x4xf32>, tensor<7x2xf32>, tensor<7xf32>) {
  %u = tarray.broadcast dims = [0] (%a in %x : tensor<7x4xf32>, %b = %y : tensor<7xf32>) {
    %s = stablehlo.subtract %a, %b : tensor<f32>
    tarray.yield %s : tensor<f32>
  }
  %v = tarray.vectorize @middle(%x) : tensor<7x4xf32> -> tensor<7x2xf32>
  %z = tarray.slice %x [0 : 1 : 1] dim = 1 keep_dim = false : tensor<7x4xf32>
  %w = tarray.parallel_foreach (%a in %z : tensor<7xf32>, %b in %y : tensor<7xf32>) {
    %t = stablehlo.exponential %b : tensor<f32>
    tarray.yield %t : tensor<f32>
  }
  return %u, %v, %w : tensor<7x4xf32>, tensor<7x2xf32>, tensor<7xf32>
}
