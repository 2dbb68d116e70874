// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Unsigned integers of two bits, floating-point numbers of four and six.
// CHECK: [0,  2,  0,  2]
// CHECK: [0.5,  3,  -2,  1]
// CHECK: [3,  -2]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func @main() {
  %u = stablehlo.constant dense<[0,1,2,3]> : tensor<4xui2>
  %v = stablehlo.add %u, %u : tensor<4xui2>
  %r = stablehlo.convert %v : (tensor<4xui2>) -> tensor<4xi32>
  %f = stablehlo.constant dense<[1.0,-2.0,3.0,0.5]> : tensor<4xf4E2M1FN>
  %g = stablehlo.transpose %f, dims = [0] : (tensor<4xf4E2M1FN>) -> tensor<4xf4E2M1FN>
  %h = stablehlo.reverse %g, dims = [0] : tensor<4xf4E2M1FN>
  %k = stablehlo.convert %h : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  %f6 = stablehlo.convert %k : (tensor<4xf32>) -> tensor<4xf6E3M2FN>
  %b = tensor.extract_slice %f6[1][2][1] : tensor<4xf6E3M2FN> to tensor<2xf6E3M2FN>
  %m = stablehlo.convert %b : (tensor<2xf6E3M2FN>) -> tensor<2xf32>
  %ur = tensor.cast %r : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%ur) : (tensor<*xi32>) -> ()
  %uk = tensor.cast %k : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%uk) : (tensor<*xf32>) -> ()
  %um = tensor.cast %m : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%um) : (tensor<*xf32>) -> ()
  return
}
