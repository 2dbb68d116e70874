// RUN: split-file %s %t
// RUN: mapwright-opt %t/functions.mlir --indexing-differentiate="of=root wrt=0" --indexing-differentiate="of=logarithm wrt=0" --indexing-differentiate="of=reciprocal wrt=0" --indexing-differentiate="of=quotient wrt=0" --indexing-differentiate="of=of_three wrt=0" --indexing-differentiate="of=filled wrt=0" --indexing-differentiate="of=sigmoid wrt=0" --indexing-differentiate="of=silu wrt=0" --indexing-differentiate="of=windows wrt=0" --indexing-differentiate="of=windows_vjp wrt=0" --indexing-differentiate="of=shared wrt=0" --indexing-differentiate="of=shared_vjp wrt=0" --indexing-differentiate="of=mixed wrt=0" --indexing-differentiate="of=mixed_vjp wrt=0" --indexing-differentiate="of=products wrt=0" --indexing-differentiate="of=products_vjp wrt=0" --indexing-differentiate="of=products_of_sizes wrt=0" --indexing-differentiate="of=products_of_sizes_vjp wrt=0" --indexing-differentiate="of=running wrt=0" --indexing-differentiate="of=running_vjp wrt=0" --indexing-differentiate="of=ratio wrt=0,1" --indexing-differentiate="of=ratio_vjp wrt=0,1" --indexing-differentiate="of=inverse_tangent wrt=0" --indexing-differentiate="of=inverse_tangent_vjp wrt=0" --indexing-differentiate="of=power wrt=0" --indexing-differentiate="of=power_vjp wrt=0" -o %t/adjoints.mlir
// RUN: sed '/^}$/d' %t/adjoints.mlir > %t/all.mlir
// RUN: cat %t/main.mlir >> %t/all.mlir
// RUN: mapwright run %t/all.mlir
// RUN: mapwright run --interpret %t/all.mlir
// RUN: FileCheck %s < %t/adjoints.mlir

// A derivative is zero where a branch that is constant is selected, and where the logistic function is, whatever the slopes of what is computed of
// these are: infinite or no numbers. Values by the definitions, those of the windows by JAX.

// CHECK-LABEL: func.func @sigmoid_vjp
// CHECK: stablehlo.logistic
// CHECK-NOT: stablehlo.exponential
// CHECK: return

//--- functions.mlir
func.func @root(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %p = stablehlo.compare GT, %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %s = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
  %r = stablehlo.sqrt %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @logarithm(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %p = stablehlo.compare LE, %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %s = stablehlo.select %p, %z, %x : tensor<4xi1>, tensor<4xf32>
  %r = stablehlo.log %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @reciprocal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %p = stablehlo.compare GT, %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %s = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
  %r = stablehlo.divide %one, %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
// Both operands are selections: 0 / 0 where neither is.
func.func @quotient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %p = stablehlo.compare GT, %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %s = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
  %square = stablehlo.multiply %x, %x : tensor<4xf32>
  %t = stablehlo.select %p, %square, %z : tensor<4xi1>, tensor<4xf32>
  %r = stablehlo.divide %s, %t : tensor<4xf32>
  return %r : tensor<4xf32>
}
// sqrt(x) above one, sqrt(0) from zero to one, sqrt(2 x) below, where that is no number.
func.func @of_three(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %p = stablehlo.compare GT, %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %q = stablehlo.compare GE, %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %double = stablehlo.add %x, %x : tensor<4xf32>
  %low = stablehlo.select %q, %z, %double : tensor<4xi1>, tensor<4xf32>
  %s = stablehlo.select %p, %x, %low : tensor<4xi1>, tensor<4xf32>
  %r = stablehlo.sqrt %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
// What is taken from outside is no number, as in JAX's default mode.
func.func @filled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mask = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<4xf32>
  %s = stablehlo.select %mask, %x, %nan : tensor<4xi1>, tensor<4xf32>
  %r = stablehlo.multiply %s, %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %cst = stablehlo.constant dense<1.0> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.add %2, %1 : tensor<4xf32>
  %4 = stablehlo.divide %2, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %2 = stablehlo.add %1, %one : tensor<4xf32>
  %3 = stablehlo.divide %x, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// JAX's cumlogsumexp, squared: windows are padded with -inf, whose difference is no number.
func.func @windows(%x: tensor<6xf64>) -> tensor<6xf64> {
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %0 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 6>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.maximum %a, %b : tensor<f64>
    %2 = stablehlo.subtract %a, %b : tensor<f64>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f64>
    %5 = stablehlo.abs %2 : tensor<f64>
    %6 = stablehlo.negate %5 : tensor<f64>
    %7 = stablehlo.exponential %6 : tensor<f64>
    %8 = stablehlo.log_plus_one %7 : tensor<f64>
    %9 = stablehlo.add %1, %8 : tensor<f64>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f64>
    stablehlo.return %10 : tensor<f64>
  }) : (tensor<6xf64>, tensor<f64>) -> tensor<6xf64>
  %r = stablehlo.multiply %0, %0 : tensor<6xf64>
  return %r : tensor<6xf64>
}
// Roots that branches of two selections read, so that they belong to neither: at zero none of them is selected.
func.func @shared(%x: tensor<4xf64>) -> tensor<4xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf64>
  %one = stablehlo.constant dense<1.0> : tensor<4xf64>
  %s = stablehlo.sqrt %x : tensor<4xf64>
  %c = stablehlo.cbrt %x : tensor<4xf64>
  %t = stablehlo.add %s, %c : tensor<4xf64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %q = stablehlo.compare GT, %x, %one : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %0 = stablehlo.select %p, %s, %zero : tensor<4xi1>, tensor<4xf64>
  %1 = stablehlo.select %q, %t, %zero : tensor<4xi1>, tensor<4xf64>
  %r = stablehlo.add %0, %1 : tensor<4xf64>
  return %r : tensor<4xf64>
}
// sqrt(x) (x - 1): at 1 the root has no cotangent, and one of second order all the same.
func.func @mixed(%x: tensor<2xf64>) -> tensor<2xf64> {
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %0 = stablehlo.sqrt %x : tensor<2xf64>
  %1 = stablehlo.subtract %x, %one : tensor<2xf64>
  %r = stablehlo.multiply %0, %1 : tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func @products(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @products_of_sizes(%x: tensor<3x?xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// The first products of three at most, as windows that begin before the elements.
func.func @running(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
// (x / y)^2 below y, else x: in the derivative there are selections by the same condition.
func.func @ratio(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
  %p = stablehlo.compare LT, %x, %y : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  %0 = stablehlo.divide %x, %y : tensor<2xf64>
  %1 = stablehlo.multiply %0, %0 : tensor<2xf64>
  %r = stablehlo.select %p, %1, %x : tensor<2xi1>, tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func @inverse_tangent(%x: tensor<2xf64>) -> tensor<2xf64> {
  %r = chlo.atanh %x : tensor<2xf64> -> tensor<2xf64>
  return %r : tensor<2xf64>
}
// x^-3, whose divisor is infinite long before x is.
func.func @power(%x: tensor<4xf64>) -> tensor<4xf64> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf64>
  %square = stablehlo.multiply %x, %x : tensor<4xf64>
  %cube = stablehlo.multiply %x, %square : tensor<4xf64>
  %r = stablehlo.divide %one, %cube : tensor<4xf64>
  return %r : tensor<4xf64>
}
//--- main.mlir
  func.func @main() {
    %x = stablehlo.constant dense<[-1.0, 0.0, 4.0, -3.0]> : tensor<4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = func.call @root_vjp(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %0, dense<[0.0, 0.0, 0.25, 0.0]> : tensor<4xf32>
    %1 = func.call @logarithm_vjp(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %1, dense<[0.0, 0.0, 0.25, 0.0]> : tensor<4xf32>
    %2 = func.call @reciprocal_vjp(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %2, dense<[0.0, 0.0, -0.0625, 0.0]> : tensor<4xf32>
    %3 = func.call @quotient_vjp(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %3, dense<[0.0, 0.0, -0.0625, 0.0]> : tensor<4xf32>
    %y = stablehlo.constant dense<[0.5, 0.0, 4.0, 1.0]> : tensor<4xf32>
    %4 = func.call @of_three_vjp(%y, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %4, dense<[0.0, 0.0, 0.25, 0.0]> : tensor<4xf32>
    %5 = func.call @filled_vjp(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %5, dense<[-2.0, 0.0, 8.0, -6.0]> : tensor<4xf32>
    %z = stablehlo.constant dense<[-100.0, -89.0, 0.0, 100.0]> : tensor<4xf32>
    %6 = func.call @sigmoid_vjp(%z, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %6, dense<[0.0, 0.0, 0.25, 0.0]> : tensor<4xf32>
    %7 = func.call @silu_vjp(%z, %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    check.expect_almost_eq_const %7, dense<[0.0, 0.0, 0.5, 1.0]> : tensor<4xf32>
    %w = stablehlo.constant dense<[0.5, -1.0, 2.0, 0.0, 1.0, -0.5]> : tensor<6xf64>
    %ones = stablehlo.constant dense<1.0> : tensor<6xf64>
    %8 = func.call @windows_vjp(%w, %ones) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    check.expect_almost_eq_const %8, dense<[4.95089412, 0.88156364, 12.56656172, 1.22411125, 2.10368996, 0.2314383]> : tensor<6xf64>
    %9 = func.call @windows_vjp_vjp(%w, %ones, %ones) : (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    check.expect_almost_eq_const %9, dense<[4.79402831, 0.62343199, 5.19373697, 0.49025787, 0.81019673, 0.08834813]> : tensor<6xf64>
    // 1 / (2 sqrt(x)) above 0, and that and 1 / (3 cbrt(x)^2) once more above 1; what follows from it in turn.
    %v = stablehlo.constant dense<[0.0, 0.25, 1.0, 64.0]> : tensor<4xf64>
    %four = stablehlo.constant dense<1.0> : tensor<4xf64>
    %10 = func.call @shared_vjp(%v, %four) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    check.expect_almost_eq_const %10, dense<[0.0, 1.0, 0.5, 0.145833333]> : tensor<4xf64>
    %11 = func.call @shared_vjp_vjp(%v, %four, %four) : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    check.expect_almost_eq_const %11, dense<[0.0, -2.0, -0.25, -0.00119357638]> : tensor<4xf64>
    // -3 x^-4 and 12 x^-5; 1e200 and infinity.
    %large = stablehlo.constant dense<[2.0, 1.0e200, 0x7FF0000000000000, -1.0]> : tensor<4xf64>
    %first = func.call @power_vjp(%large, %four) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    check.expect_almost_eq_const %first, dense<[-0.1875, 0.0, 0.0, -3.0]> : tensor<4xf64>
    %second = func.call @power_vjp_vjp(%large, %four, %four) : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    check.expect_almost_eq_const %second, dense<[0.375, 0.0, 0.0, -12.0]> : tensor<4xf64>
    // Slopes of roots end at zero.
    %end = stablehlo.constant dense<0x7FF0000000000000> : tensor<4xf64>
    %16 = func.call @shared_vjp(%end, %four) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    check.expect_almost_eq_const %16, dense<0.0> : tensor<4xf64>
    %17 = func.call @shared_vjp_vjp(%end, %four, %four) : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    check.expect_almost_eq_const %17, dense<0.0> : tensor<4xf64>
    // 3/4 x^(-1/2) + 1/4 x^(-3/2)
    %t = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf64>
    %two = stablehlo.constant dense<1.0> : tensor<2xf64>
    %19 = func.call @mixed_vjp_vjp(%t, %two, %two) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %19, dense<[1.0, 0.40625]> : tensor<2xf64>
    // Beside an infinite element the product of the others is finite, and zero beside a zero.
    %u = stablehlo.constant dense<[[0x7F800000, 2.0, 3.0], [0.0, 0xFF800000, 5.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf32>
    %three = stablehlo.constant dense<1.0> : tensor<3xf32>
    %12 = func.call @products_vjp(%u, %three) : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    %13 = stablehlo.slice %12 [0:1, 0:1] : (tensor<3x3xf32>) -> tensor<1x1xf32>
    check.expect_almost_eq_const %13, dense<6.0> : tensor<1x1xf32>
    %14 = stablehlo.slice %12 [1:2, 1:2] : (tensor<3x3xf32>) -> tensor<1x1xf32>
    check.expect_almost_eq_const %14, dense<0.0> : tensor<1x1xf32>
    %15 = stablehlo.slice %12 [2:3, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
    check.expect_almost_eq_const %15, dense<0.0> : tensor<1x3xf32>
    // Of y z + x z + x y, the derivatives of x y z together: y + z, x + z and x + y, also where factors are zero.
    %s = stablehlo.constant dense<[[0.0, 3.0, 2.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]]> : tensor<3x3xf32>
    %nine = stablehlo.constant dense<1.0> : tensor<3x3xf32>
    %18 = func.call @products_vjp_vjp(%s, %three, %nine) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    check.expect_almost_eq_const %18, dense<[[5.0, 2.0, 3.0], [4.0, 4.0, 0.0], [5.0, 4.0, 3.0]]> : tensor<3x3xf32>
    // The same where the number of factors is known at run time only.
    %open = tensor.cast %s : tensor<3x3xf32> to tensor<3x?xf32>
    %open_nine = tensor.cast %nine : tensor<3x3xf32> to tensor<3x?xf32>
    %20 = func.call @products_of_sizes_vjp_vjp(%open, %three, %open_nine) : (tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
    %21 = tensor.cast %20 : tensor<3x?xf32> to tensor<3x3xf32>
    check.expect_almost_eq_const %21, dense<[[5.0, 2.0, 3.0], [4.0, 4.0, 0.0], [5.0, 4.0, 3.0]]> : tensor<3x3xf32>
    // Of the sum of x, x y, x y z and y z w: 1 + y + y z, x + x z + z w, x y + y w and y z, and of their sum in turn; by JAX where it has numbers.
    %columns = stablehlo.constant dense<[[0.0, 0x7F800000], [0.0, 2.0], [2.0, 3.0], [3.0, 0.0]]> : tensor<4x2xf32>
    %eight = stablehlo.constant dense<1.0> : tensor<4x2xf32>
    %open_columns = tensor.cast %columns : tensor<4x2xf32> to tensor<?x2xf32>
    %open_eight = tensor.cast %eight : tensor<4x2xf32> to tensor<?x2xf32>
    %22 = func.call @running_vjp(%open_columns, %open_eight) : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %23 = tensor.cast %22 : tensor<?x2xf32> to tensor<4x2xf32>
    check.expect_eq_const %23, dense<[[1.0, 9.0], [6.0, 0x7F800000], [0.0, 0x7F800000], [0.0, 6.0]]> : tensor<4x2xf32>
    %24 = func.call @running_vjp_vjp(%open_columns, %open_eight, %open_eight) : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %25 = tensor.cast %24 : tensor<?x2xf32> to tensor<4x2xf32>
    %26 = stablehlo.slice %25 [0:4, 0:1] : (tensor<4x2xf32>) -> tensor<4x1xf32>
    check.expect_eq_const %26, dense<[[3.0], [8.0], [3.0], [2.0]]> : tensor<4x1xf32>
    %27 = stablehlo.slice %25 [0:4:3, 1:2] : (tensor<4x2xf32>) -> tensor<2x1xf32>
    check.expect_eq_const %27, dense<[[6.0], [5.0]]> : tensor<2x1xf32>
    // 2 / y^2 - 4 x / y^3 and 6 x^2 / y^4 - 4 x / y^3 where x < y.
    %ones_of_two = stablehlo.constant dense<1.0> : tensor<2xf64>
    %p = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %q = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf64>
    %28:2 = func.call @ratio_vjp_vjp(%p, %q, %ones_of_two, %ones_of_two, %ones_of_two) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    check.expect_almost_eq_const %28#0, dense<[0.0, -0.074074074074074]> : tensor<2xf64>
    check.expect_almost_eq_const %28#1, dense<[0.0, 0.0]> : tensor<2xf64>
    // 2 x / (1 - x^2)^2, which is zero far away.
    %o = stablehlo.constant dense<[0x7FF0000000000000, 0.5]> : tensor<2xf64>
    %29 = func.call @inverse_tangent_vjp_vjp(%o, %ones_of_two, %ones_of_two) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %29, dense<[0.0, 1.777777777777778]> : tensor<2xf64>
    return
  }
}
