// RUN: mapwright-opt %s --split-input-file --indexing-normalize | FileCheck %s --check-prefix=NORMAL
// RUN: mapwright-opt %s --split-input-file --indexing-lower-in-place | FileCheck %s --check-prefix=KERNEL
// RUN: mapwright-opt %s --split-input-file --indexing-legalize-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: mapwright-opt %s --split-input-file --indexing-legalize-frontend --indexing-legalize-mhlo --indexing-legalize-chlo | FileCheck %s --implicit-check-not=mhlo. --implicit-check-not=chlo.acos

// A pass loads the dialects of what it makes: modules that have no operation of CHLO, or of MHLO either.

// NORMAL-LABEL: func.func @main
// NORMAL: chlo.acos
// KERNEL-LABEL: func.func @main
// KERNEL: indexing.call_kernel
// LINALG-LABEL: func.func @main
// LINALG: linalg.generic
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = mhlo.acos %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// NORMAL-LABEL: func.func @main
// NORMAL: chlo.erf
// KERNEL-LABEL: func.func @main
// KERNEL: indexing.call_kernel
// LINALG-LABEL: func.func @main
// LINALG: linalg.generic
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// NORMAL-LABEL: func.func @main
// NORMAL-NOT: mulhi
// KERNEL-LABEL: func.func @main
// KERNEL: indexing.call_kernel
// LINALG-LABEL: func.func @main
// LINALG: linalg.generic
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = mhlo.mulhi %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
