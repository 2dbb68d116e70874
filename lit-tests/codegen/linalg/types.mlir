// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Unsigned integers are computed as signless ones; numbers of 16 bits as f32, rounded after each operation (the last product is a tie).
// IR-LABEL: func.func @f
// IR: builtin.unrealized_conversion_cast %{{.*}} : ui8 to i8
// IR: arith.divui
// IR: complex.create
// CHECK: [100,  50]
// CHECK: [-3,  4]
// CHECK: [2.25,  3.03125]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<2xui8>, %z: tensor<2xcomplex<f32>>, %h: tensor<2xbf16>, %k: tensor<2xbf16>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %two = stablehlo.constant dense<2> : tensor<2xui8>
  %0 = stablehlo.divide %x, %two : tensor<2xui8>
  %1 = stablehlo.convert %0 : (tensor<2xui8>) -> tensor<2xf32>
  %2 = stablehlo.multiply %z, %z : tensor<2xcomplex<f32>>
  %3 = stablehlo.real %2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %4 = stablehlo.multiply %h, %k : tensor<2xbf16>
  %5 = stablehlo.convert %4 : (tensor<2xbf16>) -> tensor<2xf32>
  return %1, %3, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<[200, 100]> : tensor<2xui8>
  %z = stablehlo.constant dense<[(1.0, 2.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %h = stablehlo.constant dense<[1.5, 3.0]> : tensor<2xbf16>
  %k = stablehlo.constant dense<[1.5, 1.0078125]> : tensor<2xbf16>
  %r:3 = call @f(%x, %z, %h, %k) : (tensor<2xui8>, tensor<2xcomplex<f32>>, tensor<2xbf16>, tensor<2xbf16>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %u = tensor.cast %r#0 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %w = tensor.cast %r#2 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  return
}
