// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false})' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false fuse=true},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Quantized numbers whose real numbers have 16 bits: every step is rounded to that type, and the range ends where it says, though its ends are no numbers
// of the type. Values are those of NumPy: sums, products, and the product of a matrix with a vector.
// IR-NOT: = {{"?}}stablehlo
// IR-NOT: quant.uniform
// CHECK: [3.3125,  -2.10938,  37,  300]
// CHECK: [2.40625,  -0.601562,  -160,  300]
// CHECK: [300,  4.21875]
// CHECK: [3.30078,  -2.09961,  37.2188,  299.5]
// CHECK: [2.40039,  -0.600098,  -160.25,  299.5]
// CHECK: [299.5,  4.19922]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @bf16(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xf32>) {
  %xn = stablehlo.convert %x : (tensor<?xf32>) -> tensor<?xbf16>
  %yn = stablehlo.convert %y : (tensor<?xf32>) -> tensor<?xbf16>
  %a = stablehlo.uniform_quantize %xn : (tensor<?xbf16>) -> tensor<?x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>
  %b = stablehlo.uniform_quantize %yn : (tensor<?xbf16>) -> tensor<?x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>
  %s = stablehlo.add %a, %b : tensor<?x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>
  %p = stablehlo.multiply %a, %b : tensor<?x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>
  %sd = stablehlo.uniform_dequantize %s : (tensor<?x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>) -> tensor<?xbf16>
  %pd = stablehlo.uniform_dequantize %p : (tensor<?x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>) -> tensor<?xbf16>
  %sf = stablehlo.convert %sd : (tensor<?xbf16>) -> tensor<?xf32>
  %pf = stablehlo.convert %pd : (tensor<?xbf16>) -> tensor<?xf32>
  %m = stablehlo.constant dense<[[300.0, 300.0], [0.5, 2.5]]> : tensor<2x2xbf16>
  %v = stablehlo.constant dense<[1.0, 1.5]> : tensor<2xbf16>
  %mq = stablehlo.uniform_quantize %m : (tensor<2x2xbf16>) -> tensor<2x2x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>
  %vq = stablehlo.uniform_quantize %v : (tensor<2xbf16>) -> tensor<2x!quant.uniform<i16:bf16, 5.000000e-01>>
  %d = stablehlo.dot_general %mq, %vq, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>, tensor<2x!quant.uniform<i16:bf16, 5.000000e-01>>) -> tensor<2x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>
  %dd = stablehlo.uniform_dequantize %d : (tensor<2x!quant.uniform<i16<-1001:1003>:bf16, 3.000000e-01:5>>) -> tensor<2xbf16>
  %df = stablehlo.convert %dd : (tensor<2xbf16>) -> tensor<2xf32>
  return %sf, %pf, %df : tensor<?xf32>, tensor<?xf32>, tensor<2xf32>
}
func.func private @f16(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xf32>) {
  %xn = stablehlo.convert %x : (tensor<?xf32>) -> tensor<?xf16>
  %yn = stablehlo.convert %y : (tensor<?xf32>) -> tensor<?xf16>
  %a = stablehlo.uniform_quantize %xn : (tensor<?xf16>) -> tensor<?x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>
  %b = stablehlo.uniform_quantize %yn : (tensor<?xf16>) -> tensor<?x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>
  %s = stablehlo.add %a, %b : tensor<?x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>
  %p = stablehlo.multiply %a, %b : tensor<?x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>
  %sd = stablehlo.uniform_dequantize %s : (tensor<?x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>) -> tensor<?xf16>
  %pd = stablehlo.uniform_dequantize %p : (tensor<?x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>) -> tensor<?xf16>
  %sf = stablehlo.convert %sd : (tensor<?xf16>) -> tensor<?xf32>
  %pf = stablehlo.convert %pd : (tensor<?xf16>) -> tensor<?xf32>
  %m = stablehlo.constant dense<[[300.0, 300.0], [0.5, 2.5]]> : tensor<2x2xf16>
  %v = stablehlo.constant dense<[1.0, 1.5]> : tensor<2xf16>
  %mq = stablehlo.uniform_quantize %m : (tensor<2x2xf16>) -> tensor<2x2x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>
  %vq = stablehlo.uniform_quantize %v : (tensor<2xf16>) -> tensor<2x!quant.uniform<i16:f16, 5.000000e-01>>
  %d = stablehlo.dot_general %mq, %vq, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>, tensor<2x!quant.uniform<i16:f16, 5.000000e-01>>) -> tensor<2x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>
  %dd = stablehlo.uniform_dequantize %d : (tensor<2x!quant.uniform<i16<-1001:1003>:f16, 3.000000e-01:5>>) -> tensor<2xf16>
  %df = stablehlo.convert %dd : (tensor<2xf16>) -> tensor<2xf32>
  return %sf, %pf, %df : tensor<?xf32>, tensor<?xf32>, tensor<2xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.25, -2.5, 41.0, 2000.0]> : tensor<4xf32>
  %y = arith.constant dense<[2.25, 0.25, -4.0, 2000.0]> : tensor<4xf32>
  %dx = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %dy = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
  %bf16:3 = call @bf16(%dx, %dy) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xf32>)
  %p0 = tensor.cast %bf16#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p0) : (tensor<*xf32>) -> ()
  %p1 = tensor.cast %bf16#1 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p1) : (tensor<*xf32>) -> ()
  %p2 = tensor.cast %bf16#2 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%p2) : (tensor<*xf32>) -> ()
  %f16:3 = call @f16(%dx, %dy) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xf32>)
  %p3 = tensor.cast %f16#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p3) : (tensor<*xf32>) -> ()
  %p4 = tensor.cast %f16#1 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p4) : (tensor<*xf32>) -> ()
  %p5 = tensor.cast %f16#2 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%p5) : (tensor<*xf32>) -> ()
  return
}
