// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Every kind of operand that an operation is not defined for, and every rule of shapes.

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.slice' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.slice %a [0 : 1 : 2] dim = 0 : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.slice' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.slice %s [0 : 1 : 2] dim = 0 : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.transpose' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.transpose %a dims = [0] : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.transpose' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.transpose %s dims = [0] : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.reshape' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.reshape %a to (4) : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.reshape' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.reshape %s to (4) : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.squeeze' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.squeeze %a dim = 0 : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.squeeze' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.squeeze %s dim = 0 : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.unsqueeze' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.unsqueeze %a dim = 0 : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.unsqueeze' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.unsqueeze %s dim = 0 : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.slices' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.slices %a dim = 0 : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.slices' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.slices %s dim = 0 : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.chunks' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.chunks %a n = 2 dim = 0 : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.chunks' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.chunks %s n = 2 dim = 0 : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.foreach' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.foreach (%e in %v : tensor<8xf32>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.parallel_foreach' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.parallel_foreach (%e in %s : !tarray.shape<2>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.filter' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.filter (%e in %s : !tarray.shape<2>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.sortby' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.sortby (%e in %s : !tarray.shape<2>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.scan' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.scan forward (%e in %s : !tarray.shape<2>, %acc = %i : tensor<i64>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.reduce' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.reduce (%e in %s : !tarray.shape<2>, %acc = %i : tensor<i64>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.fold' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.fold (%e in %s : !tarray.shape<2>, %acc = %i : tensor<i64>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.broadcast' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.broadcast (%e in %s : !tarray.shape<2>, %b = %i : tensor<i64>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.zip' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.zip %s : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.zip' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.zip %t : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.apply_along_axis' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.apply_along_axis dim = 0 (%e in %a : !tarray.array<tensor<8xf32>, max = 4>) {
    tarray.yield %e : tensor<8xf32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.apply_along_axis' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.apply_along_axis dim = 0 (%e in %s : !tarray.shape<2>) {
    tarray.yield %e : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.stack' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.stack %t dim = 0 padding %z : tensor<4x8xf32>, tensor<f32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.concatenate' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.concatenate %t dim = 0 padding %z : tensor<4x8xf32>, tensor<f32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.index' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.index %s at %s : !tarray.shape<2>, !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.index' op an index into a Tensor of 2 dimensions has as many numbers, not 3}}
  %0 = tarray.index %t at %k : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.index_update' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.index_update add %s, %i at %s : !tarray.shape<2>, tensor<i64>, !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.gather' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.gather %s at %k dim = 0 : !tarray.shape<2>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.scatter' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.scatter %s, %s at %k dim = 0 : !tarray.shape<2>, !tarray.shape<2>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.embedding' op is not defined for a TensorArray (operand #1)}}
  %0 = tarray.embedding %k in %a dim = 0 : tensor<3xi64>, !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.embedding' op operand #0 must hold indices, is !tarray.array<tensor<f32>, max = 4>}}
  %0 = tarray.embedding %f in %t dim = 0 : !tarray.array<tensor<f32>, max = 4>, tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.size' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.size %a : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.length' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.length %t : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.numel' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.numel %t : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.ndims' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.ndims %t : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.add' op is not defined for a TensorArray (operand #1)}}
  %0 = tarray.add %s, %a : !tarray.shape<2>, !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.insert' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.insert %t, 0, %i : tensor<4x8xf32>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.del' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.del %t, 0 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.replace' op is not defined for a Tensor (operand #0)}}
  %0 = tarray.replace %t, 0, %i : tensor<4x8xf32>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.cartesian_product' op is not defined for a Tensor (operand #1)}}
  %0 = tarray.cartesian_product %s, %t : !tarray.shape<2>, tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.meshgrid' op is not defined for a TensorArray (operand #0)}}
  %0 = tarray.meshgrid xy %a : !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'tarray.vectorize' op is not defined for a TensorShape (operand #0)}}
  %0 = tarray.vectorize @g(%s) : !tarray.shape<2> -> !tarray.array<tensor<f32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the size -1 is negative}}
  %0 = tarray.shape (2, -1)
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'dim' is 2, which is no dimension of 2}}
  %0 = tarray.size %t dim = 2 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{position 3 is not in [0, 3)}}
  %0 = tarray.insert %s, 3, %i : !tarray.shape<2>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{position 2 is not in [0, 2)}}
  %0 = tarray.del %s, 2 : !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{position -1 is not in [0, 2)}}
  %0 = tarray.replace %s, -1, %i : !tarray.shape<2>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{needs an operand}}
  %0 = "tarray.cartesian_product"() : () -> tensor<1x0xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the maximum length -1 is negative}}
  %0 = tarray.arange %i, %i, %i max = -1 : tensor<i64>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the maximum length -2 is negative}}
  %0 = tarray.from_offsets %t, %k max = [-2] : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{needs a vector of offsets for each of the 2 levels, has 1}}
  %0 = tarray.from_offsets %t, %k max = [2, 2] : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #1 must be a tensor<2xi64>, the offsets of at most 1 lists, is tensor<3xi64>}}
  %0 = tarray.from_offsets %t, %k max = [4] : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %o = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
  // expected-error@+1 {{operand #0 must have room for 3 leaves along its first dimension, is tensor<4x8xf32>}}
  %0 = tarray.from_offsets %t, %o max = [3] : tensor<4x8xf32>, tensor<2xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %o = stablehlo.constant dense<[3, 0]> : tensor<2xi64>
  // expected-error@+1 {{operand #1 must hold offsets that begin with 0 and do not decrease, holds [3, 0]}}
  %0 = tarray.from_offsets %t, %o max = [4] : tensor<4x8xf32>, tensor<2xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %o = stablehlo.constant dense<[0, 5]> : tensor<2xi64>
  // expected-error@+1 {{operand #1 has a list that is longer than the maximum 4: [0, 5]}}
  %0 = tarray.from_offsets %t, %o max = [4] : tensor<4x8xf32>, tensor<2xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{cannot be cut into 3 equal parts along dimension 1 of size 8}}
  %0 = tarray.chunks %t n = 3 dim = 1 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'dim' is 2, which is no dimension of 2}}
  %0 = tarray.slices %t dim = 2 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{is not defined for a nested TensorArray (operand #0)}}
  %0 = tarray.stack %n dim = 0 padding %z : !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, tensor<f32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #1 must be a tensor<f32>, is tensor<i64>}}
  %0 = tarray.stack %a dim = 0 padding %i : !tarray.array<tensor<8xf32>, max = 4>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'dim' is 0, which is no dimension of 0}}
  %0 = tarray.concatenate %f dim = 0 padding %z : !tarray.array<tensor<f32>, max = 4>, tensor<f32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = tarray.shape (1)
  // expected-error@+1 {{an index into a Tensor of 2 dimensions has as many numbers, not 1}}
  %0 = tarray.index %t at %at : tensor<4x8xf32>, !tarray.shape<1>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = tarray.shape (3, 8)
  // expected-error@+1 {{index 8 (number 1 of operand #1) is not in [0, 8)}}
  %0 = tarray.index %t at %at : tensor<4x8xf32>, !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = tarray.shape (4)
  // expected-error@+1 {{index 4 (number 0 of operand #1) is not in [0, 4)}}
  %0 = tarray.index %a at %at : !tarray.array<tensor<8xf32>, max = 4>, !tarray.shape<1>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{an index of 2 numbers goes deeper than the nest, which has 1 levels}}
  %0 = tarray.index %a at %s : !tarray.array<tensor<8xf32>, max = 4>, !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = tarray.shape ()
  // expected-error@+1 {{needs an index with a number at least}}
  %0 = tarray.index %a at %at : !tarray.array<tensor<8xf32>, max = 4>, !tarray.shape<0>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #1 must be of the type of the element, tensor<f32>, is tensor<i64>}}
  %0 = tarray.index_update set %t, %i at %s : tensor<4x8xf32>, tensor<i64>, !tarray.shape<2>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = tarray.shape (0)
  // expected-error@+1 {{changes leaves, not TensorArrays in a nest}}
  %0 = tarray.index_update set %n, %f at %at : !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, !tarray.array<tensor<f32>, max = 4>, !tarray.shape<1>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = tarray.shape (0)
  %x = tarray.index %c at %at : tensor<2xcomplex<f32>>, !tarray.shape<1>
  // expected-error@+1 {{complex numbers have no order (complex<f32>)}}
  %0 = tarray.index_update max %c, %x at %at : tensor<2xcomplex<f32>>, tensor<complex<f32>>, !tarray.shape<1>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{needs the integer attribute 'dim'}}
  %0 = tarray.gather %t at %k : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{of a TensorArray has no 'dim'}}
  %0 = tarray.gather %a at %k dim = 0 : !tarray.array<tensor<8xf32>, max = 4>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = stablehlo.constant dense<[0, 9]> : tensor<2xi64>
  // expected-error@+1 {{index 9 (operand #1) is not in [0, 4)}}
  %0 = tarray.gather %t at %at dim = 0 : tensor<4x8xf32>, tensor<2xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #1 must hold indices, a vector or an array of integers, is tensor<8xf32>}}
  %0 = tarray.gather %t at %v dim = 0 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{a mean is of floating-point numbers, not of i64}}
  %0 = tarray.gather mean %k at %k dim = 0 : tensor<3xi64>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #1 must be of the type tensor<3x8xf32>, is tensor<4x8xf32>}}
  %0 = tarray.scatter %t, %t at %k dim = 0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the elements of operand #1 must be those of operand #0, tensor<8xf32>, are tensor<f32>}}
  %0 = tarray.scatter %a, %f at %k : !tarray.array<tensor<8xf32>, max = 4>, !tarray.array<tensor<f32>, max = 4>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %at = stablehlo.constant dense<-1> : tensor<3xi64>
  %u = tarray.gather %t at %k dim = 0 : tensor<4x8xf32>, tensor<3xi64>
  // expected-error@+1 {{index -1 (operand #2) is not in [0, 4)}}
  %0 = tarray.scatter %t, %u at %at dim = 0 : tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xi64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{needs either a range [start : stride : end], or one index}}
  %0 = tarray.slice %t dim = 1 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the range [2, 9) is not in [0, 8), the indices of dimension 1}}
  %0 = tarray.slice %t [2 : 1 : 9] dim = 1 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the stride 0 is not positive}}
  %0 = tarray.slice %t [2 : 0 : 8] dim = 1 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{with 'keep_dim' takes one index, not 2}}
  %0 = tarray.slice %t [2 : 1 : 4] dim = 1 keep_dim = true : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{at one index needs 'keep_dim'}}
  %0 = tarray.slice %t at %i dim = 1 : tensor<4x8xf32>, tensor<i64>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{[0, 0] is no permutation of 2 dimensions}}
  %0 = tarray.transpose %t dims = [0, 0] : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{to [3, 10] of [4, 8]: changes the number of elements}}
  %0 = tarray.reshape %t to (3, 10) : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{to [3, -1] of [4, 8]: the size -1 does not follow}}
  %0 = tarray.reshape %t to (3, -1) : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{to [-1, -1] of [4, 8]: one size must be -1, or as many}}
  %0 = tarray.reshape %t to (-1, -1) : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension 0 has the size 4, not 1}}
  %0 = tarray.squeeze %t dim = 0 : tensor<4x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  %d = stablehlo.custom_call @g() : () -> tensor<?x8xf32>
  // expected-error@+1 {{dimension 0 has the size ?, not 1}}
  %0 = tarray.squeeze %d dim = 0 : tensor<?x8xf32>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{needs an order, forward or backward}}
  %0 = tarray.scan (%e in %f : !tarray.array<tensor<f32>, max = 4>, %acc = %z : tensor<f32>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{its body must give 1 values, gives 2}}
  %0 = tarray.reduce (%e in %f : !tarray.array<tensor<f32>, max = 4>, %acc = %z : tensor<f32>) {
    tarray.yield %e, %acc : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{its body must carry on (tensor<f32>), gives (tensor<i64>)}}
  %0 = tarray.fold (%e in %f : !tarray.array<tensor<f32>, max = 4>, %acc = %z : tensor<f32>) {
    tarray.yield %i : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{needs an initial value}}
  "tarray.fold"(%f) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%e: tensor<f32>):
    tarray.yield
  }) : (!tarray.array<tensor<f32>, max = 4>) -> ()
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{puts elements together to one of their type, tensor<f32>, not to tensor<i64>}}
  %0 = tarray.reduce (%e in %f : !tarray.array<tensor<f32>, max = 4>, %acc = %i : tensor<i64>) {
    tarray.yield %acc : tensor<i64>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{its body must give a tensor<i1> first, gives (tensor<f32>)}}
  %0 = tarray.filter (%e in %f : !tarray.array<tensor<f32>, max = 4>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{of a Tensor is element-wise: its body must give scalars, gives tensor<8xf32>}}
  %0 = tarray.parallel_foreach (%e in %t : tensor<4x8xf32>) {
    tarray.yield %v : tensor<8xf32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{goes through Tensors of one shape, or through TensorArrays, not through (tensor<4x8xf32>, tensor<8xf32>)}}
  %0 = tarray.parallel_foreach (%e in %t : tensor<4x8xf32>, %g in %v : tensor<8xf32>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{goes through Tensors of one size, or through TensorArrays, not through}}
  %0 = tarray.fold (%e in %t : tensor<4x8xf32>, %g in %v : tensor<8xf32>, %acc = %z : tensor<f32>) {
    tarray.yield %acc : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{elements of a TensorArray are no TensorShapes}}
  %0 = tarray.parallel_foreach (%e in %f : !tarray.array<tensor<f32>, max = 4>) {
    tarray.yield %s : !tarray.shape<2>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{[8] does not fit the dimensions [0] of [4, 8]}}
  %0 = tarray.broadcast dims = [0] (%e in %t : tensor<4x8xf32>, %b = %v : tensor<8xf32>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the dimensions of [8] are not [2] of [4, 8]}}
  %0 = tarray.broadcast dims = [2] (%e in %t : tensor<4x8xf32>, %b = %v : tensor<8xf32>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{of a TensorArray has no 'dims'}}
  %0 = tarray.broadcast dims = [0] (%e in %f : !tarray.array<tensor<f32>, max = 4>, %b = %v : tensor<8xf32>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{its body must give a vector, gives tensor<f32>}}
  %0 = tarray.apply_along_axis dim = 1 (%e in %t : tensor<4x8xf32>) {
    tarray.yield %z : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{'dim' is 2, which is no dimension of 2}}
  %0 = tarray.apply_along_axis dim = 2 (%e in %t : tensor<4x8xf32>) {
    tarray.yield %z : tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{its body must give a scalar that has an order, gives tensor<8xf32>}}
  %0 = tarray.sortby (%e in %a : !tarray.array<tensor<8xf32>, max = 4>) {
    tarray.yield %e : tensor<8xf32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #0 must be a number of rounds, a tensor<i64>}}
  %0 = tarray.build max = 4 (%e in %z : tensor<f32>) {
    tarray.yield %p, %e : tensor<i1>, tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{its body must give a condition, an element and 0 values to carry along}}
  %0 = tarray.build max = 4 (%e in %i : tensor<i64>) {
    tarray.yield %p, %z, %z : tensor<i1>, tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the maximum length -4 is negative}}
  %0 = tarray.build max = -4 (%e in %i : tensor<i64>) {
    tarray.yield %p, %z : tensor<i1>, tensor<f32>
  }
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{@missing is not a function of the module}}
  %0 = tarray.vectorize @missing(%f) : !tarray.array<tensor<f32>, max = 4> -> !tarray.array<tensor<f32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{operand #0 must be an array of tensor<f32>, is !tarray.array<tensor<8xf32>, max = 4>}}
  %0 = tarray.vectorize @g(%a) : !tarray.array<tensor<8xf32>, max = 4> -> !tarray.array<tensor<f32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{the results must be of the types (!tarray.array<tensor<f32>, max = 4>), are (!tarray.array<tensor<8xf32>, max = 4>)}}
  %0 = tarray.vectorize @g(%f) : !tarray.array<tensor<f32>, max = 4> -> !tarray.array<tensor<8xf32>, max = 4>
  return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @case(%a: !tarray.array<tensor<8xf32>, max = 4>, %f: !tarray.array<tensor<f32>, max = 4>, %n: !tarray.array<!tarray.array<tensor<f32>, max = 4>, max = 3>, %s: !tarray.shape<2>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %i: tensor<i64>, %k: tensor<3xi64>, %c: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
  // expected-error@+1 {{expected what is gone through before what the body gets as a whole}}
  %0 = tarray.fold (%acc = %z : tensor<f32>, %e in %f : !tarray.array<tensor<f32>, max = 4>) {
    tarray.yield %e : tensor<f32>
  }
  return
}

// -----

// expected-error@+1 {{elements of a TensorArray are TensorArrays, or Tensors of known rank, not 'f32'}}
func.func private @type(!tarray.array<f32, max = 4>)

// -----

// expected-error@+1 {{the maximum length -4 is negative}}
func.func private @type(!tarray.array<tensor<f32>, max = -4>)

// -----

// expected-error@+1 {{more elements than 64 bits can count}}
func.func private @type(!tarray.array<!tarray.array<tensor<f32>, max = 4294967296>, max = 4294967296>)

// -----

// expected-error@+1 {{the number of dimensions -1 is negative}}
func.func private @type(!tarray.shape<-1>)

// -----

func.func @case(%x: !tarray.array<tensor<8xf32>>, %z: tensor<f32>) {
  // expected-error@+1 {{'tarray.stack' op needs an array with a maximum length, which says how many elements its result has}}
  %0 = tarray.stack %x dim = 0 padding %z : !tarray.array<tensor<8xf32>>, tensor<f32>
  return
}

// -----

func.func @case(%x: !tarray.array<tensor<8xf32>>, %z: tensor<f32>) {
  // expected-error@+1 {{'tarray.concatenate' op needs an array with a maximum length, which says how many elements its result has}}
  %0 = tarray.concatenate %x dim = 0 padding %z : !tarray.array<tensor<8xf32>>, tensor<f32>
  return
}

// -----

func.func @case(%t: tensor<?x8xf32>) {
  // expected-error@+1 {{'tarray.slices' op has 'max', but dimension 1 has the size 8}}
  %0 = tarray.slices %t dim = 1 max = 8 : tensor<?x8xf32>
  return
}

// -----

func.func @case(%t: tensor<?x8xf32>) {
  // expected-error@+1 {{the maximum length -1 is negative}}
  %0 = tarray.slices %t dim = 0 max = -1 : tensor<?x8xf32>
  return
}

// -----

// Of an index that is put together what is constant is looked at.
func.func @case(%t: tensor<4x8xf32>, %i: tensor<i64>) {
  %none = tarray.shape ()
  %nine = stablehlo.constant dense<9> : tensor<i64>
  %a = tarray.insert %none, 0, %i : !tarray.shape<0>, tensor<i64>
  %b = tarray.insert %a, 1, %nine : !tarray.shape<1>, tensor<i64>
  // expected-error@+1 {{index 9 (number 1 of operand #1) is not in [0, 8)}}
  %0 = tarray.index %t at %b : tensor<4x8xf32>, !tarray.shape<2>
  return
}

// -----

func.func @case(%a: !tarray.array<tensor<f32>, max = 4>, %z: tensor<f32>) {
  %none = tarray.shape ()
  %before = stablehlo.constant dense<-1> : tensor<i64>
  %at = tarray.insert %none, 0, %before : !tarray.shape<0>, tensor<i64>
  // expected-error@+1 {{index -1 (number 0 of operand #2) is not in [0, 4)}}
  %0 = tarray.index_update set %a, %z at %at : !tarray.array<tensor<f32>, max = 4>, tensor<f32>, !tarray.shape<1>
  return
}

// -----

func.func @max_of_a_list(%x: !tarray.array<tensor<8xf32>, max = 4>, %p: tensor<i1>) {
  // expected-error@+1 {{of a TensorArray has no 'max'}}
  %0 = tarray.filter max = 2 (%e in %x : !tarray.array<tensor<8xf32>, max = 4>) {
    tarray.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @unbounded_gather(%x: !tarray.array<tensor<8xf32>, max = 4>, %at: tensor<?xi64>) {
  // expected-error@+1 {{gives an array, whose greatest length is not known: operand #1 has a number of indices without a bound}}
  %0 = tarray.gather %x at %at : !tarray.array<tensor<8xf32>, max = 4>, tensor<?xi64>
  return
}

// -----

func.func @reshape_to_known(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{to [4, 4] of [?, 8]: one size must be -1, or as many as are known at run time only}}
  %0 = tarray.reshape %x to (4, 4) : tensor<?x8xf32>
  return
}

// -----

func.func @beyond_the_bound(%x: tensor<?x8xf32, #stablehlo.bounds<4, ?>>) {
  // expected-error@+1 {{the range [0, 5) is not in [0, 4), the indices of dimension 0}}
  %0 = tarray.slice %x [0 : 1 : 5] dim = 0 : tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// What is read may be the last element, whichever that is.
func.func @neighbours_of_any_size(%o: tensor<?xi64>, %x: !tarray.array<tensor<i64>, max = 8>) {
  // expected-error@+1 {{has iterations that depend on each other}}
  %y, %0 = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<i64>, max = 8>, %a = %o : tensor<?xi64>) {
    %s = tarray.shape ()
    %i = tarray.insert %s, 0, %e : !tarray.shape<0>, tensor<i64>
    %v = tarray.index %a at %i : tensor<?xi64>, !tarray.shape<1>
    %b = tarray.index_update set %a, %v at %i : tensor<?xi64>, tensor<i64>, !tarray.shape<1>
    tarray.yield %v, %b : tensor<i64>, tensor<?xi64>
  }
  return
}

// -----

func.func @longer_than_the_shape(%x: tensor<4x8xf32>, %at: tensor<5x3xi64>) {
  // expected-error@+1 {{operand #1 must have an index of at most 2 numbers in each row, is tensor<5x3xi64>}}
  %0 = tarray.gather %x at %at : tensor<4x8xf32>, tensor<5x3xi64>
  return
}

// -----

func.func @rows_have_no_dim(%x: tensor<4x8xf32>, %at: tensor<5x2xi64>) {
  // expected-error@+1 {{at indices of several numbers has no 'dim'}}
  %0 = tarray.gather %x at %at dim = 0 : tensor<4x8xf32>, tensor<5x2xi64>
  return
}

// -----

func.func @second_number(%x: tensor<4x8xf32>) {
  %at = stablehlo.constant dense<[[3, 7], [1, 8]]> : tensor<2x2xi64>
  // expected-error@+1 {{index 8 (operand #1) is not in [0, 8)}}
  %0 = tarray.gather %x at %at : tensor<4x8xf32>, tensor<2x2xi64>
  return
}

// -----

func.func private @h(tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
func.func @case(%l: !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>, %v: tensor<8xf32>, %u: tensor<4xf32>) {
  // expected-error@+1 {{operand #1 must have dimensions in front of tensor<8xf32>, is tensor<4xf32>}}
  %0 = tarray.vectorize @h(%l, %u) : !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>, tensor<4xf32> -> !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  return
}

// -----

func.func private @h(tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
func.func @case(%l: !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>, %v: tensor<8xf32>) {
  // expected-error@+1 {{operand #0 must be an array of tensor<?x8xf32>, is !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>}}
  %0 = tarray.vectorize @h(%l, %v) : !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>, tensor<8xf32> -> !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  return
}

// -----

func.func private @h(tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
func.func @case(%l: !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>, %v: tensor<2x8xf32>) {
  // expected-error@+1 {{takes Tensors or TensorArrays, not both}}
  %0 = tarray.vectorize @h(%l, %v) : !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>, tensor<2x8xf32> -> !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  return
}

// -----

func.func private @h(tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x4xf32>
func.func @case(%l: !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>, %v: tensor<8xf32>) {
  // expected-error@+1 {{the results must be of the types (!tarray.array<tensor<?x4xf32>, max = 3>), are (!tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>)}}
  %0 = tarray.vectorize @h(%l, %v) : !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>, tensor<8xf32> -> !tarray.array<!tarray.array<tensor<8xf32>, max = 4>, max = 3>
  return
}

// -----

func.func @case(%p: tensor<3xi1>, %x: !tarray.array<tensor<8xf32>, max = 3>) {
  // expected-error@+1 {{the predicate must be 0-dimensional where the values are no tensors, has [3] (select_c1)}}
  %0 = stablehlo.select %p, %x, %x : tensor<3xi1>, !tarray.array<tensor<8xf32>, max = 3>
  return
}

// -----

func.func @case(%p: tensor<i1>, %x: !tarray.array<tensor<8xf32>, max = 3>, %y: !tarray.array<tensor<8xf32>, max = 4>) {
  // expected-error@+1 {{on_true and on_false must be of one type, are !tarray.array<tensor<8xf32>, max = 3> and !tarray.array<tensor<8xf32>, max = 4>}}
  %0 = stablehlo.select %p, %x, %y : (tensor<i1>, !tarray.array<tensor<8xf32>, max = 3>, !tarray.array<tensor<8xf32>, max = 4>) -> !tarray.array<tensor<8xf32>, max = 3>
  return
}
