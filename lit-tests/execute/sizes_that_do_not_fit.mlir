// RUN: not mapwright run %s --entry stretched 2>&1 | FileCheck %s --check-prefix=STRETCHED
// RUN: not mapwright run %s --entry stretched --interpret 2>&1 | FileCheck %s --check-prefix=STRETCHED
// RUN: not mapwright run %s --entry reshaped 2>&1 | FileCheck %s --check-prefix=RESHAPED
// RUN: not mapwright run %s --entry reshaped --interpret 2>&1 | FileCheck %s --check-prefix=RESHAPED
// RUN: not mapwright run %s --entry left_over 2>&1 | FileCheck %s --check-prefix=LEFT_OVER
// RUN: not mapwright run %s --entry left_over --interpret 2>&1 | FileCheck %s --check-prefix=LEFT_OVER
// RUN: not mapwright run %s --entry halves 2>&1 | FileCheck %s --check-prefix=HALVES
// RUN: not mapwright run %s --entry halves --interpret 2>&1 | FileCheck %s --check-prefix=HALVES
// RUN: not mapwright run %s --entry vectors 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not mapwright run %s --entry vectors --interpret 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not mapwright run %s --entry beside 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: not mapwright run %s --entry beside --interpret 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: not mapwright run %s --entry collapsed 2>&1 | FileCheck %s --check-prefix=COLLAPSED
// RUN: not mapwright run %s --entry collapsed --interpret 2>&1 | FileCheck %s --check-prefix=COLLAPSED
// RUN: not mapwright run %s --entry scattered_vectors 2>&1 | FileCheck %s --check-prefix=SCATTERED_VECTORS
// RUN: not mapwright run %s --entry scattered_vectors --interpret 2>&1 | FileCheck %s --check-prefix=SCATTERED_VECTORS
// RUN: not mapwright run %s --entry scattered_beside 2>&1 | FileCheck %s --check-prefix=SCATTERED_BESIDE
// RUN: not mapwright run %s --entry scattered_beside --interpret 2>&1 | FileCheck %s --check-prefix=SCATTERED_BESIDE
// RUN: not mapwright run %s --entry windows 2>&1 | FileCheck %s --check-prefix=WINDOWS
// RUN: not mapwright run %s --entry windows --interpret 2>&1 | FileCheck %s --check-prefix=WINDOWS
// RUN: not mapwright run %s --entry selected 2>&1 | FileCheck %s --check-prefix=SELECTED
// RUN: not mapwright run %s --entry selected --interpret 2>&1 | FileCheck %s --check-prefix=SELECTED

// Sizes that only show at run time not to be what an operation demands are an error of the call, with its place; nothing behind a tensor is read.

func.func private @some(%n: tensor<1xi64>) -> tensor<?xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %zero = stablehlo.constant dense<0> : tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.optimization_barrier %n : tensor<1xi64>
  %1 = stablehlo.real_dynamic_slice %x, %zero, %0, %one : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func private @places(%n: tensor<1xi64>) -> tensor<1x?xi32> {
  %x = stablehlo.constant dense<1> : tensor<1x5xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %n : tensor<1xi64>
  %1 = stablehlo.concatenate %one, %0, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %2 = stablehlo.real_dynamic_slice %x, %zero, %1, %ones : (tensor<1x5xi32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x?xi32>
  return %2 : tensor<1x?xi32>
}

func.func private @rows(%x: tensor<2x4xf32>, %n: tensor<1xi64>) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi64>
  %one = stablehlo.constant dense<1> : tensor<2xi64>
  %four = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.optimization_barrier %n : tensor<1xi64>
  %1 = stablehlo.concatenate %0, %four, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %2 = stablehlo.real_dynamic_slice %x, %zero, %1, %one : (tensor<2x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

func.func @stretched() -> tensor<2x5xf32> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %x = func.call @some(%three) : (tensor<1xi64>) -> tensor<?xf32>
  // STRETCHED: 'stablehlo.broadcast_in_dim' at {{.*}}:[[#@LINE+1]]:
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<?xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @reshaped() -> tensor<2x3xf32> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %x = func.call @some(%three) : (tensor<1xi64>) -> tensor<?xf32>
  // RESHAPED: 'stablehlo.reshape' at {{.*}}:[[#@LINE+1]]:
  %0 = stablehlo.reshape %x : (tensor<?xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @left_over() -> tensor<2x?xf32, #stablehlo.bounds<?, 2>> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %x = func.call @some(%three) : (tensor<1xi64>) -> tensor<?xf32>
  // LEFT_OVER: 'stablehlo.reshape' at {{.*}}:[[#@LINE+1]]:
  %0 = stablehlo.reshape %x : (tensor<?xf32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 2>>
  return %0 : tensor<2x?xf32, #stablehlo.bounds<?, 2>>
}

func.func @halves() -> tensor<f64> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %x = func.call @some(%three) : (tensor<1xi64>) -> tensor<?xf32>
  // HALVES: 'stablehlo.bitcast_convert' at {{.*}}:[[#@LINE+1]]:
  %0 = stablehlo.bitcast_convert %x : (tensor<?xf32>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @vectors() -> tensor<1xf32> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %i = func.call @places(%three) : (tensor<1xi64>) -> tensor<1x?xi32>
  %x = stablehlo.constant dense<1.0> : tensor<5x5xf32>
  // VECTORS: 'stablehlo.gather' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<5x5xf32>, tensor<1x?xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

func.func @beside() -> tensor<?x1xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %i = func.call @places(%three) : (tensor<1xi64>) -> tensor<1x?xi32>
  %t = stablehlo.transpose %i, dims = [1, 0] : (tensor<1x?xi32>) -> tensor<?x1xi32>
  %x = stablehlo.constant dense<1.0> : tensor<2x4xf32>
  %s = func.call @rows(%x, %two) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<?x4xf32>
  // BESIDE: 'stablehlo.gather' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.gather"(%s, %t) {dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

func.func @collapsed() -> tensor<1x?xf32> {
  %i = stablehlo.constant dense<0> : tensor<1x1xi32>
  %x = stablehlo.constant dense<1.0> : tensor<2x4xf32>
  %k = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %s = stablehlo.optimization_barrier %k : tensor<2xi32>
  // COLLAPSED: 'stablehlo.dynamic_gather' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<2x4xf32>, tensor<1x1xi32>, tensor<2xi32>) -> tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}

func.func @scattered_vectors() -> tensor<5x5xf32> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %i = func.call @places(%three) : (tensor<1xi64>) -> tensor<1x?xi32>
  %x = stablehlo.constant dense<1.0> : tensor<5x5xf32>
  %u = stablehlo.constant dense<2.0> : tensor<1xf32>
  // SCATTERED_VECTORS: 'stablehlo.scatter' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<5x5xf32>, tensor<1x?xi32>, tensor<1xf32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

func.func @scattered_beside() -> tensor<?x4xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %i = func.call @places(%three) : (tensor<1xi64>) -> tensor<1x?xi32>
  %t = stablehlo.transpose %i, dims = [1, 0] : (tensor<1x?xi32>) -> tensor<?x1xi32>
  %x = stablehlo.constant dense<1.0> : tensor<2x4xf32>
  %s = func.call @rows(%x, %two) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<?x4xf32>
  %u = func.call @some(%three) : (tensor<1xi64>) -> tensor<?xf32>
  // SCATTERED_BESIDE: 'stablehlo.scatter' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.scatter"(%s, %t, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func @windows() -> tensor<2xf32> {
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %i = stablehlo.constant dense<0> : tensor<1xi32>
  %u = func.call @some(%three) : (tensor<1xi64>) -> tensor<?xf32>
  // WINDOWS: 'stablehlo.scatter' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>} : (tensor<2xf32>, tensor<1xi32>, tensor<?xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @selected() -> tensor<?x1xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %i = func.call @places(%three) : (tensor<1xi64>) -> tensor<1x?xi32>
  %t = stablehlo.transpose %i, dims = [1, 0] : (tensor<1x?xi32>) -> tensor<?x1xi32>
  %x = stablehlo.constant dense<1.0> : tensor<2x4xf32>
  %s = func.call @rows(%x, %two) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<?x4xf32>
  // SELECTED: 'stablehlo.torch_index_select' at {{.*}}:[[#@LINE+1]]:
  %0 = "stablehlo.torch_index_select"(%s, %t) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}
