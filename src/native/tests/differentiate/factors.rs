//! Factorisations by LAPACK's names. What is compared does not depend on the signs of vectors,
//! which are free.

/// As [`super::functions::FUNCTIONS`].
pub(crate) const FACTORS: &[(&str, &str, &str, &str, &str)] = &[
    ("eigenvectors", "tensor<4x4xf64>", "tensor<4xf64>", "tensor<4xf64>",
     "%d = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 9.0, 0.0], [0.0, 0.0, 0.0, 15.0]]> : tensor<4x4xf64>
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf64>) -> tensor<4x4xf64>
      %s = stablehlo.add %x, %t : tensor<4x4xf64>
      %a = stablehlo.add %s, %d : tensor<4x4xf64>
      %v, %w, %info = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<i32>)
      %v2 = stablehlo.multiply %v, %v : tensor<4x4xf64>
      %p = stablehlo.dot_general %v2, %y, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4xf64>
      %q = stablehlo.multiply %w, %y : tensor<4xf64>
      %r = stablehlo.add %p, %q : tensor<4xf64>"),
    ("eigenvalues", "tensor<4x4xf64>", "tensor<4xf64>", "tensor<4xf64>",
     "%d = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 9.0, 0.0], [0.0, 0.0, 0.0, 15.0]]> : tensor<4x4xf64>
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf64>) -> tensor<4x4xf64>
      %s = stablehlo.add %x, %t : tensor<4x4xf64>
      %a = stablehlo.add %s, %d : tensor<4x4xf64>
      %v, %w, %info = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<i32>)
      %p = stablehlo.multiply %y, %y : tensor<4xf64>
      %q = stablehlo.multiply %w, %y : tensor<4xf64>
      %r = stablehlo.add %p, %q : tensor<4xf64>"),
    ("singular_vectors_tall", "tensor<5x3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%d = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 12.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<5x3xf64>
      %a = stablehlo.add %x, %d : tensor<5x3xf64>
      %f, %s, %u, %v, %info = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>, tensor<5x3xf64>, tensor<3x3xf64>, tensor<i32>)
      %u2 = stablehlo.multiply %u, %u : tensor<5x3xf64>
      %v2 = stablehlo.multiply %v, %v : tensor<3x3xf64>
      %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
      %h = stablehlo.constant dense<[1.0, 3.0, 5.0]> : tensor<3xf64>
      %p = stablehlo.dot_general %c, %u2, contracting_dims = [0] x [0] : (tensor<5xf64>, tensor<5x3xf64>) -> tensor<3xf64>
      %q = stablehlo.dot_general %v2, %h, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %o = stablehlo.multiply %p, %q : tensor<3xf64>
      %z = stablehlo.multiply %s, %y : tensor<3xf64>
      %r = stablehlo.add %z, %o : tensor<3xf64>"),
    ("singular_vectors_wide", "tensor<2x4xf64>", "tensor<2xf64>", "tensor<2xf64>",
     "%d = stablehlo.constant dense<[[3.0, 0.0, 0.0, 0.0], [0.0, 7.0, 0.0, 0.0]]> : tensor<2x4xf64>
      %a = stablehlo.add %x, %d : tensor<2x4xf64>
      %f, %s, %u, %v, %info = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x4xf64>, tensor<i32>)
      %u2 = stablehlo.multiply %u, %u : tensor<2x2xf64>
      %v2 = stablehlo.multiply %v, %v : tensor<2x4xf64>
      %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
      %h = stablehlo.constant dense<[1.0, 3.0, 5.0, 7.0]> : tensor<4xf64>
      %p = stablehlo.dot_general %c, %u2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
      %q = stablehlo.dot_general %v2, %h, contracting_dims = [1] x [0] : (tensor<2x4xf64>, tensor<4xf64>) -> tensor<2xf64>
      %o = stablehlo.multiply %p, %q : tensor<2xf64>
      %z = stablehlo.multiply %s, %y : tensor<2xf64>
      %r = stablehlo.add %z, %o : tensor<2xf64>"),
    ("singular_vectors_square", "tensor<3x3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%d = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 12.0]]> : tensor<3x3xf64>
      %a = stablehlo.add %x, %d : tensor<3x3xf64>
      %f, %s, %u, %v, %info = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 65 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<i32>)
      %u2 = stablehlo.multiply %u, %u : tensor<3x3xf64>
      %v2 = stablehlo.multiply %v, %v : tensor<3x3xf64>
      %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
      %h = stablehlo.constant dense<[1.0, 3.0, 5.0]> : tensor<3xf64>
      %p = stablehlo.dot_general %c, %u2, contracting_dims = [0] x [0] : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3xf64>
      %q = stablehlo.dot_general %v2, %h, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %o = stablehlo.multiply %p, %q : tensor<3xf64>
      %z = stablehlo.multiply %s, %y : tensor<3xf64>
      %r = stablehlo.add %z, %o : tensor<3xf64>"),
    ("singular_values", "tensor<4x3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%d = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 12.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf64>
      %a = stablehlo.add %x, %d : tensor<4x3xf64>
      %f, %s, %u, %v, %info = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<4x3xf64>, tensor<3x3xf64>, tensor<i32>)
      %o = stablehlo.multiply %y, %y : tensor<3xf64>
      %z = stablehlo.multiply %s, %y : tensor<3xf64>
      %r = stablehlo.add %z, %o : tensor<3xf64>"),
    // As JAX prints it: an empty string beside the options, and what is said of the sizes of all
    // results.
    ("singular_values_of_an_older_call", "tensor<4x3xf64>", "tensor<3xf64>", "tensor<3xf64>",
     "%d = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 12.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf64>
      %a = stablehlo.add %x, %d : tensor<4x3xf64>
      %f:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {backend_config = \"\", mhlo.backend_config = {mode = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=4, j=3, k=4, l=3, m=3, n=4, o=4, p=3, q=3}, custom>} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<4x4xf64>, tensor<3x3xf64>, tensor<i32>)
      %o = stablehlo.multiply %y, %y : tensor<3xf64>
      %z = stablehlo.multiply %f#1, %y : tensor<3xf64>
      %r = stablehlo.add %z, %o : tensor<3xf64>"),
    ("triangular_factors", "tensor<4x4xf64>", "tensor<4x4xf64>", "tensor<4x4xf64>",
     "%d = stablehlo.constant dense<[[0.0, 0.0, 0.0, 4.0], [9.0, 0.0, 0.0, 0.0], [0.0, -7.0, 0.0, 0.0], [0.0, 0.0, 12.0, 0.0]]> : tensor<4x4xf64>
      %a = stablehlo.add %x, %d : tensor<4x4xf64>
      %f, %at, %info = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xi32>, tensor<i32>)
      %r = stablehlo.multiply %f, %y : tensor<4x4xf64>"),
    ("triangular_factors_tall", "tensor<5x3xf64>", "tensor<5x3xf64>", "tensor<5x3xf64>",
     "%d = stablehlo.constant dense<[[0.0, 0.0, 4.0], [9.0, 0.0, 0.0], [0.0, -7.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 12.0]]> : tensor<5x3xf64>
      %a = stablehlo.add %x, %d : tensor<5x3xf64>
      %f, %at, %info = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xi32>, tensor<i32>)
      %r = stablehlo.multiply %f, %y : tensor<5x3xf64>"),
    ("triangular_factors_wide", "tensor<3x5xf64>", "tensor<3x5xf64>", "tensor<3x5xf64>",
     "%d = stablehlo.constant dense<[[0.0, 0.0, 0.0, 0.0, 4.0], [9.0, 0.0, 0.0, 0.0, 0.0], [0.0, -7.0, 0.0, 0.0, 0.0]]> : tensor<3x5xf64>
      %a = stablehlo.add %x, %d : tensor<3x5xf64>
      %f, %at, %info = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3xi32>, tensor<i32>)
      %r = stablehlo.multiply %f, %y : tensor<3x5xf64>"),
    ("orthogonal_factors", "tensor<5x3xf64>", "tensor<5x3xf64>", "tensor<5x3xf64>",
     "%f, %g = stablehlo.custom_call @lapack_dgeqrf_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>)
      %c = stablehlo.slice %f [0:3, 0:3] : (tensor<5x3xf64>) -> tensor<3x3xf64>
      %m = stablehlo.constant dense<[[true, true, true], [false, true, true], [false, false, true]]> : tensor<3x3xi1>
      %o = stablehlo.constant dense<0.0> : tensor<3x3xf64>
      %u = stablehlo.select %m, %c, %o : tensor<3x3xi1>, tensor<3x3xf64>
      %q = stablehlo.custom_call @lapack_dorgqr_ffi(%f, %g) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<5x3xf64>, tensor<3xf64>) -> (tensor<5x3xf64>)
      %e = stablehlo.multiply %q, %y : tensor<5x3xf64>
      %r = stablehlo.dot_general %e, %u, contracting_dims = [1] x [1] : (tensor<5x3xf64>, tensor<3x3xf64>) -> tensor<5x3xf64>"),
    ("orthogonal_factors_square", "tensor<3x3xf64>", "tensor<3x3xf64>", "tensor<3x3xf64>",
     "%f, %g = stablehlo.custom_call @lapack_dgeqrf_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
      %c = stablehlo.slice %f [0:3, 0:3] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %m = stablehlo.constant dense<[[true, true, true], [false, true, true], [false, false, true]]> : tensor<3x3xi1>
      %o = stablehlo.constant dense<0.0> : tensor<3x3xf64>
      %u = stablehlo.select %m, %c, %o : tensor<3x3xi1>, tensor<3x3xf64>
      %q = stablehlo.custom_call @lapack_dorgqr_ffi(%f, %g) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf64>, tensor<3xf64>) -> (tensor<3x3xf64>)
      %e = stablehlo.multiply %q, %y : tensor<3x3xf64>
      %r = stablehlo.dot_general %e, %u, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>"),
    ("upper_factor", "tensor<4x3xf64>", "tensor<4x3xf64>", "tensor<4x3xf64>",
     "%f, %g = stablehlo.custom_call @lapack_dgeqrf_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>)
      %c = stablehlo.slice %f [0:3, 0:3] : (tensor<4x3xf64>) -> tensor<3x3xf64>
      %m = stablehlo.constant dense<[[true, true, true], [false, true, true], [false, false, true]]> : tensor<3x3xi1>
      %o = stablehlo.constant dense<0.0> : tensor<3x3xf64>
      %u = stablehlo.select %m, %c, %o : tensor<3x3xi1>, tensor<3x3xf64>
      %e = stablehlo.multiply %y, %y : tensor<4x3xf64>
      %r = stablehlo.dot_general %e, %u, contracting_dims = [1] x [1] : (tensor<4x3xf64>, tensor<3x3xf64>) -> tensor<4x3xf64>"),
];
