// Programs of arrays that are made of any offsets: `tests/sanitize.py` calls them with offsets that are none.
!list = !tarray.array<tensor<4xf32>, max = 8>
!nest = !tarray.array<!list, max = 5>
func.func @main(%v: tensor<40x4xf32>, %o: tensor<2xi64>, %i: tensor<6xi64>, %w: tensor<4x4xf32>) -> !nest {
  %x = tarray.from_offsets %v, %o, %i max = [5, 8] : tensor<40x4xf32>, tensor<2xi64>, tensor<6xi64>
  %y = tarray.parallel_foreach (%l in %x : !nest) {
    %z = tarray.parallel_foreach (%e in %l : !list) {
      %0 = stablehlo.dot_general %e, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      tarray.yield %0 : tensor<4xf32>
    }
    tarray.yield %z : !list
  }
  return %y : !nest
}

// -----

// Of so many numbers at most that lists are as long as they are.
!list = !tarray.array<tensor<64xf32>, max = 16>
!nest = !tarray.array<!list, max = 8>
func.func @main(%v: tensor<128x64xf32>, %o: tensor<2xi64>, %i: tensor<9xi64>, %w: tensor<64x64xf32>) -> !nest {
  %x = tarray.from_offsets %v, %o, %i max = [8, 16] : tensor<128x64xf32>, tensor<2xi64>, tensor<9xi64>
  %y = tarray.parallel_foreach (%l in %x : !nest) {
    %s = tarray.stack %l dim = 0 : !list
    %m = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %p = stablehlo.dot_general %m, %s, contracting_dims = [1] x [1] : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32>
    %q = stablehlo.dot_general %p, %s, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %r = tarray.slices %q dim = 0 max = 16 : tensor<?x64xf32>
    %z = tarray.parallel_foreach (%e in %r : !list, %f in %l : !list) {
      %0 = stablehlo.add %e, %f : tensor<64xf32>
      tarray.yield %0 : tensor<64xf32>
    }
    tarray.yield %z : !list
  }
  return %y : !nest
}

// -----

!row = !tarray.array<tensor<2xf32>, max = 5>
!page = !tarray.array<!row, max = 4>
!book = !tarray.array<!page, max = 3>
func.func @main(%v: tensor<60x2xf32>, %o: tensor<2xi64>, %i: tensor<4xi64>, %k: tensor<13xi64>, %at: tensor<6xi64>) -> (!book, !tarray.array<!page, max = 6>, !tarray.array<tensor<2xf32>, max = 3>) {
  %x = tarray.from_offsets %v, %o, %i, %k max = [3, 4, 5] : tensor<60x2xf32>, tensor<2xi64>, tensor<4xi64>, tensor<13xi64>
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %y = tarray.parallel_foreach (%page in %x : !book) {
    %z = tarray.parallel_foreach (%row in %page : !page) {
      %u = tarray.parallel_foreach (%e in %row : !row) {
        %0 = stablehlo.exponential %e : tensor<2xf32>
        tarray.yield %0 : tensor<2xf32>
      }
      tarray.yield %u : !row
    }
    tarray.yield %z : !page
  }
  %g = tarray.gather %x at %at : !book, tensor<6xi64>
  %sums = tarray.parallel_foreach (%page in %x : !book) {
    %all = tarray.fold (%row in %page : !page, %a = %zero : tensor<2xf32>) {
      %one = tarray.fold (%e in %row : !row, %b = %a : tensor<2xf32>) {
        %0 = stablehlo.add %b, %e : tensor<2xf32>
        tarray.yield %0 : tensor<2xf32>
      }
      tarray.yield %one : tensor<2xf32>
    }
    tarray.yield %all : tensor<2xf32>
  }
  return %y, %g, %sums : !book, !tarray.array<!page, max = 6>, !tarray.array<tensor<2xf32>, max = 3>
}

// -----

!list = !tarray.array<tensor<f32>, max = 20>
func.func @main(%v: tensor<20xf32>, %o: tensor<2xi64>, %w: tensor<9xf32>, %p: tensor<2xi64>) -> (!list, !list, !list, !tarray.array<tensor<f32>, max = 9>, tensor<20xf32>) {
  %x = tarray.from_offsets %v, %o max = [20] : tensor<20xf32>, tensor<2xi64>
  %y = tarray.from_offsets %w, %p max = [9] : tensor<9xf32>, tensor<2xi64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %f = tarray.filter (%e in %x : !list) {
    %0 = stablehlo.compare GT, %e, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tarray.yield %0 : tensor<i1>
  }
  %s = tarray.sortby (%e in %x : !list) {
    %0 = stablehlo.negate %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %c = tarray.scan backward (%e in %x : !list, %a = %zero : tensor<f32>) {
    %0 = stablehlo.add %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %a, %b = tarray.zip %x, %y : !list, !tarray.array<tensor<f32>, max = 9>
  %t = tarray.stack %x dim = 0 padding %zero : !list, tensor<f32>
  return %f, %s, %c, %b, %t : !list, !list, !list, !tarray.array<tensor<f32>, max = 9>, tensor<20xf32>
}
