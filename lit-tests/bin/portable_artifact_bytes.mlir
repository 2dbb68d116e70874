// RUN: mapwright-opt %s --emit-portable-artifact -o %t.mlirbc
// RUN: mapwright-opt %t.mlirbc | FileCheck %s

// A string attribute holds bytes, which need not be text.
// CHECK: stablehlo.custom_call @callee(%{{.*}}) {backend_config = "a\00\FF\FEb"}
func.func private @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @callee(%x) {backend_config = "a\00\FF\FEb"} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
