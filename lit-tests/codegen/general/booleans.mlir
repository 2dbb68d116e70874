// RUN: not mapwright run %s 2>&1 | FileCheck %s
// RUN: not mapwright run %s --entry quotient 2>&1 | FileCheck %s --check-prefix=QUOTIENT
// RUN: not mapwright run %s --interpret 2>&1 | FileCheck %s --check-prefix=INTERPRET

// CHLO's broadcasting operations take any type, what they stand for does not: there is no difference and no quotient of booleans.

// CHECK: booleans.mlir:[[#@LINE+4]]:8: error: 'chlo.broadcast_subtract' op has no form in StableHLO: there is no 'subtract' of elements of type i1
// INTERPRET: 'subtract' on i1 is not defined

func.func @main(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// QUOTIENT: booleans.mlir:[[#@LINE+2]]:8: error: 'chlo.broadcast_divide' op has no form in StableHLO: there is no 'divide' of elements of type i1
func.func @quotient(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> {
  %0 = chlo.broadcast_divide %a, %b : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
