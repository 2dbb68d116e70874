// RUN: mapwright maps %s --physical --compose --direction both | FileCheck %s
// RUN: mapwright maps %s --compose | FileCheck %s --check-prefix=LOGICAL

// Maps between arrays in memory. A column-major matrix of 4x8 elements is an array of 8 rows of 4.

// CHECK-LABEL: func @main
// The first operand is column-major, what it is added to and the sum are not.
// CHECK: stablehlo.add
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]
// CHECK-NEXT: result 0 -> operand 1
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]
// CHECK: operand 0 -> result 0
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
// Transposed, a column-major matrix is the same array.
// CHECK: stablehlo.transpose
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]
// The sum is returned column-major: as the first argument lies, and not as the second does.
// CHECK: result 0 -> argument 0
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]
// CHECK: result 0 -> argument 1
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
// CHECK: result 1 -> argument 0
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]
// CHECK: argument 1 -> result 0
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]

// LOGICAL: result 0 -> argument 0
// LOGICAL-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]
// LOGICAL: result 1 -> argument 0
// LOGICAL-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
func.func @main(%a: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}, %b: tensor<4x8xf32>) -> (tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}, tensor<8x4xf32> {mhlo.layout_mode = "default"}) {
  %0 = stablehlo.add %a, %b : tensor<4x8xf32>
  %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<8x4xf32>
}

// Layouts of operations, by lists and by the shape as XLA writes it; a bitcast of the array is a vector with the same elements.
// CHECK-LABEL: func @ops
// CHECK: stablehlo.custom_call
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
// CHECK: stablehlo.negate
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]
// CHECK: mhlo.bitcast
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31]
// CHECK: operand 0 -> result 0
// CHECK-NEXT: (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 7], d1 in [0, 3]
// CHECK: result 0 -> argument 0
// CHECK-NEXT: (d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 31]
func.func @ops(%a: tensor<4x8xf32>) -> tensor<32xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.negate %0 {xla_shape = "f32[4,8]{0,1}"} : tensor<4x8xf32>
  %2 = "mhlo.bitcast"(%1) {source_layout = dense<[0, 1]> : tensor<2xindex>, result_layout = dense<[0]> : tensor<1xindex>} : (tensor<4x8xf32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}
