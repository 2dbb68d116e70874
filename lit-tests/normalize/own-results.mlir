// Outside of functions operations stand in no order, and one may use its own results, alone or in a circle. Such a program has no values,
// but every pass ends.

// RUN: mapwright-opt %s --indexing-canonicalize | FileCheck %s
// RUN: mapwright-opt %s --indexing-legalize-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: mapwright-opt %s --indexing-fold --indexing-simplify --indexing-fuse --indexing-legalize-frontend --indexing-annotate -o /dev/null
// RUN: not mapwright-opt %s --indexing-lower-in-place 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK:      %[[A:.*]] = stablehlo.reverse %[[A]], dims = []
// CHECK-NEXT: %[[B:.*]] = stablehlo.reverse %[[C:.*]], dims = [0]
// CHECK-NEXT: %[[C]] = stablehlo.reverse %[[B]], dims = [0]
// CHECK-NEXT: %[[D:.*]] = stablehlo.transpose %[[D]], dims = [0, 1]
// LINALG: stablehlo.reverse
// ERROR: own-results.mlir:[[@LINE+1]]:6: error: 'stablehlo.reverse' op cannot be lowered in place
%0 = stablehlo.reverse %0, dims = [] : tensor<4x2xf32>
%1 = stablehlo.reverse %2, dims = [0] : tensor<4x2xf32>
%2 = stablehlo.reverse %1, dims = [0] : tensor<4x2xf32>
%3 = stablehlo.transpose %3, dims = [0, 1] : (tensor<4x2xf32>) -> tensor<4x2xf32>
