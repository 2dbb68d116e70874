// Options that are wrong, passes that are not there: a message, exit code 1, no output.
// RUN: not mapwright-opt %s --pass-pipeline='builtin.module(indexing-annotate{direction=sideways})' -o %t.1 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mapwright-opt %s --pass-pipeline='builtin.module(indexing-annotate{nonsense=1})' -o %t.2 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not mapwright-opt %s --pass-pipeline='builtin.module(indexing-nothing)' -o %t.3 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not mapwright-opt %s --indexing-lower=disable=tiled,nonsense -o %t.4 2>&1 | FileCheck %s --check-prefix=DISABLE
// RUN: not mapwright-opt %s --indexing-fuse=disable=tiled -o %t.5 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not mapwright-opt %s --indexing-lower -o %t.6 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not ls %t.1 %t.2 %t.3 %t.4 %t.5 %t.6

// WORD: error: pass indexing-annotate: option direction must be one of both, output-to-input, input-to-output, not 'sideways'
// OPTION: no such option nonsense
// PASS: 'indexing-nothing' does not refer to a registered pass or pass pipeline
// DISABLE: option disable: there is no 'nonsense' to switch off
// STAGE: option disable: there is no 'tiled' to switch off
// REGION: errors.mlir:[[# @LINE + 3]]:8: error: 'stablehlo.negate' op has no code outside of a region: `indexing-normalize` and `func.func(indexing-fuse)` come before
func.func private @f()
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
