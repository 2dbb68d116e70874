// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0" | FileCheck %s

// What dropout keeps is drawn once: the cotangents go through the same mask as the values.
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[DRAWN:.*]] = stablehlo.rng
// CHECK: %[[KEPT:.*]] = stablehlo.compare LE, %[[DRAWN]],
// CHECK-NOT: stablehlo.rng
// CHECK: stablehlo.select %[[KEPT]], {{.*}} : tensor<?xi1>, tensor<?xf32>
// CHECK-NOT: stablehlo.rng
// CHECK: %[[COTANGENT:.*]] = stablehlo.select %[[KEPT]], {{.*}} : tensor<?xi1>, tensor<?xf32>
// CHECK-NEXT: return %[[COTANGENT]]
func.func private @dropout(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.5> : tensor<f32>
  %scalar = stablehlo.constant dense<> : tensor<0xi64>
  %random = stablehlo.rng %zero, %one, %scalar, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
  %kept = stablehlo.compare LE, %random, %rate : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %scaled = stablehlo.divide %x, %rate : tensor<f32>
  %0 = stablehlo.select %kept, %scaled, %zero : tensor<i1>, tensor<f32>
  return %0 : tensor<f32>
}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = tarray.parallel_foreach (%e in %x : tensor<?xf32>) {
    %0 = func.call @dropout(%e) : (tensor<f32>) -> tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %z = stablehlo.multiply %y, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
