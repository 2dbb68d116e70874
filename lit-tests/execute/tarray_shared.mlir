// RUN: mapwright run --threads 1 %s
// RUN: mapwright run --interpret %s

// Parallel loops over the scalars of tensors, and loops inside of loops, whose iterations share a tensor.
func.func @main() {
  func.call @scalars() : () -> ()
  func.call @no_dimension() : () -> ()
  func.call @nested() : () -> ()
  return
}

// Of a tensor of two dimensions all scalars are gone through: a transpose, and how often each number is there.
func.func @scalars() {
  %none = tarray.shape ()
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %x = stablehlo.constant dense<[[3, 1, 3], [0, 3, 1]]> : tensor<2x3xi64>
  %barrier = stablehlo.optimization_barrier %x : tensor<2x3xi64>
  %rows = stablehlo.iota dim = 0 : tensor<2x3xi64>
  %columns = stablehlo.iota dim = 1 : tensor<2x3xi64>
  %o = stablehlo.constant dense<0> : tensor<3x2xi64>
  %c = stablehlo.constant dense<0> : tensor<4xi64>
  %double, %turned, %counts = tarray.parallel_foreach (%i in %rows : tensor<2x3xi64>, %j in %columns : tensor<2x3xi64>, %e in %barrier : tensor<2x3xi64>, %s = %o : tensor<3x2xi64>, %n = %c : tensor<4xi64>) {
    %a = tarray.insert %none, 0, %i : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %a, 0, %j : !tarray.shape<1>, tensor<i64>
    %u = tarray.index_update set %s, %e at %b : tensor<3x2xi64>, tensor<i64>, !tarray.shape<2>
    %k = tarray.insert %none, 0, %e : !tarray.shape<0>, tensor<i64>
    %m = tarray.index_update add %n, %one at %k : tensor<4xi64>, tensor<i64>, !tarray.shape<1>
    %d = stablehlo.add %e, %e : tensor<i64>
    tarray.yield %d, %u, %m : tensor<i64>, tensor<3x2xi64>, tensor<4xi64>
  }
  check.expect_eq_const %double, dense<[[6, 2, 6], [0, 6, 2]]> : tensor<2x3xi64>
  check.expect_eq_const %turned, dense<[[3, 0], [1, 3], [3, 1]]> : tensor<3x2xi64>
  check.expect_eq_const %counts, dense<[1, 2, 0, 3]> : tensor<4xi64>
  return
}

// A tensor without dimensions has one scalar.
func.func @no_dimension() {
  %none = tarray.shape ()
  %x = stablehlo.constant dense<2> : tensor<i64>
  %o = stablehlo.constant dense<5> : tensor<3xi64>
  %y, %s = tarray.parallel_foreach (%e in %x : tensor<i64>, %t = %o : tensor<3xi64>) {
    %k = tarray.insert %none, 0, %e : !tarray.shape<0>, tensor<i64>
    %u = tarray.index_update mul %t, %e at %k : tensor<3xi64>, tensor<i64>, !tarray.shape<1>
    tarray.yield %e, %u : tensor<i64>, tensor<3xi64>
  }
  check.expect_eq_const %y, dense<2> : tensor<i64>
  check.expect_eq_const %s, dense<[5, 5, 10]> : tensor<3xi64>
  return
}

// How often each number is in lists of lists.
func.func @nested() {
  %none = tarray.shape ()
  %one = stablehlo.constant dense<1> : tensor<i64>
  %c = stablehlo.constant dense<0> : tensor<4xi64>
  %v = stablehlo.constant dense<[1, 2, 2, 0, 3, 3, 9, 9, 9]> : tensor<9xi64>
  %p = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
  %q = stablehlo.constant dense<[0, 3, 3, 6]> : tensor<4xi64>
  %values = stablehlo.optimization_barrier %v : tensor<9xi64>
  %x = tarray.from_offsets %values, %p, %q max = [3, 3] : tensor<9xi64>, tensor<2xi64>, tensor<4xi64>
  %all = tarray.parallel_foreach (%l in %x : !tarray.array<!tarray.array<tensor<i64>, max = 3>, max = 3>, %s = %c : tensor<4xi64>) {
    %n = tarray.parallel_foreach (%e in %l : !tarray.array<tensor<i64>, max = 3>, %t = %s : tensor<4xi64>) {
      %k = tarray.insert %none, 0, %e : !tarray.shape<0>, tensor<i64>
      %u = tarray.index_update add %t, %one at %k : tensor<4xi64>, tensor<i64>, !tarray.shape<1>
      tarray.yield %u : tensor<4xi64>
    }
    tarray.yield %n : tensor<4xi64>
  }
  check.expect_eq_const %all, dense<[1, 1, 2, 2]> : tensor<4xi64>
  return
}
