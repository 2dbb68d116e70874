//! Convolutions, windows, places known at run time, loops, branches and matrix functions.

/// As [`super::functions::FUNCTIONS`].
pub(crate) const MORE: &[(&str, &str, &str, &str, &str)] = &[
    ("convolution", "tensor<2x4x5x3xf64>", "tensor<2x3x3x4xf64>", "tensor<2x3x4x4xf64>",
     "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 2], [0, 1]], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x5x3xf64>, tensor<2x3x3x4xf64>) -> tensor<2x3x4x4xf64>"),
    ("convolution_groups", "tensor<2x4x5xf64>", "tensor<6x2x3xf64>", "tensor<2x6x11xf64>",
     "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[2, 2]], lhs_dilate = [2], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x5xf64>, tensor<6x2x3xf64>) -> tensor<2x6x11xf64>"),
    ("convolution_batch_groups", "tensor<4x3x5xf64>", "tensor<6x3x2xf64>", "tensor<2x6x3xf64>",
     "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[-1, 0]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x3x5xf64>, tensor<6x3x2xf64>) -> tensor<2x6x3xf64>"),
    ("products_of_elements", "tensor<3x4xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%one = stablehlo.constant dense<2.0> : tensor<f64>
      %mask = stablehlo.constant dense<[[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<3x4xf64>
      %0 = stablehlo.multiply %x, %mask : tensor<3x4xf64>
      %p = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %q = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %s = stablehlo.add %p, %q : tensor<3xf64>
      %r = stablehlo.multiply %s, %y : tensor<3xf64>"),
    ("a_branch_that_is_no_number", "tensor<8xf64>", "tensor<8xf64>", "tensor<8xf64>",
     "%one = stablehlo.constant dense<1.0> : tensor<8xf64>
      %z = stablehlo.subtract %x, %one : tensor<8xf64>
      %p = stablehlo.compare GT, %z, %one : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xi1>
      %0 = stablehlo.compare LT, %x, %one : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xi1>
      %1 = stablehlo.sqrt %z : tensor<8xf64>
      %2 = stablehlo.multiply %1, %y : tensor<8xf64>
      %3 = stablehlo.log %z : tensor<8xf64>
      %4 = stablehlo.select %p, %3, %2 : tensor<8xi1>, tensor<8xf64>
      %5 = stablehlo.multiply %z, %z : tensor<8xf64>
      %r = stablehlo.select %0, %5, %4 : tensor<8xi1>, tensor<8xf64>"),
    ("greatest_with_place", "tensor<3x4xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %at = stablehlo.iota dim = 1 : tensor<3x4xi32>
      %p:2 = stablehlo.reduce(%x init: %low), (%at init: %none) across dimensions = [1] : (tensor<3x4xf64>, tensor<3x4xi32>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xi32>)
        reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
          %c = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
          %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f64>
          %k = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>
          stablehlo.return %v, %k : tensor<f64>, tensor<i32>
        }
      %r = stablehlo.multiply %p#0, %y : tensor<3xf64>"),
    ("pools", "tensor<5x6xf64>", "tensor<3x3xf64>", "tensor<3x3xf64>",
     "%low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %one = stablehlo.constant dense<1.0> : tensor<f64>
      %zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = \"stablehlo.reduce_window\"(%x, %low) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.maximum %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<3x3xf64>
      %1 = \"stablehlo.reduce_window\"(%x, %low) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 2>, window_dilations = array<i64: 1, 2>, base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.maximum %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<3x3xf64>
      %2 = \"stablehlo.reduce_window\"(%x, %one) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.multiply %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<3x3xf64>
      %3 = \"stablehlo.reduce_window\"(%x, %zero) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 3, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 2, 1>, padding = dense<[[0, 1], [-1, 2]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<3x3xf64>
      %4 = stablehlo.add %0, %1 : tensor<3x3xf64>
      %5 = stablehlo.multiply %2, %3 : tensor<3x3xf64>
      %6 = stablehlo.add %4, %5 : tensor<3x3xf64>
      %r = stablehlo.multiply %6, %y : tensor<3x3xf64>"),
    ("selected_sums", "tensor<6xf64>", "tensor<3xf64>", "tensor<6xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %at = stablehlo.constant dense<[3.0, 1.0, 4.0, 1.0, 5.0, 9.0]> : tensor<6xf64>
      %0 = \"stablehlo.select_and_scatter\"(%at, %y, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.compare GE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
      }, {
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<6xf64>, tensor<3xf64>, tensor<f64>) -> tensor<6xf64>
      %r = stablehlo.multiply %0, %x : tensor<6xf64>"),
    ("slices_at_run_time", "tensor<5x4xf64>", "tensor<2x3xf64>", "tensor<2x3xf64>",
     "%i = stablehlo.constant dense<2> : tensor<i32>
      %j = stablehlo.constant dense<7> : tensor<i32>
      %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<5x4xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
      %1 = stablehlo.dynamic_update_slice %x, %y, %j, %i : (tensor<5x4xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x4xf64>
      %2 = stablehlo.dynamic_slice %1, %i, %i, sizes = [2, 3] : (tensor<5x4xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
      %3 = stablehlo.multiply %0, %2 : tensor<2x3xf64>
      %r = stablehlo.multiply %3, %y : tensor<2x3xf64>"),
    ("scatters", "tensor<5x2xf64>", "tensor<4x2xf64>", "tensor<5x2xf64>",
     "%at = stablehlo.constant dense<[[3], [1], [3], [9]]> : tensor<4x1xi32>
      %0 = \"stablehlo.scatter\"(%x, %at, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
      %1 = \"stablehlo.scatter\"(%x, %at, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        stablehlo.return %b : tensor<f64>
      }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
      %2 = \"stablehlo.scatter\"(%x, %at, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.multiply %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
      %3 = \"stablehlo.scatter\"(%x, %at, %y) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.maximum %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
      %4 = stablehlo.multiply %0, %1 : tensor<5x2xf64>
      %5 = stablehlo.multiply %2, %3 : tensor<5x2xf64>
      %r = stablehlo.add %4, %5 : tensor<5x2xf64>"),
    ("gather_beyond", "tensor<4x3xf64>", "tensor<2x3xf64>", "tensor<2x3xf64>",
     "%at = stablehlo.constant dense<[[-2], [9]]> : tensor<2x1xi32>
      %0 = \"stablehlo.gather\"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf64>, tensor<2x1xi32>) -> tensor<2x3xf64>
      %r = stablehlo.multiply %0, %y : tensor<2x3xf64>"),
    ("selected_rows", "tensor<2x4x3xf64>", "tensor<2x5x3xf64>", "tensor<2x5x3xf64>",
     "%at = stablehlo.constant dense<[[2, 0, 2, 9, 1], [-3, 1, 1, 3, 3]]> : tensor<2x5xi32>
      %0 = \"stablehlo.torch_index_select\"(%x, %at) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x4x3xf64>, tensor<2x5xi32>) -> tensor<2x5x3xf64>
      %r = stablehlo.multiply %0, %y : tensor<2x5x3xf64>"),
    ("mapped", "tensor<3x4xf64>", "tensor<3x4xf64>", "tensor<3x4xf64>",
     "%c = stablehlo.constant dense<3.0> : tensor<f64>
      %r = \"stablehlo.map\"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %d = stablehlo.multiply %a, %b : tensor<f64>
        %e = stablehlo.sine %d : tensor<f64>
        %s = stablehlo.multiply %e, %c : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>"),
    ("sorts", "tensor<3x4xf64>", "tensor<3x4xf64>", "tensor<3x4xf64>",
     "%0:2 = \"stablehlo.sort\"(%x, %y) <{dimension = 1 : i64}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>):
        %s = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
      }) : (tensor<3x4xf64>, tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
      %v, %i = chlo.top_k(%x, k = 2) : tensor<3x4xf64> -> (tensor<3x2xf64>, tensor<3x2xi32>)
      %w = stablehlo.concatenate %v, %v, dim = 1 : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x4xf64>
      %1 = stablehlo.multiply %0#0, %w : tensor<3x4xf64>
      %r = stablehlo.multiply %1, %0#1 : tensor<3x4xf64>"),
    ("functions_of_chlo", "tensor<5xf64>", "tensor<5xf64>", "tensor<5xf64>",
     "%half = stablehlo.constant dense<0.5> : tensor<5xf64>
      %u = stablehlo.multiply %x, %half : tensor<5xf64>
      %0 = chlo.erf %x : tensor<5xf64> -> tensor<5xf64>
      %1 = chlo.erfc %y : tensor<5xf64> -> tensor<5xf64>
      %2 = chlo.asin %u : tensor<5xf64> -> tensor<5xf64>
      %3 = chlo.atan %y : tensor<5xf64> -> tensor<5xf64>
      %4 = chlo.sinh %x : tensor<5xf64> -> tensor<5xf64>
      %5 = chlo.cosh %y : tensor<5xf64> -> tensor<5xf64>
      %6 = chlo.lgamma %x : tensor<5xf64> -> tensor<5xf64>
      %7 = chlo.digamma %y : tensor<5xf64> -> tensor<5xf64>
      %8 = chlo.atanh %u : tensor<5xf64> -> tensor<5xf64>
      %9 = chlo.erf_inv %u : tensor<5xf64> -> tensor<5xf64>
      %10 = stablehlo.remainder %x, %y : tensor<5xf64>
      %a = stablehlo.multiply %0, %1 : tensor<5xf64>
      %b = stablehlo.multiply %2, %3 : tensor<5xf64>
      %c = stablehlo.multiply %4, %5 : tensor<5xf64>
      %d = stablehlo.multiply %6, %7 : tensor<5xf64>
      %e = stablehlo.multiply %8, %9 : tensor<5xf64>
      %f = stablehlo.add %a, %b : tensor<5xf64>
      %g = stablehlo.add %c, %d : tensor<5xf64>
      %h = stablehlo.add %e, %10 : tensor<5xf64>
      %i = stablehlo.add %f, %g : tensor<5xf64>
      %r = stablehlo.add %h, %i : tensor<5xf64>"),
    ("complex_numbers", "tensor<4xf64>", "tensor<4xf64>", "tensor<4xf64>",
     "%z = stablehlo.complex %x, %y : tensor<4xcomplex<f64>>
      %0 = stablehlo.exponential %z : tensor<4xcomplex<f64>>
      %1 = stablehlo.multiply %0, %z : tensor<4xcomplex<f64>>
      %2 = stablehlo.fft %1, type = FFT, length = [4] : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
      %3 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xf64>) -> tensor<3xcomplex<f64>>
      %4 = stablehlo.multiply %3, %3 : tensor<3xcomplex<f64>>
      %5 = stablehlo.fft %4, type = IRFFT, length = [4] : (tensor<3xcomplex<f64>>) -> tensor<4xf64>
      %6 = stablehlo.abs %2 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
      %7 = stablehlo.imag %1 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
      %8 = stablehlo.multiply %5, %6 : tensor<4xf64>
      %r = stablehlo.add %8, %7 : tensor<4xf64>"),
    ("loop", "tensor<3x3xf64>", "tensor<5x3xf64>", "tensor<5x3xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<5> : tensor<i32>
      %h = stablehlo.constant dense<0.1> : tensor<1x3xf64>
      %all = stablehlo.constant dense<0.0> : tensor<5x3xf64>
      %w:5 = stablehlo.while(%i = %zero, %s = %h, %o = %all, %a = %y, %b = %x) : tensor<i32>, tensor<1x3xf64>, tensor<5x3xf64>, tensor<5x3xf64>, tensor<3x3xf64>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %e = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 3] : (tensor<5x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>
        %p = stablehlo.dot_general %s, %b, contracting_dims = [1] x [0] : (tensor<1x3xf64>, tensor<3x3xf64>) -> tensor<1x3xf64>
        %q = stablehlo.add %p, %e : tensor<1x3xf64>
        %t = stablehlo.tanh %q : tensor<1x3xf64>
        %u = stablehlo.multiply %t, %t : tensor<1x3xf64>
        %v = stablehlo.dynamic_update_slice %o, %u, %i, %zero : (tensor<5x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x3xf64>
        %k = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %k, %t, %v, %a, %b : tensor<i32>, tensor<1x3xf64>, tensor<5x3xf64>, tensor<5x3xf64>, tensor<3x3xf64>
      }
      %r = stablehlo.add %w#2, %y : tensor<5x3xf64>"),
    ("loops_in_loops", "tensor<3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %w:3 = stablehlo.while(%i = %zero, %s = %x, %t = %y) : tensor<i32>, tensor<3xf64>, tensor<3xf64>
      cond {
        %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %g = stablehlo.sine %s : tensor<3xf64>
        %v:2 = stablehlo.while(%j = %zero, %u = %g) : tensor<i32>, tensor<3xf64>
        cond {
          %c = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %p = stablehlo.multiply %u, %s : tensor<3xf64>
          %q = stablehlo.multiply %p, %y : tensor<3xf64>
          %e = stablehlo.add %q, %t : tensor<3xf64>
          %k = stablehlo.add %j, %one : tensor<i32>
          stablehlo.return %k, %e : tensor<i32>, tensor<3xf64>
        }
        %odd = stablehlo.remainder %i, %two : tensor<i32>
        %b = \"stablehlo.case\"(%odd) ({
          %a = stablehlo.cosine %v#1 : tensor<3xf64>
          %d = stablehlo.multiply %a, %a : tensor<3xf64>
          stablehlo.return %d : tensor<3xf64>
        }, {
          stablehlo.return %s : tensor<3xf64>
        }) : (tensor<i32>) -> tensor<3xf64>
        %k = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %k, %t, %b : tensor<i32>, tensor<3xf64>, tensor<3xf64>
      }
      %r = stablehlo.add %w#1, %w#2 : tensor<3xf64>"),
    ("branches", "tensor<3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%at = stablehlo.constant dense<1.0> : tensor<3xf64>
      %c = stablehlo.compare GT, %x, %at : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %i = stablehlo.slice %c [0:1] : (tensor<3xi1>) -> tensor<1xi1>
      %j = stablehlo.reshape %i : (tensor<1xi1>) -> tensor<i1>
      %r = \"stablehlo.if\"(%j) ({
        %a = stablehlo.exponential %x : tensor<3xf64>
        %b = stablehlo.multiply %a, %y : tensor<3xf64>
        stablehlo.return %b : tensor<3xf64>
      }, {
        %a = stablehlo.tanh %y : tensor<3xf64>
        %b = stablehlo.divide %x, %a : tensor<3xf64>
        stablehlo.return %b : tensor<3xf64>
      }) : (tensor<i1>) -> tensor<3xf64>"),
    ("triangular_systems", "tensor<3x3xf64>", "tensor<3x2xf64>", "tensor<3x2xf64>",
     "%0 = \"stablehlo.triangular_solve\"(%x, %y) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
      %1 = \"stablehlo.triangular_solve\"(%x, %y) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
      %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x2xf64>) -> tensor<2x3xf64>
      %2 = \"stablehlo.triangular_solve\"(%x, %t) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      %3 = \"stablehlo.triangular_solve\"(%x, %2) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
      %5 = stablehlo.add %0, %1 : tensor<3x2xf64>
      %r = stablehlo.add %5, %4 : tensor<3x2xf64>"),
    ("factorisations", "tensor<3x3xf64>", "tensor<3x3xf64>", "tensor<3x3xf64>",
     "%e = stablehlo.constant dense<[[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]> : tensor<3x3xf64>
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %1 = stablehlo.add %0, %e : tensor<3x3xf64>
      %2 = stablehlo.cholesky %1, lower = true : tensor<3x3xf64>
      %3 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %4 = stablehlo.add %3, %e : tensor<3x3xf64>
      %5 = stablehlo.cholesky %4, lower = false : tensor<3x3xf64>
      %r = stablehlo.dot_general %2, %5, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>"),
    ("shifts", "tensor<3x4xf64>", "tensor<3x4xf64>", "tensor<3x4xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %lows = stablehlo.constant dense<0xFFF0000000000000> : tensor<3xf64>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %1 = stablehlo.maximum %0, %lows : tensor<3xf64>
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
      %3 = stablehlo.subtract %x, %2 : tensor<3x4xf64>
      %4 = stablehlo.exponential %3 : tensor<3x4xf64>
      %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %6 = stablehlo.log %5 : tensor<3xf64>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
      %8 = stablehlo.subtract %3, %7 : tensor<3x4xf64>
      %9 = stablehlo.add %6, %1 : tensor<3xf64>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
      %11 = stablehlo.multiply %8, %10 : tensor<3x4xf64>
      %r = stablehlo.multiply %11, %y : tensor<3x4xf64>"),
    ("shifts_that_stay", "tensor<3x4xf64>", "tensor<3x4xf64>", "tensor<3x4xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %2 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
      %3 = stablehlo.subtract %x, %2 : tensor<3x4xf64>
      %4 = stablehlo.exponential %3 : tensor<3x4xf64>
      %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf64>, tensor<f64>) -> tensor<4xf64>
      %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<4xf64>) -> tensor<3x4xf64>
      %7 = stablehlo.divide %4, %6 : tensor<3x4xf64>
      %8 = stablehlo.multiply %3, %7 : tensor<3x4xf64>
      %r = stablehlo.multiply %8, %y : tensor<3x4xf64>"),
    ("any_body", "tensor<3x4xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %0 = stablehlo.reduce(%x init: %low) across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
        reducer(%a: tensor<f64>, %b: tensor<f64>) {
          %c = stablehlo.exponential %a : tensor<f64>
          %d = stablehlo.exponential %b : tensor<f64>
          %e = stablehlo.add %c, %d : tensor<f64>
          %f = stablehlo.log %e : tensor<f64>
          stablehlo.return %f : tensor<f64>
        }
      %p = stablehlo.slice %y [0:1] : (tensor<3xf64>) -> tensor<1xf64>
      %init = stablehlo.reshape %p : (tensor<1xf64>) -> tensor<f64>
      %1 = stablehlo.reduce(%x init: %init) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %2 = \"stablehlo.reduce_window\"(%y, %low) <{window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %c = stablehlo.exponential %a : tensor<f64>
        %d = stablehlo.exponential %b : tensor<f64>
        %e = stablehlo.add %c, %d : tensor<f64>
        %f = stablehlo.log %e : tensor<f64>
        stablehlo.return %f : tensor<f64>
      }) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
      %3 = stablehlo.multiply %0, %1 : tensor<3xf64>
      %r = stablehlo.multiply %3, %2 : tensor<3xf64>"),
    ("folds", "tensor<4x3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%z = stablehlo.constant dense<0.5> : tensor<3xf64>
      %0 = tarray.slices %x dim = 0 : tensor<4x3xf64>
      %r = tarray.fold (%e in %0 : !tarray.array<tensor<3xf64>, max = 4>, %a = %z : tensor<3xf64>) {
        %p = stablehlo.multiply %e, %a : tensor<3xf64>
        %q = stablehlo.add %p, %y : tensor<3xf64>
        %s = stablehlo.sine %q : tensor<3xf64>
        tarray.yield %s : tensor<3xf64>
      }"),
    ("bounded_loop", "tensor<3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %five = stablehlo.constant dense<5> : tensor<i32>
      %p = stablehlo.slice %y [0:1] : (tensor<3xf64>) -> tensor<1xf64>
      %q = stablehlo.reshape %p : (tensor<1xf64>) -> tensor<f64>
      %ten = stablehlo.constant dense<2.0> : tensor<f64>
      %t = stablehlo.multiply %q, %ten : tensor<f64>
      %u = stablehlo.ceil %t : tensor<f64>
      %m = stablehlo.convert %u : (tensor<f64>) -> tensor<i32>
      %n = stablehlo.minimum %m, %five : tensor<i32>
      %w:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<3xf64>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %e = stablehlo.sine %s : tensor<3xf64>
        %f = stablehlo.multiply %e, %y : tensor<3xf64>
        %k = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %k, %f : tensor<i32>, tensor<3xf64>
      }
      %r = stablehlo.add %w#1, %y : tensor<3xf64>"),
];
