// RUN: mapwright-opt %s --indexing-annotate | FileCheck %s --check-prefixes=CHECK,OUT,IN
// RUN: mapwright-opt %s --indexing-annotate=direction=output-to-input | FileCheck %s --check-prefixes=CHECK,OUT --implicit-check-not=input_to_output
// RUN: mapwright-opt %s --indexing-annotate=direction=input-to-output | FileCheck %s --check-prefixes=CHECK,IN --implicit-check-not=output_to_input
// RUN: mapwright-opt %s --indexing-annotate --indexing-strip | FileCheck %s --check-prefix=STRIP --implicit-check-not=indexing.
// RUN: mapwright-opt %s --indexing-annotate | mapwright-opt | FileCheck %s --check-prefixes=CHECK,OUT,IN
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(func.func(indexing-annotate))' | FileCheck %s --check-prefixes=CHECK,OUT,IN

// CHECK-DAG: #[[REVERSE:indexing_map[0-9]*]] = #indexing.map<(d0, d1) -> (-d0 + 9, d1), domain: d0 in [0, 9], d1 in [0, 19]>
// OUT-DAG: #[[COLUMN:indexing_map[0-9]*]] = #indexing.map<(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]>
// OUT-DAG: #[[INIT:indexing_map[0-9]*]] = #indexing.map<(d0) -> (), domain: d0 in [0, 9]>

// The maps of reverse as the definition says: result[i] = operand[size - 1 - i] in the reversed dimensions.
// CHECK-LABEL: func.func @reverse
// CHECK: stablehlo.reverse
// IN-SAME: indexing.input_to_output = {{\[\[\[}}#[[REVERSE]]{{\]\]\]}}
// OUT-SAME: indexing.output_to_input = {{\[\[\[}}#[[REVERSE]]{{\]\]\]}}
// STRIP-LABEL: func.func @reverse
// STRIP: stablehlo.reverse %arg0, dims = [0] : tensor<10x20xf32>
func.func @reverse(%a: tensor<10x20xf32>) -> tensor<10x20xf32> {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<10x20xf32>
  return %0 : tensor<10x20xf32>
}

// Two operands; a range variable for the reduced dimension.
// CHECK-LABEL: func.func @reduce
// OUT: indexing.output_to_input = {{\[\[\[}}#[[COLUMN]]], [#[[INIT]]{{\]\]\]}}
func.func @reduce(%a: tensor<256x10xf32>, %init: tensor<f32>) -> tensor<10xf32> {
  %0 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0] : (tensor<256x10xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// What nobody knows is said, with the reason.
// CHECK-LABEL: func.func @unknown
// OUT: "unknown: {{[^"]+}}"
func.func @unknown(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.softmax dimension(0) ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
