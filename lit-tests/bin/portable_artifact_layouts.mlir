// RUN: mapwright-opt %s --emit-portable-artifact=1.9.0 | mapwright-opt - | FileCheck %s
// RUN: mapwright-opt %s --emit-portable-artifact | mapwright-opt - | FileCheck %s

// Layouts of operands and of results stay together, also where a call has no operands or no
// results. An artifact has empty lists for both where the program has none.

// CHECK-LABEL: func.func public @main
func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: stablehlo.custom_call @print(%{{.*}}) {{.*}}operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()
  stablehlo.custom_call @print(%x) {has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()
  // CHECK: stablehlo.custom_call @make() {operand_layouts = [], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : () -> tensor<2x3xf32>
  %0 = stablehlo.custom_call @make() {operand_layouts = [], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : () -> tensor<2x3xf32>
  // CHECK: stablehlo.custom_call @double(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.custom_call @double(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
