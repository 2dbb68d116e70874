// RUN: mapwright run --threads 1 --bounds-checks %s | FileCheck %s
// RUN: mapwright run --interpret %s | FileCheck %s
// RUN: mapwright fusion %s | FileCheck %s --check-prefix=PLAN

// Pieces that alternate along a dimension once it is taken together with another one: rows of a, b, a, b, … are one row. Both are read for every
// element, and only inside of them. Where they have other lengths, reading one in the places of the other would be outside of it.

// PLAN: region 0
// PLAN: stablehlo.concatenate
// PLAN-NEXT: stablehlo.reshape {{.*}} (root)
// PLAN: region 1
// PLAN: stablehlo.concatenate {{.*}} (root)
// PLAN: stablehlo.pad {{.*}} (root)

func.func @main() -> (tensor<10xi32>, tensor<15xi32>, tensor<20xi32>) {
  %a = stablehlo.constant dense<[[1], [2], [3], [4], [5]]> : tensor<5x1xi32>
  %b = stablehlo.constant dense<[[-1], [-2], [-3], [-4], [-5]]> : tensor<5x1xi32>
  %c = stablehlo.constant dense<[[10, 11], [20, 21], [30, 31], [40, 41], [50, 51]]> : tensor<5x2xi32>
  %x, %y, %z = stablehlo.optimization_barrier %a, %b, %c : tensor<5x1xi32>, tensor<5x1xi32>, tensor<5x2xi32>
  %0 = func.call @pairs(%x, %y) : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<10xi32>
  %1 = func.call @unequal(%x, %z) : (tensor<5x1xi32>, tensor<5x2xi32>) -> tensor<15xi32>
  %2 = func.call @padded(%z) : (tensor<5x2xi32>) -> tensor<20xi32>
  // CHECK: dense<[1, -1, 2, -2, 3, -3, 4, -4, 5, -5]> : tensor<10xi32>
  // CHECK: dense<[1, 10, 11, 2, 20, 21, 3, 30, 31, 4, 40, 41, 5, 50, 51]> : tensor<15xi32>
  // CHECK: dense<[0, 10, 11, 0, 0, 20, 21, 0, 0, 30, 31, 0, 0, 40, 41, 0, 0, 50, 51, 0]> : tensor<20xi32>
  return %0, %1, %2 : tensor<10xi32>, tensor<15xi32>, tensor<20xi32>
}

func.func private @pairs(%a: tensor<5x1xi32>, %b: tensor<5x1xi32>) -> tensor<10xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %1 = stablehlo.reshape %0 : (tensor<5x2xi32>) -> tensor<10xi32>
  return %1 : tensor<10xi32>
}

func.func private @unequal(%a: tensor<5x1xi32>, %c: tensor<5x2xi32>) -> tensor<15xi32> {
  %0 = stablehlo.concatenate %a, %c, dim = 1 : (tensor<5x1xi32>, tensor<5x2xi32>) -> tensor<5x3xi32>
  %1 = stablehlo.reshape %0 : (tensor<5x3xi32>) -> tensor<15xi32>
  return %1 : tensor<15xi32>
}

func.func private @padded(%c: tensor<5x2xi32>) -> tensor<20xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %c, %zero, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<5x2xi32>, tensor<i32>) -> tensor<5x4xi32>
  %1 = stablehlo.reshape %0 : (tensor<5x4xi32>) -> tensor<20xi32>
  return %1 : tensor<20xi32>
}
