// RUN: mapwright run %s
// RUN: mapwright run --threads 1 --bounds-checks %s
// RUN: mapwright run --interpret %s

// What JAX calls by name where sizes are known at run time only. Barriers hide numbers from whoever folds; expectations are worked out by hand.

func.func @main() {
  func.call @cumulative_sum() : () -> ()
  func.call @two_inputs() : () -> ()
  func.call @window_over_nothing() : () -> ()
  func.call @random_bits() : () -> ()
  func.call @top_k() : () -> ()
  func.call @top_none() : () -> ()
  func.call @approximately_top_k() : () -> ()
  func.call @cholesky() : () -> ()
  func.call @solve() : () -> ()
  func.call @captured_by_comparator() : () -> ()
  func.call @carried_in_turn() : () -> ()
  return
}

func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = func.call @plus(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @plus(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @sum_and_most(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0 = stablehlo.add %a, %c : tensor<f32>
  %1 = stablehlo.maximum %b, %d : tensor<i32>
  return %0, %1 : tensor<f32>, tensor<i32>
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func private @five() -> (tensor<?xf32>, tensor<?xi32>) {
  %x = stablehlo.constant dense<[3.0, 1.0, 2.0, 5.0, 4.0]> : tensor<5xf32>
  %y = stablehlo.constant dense<[5, 1, 4, 2, 3]> : tensor<5xi32>
  %c = stablehlo.constant dense<5> : tensor<1xi32>
  %shape = stablehlo.optimization_barrier %c : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<5xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.dynamic_reshape %y, %shape : (tensor<5xi32>, tensor<1xi32>) -> tensor<?xi32>
  return %0, %1 : tensor<?xf32>, tensor<?xi32>
}

func.func private @cumulative_sum() {
  %x, %y = func.call @five() : () -> (tensor<?xf32>, tensor<?xi32>)
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %low = stablehlo.subtract %size, %one : tensor<1xi32>
  %both = stablehlo.concatenate %low, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padding = stablehlo.reshape %both : (tensor<2xi32>) -> tensor<1x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %size, %one, %one, %one, %padding) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  %shape = stablehlo.constant dense<5> : tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<?xf32>, tensor<1xi32>) -> tensor<5xf32>
  check.expect_eq_const %1, dense<[3.0, 4.0, 6.0, 11.0, 15.0]> : tensor<5xf32>
  return
}

// Dilated by 2 and padded by 1 the inputs are 0 3 0 1 0 2 0 5 0 4 and 0 5 0 1 0 4 0 2 0 3; windows are three elements, every second one.
func.func private @two_inputs() {
  %x, %y = func.call @five() : () -> (tensor<?xf32>, tensor<?xi32>)
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %size = stablehlo.optimization_barrier %three : tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %dilation = stablehlo.optimization_barrier %two : tensor<1xi64>
  %c = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %padding = stablehlo.optimization_barrier %c : tensor<1x2xi64>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %y, %init, %first, %size, %one, %dilation, %dilation, %padding) {called_computations = [@sum_and_most]} : (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1x2xi64>) -> (tensor<?xf32>, tensor<?xi32>)
  %shape = stablehlo.constant dense<6> : tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %0#0, %shape : (tensor<?xf32>, tensor<1xi32>) -> tensor<6xf32>
  %2 = stablehlo.dynamic_reshape %0#1, %shape : (tensor<?xi32>, tensor<1xi32>) -> tensor<6xi32>
  check.expect_eq_const %1, dense<[0.0, 6.0, 0.0, 8.0, 0.0, 11.0]> : tensor<6xf32>
  check.expect_eq_const %2, dense<[0, 5, 0, 4, 0, 4]> : tensor<6xi32>
  return
}

func.func private @window_over_nothing() {
  %x = stablehlo.constant dense<> : tensor<0xf32>
  %c = stablehlo.constant dense<0> : tensor<1xi32>
  %size = stablehlo.optimization_barrier %c : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %padding = stablehlo.constant dense<[[-1, 0]]> : tensor<1x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %size, %one, %one, %one, %padding) {called_computations = [@sum]} : (tensor<0xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  %1 = stablehlo.dynamic_reshape %0, %size : (tensor<?xf32>, tensor<1xi32>) -> tensor<0xf32>
  check.expect_eq_const %1, dense<> : tensor<0xf32>
  return
}

// The bits of the operation whose shape is known.
func.func private @random_bits() {
  %state = stablehlo.constant dense<[12, 34]> : tensor<2xui64>
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %shape = stablehlo.optimization_barrier %c : tensor<2xi32>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x4xui32>)
  %1 = stablehlo.dynamic_reshape %0#1, %c : (tensor<?x4xui32>, tensor<2xi32>) -> tensor<3x4xui32>
  stablehlo.custom_call @check.expect_eq(%0#0, %next) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  stablehlo.custom_call @check.expect_eq(%1, %bits) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
  return
}

func.func private @top_k() {
  %x, %y = func.call @five() : () -> (tensor<?xf32>, tensor<?xi32>)
  %two = stablehlo.constant dense<2> : tensor<i64>
  %k = stablehlo.optimization_barrier %two : tensor<i64>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
  %shape = stablehlo.constant dense<2> : tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %0#0, %shape : (tensor<?xf32>, tensor<1xi32>) -> tensor<2xf32>
  %2 = stablehlo.dynamic_reshape %0#1, %shape : (tensor<?xi32>, tensor<1xi32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[5.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %2, dense<[3, 4]> : tensor<2xi32>
  return
}

func.func private @top_none() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %k = stablehlo.optimization_barrier %zero : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<2x1xf32>, tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  %1 = stablehlo.get_dimension_size %0#0, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  check.expect_eq_const %1, dense<0> : tensor<i32>
  return
}

func.func private @approximately_top_k() {
  %x, %y = func.call @five() : () -> (tensor<?xf32>, tensor<?xi32>)
  %c = stablehlo.constant dense<3> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %shape = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %y, %least, %nowhere, %k, %shape, %shape) {called_computations = [@greater], indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>, mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64}} : (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>)
  %1 = stablehlo.dynamic_reshape %0#0, %shape : (tensor<?xf32>, tensor<1xi32>) -> tensor<3xf32>
  %2 = stablehlo.dynamic_reshape %0#1, %shape : (tensor<?xi32>, tensor<1xi32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[5.0, 4.0, 3.0]> : tensor<3xf32>
  check.expect_eq_const %2, dense<[2, 3, 5]> : tensor<3xi32>
  return
}

func.func private @cholesky() {
  %a = stablehlo.constant dense<[[[4.0, 2.0], [2.0, 5.0]], [[1.0, 0.0], [0.0, -1.0]]]> : tensor<2x2x2xf32>
  %c = stablehlo.constant dense<[2, 2, 2]> : tensor<3xi32>
  %shape = stablehlo.optimization_barrier %c : tensor<3xi32>
  %d = stablehlo.constant dense<2> : tensor<1xi32>
  %leading = stablehlo.optimization_barrier %d : tensor<1xi32>
  %x = stablehlo.dynamic_reshape %a, %shape : (tensor<2x2x2xf32>, tensor<3xi32>) -> tensor<?x2x2xf32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x, %shape, %leading) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<?x2x2xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x2x2xf32>, tensor<?xi32>)
  %1 = stablehlo.dynamic_reshape %0#0, %c : (tensor<?x2x2xf32>, tensor<3xi32>) -> tensor<2x2x2xf32>
  %2 = stablehlo.dynamic_reshape %0#1, %d : (tensor<?xi32>, tensor<1xi32>) -> tensor<2xi32>
  %first = stablehlo.slice %1 [0:1, 0:2, 0:2] : (tensor<2x2x2xf32>) -> tensor<1x2x2xf32>
  check.expect_eq_const %first, dense<[[[2.0, 2.0], [1.0, 2.0]]]> : tensor<1x2x2xf32>
  check.expect_eq_const %2, dense<[0, 2]> : tensor<2xi32>
  return
}

func.func private @solve() {
  %a = stablehlo.constant dense<[[[2.0, 0.0], [1.0, 4.0]]]> : tensor<1x2x2xf32>
  %b = stablehlo.constant dense<[[[2.0], [9.0]]]> : tensor<1x2x1xf32>
  %c = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %square = stablehlo.optimization_barrier %c : tensor<3xi64>
  %d = stablehlo.constant dense<[1, 2, 1]> : tensor<3xi64>
  %sides = stablehlo.optimization_barrier %d : tensor<3xi64>
  %x = stablehlo.dynamic_reshape %a, %square : (tensor<1x2x2xf32>, tensor<3xi64>) -> tensor<?x2x2xf32>
  %y = stablehlo.dynamic_reshape %b, %sides : (tensor<1x2x1xf32>, tensor<3xi64>) -> tensor<?x2x1xf32>
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%x, %y, %sides) {api_version = 4 : i32, backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, indices_of_shape_operands = dense<2> : tensor<1xi64>, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<?x2x2xf32>, tensor<?x2x1xf32>, tensor<3xi64>) -> tensor<?x2x1xf32>
  %1 = stablehlo.dynamic_reshape %0, %d : (tensor<?x2x1xf32>, tensor<3xi64>) -> tensor<1x2x1xf32>
  check.expect_eq_const %1, dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  return
}

// By their distance from 3, which are 0, 2, 1, 2, 1.
func.func private @captured_by_comparator() {
  %x, %y = func.call @five() : () -> (tensor<?xf32>, tensor<?xi32>)
  %c = stablehlo.constant dense<3.0> : tensor<f32>
  %pivot = stablehlo.optimization_barrier %c : tensor<f32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.subtract %a, %pivot : tensor<f32>
    %2 = stablehlo.abs %1 : tensor<f32>
    %3 = stablehlo.subtract %b, %pivot : tensor<f32>
    %4 = stablehlo.abs %3 : tensor<f32>
    %5 = stablehlo.compare LT, %2, %4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  %shape = stablehlo.constant dense<5> : tensor<1xi32>
  %6 = stablehlo.dynamic_reshape %0, %shape : (tensor<?xf32>, tensor<1xi32>) -> tensor<5xf32>
  check.expect_eq_const %6, dense<[3.0, 2.0, 4.0, 1.0, 5.0]> : tensor<5xf32>
  return
}

// Three tensors of different sizes take each other's places twice, so that each is where the one after it was.
func.func private @carried_in_turn() {
  %x, %y = func.call @five() : () -> (tensor<?xf32>, tensor<?xi32>)
  %start = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<2> : tensor<1xi32>
  %k2 = stablehlo.optimization_barrier %s2 : tensor<1xi32>
  %s3 = stablehlo.constant dense<3> : tensor<1xi32>
  %k3 = stablehlo.optimization_barrier %s3 : tensor<1xi32>
  %p = stablehlo.dynamic_iota %k2, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %q = stablehlo.dynamic_iota %k3, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %0:4 = stablehlo.while(%i = %start, %a = %x, %b = %p, %c = %q) : tensor<i32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %b, %c, %a : tensor<i32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  %s5 = stablehlo.constant dense<5> : tensor<1xi32>
  %2 = stablehlo.dynamic_reshape %0#1, %s3 : (tensor<?xf32>, tensor<1xi32>) -> tensor<3xf32>
  %3 = stablehlo.dynamic_reshape %0#2, %s5 : (tensor<?xf32>, tensor<1xi32>) -> tensor<5xf32>
  %4 = stablehlo.dynamic_reshape %0#3, %s2 : (tensor<?xf32>, tensor<1xi32>) -> tensor<2xf32>
  check.expect_eq_const %2, dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  check.expect_eq_const %3, dense<[3.0, 1.0, 2.0, 5.0, 4.0]> : tensor<5xf32>
  check.expect_eq_const %4, dense<[0.0, 1.0]> : tensor<2xf32>
  return
}
