// RUN: mapwright run %s --json | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --interpret | FileCheck %s --check-prefix=VALUES

// A region of a loop with a few results is computed one by one, however many operations it has: vectors would be empty for the most part.

// CHECK: {"name":"region_4","emitter":"general","schedule":"general []","declined":[{"emitter":"chain","reason":"a few elements, which the host's function computes"}

// VALUES: dense<[3.0, 4.0, 5.0]> : tensor<3xf32>
func.func @main() -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<2> : tensor<i32>
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %f = stablehlo.optimization_barrier %a : tensor<3xf32>
  %l:2 = stablehlo.while(%i = %zero, %x = %f) : tensor<i32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %r0 = stablehlo.reverse %x, dims = [0] : tensor<3xf32>
    %s0 = stablehlo.subtract %f, %r0 : tensor<3xf32>
    %m0 = stablehlo.maximum %s0, %x : tensor<3xf32>
    %r1 = stablehlo.reverse %m0, dims = [0] : tensor<3xf32>
    %s1 = stablehlo.subtract %f, %r1 : tensor<3xf32>
    %m1 = stablehlo.maximum %s1, %x : tensor<3xf32>
    %r2 = stablehlo.reverse %m1, dims = [0] : tensor<3xf32>
    %s2 = stablehlo.subtract %f, %r2 : tensor<3xf32>
    %m2 = stablehlo.maximum %s2, %x : tensor<3xf32>
    %r3 = stablehlo.reverse %m2, dims = [0] : tensor<3xf32>
    %s3 = stablehlo.subtract %f, %r3 : tensor<3xf32>
    %m3 = stablehlo.maximum %s3, %x : tensor<3xf32>
    %r4 = stablehlo.reverse %m3, dims = [0] : tensor<3xf32>
    %s4 = stablehlo.subtract %f, %r4 : tensor<3xf32>
    %m4 = stablehlo.maximum %s4, %x : tensor<3xf32>
    %r5 = stablehlo.reverse %m4, dims = [0] : tensor<3xf32>
    %s5 = stablehlo.subtract %f, %r5 : tensor<3xf32>
    %m5 = stablehlo.maximum %s5, %x : tensor<3xf32>
    %r6 = stablehlo.reverse %m5, dims = [0] : tensor<3xf32>
    %s6 = stablehlo.subtract %f, %r6 : tensor<3xf32>
    %m6 = stablehlo.maximum %s6, %x : tensor<3xf32>
    %r7 = stablehlo.reverse %m6, dims = [0] : tensor<3xf32>
    %s7 = stablehlo.subtract %f, %r7 : tensor<3xf32>
    %m7 = stablehlo.maximum %s7, %x : tensor<3xf32>
    %r8 = stablehlo.reverse %m7, dims = [0] : tensor<3xf32>
    %s8 = stablehlo.subtract %f, %r8 : tensor<3xf32>
    %m8 = stablehlo.maximum %s8, %x : tensor<3xf32>
    %r9 = stablehlo.reverse %m8, dims = [0] : tensor<3xf32>
    %s9 = stablehlo.subtract %f, %r9 : tensor<3xf32>
    %m9 = stablehlo.maximum %s9, %x : tensor<3xf32>
    %r10 = stablehlo.reverse %m9, dims = [0] : tensor<3xf32>
    %s10 = stablehlo.subtract %f, %r10 : tensor<3xf32>
    %m10 = stablehlo.maximum %s10, %x : tensor<3xf32>
    %r11 = stablehlo.reverse %m10, dims = [0] : tensor<3xf32>
    %s11 = stablehlo.subtract %f, %r11 : tensor<3xf32>
    %m11 = stablehlo.maximum %s11, %x : tensor<3xf32>
    %r12 = stablehlo.reverse %m11, dims = [0] : tensor<3xf32>
    %s12 = stablehlo.subtract %f, %r12 : tensor<3xf32>
    %m12 = stablehlo.maximum %s12, %x : tensor<3xf32>
    %ones = stablehlo.constant dense<1.0> : tensor<3xf32>
    %nine = stablehlo.constant dense<9.0> : tensor<3xf32>
    %p = stablehlo.add %m12, %ones : tensor<3xf32>
    %n = stablehlo.minimum %p, %nine : tensor<3xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<3xf32>
  }
  return %l#1 : tensor<3xf32>
}
