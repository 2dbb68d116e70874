// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s --check-prefix=IR
// RUN: mapwright run %s | FileCheck %s

// A transpose in register blocks with rows and columns left over, a prefix sum along the vector, and the position of the
// greatest element, on numbers whose results are known.

// IR: func.func {{.*}}@region_
// IR-DAG: vector.shuffle
// IR-DAG: vector.maskedstore
// IR-DAG: arith.select {{.*}} : vector<16xi1>, vector<16xi32>

// CHECK: dense<[0, 19, 38]> : tensor<3xi32>
// CHECK: dense<[0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171]> : tensor<19xi32>
// CHECK: dense<[18, 18]> : tensor<2xi32>
func.func public @main() -> (tensor<3xi32>, tensor<19xi32>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %low = stablehlo.constant dense<-5> : tensor<i32>
  %row = stablehlo.iota dim = 0 : tensor<37x19xi32>
  %column = stablehlo.iota dim = 1 : tensor<37x19xi32>
  %width = stablehlo.constant dense<19> : tensor<37x19xi32>
  %scaled = stablehlo.multiply %row, %width : tensor<37x19xi32>
  %x = stablehlo.add %scaled, %column : tensor<37x19xi32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<37x19xi32>) -> tensor<19x37xi32>
  %first = stablehlo.slice %t [0:1, 0:3] : (tensor<19x37xi32>) -> tensor<1x3xi32>
  %a = stablehlo.reshape %first : (tensor<1x3xi32>) -> tensor<3xi32>
  %numbers = stablehlo.iota dim = 0 : tensor<19xi32>
  %b = "stablehlo.reduce_window"(%numbers, %zero) <{padding = dense<[[18, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 19>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<19xi32>, tensor<i32>) -> tensor<19xi32>
  %values = stablehlo.iota dim = 1 : tensor<2x19xi32>
  %c:2 = stablehlo.reduce(%values init: %low), (%values init: %zero) across dimensions = [1] : (tensor<2x19xi32>, tensor<2x19xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%v: tensor<i32>, %w: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GE, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.select %g, %v, %w : tensor<i1>, tensor<i32>
    %n = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  }
  return %a, %b, %c#1 : tensor<3xi32>, tensor<19xi32>, tensor<2xi32>
}
