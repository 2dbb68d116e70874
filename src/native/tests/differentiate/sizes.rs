//! Functions of tensors whose sizes are known at run time only.

/// As [`super::functions::FUNCTIONS`]. A size that is not known is 3.
pub(crate) const SIZES: &[(&str, &str, &str, &str, &str)] = &[
    ("bias of a size", "tensor<?x4xf64>", "tensor<4xf64>", "tensor<?x4xf64>",
     "%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf64>) -> tensor<i32>
      %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %four = stablehlo.constant dense<4> : tensor<1xi32>
      %s = stablehlo.concatenate %m, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %0 = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [1] : (tensor<4xf64>, tensor<2xi32>) -> tensor<?x4xf64>
      %1 = stablehlo.multiply %x, %0 : tensor<?x4xf64>
      %2 = stablehlo.tanh %1 : tensor<?x4xf64>
      %r = stablehlo.add %2, %0 : tensor<?x4xf64>"),
    ("products of a size", "tensor<?x4xf64>", "tensor<4x2xf64>", "tensor<?x?xf64>",
     "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x4xf64>, tensor<4x2xf64>) -> tensor<?x2xf64>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x2xf64>) -> tensor<2x?xf64>
      %r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<?x2xf64>, tensor<2x?xf64>) -> tensor<?x?xf64>"),
    ("reductions of a size", "tensor<?x4xf64>", "tensor<?xf64>", "tensor<?xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %one = stablehlo.constant dense<1.0> : tensor<f64>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf64>, tensor<f64>) -> tensor<?xf64>
      %1 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x4xf64>, tensor<f64>) -> tensor<?xf64>
      %2 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<?x4xf64>, tensor<f64>) -> tensor<?xf64>
      %3 = stablehlo.add %0, %1 : tensor<?xf64>
      %4 = stablehlo.multiply %2, %y : tensor<?xf64>
      %r = stablehlo.multiply %3, %4 : tensor<?xf64>"),
    ("softmax of a size", "tensor<4x?xf64>", "tensor<4x?xf64>", "tensor<4x?xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x?xf64>) -> tensor<i32>
      %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %four = stablehlo.constant dense<4> : tensor<1xi32>
      %s = stablehlo.concatenate %four, %m, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x?xf64>, tensor<f64>) -> tensor<4xf64>
      %1 = stablehlo.dynamic_broadcast_in_dim %0, %s, dims = [0] : (tensor<4xf64>, tensor<2xi32>) -> tensor<4x?xf64>
      %2 = stablehlo.subtract %x, %1 : tensor<4x?xf64>
      %3 = stablehlo.exponential %2 : tensor<4x?xf64>
      %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x?xf64>, tensor<f64>) -> tensor<4xf64>
      %5 = stablehlo.dynamic_broadcast_in_dim %4, %s, dims = [0] : (tensor<4xf64>, tensor<2xi32>) -> tensor<4x?xf64>
      %6 = stablehlo.divide %3, %5 : tensor<4x?xf64>
      %r = stablehlo.multiply %6, %y : tensor<4x?xf64>"),
    ("pieces of sizes", "tensor<?x2xf64>", "tensor<?x2xf64>", "tensor<?xf64>",
     "%0 = stablehlo.multiply %x, %x : tensor<?x2xf64>
      %1 = stablehlo.concatenate %0, %y, %x, dim = 0 : (tensor<?x2xf64>, tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
      %n = stablehlo.get_dimension_size %1, dim = 0 : (tensor<?x2xf64>) -> tensor<i32>
      %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %two = stablehlo.constant dense<2> : tensor<1xi32>
      %a = stablehlo.multiply %m, %two : tensor<1xi32>
      %2 = stablehlo.dynamic_reshape %1, %a : (tensor<?x2xf64>, tensor<1xi32>) -> tensor<?xf64>
      %3 = stablehlo.reverse %2, dims = [0] : tensor<?xf64>
      %r = stablehlo.multiply %2, %3 : tensor<?xf64>"),
    ("parts of a size", "tensor<?xf64>", "tensor<f64>", "tensor<?xf64>",
     "%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf64>) -> tensor<i32>
      %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %two = stablehlo.constant dense<2> : tensor<1xi32>
      %less = stablehlo.constant dense<-1> : tensor<1xi32>
      %0 = stablehlo.real_dynamic_slice %x, %one, %m, %one : (tensor<?xf64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf64>
      %1 = stablehlo.multiply %0, %0 : tensor<?xf64>
      %2 = stablehlo.dynamic_pad %1, %y, %two, %less, %one : (tensor<?xf64>, tensor<f64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf64>
      %r = stablehlo.exponential %2 : tensor<?xf64>"),
    ("rows of a size", "tensor<?x2xf64>", "tensor<?x2xf64>", "tensor<4x2xf64>",
     "%at = stablehlo.constant dense<[[2], [0], [7], [2]]> : tensor<4x1xi64>
      %0 = \"stablehlo.gather\"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<?x2xf64>, tensor<4x1xi64>) -> tensor<4x2xf64>
      %1 = \"stablehlo.scatter\"(%y, %at, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<?x2xf64>, tensor<4x1xi64>, tensor<4x2xf64>) -> tensor<?x2xf64>
      %2 = stablehlo.multiply %1, %1 : tensor<?x2xf64>
      %3 = \"stablehlo.gather\"(%2, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<?x2xf64>, tensor<4x1xi64>) -> tensor<4x2xf64>
      %r = stablehlo.multiply %3, %0 : tensor<4x2xf64>"),
    ("a loop of a size", "tensor<?x2xf64>", "tensor<2xf64>", "tensor<2xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf64>) -> tensor<i32>
      %w:2 = stablehlo.while(%i = %zero, %s = %y) : tensor<i32>, tensor<2xf64>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %k = stablehlo.add %i, %one : tensor<i32>
        %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 2] : (tensor<?x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
        %1 = stablehlo.reshape %0 : (tensor<1x2xf64>) -> tensor<2xf64>
        %2 = stablehlo.multiply %1, %s : tensor<2xf64>
        %3 = stablehlo.sine %2 : tensor<2xf64>
        %4 = stablehlo.add %3, %1 : tensor<2xf64>
        stablehlo.return %k, %4 : tensor<i32>, tensor<2xf64>
      }
      %r = stablehlo.add %w#1, %y : tensor<2xf64>"),
    ("a branch in a loop over a size", "tensor<?xf64>", "tensor<?xf64>", "tensor<?xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %three = stablehlo.constant dense<3> : tensor<i64>
      %w:2 = stablehlo.while(%i = %zero, %s = %y) : tensor<i64>, tensor<?xf64>
      cond {
        %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %k = stablehlo.add %i, %one : tensor<i64>
        %p = stablehlo.compare EQ, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %0 = \"stablehlo.if\"(%p) ({
          %a = stablehlo.multiply %s, %x : tensor<?xf64>
          stablehlo.return %a : tensor<?xf64>
        }, {
          %a = stablehlo.cosine %s : tensor<?xf64>
          %b = stablehlo.multiply %a, %a : tensor<?xf64>
          stablehlo.return %b : tensor<?xf64>
        }) : (tensor<i1>) -> tensor<?xf64>
        stablehlo.return %k, %0 : tensor<i64>, tensor<?xf64>
      }
      %r = stablehlo.multiply %w#1, %x : tensor<?xf64>"),
    ("an order of a size", "tensor<?x2xf64>", "tensor<?x2xf64>", "tensor<?x2xf64>",
     "%0 = stablehlo.multiply %x, %y : tensor<?x2xf64>
      %1:2 = \"stablehlo.sort\"(%x, %0) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>):
        %p = stablehlo.compare LT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) : (tensor<?x2xf64>, tensor<?x2xf64>) -> (tensor<?x2xf64>, tensor<?x2xf64>)
      %2 = stablehlo.sine %1#1 : tensor<?x2xf64>
      %r = stablehlo.multiply %2, %1#0 : tensor<?x2xf64>"),
    ("a convolution of a batch", "tensor<?x4x4x2xf64>", "tensor<2x2x2x3xf64>", "tensor<?x2x2x3xf64>",
     "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x4x4x2xf64>, tensor<2x2x2x3xf64>) -> tensor<?x2x2x3xf64>"),
    ("a convolution along sizes", "tensor<1x?x?x2xf64>", "tensor<2x2x2x3xf64>", "tensor<1x?x?x3xf64>",
     "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x?x2xf64>, tensor<2x2x2x3xf64>) -> tensor<1x?x?x3xf64>"),
    ("sums of windows along a size", "tensor<?xf64>", "tensor<?xf64>", "tensor<?xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = stablehlo.multiply %x, %y : tensor<?xf64>
      %1 = \"stablehlo.reduce_window\"(%0, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
      %r = stablehlo.multiply %1, %1 : tensor<?xf64>"),
    ("products of windows along a size", "tensor<?xf64>", "tensor<?xf64>", "tensor<?xf64>",
     "%one = stablehlo.constant dense<1.0> : tensor<f64>
      %0 = stablehlo.multiply %x, %y : tensor<?xf64>
      %r = \"stablehlo.reduce_window\"(%0, %one) <{window_dimensions = array<i64: 2>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.multiply %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>"),
    ("windows of any body along a size", "tensor<?xf64>", "tensor<?xf64>", "tensor<?xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = stablehlo.multiply %x, %y : tensor<?xf64>
      %r = \"stablehlo.reduce_window\"(%0, %zero) <{window_dimensions = array<i64: 2>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %p = stablehlo.multiply %a, %b : tensor<f64>
        %q = stablehlo.add %a, %b : tensor<f64>
        %s = stablehlo.add %p, %q : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>"),
    ("selected rows of a size", "tensor<?x2xf64>", "tensor<?x2xf64>", "tensor<3x2xf64>",
     "%at = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
      %0 = stablehlo.multiply %x, %y : tensor<?x2xf64>
      %r = \"stablehlo.torch_index_select\"(%0, %at) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<?x2xf64>, tensor<3xi32>) -> tensor<3x2xf64>"),
    ("a size that is set", "tensor<4x2xf64>", "tensor<?xf64>", "tensor<2xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf64>) -> tensor<i32>
      %0 = stablehlo.multiply %x, %x : tensor<4x2xf64>
      %1 = stablehlo.set_dimension_size %0, %n, dim = 0 : (tensor<4x2xf64>, tensor<i32>) -> tensor<?x2xf64, #stablehlo.bounds<4, ?>>
      %r = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x2xf64, #stablehlo.bounds<4, ?>>, tensor<f64>) -> tensor<2xf64>"),
    ("a bounded size", "tensor<?x2xf64, #stablehlo.bounds<5, ?>>", "tensor<2xf64>", "tensor<2xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = stablehlo.multiply %x, %x : tensor<?x2xf64, #stablehlo.bounds<5, ?>>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x2xf64, #stablehlo.bounds<5, ?>>, tensor<f64>) -> tensor<2xf64>
      %r = stablehlo.multiply %1, %y : tensor<2xf64>"),
];
