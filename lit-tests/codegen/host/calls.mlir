// RUN: split-file %s %t
// RUN: mapwright run %t/deep.mlir | FileCheck %s --check-prefix=DEEP
// RUN: mapwright run %t/twice.mlir | FileCheck %s --check-prefix=TWICE
// RUN: not mapwright run %t/twice.mlir --most-operations 20 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not mapwright compile %t/twice.mlir -o %t/f.o --most-operations 20 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not mapwright run %t/again.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN

// Functions become a part of those that call them: as deep as they like, up to a number of operations, and never for ever.

//--- deep.mlir
// DEEP: dense<[3.0, 4.0]> : tensor<2xf32>
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = func.call @one(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @one(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.if"(%0) ({
    %2 = func.call @two(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %3 = func.call @two(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func private @two(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.add %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

//--- twice.mlir
// TWICE: dense<16.0> : tensor<f32>
// LIMIT: twice.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}calls of functions become more than 20 operations
func.func @main() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = func.call @a(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @a(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @b(%x) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @b(%x) : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}
func.func private @b(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @c(%x) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @c(%x) : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}
func.func private @c(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @d(%x) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @d(%x) : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}
func.func private @d(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}

//--- again.mlir
// AGAIN: again.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'func.call' op calls @b, which calls itself
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @a(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @a(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @b(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @b(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @c(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @c(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @b(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
