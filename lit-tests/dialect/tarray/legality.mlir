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
  // expected-error-re@+1 {{another one writes at {{.*}} ((d0) -> (rt0) and (d0) -> (rt0))}}
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
