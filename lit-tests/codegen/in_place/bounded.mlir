// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' > %t.mlir
// RUN: %run_main < %t.mlir | FileCheck %s
// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=ASSERT
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=true},indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Sizes with a bound.
// CHECK: [1,  2,  3,  1,  2,  3]
// ASSERT: cf.assert {{.*}}has a result that is larger than the bound of its type
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @twice(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<6>> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<6>>
  return %0 : tensor<?xf32, #stablehlo.bounds<6>>
}
func.func private @of(%a: tensor<?xf32>) {
  %b = tensor.cast %a : tensor<?xf32> to tensor<?xf32, #stablehlo.bounds<4>>
  %r = call @twice(%b) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<6>>
  %u = tensor.cast %r : tensor<?xf32, #stablehlo.bounds<6>> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
func.func @main() {
  %a = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
  call @of(%b) : (tensor<?xf32>) -> ()
  return
}
