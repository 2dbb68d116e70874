// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/parts.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/parts.mlir},transform-interpreter,canonicalize,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,scf-forall-to-for,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/sums.mlir},transform-interpreter,canonicalize,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Reductions of the numbers 1 to 11, cut into parts, whose initial value is not neutral: it is taken in once. 2 + 66, 2 * 11!, the greatest of these and
// 20, the least of these and -3, 16 and the bits of these (15), 5 exclusive-or 0.
// IR-LABEL: func.func private @f
// IR-DAG: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<i32>
// IR-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i32>
// IR: stablehlo.reduce(%{{.*}} init: %[[ZERO]]) applies stablehlo.add {{.*}}(tensor<2x?xi32>
// IR: stablehlo.reduce(%{{.*}} init: %[[TWO]]) applies stablehlo.add {{.*}}(tensor<2x4xi32>
// CHECK: [68, {{ *}}68]
// CHECK-NEXT: [79833600, {{ *}}79833600]
// CHECK-NEXT: [20, {{ *}}20]
// CHECK-NEXT: [-3, {{ *}}-3]
// CHECK-NEXT: [31, {{ *}}31]
// CHECK-NEXT: [5, {{ *}}5]
func.func private @printMemrefI32(tensor<*xi32>)
func.func private @f(%x: tensor<2x11xi32>) -> tensor<6x2xi32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %high = stablehlo.constant dense<20> : tensor<i32>
  %low = stablehlo.constant dense<-3> : tensor<i32>
  %bit = stablehlo.constant dense<16> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %two) applies stablehlo.add across dimensions = [1] {cut = 1 : i32} : (tensor<2x11xi32>, tensor<i32>) -> tensor<2xi32>
  %1 = stablehlo.reduce(%x init: %two) applies stablehlo.multiply across dimensions = [1] {cut = 1 : i32} : (tensor<2x11xi32>, tensor<i32>) -> tensor<2xi32>
  %2 = stablehlo.reduce(%x init: %high) applies stablehlo.maximum across dimensions = [1] {cut = 1 : i32} : (tensor<2x11xi32>, tensor<i32>) -> tensor<2xi32>
  %3 = stablehlo.reduce(%x init: %low) applies stablehlo.minimum across dimensions = [1] {cut = 1 : i32} : (tensor<2x11xi32>, tensor<i32>) -> tensor<2xi32>
  %4 = stablehlo.reduce(%x init: %bit) applies stablehlo.or across dimensions = [1] {cut = 1 : i32} : (tensor<2x11xi32>, tensor<i32>) -> tensor<2xi32>
  %5 = stablehlo.reduce(%x init: %five) applies stablehlo.xor across dimensions = [1] {cut = 1 : i32} : (tensor<2x11xi32>, tensor<i32>) -> tensor<2xi32>
  %r0 = stablehlo.reshape %0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %r1 = stablehlo.reshape %1 : (tensor<2xi32>) -> tensor<1x2xi32>
  %r2 = stablehlo.reshape %2 : (tensor<2xi32>) -> tensor<1x2xi32>
  %r3 = stablehlo.reshape %3 : (tensor<2xi32>) -> tensor<1x2xi32>
  %r4 = stablehlo.reshape %4 : (tensor<2xi32>) -> tensor<1x2xi32>
  %r5 = stablehlo.reshape %5 : (tensor<2xi32>) -> tensor<1x2xi32>
  %all = stablehlo.concatenate %r0, %r1, %r2, %r3, %r4, %r5, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<6x2xi32>
  return %all : tensor<6x2xi32>
}
func.func @main() {
  %i = stablehlo.iota dim = 1 : tensor<2x11xi32>
  %one = stablehlo.constant dense<1> : tensor<2x11xi32>
  %x = stablehlo.add %i, %one : tensor<2x11xi32>
  %r = call @f(%x) : (tensor<2x11xi32>) -> tensor<6x2xi32>
  %u = tensor.cast %r : tensor<6x2xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  return
}
