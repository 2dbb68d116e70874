//! Movement, sums, products and element-wise functions.

/// Functions of two arguments, `%x` and `%y`: their types, the type of the result, and what they
/// compute.
pub(crate) const FUNCTIONS: &[(&str, &str, &str, &str, &str)] = &[
    ("sums", "tensor<3x4xf64>", "tensor<3x4xf64>", "tensor<3x4xf64>",
     "%0 = stablehlo.add %x, %y : tensor<3x4xf64>
      %1 = stablehlo.multiply %0, %x : tensor<3x4xf64>
      %2 = stablehlo.subtract %1, %y : tensor<3x4xf64>
      %r = stablehlo.divide %2, %y : tensor<3x4xf64>"),
    ("functions", "tensor<5xf64>", "tensor<5xf64>", "tensor<5xf64>",
     "%0 = stablehlo.exponential %x : tensor<5xf64>
      %1 = stablehlo.log %y : tensor<5xf64>
      %2 = stablehlo.tanh %x : tensor<5xf64>
      %3 = stablehlo.logistic %y : tensor<5xf64>
      %4 = stablehlo.sine %x : tensor<5xf64>
      %5 = stablehlo.cosine %y : tensor<5xf64>
      %6 = stablehlo.sqrt %y : tensor<5xf64>
      %7 = stablehlo.rsqrt %x : tensor<5xf64>
      %8 = stablehlo.cbrt %x : tensor<5xf64>
      %9 = stablehlo.exponential_minus_one %x : tensor<5xf64>
      %10 = stablehlo.log_plus_one %y : tensor<5xf64>
      %11 = stablehlo.power %x, %y : tensor<5xf64>
      %12 = stablehlo.atan2 %x, %y : tensor<5xf64>
      %13 = stablehlo.tan %y : tensor<5xf64>
      %14 = stablehlo.abs %x : tensor<5xf64>
      %a = stablehlo.multiply %0, %1 : tensor<5xf64>
      %b = stablehlo.multiply %2, %3 : tensor<5xf64>
      %c = stablehlo.multiply %4, %5 : tensor<5xf64>
      %d = stablehlo.multiply %6, %7 : tensor<5xf64>
      %e = stablehlo.multiply %8, %9 : tensor<5xf64>
      %f = stablehlo.multiply %10, %11 : tensor<5xf64>
      %g = stablehlo.multiply %12, %13 : tensor<5xf64>
      %h = stablehlo.add %a, %b : tensor<5xf64>
      %i = stablehlo.add %c, %d : tensor<5xf64>
      %j = stablehlo.add %e, %f : tensor<5xf64>
      %k = stablehlo.add %g, %h : tensor<5xf64>
      %l = stablehlo.add %i, %j : tensor<5xf64>
      %m = stablehlo.negate %14 : tensor<5xf64>
      %n = stablehlo.add %k, %l : tensor<5xf64>
      %r = stablehlo.add %m, %n : tensor<5xf64>"),
    ("choices", "tensor<6xf64>", "tensor<6xf64>", "tensor<6xf64>",
     "%0 = stablehlo.maximum %x, %y : tensor<6xf64>
      %1 = stablehlo.minimum %x, %y : tensor<6xf64>
      %2 = stablehlo.compare GT, %x, %y : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
      %3 = stablehlo.multiply %0, %1 : tensor<6xf64>
      %4 = stablehlo.select %2, %3, %y : tensor<6xi1>, tensor<6xf64>
      %low = stablehlo.constant dense<0.8> : tensor<f64>
      %high = stablehlo.constant dense<1.2> : tensor<f64>
      %5 = stablehlo.clamp %low, %x, %high : (tensor<f64>, tensor<6xf64>, tensor<f64>) -> tensor<6xf64>
      %r = stablehlo.multiply %4, %5 : tensor<6xf64>"),
    ("moves", "tensor<2x3x4xf64>", "tensor<3xf64>", "tensor<3x5xf64>",
     "%0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
      %1 = stablehlo.reshape %0 : (tensor<4x2x3xf64>) -> tensor<3x8xf64>
      %2 = stablehlo.slice %1 [0:3, 1:8:2] : (tensor<3x8xf64>) -> tensor<3x4xf64>
      %3 = stablehlo.reverse %2, dims = [1] : tensor<3x4xf64>
      %4 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
      %5 = stablehlo.multiply %3, %4 : tensor<3x4xf64>
      %6 = stablehlo.reshape %y : (tensor<3xf64>) -> tensor<3x1xf64>
      %r = stablehlo.concatenate %5, %6, dim = 1 : (tensor<3x4xf64>, tensor<3x1xf64>) -> tensor<3x5xf64>"),
    ("padded", "tensor<3x4xf64>", "tensor<8x3xf64>", "tensor<8x3xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = stablehlo.pad %x, %zero, low = [1, 0], high = [2, -1], interior = [1, 0] : (tensor<3x4xf64>, tensor<f64>) -> tensor<8x3xf64>
      %r = stablehlo.multiply %0, %y : tensor<8x3xf64>"),
    ("places", "tensor<4x3xf64>", "tensor<3x3xf64>", "tensor<3x3xf64>",
     "%at = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi64>
      %0 = \"stablehlo.gather\"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf64>, tensor<3xi64>) -> tensor<3x3xf64>
      %r = stablehlo.multiply %0, %y : tensor<3x3xf64>"),
    ("reductions", "tensor<3x4xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %1 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %2 = stablehlo.multiply %0, %1 : tensor<3xf64>
      %r = stablehlo.multiply %2, %y : tensor<3xf64>"),
    ("windows", "tensor<6xf64>", "tensor<6xf64>", "tensor<6xf64>",
     "%zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = \"stablehlo.reduce_window\"(%x, %zero) <{padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 6>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
      }) : (tensor<6xf64>, tensor<f64>) -> tensor<6xf64>
      %r = stablehlo.multiply %0, %y : tensor<6xf64>"),
    ("products", "tensor<2x3x4xf64>", "tensor<5x4x2xf64>", "tensor<2x3x5xf64>",
     "%r = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [2] x [1] : (tensor<2x3x4xf64>, tensor<5x4x2xf64>) -> tensor<2x3x5xf64>"),
    ("two_contracted", "tensor<2x3x4x5xf64>", "tensor<5x2x4xf64>", "tensor<2x3xf64>",
     "%0 = stablehlo.dot_general %x, %y, contracting_dims = [3, 2] x [0, 2] : (tensor<2x3x4x5xf64>, tensor<5x2x4xf64>) -> tensor<2x3x2xf64>
      %zero = stablehlo.constant dense<0.0> : tensor<f64>
      %r = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x2xf64>, tensor<f64>) -> tensor<2x3xf64>"),
    ("attention", "tensor<3x4xf64>", "tensor<5x4xf64>", "tensor<3x4xf64>",
     "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<3x4xf64>, tensor<5x4xf64>) -> tensor<3x5xf64>
      %1 = tarray.apply_along_axis dim = 1 (%line in %0 : tensor<3x5xf64>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f64>
        %p = stablehlo.exponential %line : tensor<5xf64>
        %s = tarray.reduce (%e in %p : tensor<5xf64>, %a = %zero : tensor<f64>) {
          %q = stablehlo.add %a, %e : tensor<f64>
          tarray.yield %q : tensor<f64>
        }
        %w = tarray.broadcast (%e in %p : tensor<5xf64>, %b = %s : tensor<f64>) {
          %q = stablehlo.divide %e, %b : tensor<f64>
          tarray.yield %q : tensor<f64>
        }
        tarray.yield %w : tensor<5xf64>
      }
      %r = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<3x5xf64>, tensor<5x4xf64>) -> tensor<3x4xf64>"),
    ("calls", "tensor<3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%0 = func.call @square(%x) : (tensor<3xf64>) -> tensor<3xf64>
      %1 = func.call @square(%y) : (tensor<3xf64>) -> tensor<3xf64>
      %r = stablehlo.multiply %0, %1 : tensor<3xf64>"),
    ("arrays", "tensor<4x3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%z = stablehlo.constant dense<0.0> : tensor<3xf64>
      %at = stablehlo.constant dense<[3, 1, 3]> : tensor<3xi64>
      %0 = tarray.slices %x dim = 0 : tensor<4x3xf64>
      %1 = tarray.gather %0 at %at : !tarray.array<tensor<3xf64>, max = 4>, tensor<3xi64>
      %2 = tarray.parallel_foreach (%e in %1 : !tarray.array<tensor<3xf64>, max = 3>) {
        %q = stablehlo.multiply %e, %y : tensor<3xf64>
        tarray.yield %q : tensor<3xf64>
      }
      %r = tarray.reduce (%e in %2 : !tarray.array<tensor<3xf64>, max = 3>, %a = %z : tensor<3xf64>) {
        %q = stablehlo.add %a, %e : tensor<3xf64>
        tarray.yield %q : tensor<3xf64>
      }"),
];
