// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-propagate-shardings{to=shardy})' 2>&1 | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK: conflict.mlir:[[@LINE+9]]:{{[0-9]+}}: warning: 'stablehlo.add' op x splits dimension 0 of stablehlo.add (from %arg0) and another dimension than dimension 1 of %arg1 (from %arg1)
// CHECK: note: given for %arg0 here
// CHECK: note: given for %arg1 here
// CHECK: func.func @f(%arg0
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
             %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add
  // CHECK-SAME: indexing.communication = ["%arg1: [{}, {x}] to [{x}, {}]:
  // CHECK-SAME: [<@mesh, [{"x"}, {}]>]
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A result of the function is wanted otherwise than it is made.
// CHECK-LABEL: func.func @g
func.func @g(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  // CHECK: return {indexing.communication = ["result 0: [{x}] to [{}]: func.return makes result 0 split as [{x}], it is to be [{}]"]}
  return %0 : tensor<8xf32>
}
