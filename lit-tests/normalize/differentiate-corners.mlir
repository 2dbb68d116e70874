// RUN: split-file %s %t
// RUN: mapwright-opt %t/functions.mlir --indexing-differentiate="of=softplus wrt=0" --indexing-differentiate="of=softplus_vjp wrt=0" --indexing-differentiate="of=loss wrt=0" --indexing-differentiate="of=loss_vjp wrt=0" --indexing-differentiate="of=base_two wrt=0" --indexing-differentiate="of=base_two_vjp wrt=0" --indexing-differentiate="of=even wrt=0" --indexing-differentiate="of=even_vjp wrt=0" --indexing-differentiate="of=bessel wrt=0" --indexing-differentiate="of=power wrt=0,1" --indexing-differentiate="of=power_vjp wrt=0,1" --indexing-differentiate="of=inverse_square wrt=0" --indexing-differentiate="of=inverse_square_vjp wrt=0" --indexing-differentiate="of=root_of_relu wrt=0" --indexing-differentiate="of=root_of_relu_vjp wrt=0" --indexing-differentiate="of=entropy wrt=0" --indexing-differentiate="of=entropy_vjp wrt=0" --indexing-differentiate="of=log_cosh wrt=0" --indexing-differentiate="of=log_cosh_vjp wrt=0" --indexing-differentiate="of=above wrt=0" --indexing-differentiate="of=strictly_above wrt=0" --indexing-differentiate="of=of_relu wrt=0" --indexing-differentiate="of=of_two wrt=0,1" --indexing-differentiate="of=of_own_relu wrt=0,1" --indexing-differentiate="of=of_relu6 wrt=0" --indexing-differentiate="of=of_maximum wrt=0" -o %t/adjoints.mlir
// RUN: sed '/^}$/d' %t/adjoints.mlir > %t/all.mlir
// RUN: cat %t/main.mlir >> %t/all.mlir
// RUN: mapwright run %t/all.mlir
// RUN: mapwright run --interpret %t/all.mlir
// RUN: FileCheck %s < %t/adjoints.mlir

// Functions that are smooth where what they are made of has a corner, and those of JAX whose names say what they hand on at one. Values by the definitions.

// CHECK-LABEL: func.func @root_of_relu_vjp(
// CHECK: stablehlo.maximum %{{.*}}, %{{.*}} {indexing.none_of_equal}
// CHECK-LABEL: func.func @of_maximum_vjp(
// CHECK-NOT: indexing.none_of_equal

//--- functions.mlir
// JAX's logaddexp(x, 0).
func.func @softplus(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %0 = stablehlo.maximum %x, %zero : tensor<3xf64>
  %1 = stablehlo.subtract %x, %zero : tensor<3xf64>
  %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %3 = stablehlo.add %x, %zero : tensor<3xf64>
  %4 = stablehlo.abs %1 : tensor<3xf64>
  %5 = stablehlo.negate %4 : tensor<3xf64>
  %6 = stablehlo.exponential %5 : tensor<3xf64>
  %7 = stablehlo.log_plus_one %6 : tensor<3xf64>
  %8 = stablehlo.add %0, %7 : tensor<3xf64>
  %r = stablehlo.select %2, %3, %8 : tensor<3xi1>, tensor<3xf64>
  return %r : tensor<3xf64>
}
// Cross-entropy of a logit with a label of 0.25: max(x, 0) - 0.25 x + log(1 + exp(-|x|)).
func.func @loss(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %label = stablehlo.constant dense<0.25> : tensor<3xf64>
  %0 = stablehlo.maximum %x, %zero : tensor<3xf64>
  %1 = stablehlo.multiply %x, %label : tensor<3xf64>
  %2 = stablehlo.subtract %0, %1 : tensor<3xf64>
  %3 = stablehlo.abs %x : tensor<3xf64>
  %4 = stablehlo.negate %3 : tensor<3xf64>
  %5 = stablehlo.exponential %4 : tensor<3xf64>
  %6 = stablehlo.add %one, %5 : tensor<3xf64>
  %7 = stablehlo.log %6 : tensor<3xf64>
  %r = stablehlo.add %2, %7 : tensor<3xf64>
  return %r : tensor<3xf64>
}
// log2(1 + 2^x)
func.func @base_two(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %ln2 = stablehlo.constant dense<0.69314718055994529> : tensor<f64>
  %0 = stablehlo.broadcast_in_dim %ln2, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %per = stablehlo.constant dense<1.4426950408889634> : tensor<3xf64>
  %1 = stablehlo.maximum %x, %zero : tensor<3xf64>
  %2 = stablehlo.abs %x : tensor<3xf64>
  %3 = stablehlo.negate %2 : tensor<3xf64>
  %4 = stablehlo.multiply %0, %3 : tensor<3xf64>
  %5 = stablehlo.exponential %4 : tensor<3xf64>
  %6 = stablehlo.log_plus_one %5 : tensor<3xf64>
  %7 = stablehlo.multiply %per, %6 : tensor<3xf64>
  %r = stablehlo.add %1, %7 : tensor<3xf64>
  return %r : tensor<3xf64>
}
// (1 + |x|) exp(-|x|), whose derivatives are -x exp(-|x|) and (|x| - 1) exp(-|x|).
func.func @even(%x: tensor<3xf64>) -> tensor<3xf64> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %0 = stablehlo.abs %x : tensor<3xf64>
  %1 = stablehlo.negate %0 : tensor<3xf64>
  %2 = stablehlo.exponential %1 : tensor<3xf64>
  %3 = stablehlo.add %0, %one : tensor<3xf64>
  %r = stablehlo.multiply %2, %3 : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @bessel(%x: tensor<6xf64>) -> tensor<6xf64> {
  %r = chlo.bessel_i1e %x : tensor<6xf64> -> tensor<6xf64>
  return %r : tensor<6xf64>
}
func.func @power(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %r = stablehlo.power %x, %y : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @inverse_square(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %0 = stablehlo.multiply %x, %x : tensor<3xf64>
  %1 = stablehlo.divide %one, %0 : tensor<3xf64>
  %r = stablehlo.select %p, %1, %zero : tensor<3xi1>, tensor<3xf64>
  return %r : tensor<3xf64>
}
// -x ln(x), zero at zero: derivatives -ln(x) - 1 and -1 / x.
func.func @entropy(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %p = stablehlo.compare NE, %x, %zero : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %0 = stablehlo.log %x : tensor<3xf64>
  %1 = stablehlo.multiply %x, %0 : tensor<3xf64>
  %2 = stablehlo.select %p, %1, %zero : tensor<3xi1>, tensor<3xf64>
  %r = stablehlo.negate %2 : tensor<3xf64>
  return %r : tensor<3xf64>
}
// |x| + log(1 + exp(-2 |x|)), which is log(2 cosh(x)): derivatives tanh(x) and 1 - tanh(x)^2.
func.func @log_cosh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %factor = stablehlo.constant dense<-2.0> : tensor<3xf64>
  %0 = stablehlo.abs %x : tensor<3xf64>
  %1 = stablehlo.multiply %0, %factor : tensor<3xf64>
  %2 = stablehlo.exponential %1 : tensor<3xf64>
  %3 = stablehlo.log_plus_one %2 : tensor<3xf64>
  %r = stablehlo.add %0, %3 : tensor<3xf64>
  return %r : tensor<3xf64>
}
// Softplus with what is above zero selected in other ways.
func.func private @beyond(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.abs %x : tensor<3xf64>
  %1 = stablehlo.negate %0 : tensor<3xf64>
  %2 = stablehlo.exponential %1 : tensor<3xf64>
  %r = stablehlo.log_plus_one %2 : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @above(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %p = stablehlo.compare GE, %x, %zero : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %0 = stablehlo.select %p, %x, %zero : tensor<3xi1>, tensor<3xf64>
  %1 = func.call @beyond(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %r = stablehlo.add %0, %1 : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @strictly_above(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %p = stablehlo.compare LE, %x, %zero : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %0 = stablehlo.select %p, %zero, %x : tensor<3xi1>, tensor<3xf64>
  %1 = func.call @beyond(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %r = stablehlo.add %0, %1 : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @of_relu(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = func.call @relu_0(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %1 = func.call @beyond(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %r = stablehlo.add %0, %1 : tensor<3xf64>
  return %r : tensor<3xf64>
}
// log(exp(x) + exp(y)), the larger one as half of the sum and of the distance.
func.func @of_two(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %half = stablehlo.constant dense<0.5> : tensor<3xf64>
  %0 = stablehlo.subtract %x, %y : tensor<3xf64>
  %1 = stablehlo.abs %0 : tensor<3xf64>
  %2 = stablehlo.add %x, %y : tensor<3xf64>
  %3 = stablehlo.add %1, %2 : tensor<3xf64>
  %4 = stablehlo.multiply %3, %half : tensor<3xf64>
  %5 = func.call @beyond(%0) : (tensor<3xf64>) -> tensor<3xf64>
  %r = stablehlo.add %4, %5 : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func private @relu_0(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %r = stablehlo.maximum %x, %zero : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func private @relu6(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %six = stablehlo.constant dense<6.0> : tensor<3xf64>
  %0 = stablehlo.maximum %x, %zero : tensor<3xf64>
  %r = stablehlo.minimum %0, %six : tensor<3xf64>
  return %r : tensor<3xf64>
}
// A function of that name that is none of JAX's: the greater of two.
func.func private @relu_1(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %r = stablehlo.maximum %x, %y : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @of_own_relu(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %r = func.call @relu_1(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @root_of_relu(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = func.call @relu_0(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %r = stablehlo.sqrt %0 : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @of_relu6(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = func.call @relu6(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @of_maximum(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf64>
  %r = stablehlo.maximum %x, %zero : tensor<3xf64>
  return %r : tensor<3xf64>
}
//--- main.mlir
  func.func @main() {
    %one = stablehlo.constant dense<1.0> : tensor<3xf64>
    %x = stablehlo.constant dense<[0.0, 2.0, -2.0]> : tensor<3xf64>
    %0 = func.call @softplus_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %0, dense<[0.5, 0.8807970779778825, 0.11920292202211755]> : tensor<3xf64>
    %1 = func.call @softplus_vjp_vjp(%x, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %1, dense<[0.25, 0.10499358540350662, 0.10499358540350662]> : tensor<3xf64>
    %2 = func.call @loss_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %2, dense<[0.25, 0.6307970779778825, -0.13079707797788245]> : tensor<3xf64>
    %3 = func.call @loss_vjp_vjp(%x, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %3, dense<[0.25, 0.10499358540350662, 0.10499358540350662]> : tensor<3xf64>
    // 2^x / (1 + 2^x), and ln(2) times that times what it is less than one.
    %4 = func.call @base_two_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %4, dense<[0.5, 0.8, 0.2]> : tensor<3xf64>
    %5 = func.call @base_two_vjp_vjp(%x, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %5, dense<[0.17328679513998632, 0.11090354888959125, 0.11090354888959125]> : tensor<3xf64>
    %6 = func.call @even_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %6, dense<[0.0, -0.2706705664732254, 0.2706705664732254]> : tensor<3xf64>
    %7 = func.call @even_vjp_vjp(%x, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %7, dense<[-1.0, 0.1353352832366127, 0.1353352832366127]> : tensor<3xf64>
    // exp(-|x|) (I0(x) - I1(x) / x) less the function with the sign of x, where one piece of the approximation follows another, too.
    %ends = stablehlo.constant dense<[0.0, 2.0, -2.0, 4.0, 8.0, 1.0]> : tensor<6xf64>
    %six = stablehlo.constant dense<1.0> : tensor<6xf64>
    %8 = func.call @bessel_vjp(%ends, %six) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    check.expect_almost_eq_const %8, dense<[0.5, -0.014395611319735407, -0.014395611319735407, -0.016436628154057442, -0.0074785230974352135, 0.04993877689422363]> : tensor<6xf64>
    // Of x^y: y x^(y - 1) and x^y ln(x), and of their sum, also where y is zero.
    %base = stablehlo.constant dense<[2.0, 2.0, 4.0]> : tensor<3xf64>
    %exponent = stablehlo.constant dense<[0.0, 1.0, 0.5]> : tensor<3xf64>
    %9:2 = func.call @power_vjp(%base, %exponent, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    check.expect_almost_eq_const %9#0, dense<[0.0, 1.0, 0.25]> : tensor<3xf64>
    check.expect_almost_eq_const %9#1, dense<[0.6931471805599453, 1.3862943611198906, 2.772588722239781]> : tensor<3xf64>
    %10:2 = func.call @power_vjp_vjp(%base, %exponent, %one, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    check.expect_almost_eq_const %10#0, dense<[0.5, 1.6931471805599454, 0.8153235902799726]> : tensor<3xf64>
    check.expect_almost_eq_const %10#1, dense<[0.9804530139182014, 2.6540532083963472, 4.690197701625584]> : tensor<3xf64>
    %far = stablehlo.constant dense<[0x7FF0000000000000, 2.0, 0.0]> : tensor<3xf64>
    %11 = func.call @inverse_square_vjp(%far, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %11, dense<[0.0, -0.25, 0.0]> : tensor<3xf64>
    %12 = func.call @inverse_square_vjp_vjp(%far, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %12, dense<[0.0, 0.375, 0.0]> : tensor<3xf64>
    %corner = stablehlo.constant dense<[0.0, 4.0, 6.0]> : tensor<3xf64>
    %13 = func.call @root_of_relu_vjp(%corner, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %13, dense<[0.0, 0.25, 0.20412414523193154]> : tensor<3xf64>
    %14 = func.call @root_of_relu_vjp_vjp(%corner, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %14, dense<[0.0, -0.03125, -0.017010345435994294]> : tensor<3xf64>
    %15 = func.call @of_relu6_vjp(%corner, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %15, dense<[0.0, 1.0, 0.0]> : tensor<3xf64>
    %16 = func.call @of_maximum_vjp(%corner, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %16, dense<[0.5, 1.0, 1.0]> : tensor<3xf64>
    %tiny = stablehlo.constant dense<[1.0e-300, 1.0, 0x7FF0000000000000]> : tensor<3xf64>
    %17 = func.call @entropy_vjp(%tiny, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %17, dense<[689.7755278982137, -1.0, 0xFFF0000000000000]> : tensor<3xf64>
    %small = stablehlo.constant dense<[1.0e-300, 1.0, 4.0]> : tensor<3xf64>
    %18 = func.call @entropy_vjp_vjp(%small, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %19 = stablehlo.multiply %18, %small : tensor<3xf64>
    check.expect_almost_eq_const %19, dense<-1.0> : tensor<3xf64>
    %20 = func.call @log_cosh_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %20, dense<[0.0, 0.9640275800758169, -0.9640275800758169]> : tensor<3xf64>
    %21 = func.call @log_cosh_vjp_vjp(%x, %one, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %21, dense<[1.0, 0.07065082485316443, 0.07065082485316443]> : tensor<3xf64>
    %22 = func.call @above_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %22, dense<[0.5, 0.8807970779778825, 0.11920292202211755]> : tensor<3xf64>
    %23 = func.call @strictly_above_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %23, dense<[0.5, 0.8807970779778825, 0.11920292202211755]> : tensor<3xf64>
    %24 = func.call @of_relu_vjp(%x, %one) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %24, dense<[0.5, 0.8807970779778825, 0.11920292202211755]> : tensor<3xf64>
    %y = stablehlo.constant dense<[0.0, 2.0, 1.0]> : tensor<3xf64>
    %25:2 = func.call @of_two_vjp(%x, %y, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    check.expect_almost_eq_const %25#0, dense<[0.5, 0.5, 0.04742587317756678]> : tensor<3xf64>
    check.expect_almost_eq_const %25#1, dense<[0.5, 0.5, 0.9525741268224334]> : tensor<3xf64>
    %26:2 = func.call @of_own_relu_vjp(%x, %y, %one) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
    check.expect_almost_eq_const %26#0, dense<[0.5, 0.5, 0.0]> : tensor<3xf64>
    check.expect_almost_eq_const %26#1, dense<[0.5, 0.5, 1.0]> : tensor<3xf64>
    return
  }
}
