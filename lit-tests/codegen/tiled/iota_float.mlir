// RUN: mapwright compile %s -o %t.ll --target-cpu x86-64-v3
// RUN: FileCheck %s < %t.ll
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Numbers of elements are made floating-point from integers of 32 bits, for which vectors have an instruction, wherever they fit; and so are
// they compared with the bounds of pieces that no loop separates.

// CHECK-LABEL: define internal void @region_0
// CHECK-NOT: x i64>
// CHECK: sitofp <{{[0-9]+}} x i32> {{.*}} to <{{[0-9]+}} x float>
// CHECK-NOT: x i64>
// CHECK: ret void

// VALUES: dense<[0.0, -1.0, 3.0, 1999.0]> : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<1000xf32>
  %zero = stablehlo.constant dense<-1.0> : tensor<f32>
  %1 = stablehlo.pad %0, %zero, low = [0], high = [1], interior = [1] : (tensor<1000xf32>, tensor<f32>) -> tensor<2000xf32>
  %2 = stablehlo.iota dim = 0 : tensor<2000xf32>
  %3 = stablehlo.maximum %1, %2 : tensor<2000xf32>
  %4 = stablehlo.optimization_barrier %3 : tensor<2000xf32>
  %5 = stablehlo.slice %1 [0:2] : (tensor<2000xf32>) -> tensor<2xf32>
  %6 = stablehlo.slice %4 [3:2000:1996] : (tensor<2000xf32>) -> tensor<2xf32>
  %7 = stablehlo.concatenate %5, %6, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}
