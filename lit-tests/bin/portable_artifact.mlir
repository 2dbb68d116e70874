// RUN: mapwright-opt %s --emit-portable-artifact=1.9.0 -o %t.mlirbc
// RUN: mapwright-opt %t.mlirbc | FileCheck %s
// RUN: mapwright-opt - < %t.mlirbc | FileCheck %s
// RUN: mapwright run %t.mlirbc | FileCheck %s --check-prefix=SORTED
// RUN: mapwright maps %t.mlirbc | FileCheck %s --check-prefix=MAPS
// RUN: mapwright-opt %s --emit-portable-artifact | mapwright-opt - | FileCheck %s
// RUN: not mapwright-opt %s --emit-portable-artifact=0.8.0 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not mapwright-opt %s --emit-portable-artifact=newest 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mapwright-opt %s --emit-portable-artifact --split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT

// OLD: error: artifacts of version 0.8.0 are not written, those of 0.9.0 to 1.20.0 are
// NONE: error: 'newest' is not a version such as 1.20.0
// SPLIT: error: a portable artifact is one program

// CHECK-LABEL: func.func public @main() -> tensor<3xi32>
// CHECK: stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
// CHECK: "stablehlo.sort"{{.*}}is_stable = true
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, SIGNED
// SORTED: dense<[1, 2, 3]> : tensor<3xi32>
// MAPS: func @main
func.func public @main() -> tensor<3xi32> {
  %0 = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}
