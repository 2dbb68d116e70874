//! Functions whose adjoints have a shorter form under a condition, and functions that just miss it.

/// As [`super::functions::FUNCTIONS`].
pub(crate) const FORMS: &[(&str, &str, &str, &str, &str)] = &[
    // Each iteration takes a row of the data, the last one first, and puts one into the history.
    ("rows_by_turns", "tensor<4x3xf64>", "tensor<3xf64>", "tensor<4x3xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %four = stablehlo.constant dense<4> : tensor<i32>
      %none = stablehlo.constant dense<0.0> : tensor<4x3xf64>
      %w:4 = stablehlo.while(%i = %zero, %d = %x, %s = %y, %h = %none) : tensor<i32>, tensor<4x3xf64>, tensor<3xf64>, tensor<4x3xf64>
      cond {
        %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %j = stablehlo.subtract %three, %i : tensor<i32>
        %a = stablehlo.dynamic_slice %d, %j, %zero, sizes = [1, 3] : (tensor<4x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>
        %b = stablehlo.reshape %a : (tensor<1x3xf64>) -> tensor<3xf64>
        %e = stablehlo.multiply %b, %s : tensor<3xf64>
        %f = stablehlo.sine %e : tensor<3xf64>
        %g = stablehlo.reshape %f : (tensor<3xf64>) -> tensor<1x3xf64>
        %n = stablehlo.dynamic_update_slice %h, %g, %i, %zero : (tensor<4x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<4x3xf64>
        %k = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %k, %d, %f, %n : tensor<i32>, tensor<4x3xf64>, tensor<3xf64>, tensor<4x3xf64>
      }
      %r = stablehlo.multiply %w#3, %w#3 : tensor<4x3xf64>"),
    // Parts of two rows that overlap, some of which begin where there is nothing any more; and the
    // data counts outside of the loop, too.
    ("rows_in_common", "tensor<4x3xf64>", "tensor<2x3xf64>", "tensor<4x3xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %four = stablehlo.constant dense<4> : tensor<i32>
      %w:3 = stablehlo.while(%i = %zero, %s = %y, %h = %x) : tensor<i32>, tensor<2x3xf64>, tensor<4x3xf64>
      cond {
        %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %a = stablehlo.dynamic_slice %x, %i, %zero, sizes = [2, 3] : (tensor<4x3xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
        %e = stablehlo.multiply %a, %s : tensor<2x3xf64>
        %f = stablehlo.sine %e : tensor<2x3xf64>
        %n = stablehlo.dynamic_update_slice %h, %f, %i, %zero : (tensor<4x3xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<4x3xf64>
        %k = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %k, %f, %n : tensor<i32>, tensor<2x3xf64>, tensor<4x3xf64>
      }
      %r = stablehlo.multiply %w#2, %x : tensor<4x3xf64>"),
    // Every second row; the history has values of its own in the beginning, which stay in the other
    // rows.
    ("rows_with_steps", "tensor<6x2xf64>", "tensor<6x2xf64>", "tensor<6x2xf64>",
     "%zero = stablehlo.constant dense<0> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %six = stablehlo.constant dense<6> : tensor<i32>
      %w:2 = stablehlo.while(%i = %zero, %h = %y) : tensor<i32>, tensor<6x2xf64>
      cond {
        %c = stablehlo.compare LT, %i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %a = stablehlo.dynamic_slice %x, %i, %zero, sizes = [2, 2] : (tensor<6x2xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
        %e = stablehlo.exponential %a : tensor<2x2xf64>
        %f = stablehlo.slice %e [1:2, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
        %n = stablehlo.dynamic_update_slice %h, %f, %i, %zero : (tensor<6x2xf64>, tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<6x2xf64>
        %k = stablehlo.add %i, %two : tensor<i32>
        stablehlo.return %k, %n : tensor<i32>, tensor<6x2xf64>
      }
      %r = stablehlo.multiply %w#1, %w#1 : tensor<6x2xf64>"),
    // Pieces in pieces, two of which are no numbers where they are not selected, and polynomials of
    // one variable.
    ("pieces", "tensor<8xf64>", "tensor<8xf64>", "tensor<8xf64>",
     "%one = stablehlo.constant dense<1.0> : tensor<8xf64>
      %low = stablehlo.constant dense<0.8> : tensor<8xf64>
      %high = stablehlo.constant dense<1.2> : tensor<8xf64>
      %half = stablehlo.constant dense<0.5> : tensor<8xf64>
      %p = stablehlo.multiply %x, %y : tensor<8xf64>
      %small = stablehlo.compare LT, %p, %low : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xi1>
      %large = stablehlo.compare GT, %p, %high : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xi1>
      %u = stablehlo.multiply %p, %p : tensor<8xf64>
      %a0 = stablehlo.multiply %high, %u : tensor<8xf64>
      %a1 = stablehlo.add %a0, %low : tensor<8xf64>
      %a2 = stablehlo.multiply %a1, %u : tensor<8xf64>
      %a = stablehlo.subtract %one, %a2 : tensor<8xf64>
      %b0 = stablehlo.subtract %p, %half : tensor<8xf64>
      %b1 = stablehlo.sqrt %b0 : tensor<8xf64>
      %b = stablehlo.log %b1 : tensor<8xf64>
      %c0 = stablehlo.subtract %p, %one : tensor<8xf64>
      %c = stablehlo.sqrt %c0 : tensor<8xf64>
      %e = stablehlo.select %large, %c, %b : tensor<8xi1>, tensor<8xf64>
      %f = stablehlo.select %small, %a, %e : tensor<8xi1>, tensor<8xf64>
      %g = stablehlo.divide %f, %p : tensor<8xf64>
      %h = stablehlo.maximum %g, %low : tensor<8xf64>
      %s = stablehlo.subtract %f, %h : tensor<8xf64>
      %r = stablehlo.multiply %s, %x : tensor<8xf64>"),
    // A piece counts as a result by itself, and is read by what is no function of elements.
    ("pieces_read_elsewhere", "tensor<6xf64>", "tensor<f64>", "tensor<6xf64>",
     "%one = stablehlo.constant dense<1.0> : tensor<6xf64>
      %zero = stablehlo.constant dense<0.0> : tensor<f64>
      %m = stablehlo.compare LT, %x, %one : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
      %a = stablehlo.exponential %x : tensor<6xf64>
      %b = stablehlo.sine %x : tensor<6xf64>
      %e = stablehlo.select %m, %a, %b : tensor<6xi1>, tensor<6xf64>
      %f = stablehlo.multiply %e, %a : tensor<6xf64>
      %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
      %p = stablehlo.multiply %sum, %y : tensor<f64>
      %q = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f64>) -> tensor<6xf64>
      %r = stablehlo.multiply %f, %q : tensor<6xf64>"),
    // A x = b and A^T x = b by both factors, with rows exchanged; of a third system a part alone.
    ("systems_by_factors", "tensor<4x4xf64>", "tensor<4x2xf64>", "tensor<4x2xf64>",
     "%d = stablehlo.constant dense<[[0.0, 0.0, 4.0, 0.0], [9.0, 0.0, 0.0, 0.0], [0.0, -7.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0]]> : tensor<4x4xf64>
      %a = stablehlo.add %x, %d : tensor<4x4xf64>
      %g, %at, %info = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xi32>, tensor<i32>)
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %nan = stablehlo.constant dense<0x7FF8000000000000> : tensor<4x4xf64>
      %fine = stablehlo.compare EQ, %info, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.select %fine, %g, %nan : tensor<i1>, tensor<4x4xf64>
      %0 = \"stablehlo.triangular_solve\"(%f, %y) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
      %1 = \"stablehlo.triangular_solve\"(%f, %0) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
      %2 = \"stablehlo.triangular_solve\"(%f, %y) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
      %3 = \"stablehlo.triangular_solve\"(%f, %2) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
      %4 = \"stablehlo.triangular_solve\"(%f, %1) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
      %5 = \"stablehlo.triangular_solve\"(%f, %4) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
      %6 = stablehlo.multiply %1, %3 : tensor<4x2xf64>
      %7 = stablehlo.multiply %5, %4 : tensor<4x2xf64>
      %r = stablehlo.add %6, %7 : tensor<4x2xf64>"),
    // The program sorts places itself, and uses them.
    ("sorted_with_places", "tensor<3x4xf64>", "tensor<3x4xf64>", "tensor<3x4xf64>",
     "%p = stablehlo.multiply %x, %y : tensor<3x4xf64>
      %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
      %s:3 = \"stablehlo.sort\"(%p, %i, %y) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<f64>, %f: tensor<f64>):
        %g = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %g : tensor<i1>
      }) : (tensor<3x4xf64>, tensor<3x4xi32>, tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi32>, tensor<3x4xf64>)
      %n = stablehlo.convert %s#1 : (tensor<3x4xi32>) -> tensor<3x4xf64>
      %t = stablehlo.multiply %s#0, %n : tensor<3x4xf64>
      %r = stablehlo.multiply %t, %s#2 : tensor<3x4xf64>"),
    // The greatest of each row is subtracted if it is finite, and added again: nothing depends on
    // it.
    ("guarded_shift", "tensor<3x4xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %zero = stablehlo.constant dense<0.0> : tensor<f64>
      %zeros = stablehlo.constant dense<0.0> : tensor<3xf64>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %1 = stablehlo.is_finite %0 : (tensor<3xf64>) -> tensor<3xi1>
      %2 = stablehlo.select %1, %0, %zeros : tensor<3xi1>, tensor<3xf64>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
      %4 = stablehlo.subtract %x, %3 : tensor<3x4xf64>
      %5 = stablehlo.exponential %4 : tensor<3x4xf64>
      %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
      %7 = stablehlo.abs %6 : tensor<3xf64>
      %8 = stablehlo.log %7 : tensor<3xf64>
      %9 = stablehlo.add %8, %2 : tensor<3xf64>
      %s = stablehlo.sign %6 : tensor<3xf64>
      %t = stablehlo.multiply %9, %s : tensor<3xf64>
      %r = stablehlo.multiply %t, %y : tensor<3xf64>"),
];
