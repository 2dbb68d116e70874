// RUN: not mapwright run --entry broadcast %s 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not mapwright run --entry gather %s 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not mapwright run --entry negative_gaps %s 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not mapwright run --entry product %s 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not mapwright run --entry update %s 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: not mapwright run --entry window %s 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not mapwright run --entry beside %s 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: not mapwright run --entry declared %s 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not mapwright run --entry grown %s 2>&1 | FileCheck %s --check-prefix=GROWN
// RUN: not mapwright run --entry stretched %s 2>&1 | FileCheck %s --check-prefix=STRETCHED
// RUN: not mapwright run --entry shrunk %s 2>&1 | FileCheck %s --check-prefix=SHRUNK
// RUN: not mapwright run --entry transform %s 2>&1 | FileCheck %s --check-prefix=TRANSFORM
// RUN: not mapwright run --entry counted %s 2>&1 | FileCheck %s --check-prefix=COUNTED
// RUN: not mapwright run --entry measured %s 2>&1 | FileCheck %s --check-prefix=MEASURED

// Sizes that turn out not to match when the program runs are errors; nothing outside of an operand is read.

func.func private @of_three() -> tensor<?xf32> {
  %x = stablehlo.iota dim = 0 : tensor<3xf32>
  %n = stablehlo.constant dense<3> : tensor<1xi64>
  %s = stablehlo.optimization_barrier %n : tensor<1xi64>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// BROADCAST: 'stablehlo.dynamic_broadcast_in_dim' at {{.*}} has operands or a result whose sizes do not match
func.func @broadcast() -> tensor<?xf32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %n = stablehlo.constant dense<9> : tensor<1xi64>
  %s = stablehlo.optimization_barrier %n : tensor<1xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// GATHER: 'stablehlo.dynamic_gather' at {{.*}} reaches outside of its operand
func.func @gather() -> tensor<?x1xf32> {
  %x = stablehlo.iota dim = 0 : tensor<4xf32>
  %i = stablehlo.constant dense<1> : tensor<1x1xi32>
  %n = stablehlo.constant dense<9> : tensor<1xi64>
  %s = stablehlo.optimization_barrier %n : tensor<1xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<4xf32>, tensor<1x1xi32>, tensor<1xi64>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// PAD: 'stablehlo.dynamic_pad' at {{.*}} has a negative size
func.func @negative_gaps() -> tensor<?xf32> {
  %x = stablehlo.iota dim = 0 : tensor<3xf32>
  %z = stablehlo.constant dense<7.0> : tensor<f32>
  %edge = stablehlo.constant dense<5> : tensor<1xi64>
  %n = stablehlo.constant dense<-1> : tensor<1xi64>
  %s = stablehlo.optimization_barrier %n : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %z, %edge, %edge, %s : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// PRODUCT: 'stablehlo.dot_general' at {{.*}} has operands or a result whose sizes do not match
func.func @product() -> tensor<f32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %y = stablehlo.iota dim = 0 : tensor<7xf32>
  %0 = stablehlo.dot_general %y, %x, contracting_dims = [0] x [0] : (tensor<7xf32>, tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// UPDATE: 'stablehlo.dynamic_update_slice' at {{.*}} reaches outside of its operand
func.func @update() -> tensor<2xf32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %y = stablehlo.iota dim = 0 : tensor<2xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %y, %x, %i : (tensor<2xf32>, tensor<?xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// WINDOW: 'stablehlo.dynamic_slice' at {{.*}} reaches outside of its operand
func.func @window() -> tensor<5xf32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [5] : (tensor<?xf32>, tensor<i32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// BESIDE: 'stablehlo.concatenate' at {{.*}} has operands or a result whose sizes do not match
func.func @beside() -> tensor<2x?xf32> {
  %n = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
  %s = stablehlo.optimization_barrier %n : tensor<2xi64>
  %m = stablehlo.constant dense<[1, 7]> : tensor<2xi64>
  %t = stablehlo.optimization_barrier %m : tensor<2xi64>
  %x = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<1x?xf32>
  %y = stablehlo.dynamic_iota %t, dim = 1 : (tensor<2xi64>) -> tensor<1x?xf32>
  %0 = stablehlo.concatenate %y, %x, dim = 0 : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// DECLARED: 'stablehlo.add' at {{.*}} has operands or a result whose sizes do not match
func.func @declared() -> tensor<4xf32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %0 = stablehlo.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// GROWN: 'stablehlo.set_dimension_size' at {{.*}} reaches outside of its operand
func.func @grown() -> tensor<?xf32, #stablehlo.bounds<5>> {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %s = stablehlo.optimization_barrier %n : tensor<i32>
  %y = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  %m = stablehlo.constant dense<4> : tensor<i32>
  %t = stablehlo.optimization_barrier %m : tensor<i32>
  %0 = stablehlo.set_dimension_size %y, %t, dim = 0 : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  return %0 : tensor<?xf32, #stablehlo.bounds<5>>
}

// Only the size is known at run time, and no type bounds it.
// STRETCHED: 'stablehlo.set_dimension_size' at {{.*}} reaches outside of its operand
func.func @stretched() -> tensor<f32> {
  %x = stablehlo.iota dim = 0 : tensor<4xf32>
  %n = stablehlo.constant dense<100000000> : tensor<i32>
  %s = stablehlo.optimization_barrier %n : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// SHRUNK: 'stablehlo.set_dimension_size' at {{.*}} has a negative size
func.func @shrunk() -> tensor<f32> {
  %x = stablehlo.iota dim = 0 : tensor<4xf32>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %s = stablehlo.optimization_barrier %n : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// TRANSFORM: 'stablehlo.fft' at {{.*}} has operands or a result whose sizes do not match
func.func @transform() -> tensor<?xcomplex<f32>> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %z = stablehlo.complex %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xcomplex<f32>>
  %0 = stablehlo.fft %z, type = FFT, length = [8] : (tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
  return %0 : tensor<?xcomplex<f32>>
}

// The shape is made again inside of the fusion that uses it, and the result has no run-time size at all.
// COUNTED: 'stablehlo.dynamic_broadcast_in_dim' at {{.*}} has operands or a result whose sizes do not match
func.func @counted() -> tensor<f32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %s = stablehlo.iota dim = 0 : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// MEASURED: 'stablehlo.dynamic_broadcast_in_dim' at {{.*}} has operands or a result whose sizes do not match
func.func @measured() -> tensor<f32> {
  %x = func.call @of_three() : () -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %t = stablehlo.add %n, %n : tensor<i32>
  %s = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
