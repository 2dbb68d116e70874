// RUN: split-file %s %t
// RUN: not mapwright run %t/no-attribute.mlir 2>&1 | FileCheck %s --check-prefix=NO-ATTRIBUTE
// RUN: not mapwright run %t/wrong-type.mlir --interpret 2>&1 | FileCheck %s --check-prefix=WRONG-TYPE
// RUN: not mapwright maps %t/no-function.mlir 2>&1 | FileCheck %s --check-prefix=NO-FUNCTION

// Calls that do not fit the operation whose name they have.

//--- no-attribute.mlir
// NO-ATTRIBUTE: no-attribute.mlir:4:10: error: 'mhlo.topk' op requires attribute 'k'
// NO-ATTRIBUTE: error: 'stablehlo.custom_call' op does not fit mhlo.topk, which it stands for
func.func @main(%x: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {}} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}

//--- wrong-type.mlir
// WRONG-TYPE: wrong-type.mlir:3:8: error: 'mhlo.erf' op the results must be of the types (tensor<3xf32>), are (tensor<4xf32>)
func.func @main(%x: tensor<3xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}} : (tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- no-function.mlir
// NO-FUNCTION: no-function.mlir:3:8: error: 'stablehlo.custom_call' op calls @absent, which is not there
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @mhlo.sort(%x) {called_computations = [@absent], mhlo.attributes = {dimension = 0 : i64}} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
