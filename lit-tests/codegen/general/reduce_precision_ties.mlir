// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Without a mantissa a number halfway between two powers of two goes to that whose exponent field is even: as if the last bit that stays were
// looked at, whatever field it is in.

// CHECK: dense<[2.0, 8.0, 2.0, -8.0, 0.5, 0.5]> : tensor<6xf32>
// CHECK: dense<[2.0, 8.0, 2.0, -8.0, 0.5, 0.5]> : tensor<6xf8E5M2>
// CHECK: dense<[2.0, 8.0, 2.0, -8.0, 0.5, 0.5]> : tensor<6xf64>

func.func @main() -> (tensor<6xf32>, tensor<6xf8E5M2>, tensor<6xf64>) {
  %a = stablehlo.constant dense<[3.0, 6.0, 2.5, -6.0, 0.75, 0.625]> : tensor<6xf32>
  %b = stablehlo.constant dense<[3.0, 6.0, 2.5, -6.0, 0.75, 0.625]> : tensor<6xf8E5M2>
  %c = stablehlo.constant dense<[3.0, 6.0, 2.5, -6.0, 0.75, 0.625]> : tensor<6xf64>
  %x:3 = stablehlo.optimization_barrier %a, %b, %c : tensor<6xf32>, tensor<6xf8E5M2>, tensor<6xf64>
  %0 = stablehlo.reduce_precision %x#0, format = e5m0 : tensor<6xf32>
  %1 = stablehlo.reduce_precision %x#1, format = e5m0 : tensor<6xf8E5M2>
  %2 = stablehlo.reduce_precision %x#2, format = e5m0 : tensor<6xf64>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf8E5M2>, tensor<6xf64>
}
