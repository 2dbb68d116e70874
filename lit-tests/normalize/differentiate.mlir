// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0,1" | FileCheck %s

// The adjoint of what moves or sums elements is the inverse relation: of a transpose a transpose, of a broadcast a sum, of a sum a
// broadcast, of a reshape a reshape.
// CHECK-LABEL: func.func @f_vjp(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<6xf32>, %arg3: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
// CHECK: stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
// CHECK: stablehlo.reshape %arg2 : (tensor<6xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: stablehlo.reduce(%{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NOT: stablehlo.gather
// CHECK-NOT: stablehlo.scatter
// CHECK: return
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<6xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<3x2xf32>) -> tensor<6xf32>
  %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %3, %4 : tensor<6xf32>, tensor<2xf32>
}
