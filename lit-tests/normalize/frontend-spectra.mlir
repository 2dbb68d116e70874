// RUN: mapwright run %s

// Eigenvalues and singular values by XLA's names, in its order of results: vectors before values, and the right vectors as columns.

func.func @main() {
  func.call @eigh() : () -> ()
  func.call @svd() : () -> ()
  return
}

// Of [[2, 1], [1, 2]] the values are 1 and 3, the vectors (1, -1) and (1, 1) over the root of two, but for their signs.
func.func private @eigh() {
  %lower = stablehlo.constant dense<[[2.0, 99.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @Eigh(%lower) {backend_config = "1,1,100,0.000010"} : (tensor<2x2xf32>) -> tuple<tensor<2x2xf32>, tensor<2xf32>>
  %v = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x2xf32>, tensor<2xf32>>) -> tensor<2x2xf32>
  %w = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %w, dense<[1.0, 3.0]> : tensor<2xf32>
  %squares = stablehlo.multiply %v, %v : tensor<2x2xf32>
  check.expect_almost_eq_const %squares, dense<0.5> : tensor<2x2xf32>
  %whole = stablehlo.constant dense<[[2.0, 1.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %left = stablehlo.dot_general %whole, %v, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %scale = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %right = stablehlo.multiply %v, %scale : tensor<2x2xf32>
  check.expect_almost_eq %left, %right : tensor<2x2xf32>
  // The other triangle, of complex elements: [[2, i], [-i, 2]] has the same values.
  %upper = stablehlo.constant dense<[[(2.0, 0.0), (0.0, 1.0)], [(7.0, 7.0), (2.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %1:2 = stablehlo.custom_call @Eigh(%upper) {backend_config = "0,1,15,1e-6"} : (tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2xf64>)
  check.expect_almost_eq_const %1#1, dense<[1.0, 3.0]> : tensor<2xf64>
  return
}

// A^T A of [[3, 0], [4, 5]] is [[25, 20], [20, 25]], with the values 45 and 5, whose roots are the singular values.
func.func private @svd() {
  %x = stablehlo.constant dense<[[3.0, 0.0], [4.0, 5.0]]> : tensor<2x2xf64>
  %0 = stablehlo.custom_call @SVD(%x) {backend_config = ""} : (tensor<2x2xf64>) -> tuple<tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>>
  %u = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>>) -> tensor<2x2xf64>
  %d = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>>) -> tensor<2xf64>
  %v = stablehlo.get_tuple_element %0[2] : (tuple<tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %d, dense<[6.708203932499369, 2.23606797749979]> : tensor<2xf64>
  %scale = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
  %scaled = stablehlo.multiply %u, %scale : tensor<2x2xf64>
  %product = stablehlo.dot_general %scaled, %v, contracting_dims = [1] x [1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq %product, %x : tensor<2x2xf64>
  // All vectors of a wide matrix, and as many as there are values: u is 2 by 2 in both.
  %wide = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 0.0, 4.0]]> : tensor<2x3xf64>
  %1:3 = stablehlo.custom_call @SVD(%wide) : (tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<3x3xf64>)
  check.expect_almost_eq_const %1#1, dense<[4.0, 3.0]> : tensor<2xf64>
  %2:3 = stablehlo.custom_call @SVD(%wide) : (tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>)
  %wide_scale = stablehlo.broadcast_in_dim %2#1, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
  %wide_scaled = stablehlo.multiply %2#0, %wide_scale : tensor<2x2xf64>
  %again = stablehlo.dot_general %wide_scaled, %2#2, contracting_dims = [1] x [1] : (tensor<2x2xf64>, tensor<3x2xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq %again, %wide : tensor<2x3xf64>
  return
}
