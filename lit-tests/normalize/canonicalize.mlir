// RUN: mapwright-opt %s --indexing-canonicalize | FileCheck %s

// Identities of integers.

// CHECK-LABEL: @integers
func.func @integers(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %all = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.add %x, %zero : tensor<4xi32>
  %1 = stablehlo.multiply %ones, %0 : tensor<4xi32>
  %2 = stablehlo.subtract %x, %x : tensor<4xi32>
  %3 = stablehlo.and %x, %all : tensor<4xi32>
  %4 = stablehlo.xor %3, %x : tensor<4xi32>
  %5 = stablehlo.negate %x : tensor<4xi32>
  %6 = stablehlo.negate %5 : tensor<4xi32>
  // CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0>
  // CHECK-NEXT: %[[ALSO:.*]] = stablehlo.constant dense<0>
  // CHECK-NEXT: return %arg0, %[[ZERO]], %arg0, %[[ALSO]], %arg0
  return %1, %2, %3, %4, %6 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// x + 0.0 turns -0.0 into 0.0 and stays; x + -0.0 and x - 0.0 go. 0.0 * x is NaN for some x.

// CHECK-LABEL: @floats
func.func @floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  // CHECK-DAG: %[[KEPT_ADD:.*]] = stablehlo.add %arg0, %{{.*}}
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.add %minus, %x : tensor<4xf32>
  %2 = stablehlo.subtract %x, %zero : tensor<4xf32>
  // CHECK-DAG: %[[KEPT_SUB:.*]] = stablehlo.subtract %arg0, %{{.*}}
  %3 = stablehlo.subtract %x, %minus : tensor<4xf32>
  %4 = stablehlo.divide %x, %one : tensor<4xf32>
  // CHECK-DAG: %[[KEPT_MUL:.*]] = stablehlo.multiply %arg0, %{{.*}}
  %5 = stablehlo.multiply %x, %zero : tensor<4xf32>
  // CHECK-DAG: %[[KEPT_SELF:.*]] = stablehlo.subtract %arg0, %arg0
  %6 = stablehlo.subtract %x, %x : tensor<4xf32>
  // CHECK: return %[[KEPT_ADD]], %arg0, %arg0, %[[KEPT_SUB]], %arg0, %[[KEPT_MUL]], %[[KEPT_SELF]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The bits of 1.0 and -0.0 in the narrow formats.

// CHECK-LABEL: @narrow_floats
func.func @narrow_floats(%x: tensor<4xbf16>, %y: tensor<4xf16>) -> (tensor<4xbf16>, tensor<4xf16>) {
  %one = stablehlo.constant dense<1.0> : tensor<4xbf16>
  %minus = stablehlo.constant dense<-0.0> : tensor<4xf16>
  %0 = stablehlo.multiply %x, %one : tensor<4xbf16>
  %1 = stablehlo.add %y, %minus : tensor<4xf16>
  // CHECK-NEXT: return %arg0, %arg1
  return %0, %1 : tensor<4xbf16>, tensor<4xf16>
}

// NaN is not equal to itself; an integer is.

// CHECK-LABEL: @comparisons
func.func @comparisons(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>) {
  // CHECK-NEXT: %[[KEPT:.*]] = stablehlo.compare EQ, %arg0, %arg0
  // CHECK-NEXT: %[[TRUE:.*]] = stablehlo.constant dense<true>
  // CHECK-NEXT: return %[[KEPT]], %[[TRUE]]
  %0 = stablehlo.compare EQ, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare GE, %n, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// Booleans add as `or` and multiply as `and`.

// CHECK-LABEL: @booleans
func.func @booleans(%p: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %true = stablehlo.constant dense<true> : tensor<4xi1>
  %0 = stablehlo.add %p, %true : tensor<4xi1>
  %1 = stablehlo.multiply %p, %true : tensor<4xi1>
  %2 = stablehlo.not %p : tensor<4xi1>
  %3 = stablehlo.not %2 : tensor<4xi1>
  // CHECK: %[[TRUE:.*]] = stablehlo.constant dense<true>
  // CHECK-NEXT: return %[[TRUE]], %arg0, %arg0
  return %0, %1, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @selections
func.func @selections(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.select %false, %x, %y : tensor<i1>, tensor<4xf32>
  %1 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<4xf32>
  // CHECK-NEXT: return %arg2, %arg1
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @parts
func.func @parts(%a: tensor<4xf32>, %b: tensor<4xf32>, %z: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>) {
  %0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.imag %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = stablehlo.real %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %4 = stablehlo.imag %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %5 = stablehlo.complex %3, %4 : tensor<4xcomplex<f32>>
  // CHECK-NEXT: return %arg0, %arg1, %arg2
  return %1, %2, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>
}

// Reshapes merge, and vanish where they come back.

// CHECK-LABEL: @reshapes
func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>) {
  // CHECK-NEXT: %[[ONE:.*]] = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<3x4xf32>
  // CHECK-NEXT: return %[[ONE]], %arg0
  %0 = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = stablehlo.reshape %0 : (tensor<12xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<3x4xf32>) -> tensor<2x6xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: @transposes
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[BOTH:.*]] = stablehlo.transpose %arg0, dims = [1, 2, 0]
  // CHECK-NEXT: return %[[BOTH]], %arg0, %arg0
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %3 = stablehlo.transpose %x, dims = [0, 1, 2] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1, %2, %3 : tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<3xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: %[[BOTH:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Elements 2, 4, 6, 8 of which the second slice takes 4 and 8.

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<10xf32>) -> (tensor<2xf32>, tensor<10xf32>) {
  // CHECK-NEXT: %[[BOTH:.*]] = stablehlo.slice %arg0 [4:9:4] : (tensor<10xf32>) -> tensor<2xf32>
  // CHECK-NEXT: return %[[BOTH]], %arg0
  %0 = stablehlo.slice %x [2:10:2] : (tensor<10xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %0 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %2 = stablehlo.slice %x [0:10] : (tensor<10xf32>) -> tensor<10xf32>
  return %1, %2 : tensor<2xf32>, tensor<10xf32>
}

// Starts are clamped so that the slice is inside: 7 becomes 6; an update of everything is the update.

// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<8xf32>, %u: tensor<8xf32>, %i: tensor<i32>) -> (tensor<2xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[SLICE:.*]] = stablehlo.slice %arg0 [6:8] : (tensor<8xf32>) -> tensor<2xf32>
  // CHECK-NEXT: return %[[SLICE]], %arg0, %arg1
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %seven, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = stablehlo.dynamic_slice %x, %i, sizes = [8] : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  %2 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @pads
func.func @pads(%x: tensor<4xf32>, %v: tensor<f32>, %e: tensor<0xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.concatenate %e, %x, dim = 0 : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<4xf32>
  // CHECK-NEXT: return %arg0, %arg0, %arg0
  return %0, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A known branch takes the place of the whole; an index out of range takes the last one.

// CHECK-LABEL: @branches
func.func @branches(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK-NOT: stablehlo.if
  // CHECK-NOT: stablehlo.case
  // CHECK-DAG: %[[SINE:.*]] = stablehlo.sine %arg0
  // CHECK-DAG: %[[COSINE:.*]] = stablehlo.cosine %arg0
  // CHECK: return %[[SINE]], %[[COSINE]]
  %true = stablehlo.constant dense<true> : tensor<i1>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.if"(%true) ({
    %a = stablehlo.sine %x : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %1 = "stablehlo.case"(%seven) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %a = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// What has effects stays, used or not.

// CHECK-LABEL: @effects
func.func @effects(%x: tensor<f32>, %t: !stablehlo.token) {
  // CHECK-NOT: stablehlo.add
  // CHECK: stablehlo.custom_call
  // CHECK: stablehlo.outfeed
  %0 = stablehlo.add %x, %x : tensor<f32>
  %1 = stablehlo.custom_call @f(%x) : (tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}

// Sizes that are not known are not taken for the same.

// CHECK-LABEL: @unknown_sizes
func.func @unknown_sizes(%x: tensor<?xf32>, %i: tensor<i32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %0 = stablehlo.reshape %x : (tensor<?xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.reshape
  %1 = stablehlo.reverse %x, dims = [0] : tensor<?xf32>
  // CHECK: stablehlo.reverse
  return %1, %0 : tensor<?xf32>, tensor<4xf32>
}
