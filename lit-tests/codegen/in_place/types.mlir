// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Integers with and without a sign, booleans, bf16 (the last product is a tie, which goes to even), complex numbers.
// CHECK: [12,  -12,  32,  0]
// CHECK: [0,  1,  0,  1]
// CHECK: [2.25,  0.5,  3.03125]
// CHECK: [-3,  -0.75,  4,  -1]
// CHECK: [2,  200,  144]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
  %d = stablehlo.divide %x, %y : tensor<4xi32>
  %s = stablehlo.shift_left %d, %y : tensor<4xi32>
  %c = stablehlo.compare LT, %x, %y, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %s, %c : tensor<4xi32>, tensor<4xi1>
}
func.func @halves(%x: tensor<3xbf16>, %y: tensor<3xbf16>) -> tensor<3xbf16> {
  %m = stablehlo.multiply %x, %y : tensor<3xbf16>
  return %m : tensor<3xbf16>
}
func.func @complexes(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %m = stablehlo.multiply %x, %y : tensor<2xcomplex<f32>>
  return %m : tensor<2xcomplex<f32>>
}
func.func @bytes(%x: tensor<3xui8>) -> tensor<3xui8> {
  %m = stablehlo.add %x, %x : tensor<3xui8>
  return %m : tensor<3xui8>
}
func.func @main() {
  %x = arith.constant dense<[7, -7, 9, 2]> : tensor<4xi32>
  %y = arith.constant dense<[2, 2, 4, 3]> : tensor<4xi32>
  %i:2 = call @integers(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>)
  %u = tensor.cast %i#0 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  %j = stablehlo.convert %i#1 : (tensor<4xi1>) -> tensor<4xi32>
  %v = tensor.cast %j : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%v) : (tensor<*xi32>) -> ()
  %h = arith.constant dense<[1.5, 2.0, 3.0]> : tensor<3xbf16>
  %k = arith.constant dense<[1.5, 0.25, 1.0078125]> : tensor<3xbf16>
  %l = call @halves(%h, %k) : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
  %m = stablehlo.convert %l : (tensor<3xbf16>) -> tensor<3xf32>
  %w = tensor.cast %m : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  %p = stablehlo.constant dense<[(1.0, 2.0), (0.5, -1.0)]> : tensor<2xcomplex<f32>>
  %q = call @complexes(%p, %p) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %re = stablehlo.real %q : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %im = stablehlo.imag %q : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %rei = stablehlo.concatenate %re, %im, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %z = tensor.cast %rei : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%z) : (tensor<*xf32>) -> ()
  %b = stablehlo.constant dense<[1, 100, 200]> : tensor<3xui8>
  %b2 = call @bytes(%b) : (tensor<3xui8>) -> tensor<3xui8>
  %b3 = stablehlo.convert %b2 : (tensor<3xui8>) -> tensor<3xi32>
  %bu = tensor.cast %b3 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%bu) : (tensor<*xi32>) -> ()
  return
}
