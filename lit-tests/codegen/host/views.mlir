// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=threads=1 | FileCheck %s
// RUN: mapwright run %s --entry values | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --entry values --interpret | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --entry behind_barriers | FileCheck %s --check-prefix=BARRIERS
// RUN: mapwright run %s --entry behind_barriers --interpret | FileCheck %s --check-prefix=BARRIERS

// A result that is a contiguous window of an operand is an address: no kernel writes it.

// One of many matrices of run-time size: the rows of two are in front of it, each of 16 elements of four bytes. (The regions compute the list of
// where it ends.)
// CHECK-LABEL: llvm.func @mw_entry_matrix_of_run_time_size
// CHECK: %[[ROWS:.*]] = arith.constant 128 : index
// CHECK: arith.muli %[[ROWS]], %{{.*}} : index
// CHECK-NOT: @region
// CHECK: llvm.call @mw_fft
func.func public @matrix_of_run_time_size(%x: tensor<4x?x16xf32>) -> tensor<?x9xcomplex<f32>> {
  %matrix = call @third(%x) : (tensor<4x?x16xf32>) -> tensor<?x16xf32>
  %spectrum = stablehlo.fft %matrix, type = RFFT, length = [16] : (tensor<?x16xf32>) -> tensor<?x9xcomplex<f32>>
  return %spectrum : tensor<?x9xcomplex<f32>>
}

// Rows between limits that are read while the program runs; that all columns are taken follows from the types.
// CHECK-LABEL: llvm.func @mw_entry_rows_between_limits
// CHECK-NOT: @region
// CHECK: llvm.call @mw_fft
func.func public @rows_between_limits(%x: tensor<64x16xf32>, %from: tensor<2xi64>, %to: tensor<2xi64>) -> tensor<?x9xcomplex<f32>> {
  %one = stablehlo.constant dense<1> : tensor<2xi64>
  %rows = stablehlo.real_dynamic_slice %x, %from, %to, %one : (tensor<64x16xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x16xf32>
  %spectrum = stablehlo.fft %rows, type = RFFT, length = [16] : (tensor<?x16xf32>) -> tensor<?x9xcomplex<f32>>
  return %spectrum : tensor<?x9xcomplex<f32>>
}

// Rows of one matrix of many: 2 * 64 * 32 + 16 * 32 elements of four bytes are in front of them.
// CHECK-LABEL: llvm.func @mw_entry_rows_of_a_matrix_of_many
// CHECK: %[[BYTES:.*]] = arith.constant 18432 : index
// CHECK-NOT: @region
// CHECK: arith.index_cast %[[BYTES]] : index to i64
// CHECK-NOT: @region
// CHECK: llvm.call @mw_cholesky
// CHECK: llvm.return
func.func public @rows_of_a_matrix_of_many(%x: tensor<4x64x32xf32>) -> tensor<32x32xf32> {
  %rows = stablehlo.slice %x [2:3, 16:48, 0:32] : (tensor<4x64x32xf32>) -> tensor<1x32x32xf32>
  %matrix = stablehlo.reshape %rows : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
  %lower = stablehlo.cholesky %matrix, lower = true : tensor<32x32xf32>
  return %lower : tensor<32x32xf32>
}

// The mean of each row of the matrix, which its Fourier transform has as the first number: rows 7 * 2 to 7 * 3 of all.
// VALUES: dense<[231.5, 247.5, 263.5, 279.5, 295.5, 311.5, 327.5]> : tensor<7xf32>
func.func public @values() -> tensor<7xf32> {
  %x = stablehlo.iota dim = 0 : tensor<448xf32>
  %kept = stablehlo.optimization_barrier %x : tensor<448xf32>
  %all = stablehlo.reshape %kept : (tensor<448xf32>) -> tensor<4x7x16xf32>
  %sizes = tensor.cast %all : tensor<4x7x16xf32> to tensor<4x?x16xf32>
  %spectrum = call @matrix_of_run_time_size(%sizes) : (tensor<4x?x16xf32>) -> tensor<?x9xcomplex<f32>>
  %known = tensor.cast %spectrum : tensor<?x9xcomplex<f32>> to tensor<7x9xcomplex<f32>>
  %first = stablehlo.slice %known [0:7, 0:1] : (tensor<7x9xcomplex<f32>>) -> tensor<7x1xcomplex<f32>>
  %sums = stablehlo.real %first : (tensor<7x1xcomplex<f32>>) -> tensor<7x1xf32>
  %list = stablehlo.reshape %sums : (tensor<7x1xf32>) -> tensor<7xf32>
  %count = stablehlo.constant dense<16.0> : tensor<7xf32>
  %means = stablehlo.divide %list, %count : tensor<7xf32>
  return %means : tensor<7xf32>
}

// A barrier hands on what it is given under another name: to the caller, and to what it keeps from being fused with the matrix.
// BARRIERS: dense<{{\[\[}}0, 1, 2, …, 29, 30, 31], [32, 33, 34, …, 61, 62, 63],
// BARRIERS: dense<[496, 1520, 2544, 3568, 4592, 5616, 6640, 7664, 8688, 9712]> : tensor<10xi32>
func.func public @behind_barriers() -> (tensor<10x32xi32>, tensor<10xi32>) {
  %x = stablehlo.iota dim = 0 : tensor<320xi32>
  %kept = stablehlo.optimization_barrier %x : tensor<320xi32>
  %matrix = stablehlo.reshape %kept : (tensor<320xi32>) -> tensor<10x32xi32>
  %given = stablehlo.optimization_barrier %matrix : tensor<10x32xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sums = stablehlo.reduce(%given init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<10x32xi32>, tensor<i32>) -> tensor<10xi32>
  return %given, %sums : tensor<10x32xi32>, tensor<10xi32>
}

func.func private @third(%x: tensor<4x?x16xf32>) -> tensor<?x16xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x?x16xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %sixteen = stablehlo.constant dense<16> : tensor<1xi32>
  %starts = stablehlo.constant dense<[2, 0, 0]> : tensor<3xi32>
  %ends = stablehlo.concatenate %three, %rows, %sixteen, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %steps = stablehlo.constant dense<1> : tensor<3xi32>
  %part = stablehlo.real_dynamic_slice %x, %starts, %ends, %steps : (tensor<4x?x16xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x16xf32>
  %shape = stablehlo.concatenate %rows, %sixteen, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %matrix = stablehlo.dynamic_reshape %part, %shape : (tensor<1x?x16xf32>, tensor<2xi32>) -> tensor<?x16xf32>
  return %matrix : tensor<?x16xf32>
}
