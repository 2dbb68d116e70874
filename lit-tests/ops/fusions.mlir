// RUN: mapwright maps %s --direction both | FileCheck %s
// RUN: mapwright analyze %s --what utilization | FileCheck %s --check-prefix=USED
// RUN: mapwright analyze %s --what tiles | FileCheck %s --check-prefix=TILES
// RUN: mapwright-opt %s --indexing-annotate --mlir-print-local-scope | FileCheck %s --check-prefix=NOTED

// Fusions have the maps of their bodies, whether these take operands as arguments, as older programs do not, or use values around them.

// Both the element and the one across the diagonal: every element is read twice.
// CHECK-LABEL: func @taken
// CHECK: mhlo.fusion
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]
// CHECK-NEXT: operand 0 -> result 0
// CHECK-NEXT: (d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]
// CHECK-NEXT: (d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]
// USED: mhlo.fusion
// USED-NEXT: result 0, operand 0, elements 1000000, used 1000000, fraction 1.0, reads 2000000, reads_per_element 2.0, exact true
// USED: indexing.fusion
// USED-NEXT: result 0, operand 0, elements 1000000, used 1000000, fraction 1.0, reads 2000000, reads_per_element 2.0, exact true
// TILES: argument
// TILES-NEXT: value %arg0, tiles [{"offsets":["o0","o1"],"sizes":["t0","t1"],{{.*}}},{"offsets":["o1","o0"],"sizes":["t1","t0"],
func.func @taken(%x: tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>, tensor<1000x1000xf32>) {
  %0 = "mhlo.fusion"(%x) ({
  ^bb0(%a: tensor<1000x1000xf32>):
    %1 = "mhlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    %2 = "mhlo.add"(%1, %a) : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    "mhlo.return"(%2) : (tensor<1000x1000xf32>) -> ()
  }) : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  // CHECK: indexing.fusion
  // CHECK-NEXT: result 0 -> operand 0
  // CHECK-NEXT: (d0, d1) -> (d0, d1)
  // CHECK-NEXT: (d0, d1) -> (d1, d0)
  %3 = indexing.fusion(%a = %x : tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    %2 = stablehlo.add %1, %a : tensor<1000x1000xf32>
    indexing.yield %2 : tensor<1000x1000xf32>
  }
  return %0, %3 : tensor<1000x1000xf32>, tensor<1000x1000xf32>
}

// Without arguments: the operand is the value that the body uses. What is used without being an operand has maps in compositions.
// CHECK-LABEL: func @used
// CHECK: mhlo.fusion
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d1, -d0 + 3), domain: d0 in [0, 3], d1 in [0, 1]
// CHECK-NEXT: operand 0 -> result 0
// CHECK-NEXT: (d0, d1) -> (-d1 + 3, d0), domain: d0 in [0, 1], d1 in [0, 3]
// NOTED: @used
// NOTED: }) {indexing.input_to_output = {{\[\[\[}}#indexing.map<(d0, d1) -> (-d1 + 3, d0), domain: d0 in [0, 1], d1 in [0, 3]>]]], indexing.output_to_input = {{\[\[\[}}#indexing.map<(d0, d1) -> (d1, -d0 + 3), domain: d0 in [0, 3], d1 in [0, 1]>]]]}
func.func @used(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = "mhlo.fusion"(%x) ({
    %1 = "mhlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %2 = "mhlo.reverse"(%1) {dimensions = dense<[0]> : tensor<1xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    "mhlo.return"(%2) : (tensor<4x2xf32>) -> ()
  }) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
