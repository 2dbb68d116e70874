// A program that a pass refuses, and what is left of it: the command is content only with that very failure. In `{}` stands the path.
// RUN: mapwright reduce %s --if 'mapwright-opt {} --indexing-lower-in-place 2>&1 | grep -q "outfeed.*token.*which is no ranked tensor"' -o %t --verbose 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: FileCheck %s < %t
// RUN: not mapwright-opt %t --indexing-lower-in-place

// STEPS: the program itself: {{[0-9]+}} lines
// STEPS: 3 operations of 8, {{[0-9]+}} programs tried

// CHECK: func.func @main(%arg0: !stablehlo.token, %arg1: tensor<1xf32>)
// CHECK-NEXT: "stablehlo.outfeed"(%arg1, %arg0)
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf32>, %y: tensor<4x6xf32>, %t: !stablehlo.token) -> (tensor<6xf32>, tensor<4xf32>) {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = "stablehlo.outfeed"(%0, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2 = stablehlo.dot_general %0, %y, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x6xf32>) -> tensor<6xf32>
  %3 = stablehlo.add %0, %0 : tensor<4xf32>
  %4 = stablehlo.sine %2 : tensor<6xf32>
  %5 = stablehlo.negate %3 : tensor<4xf32>
  return %4, %5 : tensor<6xf32>, tensor<4xf32>
}
