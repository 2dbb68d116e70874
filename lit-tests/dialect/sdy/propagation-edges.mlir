// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s

// What Shardy notes of the ways of shardings, in the newest form and in the one before.

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @edges
func.func @edges(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}, {"x":(1)2 = operand-0 -> [result-0]}]}, {step-12345 = [{"x" = result-0 -> [operand-0]}]}]>
  %0 = stablehlo.add %a, %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}, {"x":(1)2 = OPERAND-0 -> [RESULT-0]}]}, {step-12345 = [{"x" = result-0 -> [operand-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
