// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Iterations of a parallel loop read and write elements of a shared tensor by maps from their number. What is legal follows from these.

// Each its own element, and elements that nobody writes.
func.func @own(%o: tensor<16xf32>, %v: tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %eight = stablehlo.constant dense<8> : tensor<i64>
  %i = tarray.arange %zero, %eight, %one max = 8 : tensor<i64>, tensor<i64>, tensor<i64>
  %none = tarray.shape ()
  %0 = tarray.parallel_foreach (%k in %i : !tarray.array<tensor<i64>, max = 8>, %s = %o : tensor<16xf32>) {
    %even = stablehlo.multiply %k, %two : tensor<i64>
    %odd = stablehlo.add %even, %one : tensor<i64>
    %a = tarray.insert %none, 0, %even : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %none, 0, %odd : !tarray.shape<0>, tensor<i64>
    %old = tarray.index %s at %a : tensor<16xf32>, !tarray.shape<1>
    %beside = tarray.index %s at %b : tensor<16xf32>, !tarray.shape<1>
    %new = stablehlo.add %old, %beside : tensor<f32>
    %t = tarray.index_update set %s, %new at %a : tensor<16xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<16xf32>
  }
  return
}

// Sums in any order, wherever they go.
func.func @histogram(%o: tensor<4xf32>, %where: !tarray.array<tensor<i64>, max = 8>, %v: tensor<f32>) {
  %none = tarray.shape ()
  %0 = tarray.parallel_foreach (%k in %where : !tarray.array<tensor<i64>, max = 8>, %s = %o : tensor<4xf32>) {
    %a = tarray.insert %none, 0, %k : !tarray.shape<0>, tensor<i64>
    %t = tarray.index_update add %s, %v at %a : tensor<4xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<4xf32>
  }
  return
}

// -----

func.func @neighbour(%o: tensor<16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %eight = stablehlo.constant dense<8> : tensor<i64>
  %i = tarray.arange %zero, %eight, %one max = 8 : tensor<i64>, tensor<i64>, tensor<i64>
  %none = tarray.shape ()
  // expected-error-re@+1 {{has iterations that depend on each other: the one at {{.*}} writes an element of shared value #0 that another one reads at {{.*}} ((d0) -> (d0) and (d0) -> (d0 + 1))}}
  %0 = tarray.parallel_foreach (%k in %i : !tarray.array<tensor<i64>, max = 8>, %s = %o : tensor<16xf32>) {
    %next = stablehlo.add %k, %one : tensor<i64>
    %a = tarray.insert %none, 0, %k : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %none, 0, %next : !tarray.shape<0>, tensor<i64>
    %new = tarray.index %s at %b : tensor<16xf32>, !tarray.shape<1>
    %t = tarray.index_update set %s, %new at %a : tensor<16xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<16xf32>
  }
  return
}

// -----

func.func @data(%o: tensor<4xf32>, %where: !tarray.array<tensor<i64>, max = 8>, %v: tensor<f32>) {
  %none = tarray.shape ()
  // expected-error-re@+1 {{has iterations that depend on each other: {{.*}} another one writes at {{.*}} (an index that follows from data may be any)}}
  %0 = tarray.parallel_foreach (%k in %where : !tarray.array<tensor<i64>, max = 8>, %s = %o : tensor<4xf32>) {
    %a = tarray.insert %none, 0, %k : !tarray.shape<0>, tensor<i64>
    %t = tarray.index_update set %s, %v at %a : tensor<4xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<4xf32>
  }
  return
}

// -----

func.func @one_for_all(%o: tensor<4xf32>, %x: !tarray.array<tensor<f32>, max = 8>, %n: tensor<i64>) {
  %none = tarray.shape ()
  %a = tarray.insert %none, 0, %n : !tarray.shape<0>, tensor<i64>
  // expected-error-re@+1 {{another one writes at {{.*}} ((d0) -> (max(rt0, 0)) and (d0) -> (max(rt0, 0)))}}
  %0 = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<f32>, max = 8>, %s = %o : tensor<4xf32>) {
    %t = tarray.index_update set %s, %e at %a : tensor<4xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<4xf32>
  }
  return
}

// -----

// What is read beyond the end is the last element, which the last iteration writes.
func.func @beyond_the_end(%o: tensor<8xf32>, %v: tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %eight = stablehlo.constant dense<8> : tensor<i64>
  %i = tarray.arange %zero, %eight, %one max = 8 : tensor<i64>, tensor<i64>, tensor<i64>
  %none = tarray.shape ()
  // expected-error-re@+1 {{has iterations that depend on each other: {{.*}} another one reads at {{.*}}}}
  %0 = tarray.parallel_foreach (%k in %i : !tarray.array<tensor<i64>, max = 8>, %s = %o : tensor<8xf32>) {
    %far = stablehlo.add %k, %eight : tensor<i64>
    %a = tarray.insert %none, 0, %k : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %none, 0, %far : !tarray.shape<0>, tensor<i64>
    %new = tarray.index %s at %b : tensor<8xf32>, !tarray.shape<1>
    %t = tarray.index_update set %s, %new at %a : tensor<8xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<8xf32>
  }
  return
}

// -----

// The whole of a shared tensor is every element of it.
func.func @whole(%o: tensor<4xf32>, %where: !tarray.array<tensor<i64>, max = 8>, %v: tensor<f32>) {
  %none = tarray.shape ()
  // expected-error-re@+1 {{has iterations that depend on each other: {{.*}} another one reads at {{.*}}}}
  %0 = tarray.parallel_foreach (%k in %where : !tarray.array<tensor<i64>, max = 8>, %s = %o : tensor<4xf32>) {
    %a = tarray.insert %none, 0, %k : !tarray.shape<0>, tensor<i64>
    %r = tarray.slice %s [0 : 1 : 1] dim = 0 keep_dim = false : tensor<4xf32>
    %t = tarray.index_update add %s, %r at %a : tensor<4xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %t : tensor<4xf32>
  }
  return
}

// -----

// Loops inside, branches and arithmetic: each iteration has elements of its own.
func.func @own_inside(%x: tensor<3x4xf32>, %o: tensor<4x3xf32>, %p: tensor<12xf32>, %q: tensor<2x6xf32>, %data: !tarray.array<tensor<i64>, max = 3>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %six = stablehlo.constant dense<6> : tensor<i64>
  %none = tarray.shape ()
  %is = tarray.arange %zero, %three, %one max = 3 : tensor<i64>, tensor<i64>, tensor<i64>
  %js = tarray.arange %zero, %four, %one max = 4 : tensor<i64>, tensor<i64>, tensor<i64>
  // A loop in a loop transposes.
  %0 = tarray.parallel_foreach (%i in %is : !tarray.array<tensor<i64>, max = 3>, %s = %o : tensor<4x3xf32>) {
    %z = tarray.parallel_foreach (%j in %js : !tarray.array<tensor<i64>, max = 4>, %t = %s : tensor<4x3xf32>) {
      %a = tarray.insert %none, 0, %i : !tarray.shape<0>, tensor<i64>
      %b = tarray.insert %a, 1, %j : !tarray.shape<1>, tensor<i64>
      %c = tarray.insert %a, 0, %j : !tarray.shape<1>, tensor<i64>
      %e = tarray.index %x at %b : tensor<3x4xf32>, !tarray.shape<2>
      %u = tarray.index_update set %t, %e at %c : tensor<4x3xf32>, tensor<f32>, !tarray.shape<2>
      tarray.yield %u : tensor<4x3xf32>
    }
    tarray.yield %z : tensor<4x3xf32>
  }
  // The scalars of a tensor have numbers, too, and a number has digits.
  %n = stablehlo.iota dim = 0 : tensor<12xi32>
  %1:2 = tarray.parallel_foreach (%k in %n : tensor<12xi32>, %e in %p : tensor<12xf32>, %s = %q : tensor<2x6xf32>) {
    %w = stablehlo.convert %k : (tensor<i32>) -> tensor<i64>
    %r = stablehlo.divide %w, %six : tensor<i64>
    %c = stablehlo.remainder %w, %six : tensor<i64>
    %a = tarray.insert %none, 0, %c : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %a, 0, %r : !tarray.shape<1>, tensor<i64>
    %u = tarray.index_update set %s, %e at %b : tensor<2x6xf32>, tensor<f32>, !tarray.shape<2>
    tarray.yield %e, %u : tensor<f32>, tensor<2x6xf32>
  }
  // A row of its own, whatever column the data says; or none.
  %2 = tarray.parallel_foreach (%i in %is : !tarray.array<tensor<i64>, max = 3>, %k in %data : !tarray.array<tensor<i64>, max = 3>, %s = %x : tensor<3x4xf32>) {
    %a = tarray.insert %none, 0, %k : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %a, 0, %i : !tarray.shape<1>, tensor<i64>
    %old = tarray.index %s at %b : tensor<3x4xf32>, !tarray.shape<2>
    %new = stablehlo.negate %old : tensor<f32>
    %c = stablehlo.compare GT, %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %u = "stablehlo.if"(%c) ({
      %v = tarray.index_update set %s, %new at %b : tensor<3x4xf32>, tensor<f32>, !tarray.shape<2>
      stablehlo.return %v : tensor<3x4xf32>
    }, {
      stablehlo.return %s : tensor<3x4xf32>
    }) : (tensor<i1>) -> tensor<3x4xf32>
    tarray.yield %u : tensor<3x4xf32>
  }
  return
}

// -----

func.func @nested_rounds_meet(%x: tensor<3x4xf32>, %o: tensor<4x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %first = tarray.shape (0)
  %is = tarray.arange %zero, %three, %one max = 3 : tensor<i64>, tensor<i64>, tensor<i64>
  %js = tarray.arange %zero, %four, %one max = 4 : tensor<i64>, tensor<i64>, tensor<i64>
  // expected-error-re@+1 {{writes an element of shared value #0 that another one writes at {{.*}} ((d0)[s0] -> (s0, 0) and (d0)[s0] -> (s0, 0))}}
  %y = tarray.parallel_foreach (%i in %is : !tarray.array<tensor<i64>, max = 3>, %s = %o : tensor<4x3xf32>) {
    %z = tarray.parallel_foreach (%j in %js : !tarray.array<tensor<i64>, max = 4>, %t = %s : tensor<4x3xf32>) {
      %b = tarray.insert %first, 0, %j : !tarray.shape<1>, tensor<i64>
      %e = tarray.index %x at %b : tensor<3x4xf32>, !tarray.shape<2>
      %u = tarray.index_update set %t, %e at %b : tensor<4x3xf32>, tensor<f32>, !tarray.shape<2>
      tarray.yield %u : tensor<4x3xf32>
    }
    tarray.yield %z : tensor<4x3xf32>
  }
  return
}

// -----

func.func @in_a_branch(%x: !tarray.array<tensor<f32>, max = 6>, %o: tensor<6xf32>, %p: tensor<i1>) {
  %at = tarray.shape (2)
  // expected-error-re@+1 {{has iterations that depend on each other: {{.*}} another one writes at {{.*}} ((d0) -> (2) and (d0) -> (2))}}
  %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<f32>, max = 6>, %s = %o : tensor<6xf32>) {
    %u = "stablehlo.if"(%p) ({
      %v = tarray.index_update set %s, %e at %at : tensor<6xf32>, tensor<f32>, !tarray.shape<1>
      stablehlo.return %v : tensor<6xf32>
    }, {
      stablehlo.return %s : tensor<6xf32>
    }) : (tensor<i1>) -> tensor<6xf32>
    tarray.yield %u : tensor<6xf32>
  }
  return
}

// -----

// What is no version of the shared value takes the place of all of it.
func.func @replaced(%x: !tarray.array<tensor<4xf32>, max = 5>, %o: tensor<4xf32>) {
  // expected-error-re@+1 {{has iterations that depend on each other: {{.*}} another one writes at {{.*}}}}
  %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<4xf32>, max = 5>, %s = %o : tensor<4xf32>) {
    tarray.yield %e : tensor<4xf32>
  }
  return
}

// -----

// A negative size counts as zero: two iterations write the first element.
func.func @below_zero(%x: tensor<6xf32>, %o: tensor<6xf32>) {
  %none = tarray.shape ()
  %one = stablehlo.constant dense<1> : tensor<i64>
  %is = stablehlo.iota dim = 0 : tensor<6xi64>
  %l = tarray.slices %is dim = 0 : tensor<6xi64>
  // expected-error-re@+1 {{has iterations that depend on each other: {{.*}} another one writes at {{.*}}}}
  %y = tarray.parallel_foreach (%i in %l : !tarray.array<tensor<i64>, max = 6>, %s = %o : tensor<6xf32>) {
    %j = stablehlo.subtract %i, %one : tensor<i64>
    %a = tarray.insert %none, 0, %j : !tarray.shape<0>, tensor<i64>
    %b = tarray.insert %none, 0, %i : !tarray.shape<0>, tensor<i64>
    %e = tarray.index %x at %b : tensor<6xf32>, !tarray.shape<1>
    %v = tarray.index_update set %s, %e at %a : tensor<6xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %v : tensor<6xf32>
  }
  return
}

// -----

func.func @halves(%x: !tarray.array<tensor<f32>, max = 6>, %o: tensor<6xf32>) {
  %none = tarray.shape ()
  %two = stablehlo.constant dense<2> : tensor<i64>
  %is = stablehlo.iota dim = 0 : tensor<6xi64>
  %l = tarray.slices %is dim = 0 : tensor<6xi64>
  // expected-error-re@+1 {{another one writes at {{.*}} ((d0) -> (d0 floordiv 2) and (d0) -> (d0 floordiv 2))}}
  %y = tarray.parallel_foreach (%i in %l : !tarray.array<tensor<i64>, max = 6>, %e in %x : !tarray.array<tensor<f32>, max = 6>, %s = %o : tensor<6xf32>) {
    %h = stablehlo.divide %i, %two : tensor<i64>
    %a = tarray.insert %none, 0, %h : !tarray.shape<0>, tensor<i64>
    %v = tarray.index_update set %s, %e at %a : tensor<6xf32>, tensor<f32>, !tarray.shape<1>
    tarray.yield %v : tensor<6xf32>
  }
  return
}
