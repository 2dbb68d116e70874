// RUN: mapwright-opt %s --indexing-legalize-mhlo=to=stablehlo | FileCheck %s
// RUN: mapwright-opt %s --indexing-legalize-mhlo=to=stablehlo | mapwright-opt --indexing-legalize-mhlo=to=mhlo | FileCheck %s --check-prefix=BACK
// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// The enumerations that MHLO writes unlike all others, there and back.

func.func @main() {
  %a = mhlo.constant dense<0.0> : tensor<f32>
  %b = mhlo.constant dense<1.0> : tensor<f32>
  %n = mhlo.constant dense<5> : tensor<1xi64>
  // CHECK: stablehlo.rng {{.*}}, distribution = UNIFORM
  // BACK: "mhlo.rng"{{.*}}#mhlo.rng_distribution<UNIFORM>
  %0 = "mhlo.rng"(%a, %b, %n) {rng_distribution = #mhlo.rng_distribution<UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<5xf32>
  %state = mhlo.constant dense<[1, 2]> : tensor<2xui64>
  // CHECK: stablehlo.rng_bit_generator {{.*}}, algorithm = THREE_FRY
  // BACK: "mhlo.rng_bit_generator"{{.*}}#mhlo.rng_algorithm<THREE_FRY>
  %1:2 = "mhlo.rng_bit_generator"(%state) {rng_algorithm = #mhlo.rng_algorithm<THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // Two words a step of the counter.
  check.expect_eq_const %1#0, dense<[1, 4]> : tensor<2xui64>
  return
}
