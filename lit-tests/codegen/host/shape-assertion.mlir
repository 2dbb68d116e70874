// RUN: split-file %s %t
// RUN: mapwright run %t/holds.mlir | FileCheck %s --check-prefix=HOLDS
// RUN: mapwright run --interpret %t/holds.mlir | FileCheck %s --check-prefix=HOLDS
// RUN: not mapwright run %t/fails.mlir --output-dir %t/out 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not mapwright run --interpret %t/fails.mlir --output-dir %t/out 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not ls %t/out
// RUN: not mapwright run %t/first.mlir 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not mapwright run --interpret %t/first.mlir 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: mapwright run %t/branch.mlir | FileCheck %s --check-prefix=BRANCH
// RUN: mapwright run --interpret %t/branch.mlir | FileCheck %s --check-prefix=BRANCH

// Assertions about shapes end a call that they refuse, with their message. `barrier` hides a number from whoever folds.

//--- holds.mlir
// HOLDS: dense<7> : tensor<i32>
func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<7> : tensor<i32>
  %n = stablehlo.optimization_barrier %c : tensor<i32>
  %least = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.compare GE, %n, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0, %n) {error_message = "{0} is less than 1", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %n : tensor<i32>
}

//--- fails.mlir
// Numbers of several types; what is no place of a number stays as it is.
// FAILS: error: {{.*}}'n' = 3 from {x} {3} {0, 'm' = -4 (3), 250
func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.optimization_barrier %c : tensor<i32>
  %d = stablehlo.constant dense<-4> : tensor<i64>
  %m = stablehlo.optimization_barrier %d : tensor<i64>
  %e = stablehlo.constant dense<250> : tensor<ui8>
  %k = stablehlo.optimization_barrier %e : tensor<ui8>
  %least = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.compare GE, %n, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0, %n, %m, %k) {error_message = "'n' = {0} from {x} {3} {0, 'm' = {1} ({0}), {2}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i64>, tensor<ui8>) -> ()
  return %n : tensor<i32>
}

//--- first.mlir
// The first of two that do not hold is the one that fails; what follows is not run.
// FIRST-NOT: second
// FIRST: error: {{.*}}the first
// FIRST-NOT: second
func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.optimization_barrier %c : tensor<i32>
  %least = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.compare GE, %n, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0) {error_message = "the first"} : (tensor<i1>) -> ()
  stablehlo.custom_call @shape_assertion(%0) {error_message = "the second"} : (tensor<i1>) -> ()
  return %n : tensor<i32>
}

//--- branch.mlir
// One that is not reached does not matter.
// BRANCH: dense<3> : tensor<i32>
func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.optimization_barrier %c : tensor<i32>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.compare LT, %n, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = "stablehlo.if"(%0) ({
    stablehlo.custom_call @shape_assertion(%false) {error_message = "never"} : (tensor<i1>) -> ()
    stablehlo.return %c : tensor<i32>
  }, {
    stablehlo.return %n : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %1 : tensor<i32>
}
