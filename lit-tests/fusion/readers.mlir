// RUN: mapwright fusion %s | FileCheck %s

// Two results that follow from one value in the same loops, and read other things besides: the value is made where both read it, and kept nowhere.

// CHECK-LABEL: func @mask
// CHECK: region 0: streaming, 5 operations
// CHECK-NEXT: schedule
// CHECK-NEXT: in {{.*}} : tensor<64x64xf32>, a{{[0-9]}} = %{{.*}} : tensor<64x64xf32>, a{{[0-9]}} = %{{.*}} : tensor<64x64xf32>{{$}}
// CHECK-NEXT: out %{{.*}} : tensor<64x64xf32>, %{{.*}} : tensor<64x64xf32>
// CHECK-NOT: region 1
func.func public @mask(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %four = stablehlo.constant dense<4.0> : tensor<64x64xf32>
  %m = stablehlo.multiply %x, %x : tensor<64x64xf32>
  %c = stablehlo.compare LT, %m, %four : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
  %p = stablehlo.select %c, %a, %x : tensor<64x64xi1>, tensor<64x64xf32>
  %q = stablehlo.select %c, %x, %b : tensor<64x64xi1>, tensor<64x64xf32>
  return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
}

// Two reductions of a sum in the same loops.

// CHECK-LABEL: func @reductions
// CHECK: region 0: reduction
// CHECK-NEXT: schedule
// CHECK-NEXT: in {{.*}} : tensor<64x64xf32>, a{{[0-9]}} = %{{.*}} : tensor<64x64xf32>{{$}}
// CHECK-NEXT: out %{{.*}} : tensor<64xf32>, %{{.*}} : tensor<64xf32>
// CHECK-NOT: region 1
func.func public @reductions(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %s = stablehlo.add %x, %y : tensor<64x64xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %l = stablehlo.reduce(%s init: %high) applies stablehlo.minimum across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %m, %l : tensor<64xf32>, tensor<64xf32>
}

// One of two reads it transposed: these are two loops.

// CHECK-LABEL: func @transposed
// CHECK: region 0
// CHECK: region 1
func.func public @transposed(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = stablehlo.exponential %x : tensor<64x64xf32>
  %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = stablehlo.multiply %e, %a : tensor<64x64xf32>
  %q = stablehlo.multiply %t, %b : tensor<64x64xf32>
  return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
}
