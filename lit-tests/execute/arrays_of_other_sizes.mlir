// RUN: not mapwright run %s --entry odd 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not mapwright run %s --entry odd --interpret 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not mapwright run %s --entry behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not mapwright run %s --entry behind --interpret 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not mapwright run %s --entry uneven 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not mapwright run %s --entry uneven --interpret 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not mapwright run %s --entry seven 2>&1 | FileCheck %s --check-prefix=SEVEN
// RUN: not mapwright run %s --entry seven --interpret 2>&1 | FileCheck %s --check-prefix=SEVEN

// What does not fit the sizes that there turn out to be is an error of the call, with its place.

func.func private @some(%n: tensor<1xi64>) -> tensor<?xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %zero = stablehlo.constant dense<0> : tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.optimization_barrier %n : tensor<1xi64>
  %1 = stablehlo.real_dynamic_slice %x, %zero, %0, %one : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func @odd() -> tensor<?xf32> {
  %n = stablehlo.constant dense<5> : tensor<1xi64>
  %x = func.call @some(%n) : (tensor<1xi64>) -> tensor<?xf32>
  // ODD: {{.*}}:[[#@LINE+1]]:{{.*}}
  %0 = tarray.chunks %x n = 2 dim = 0 : tensor<?xf32>
  %1 = tarray.stack %0 dim = 0 : !tarray.array<tensor<?xf32>, max = 2>
  %2 = tarray.reshape %1 to (-1) : tensor<?x?xf32>
  return %2 : tensor<?xf32>
}

func.func @behind() -> tensor<4xf32> {
  %n = stablehlo.constant dense<3> : tensor<1xi64>
  %x = func.call @some(%n) : (tensor<1xi64>) -> tensor<?xf32>
  // BEHIND: the range {{.*}}ends at 4, behind the size 3
  %0 = tarray.slice %x [0 : 1 : 4] dim = 0 : tensor<?xf32>
  return %0 : tensor<4xf32>
}

func.func @uneven() -> tensor<f32> {
  %n = stablehlo.constant dense<3> : tensor<1xi64>
  %m = stablehlo.constant dense<4> : tensor<1xi64>
  %x = func.call @some(%n) : (tensor<1xi64>) -> tensor<?xf32>
  %y = func.call @some(%m) : (tensor<1xi64>) -> tensor<?xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // UNEVEN: a loop goes through Tensors of the sizes {{\[?}}3{{\]?}} and {{\[?}}4
  %0 = tarray.fold (%a in %x : tensor<?xf32>, %b in %y : tensor<?xf32>, %s = %zero : tensor<f32>) {
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    %2 = stablehlo.add %s, %1 : tensor<f32>
    tarray.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}

func.func @seven() -> tensor<?x2xf32> {
  %n = stablehlo.constant dense<5> : tensor<1xi64>
  %x = func.call @some(%n) : (tensor<1xi64>) -> tensor<?xf32>
  // SEVEN: {{.*}}:[[#@LINE+1]]:{{.*}}
  %0 = tarray.reshape %x to (-1, 2) : tensor<?xf32>
  return %0 : tensor<?x2xf32>
}
