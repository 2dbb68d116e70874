// RUN: mapwright-opt %s | FileCheck %s
// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// Every operation and type: what is printed is what is read. The types of results follow from the operands.

func.func @shapes(%t: tensor<4x8xf32>, %d: tensor<?x8xf32>, %n: tensor<i64>) -> !tarray.shape<5> {
  // CHECK: = tarray.shape (2, 3, 4)
  %0 = tarray.shape (2, 3, 4)
  // CHECK: = tarray.shape ()
  %1 = tarray.shape ()
  // CHECK: = tarray.size {{.*}} : tensor<4x8xf32>
  %2 = tarray.size %t : tensor<4x8xf32>
  // CHECK: = tarray.size {{.*}} dim = 0 : tensor<?x8xf32>
  %3 = tarray.size %d dim = 0 : tensor<?x8xf32>
  // CHECK: = tarray.numel {{.*}} : !tarray.shape<3>
  %4 = tarray.numel %0 : !tarray.shape<3>
  // CHECK: = tarray.ndims {{.*}} : !tarray.shape<3>
  %5 = tarray.ndims %0 : !tarray.shape<3>
  // CHECK: = tarray.add {{.*}}, {{.*}} : !tarray.shape<3>, !tarray.shape<2>
  %6 = tarray.add %0, %2 : !tarray.shape<3>, !tarray.shape<2>
  // CHECK: = tarray.insert {{.*}}, 2, {{.*}} : !tarray.shape<2>, tensor<i64>
  %7 = tarray.insert %2, 2, %n : !tarray.shape<2>, tensor<i64>
  // CHECK: = tarray.del {{.*}}, 1 : !tarray.shape<3>
  %8 = tarray.del %0, 1 : !tarray.shape<3>
  // CHECK: = tarray.replace {{.*}}, 1, {{.*}} : !tarray.shape<3>, tensor<i64>
  %9 = tarray.replace %0, 1, %n : !tarray.shape<3>, tensor<i64>
  // CHECK: = tarray.cartesian_product {{.*}}, {{.*}} : !tarray.shape<3>, !tarray.shape<2>
  %10 = tarray.cartesian_product %0, %2 : !tarray.shape<3>, !tarray.shape<2>
  // CHECK: = tarray.meshgrid xy {{.*}}, {{.*}} : !tarray.shape<3>, !tarray.shape<2>
  %11:2 = tarray.meshgrid xy %0, %2 : !tarray.shape<3>, !tarray.shape<2>
  // CHECK: = tarray.meshgrid ij {{.*}}, {{.*}} : !tarray.shape<3>, !tarray.shape<2>
  %12:2 = tarray.meshgrid ij %0, %2 : !tarray.shape<3>, !tarray.shape<2>
  // CHECK: = tarray.arange {{.*}}, {{.*}}, {{.*}} max = 16 : tensor<i64>, tensor<i64>, tensor<i64>
  %13 = tarray.arange %n, %n, %n max = 16 : tensor<i64>, tensor<i64>, tensor<i64>
  return %6 : !tarray.shape<5>
}
func.func @arrays(%v: tensor<12x4xf32>, %o: tensor<2xi64>, %p: tensor<4xi64>, %t: tensor<4x8xf32>, %z: tensor<f32>, %d: tensor<?x4xf32>) {
  // CHECK: = tarray.from_offsets {{.*}}, {{.*}}, {{.*}} max = [3, 4] : tensor<12x4xf32>, tensor<2xi64>, tensor<4xi64>
  %0 = tarray.from_offsets %v, %o, %p max = [3, 4] : tensor<12x4xf32>, tensor<2xi64>, tensor<4xi64>
  // CHECK: = tarray.to_offsets {{.*}} : !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  %values, %offsets:2 = tarray.to_offsets %0 : !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  // CHECK: = tarray.slices {{.*}} dim = 1 : tensor<4x8xf32>
  %1 = tarray.slices %t dim = 1 : tensor<4x8xf32>
  // CHECK: = tarray.chunks {{.*}} n = 2 dim = 1 : tensor<4x8xf32>
  %2 = tarray.chunks %t n = 2 dim = 1 : tensor<4x8xf32>
  // CHECK: = tarray.stack {{.*}} dim = 1 padding {{.*}} : !tarray.array<tensor<4xf32>, max = 8>, tensor<f32>
  %3 = tarray.stack %1 dim = 1 padding %z : !tarray.array<tensor<4xf32>, max = 8>, tensor<f32>
  // CHECK: = tarray.stack {{.*}} dim = 1 : !tarray.array<tensor<4xf32>, max = 8>
  %7 = tarray.stack %1 dim = 1 : !tarray.array<tensor<4xf32>, max = 8>
  // CHECK: = tarray.transpose {{.*}} dims = [1, 0] : tensor<4x?xf32>
  %8 = tarray.transpose %7 dims = [1, 0] : tensor<4x?xf32>
  // CHECK: = tarray.slices {{.*}} dim = 0 max = 8 : tensor<?x4xf32>
  %9 = tarray.slices %8 dim = 0 max = 8 : tensor<?x4xf32>
  // CHECK: = tarray.reshape {{.*}} to (-1, 2, 2) : tensor<?x4xf32>
  %10 = tarray.reshape %d to (-1, 2, 2) : tensor<?x4xf32>
  // CHECK: = tarray.concatenate {{.*}} dim = 1 padding {{.*}} : !tarray.array<tensor<4x4xf32>, max = 2>, tensor<f32>
  %4 = tarray.concatenate %2 dim = 1 padding %z : !tarray.array<tensor<4x4xf32>, max = 2>, tensor<f32>
  // CHECK: = tarray.zip {{.*}}, {{.*}} : !tarray.array<tensor<4xf32>, max = 8>, !tarray.array<tensor<4x4xf32>, max = 2>
  %5:2 = tarray.zip %1, %2 : !tarray.array<tensor<4xf32>, max = 8>, !tarray.array<tensor<4x4xf32>, max = 2>
  // CHECK: = tarray.length {{.*}} : !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  %6 = tarray.length %0 : !tarray.array<!tarray.array<tensor<4xf32>, max = 4>, max = 3>
  return
}
func.func @access(%t: tensor<4x8xf32>, %x: !tarray.array<tensor<8xf32>, max = 16>, %i: tensor<3xi64>, %n: tensor<i64>, %v: tensor<8xf32>, %u: tensor<3x8xf32>, %tokens: tensor<5xi32>) {
  // CHECK: = tarray.shape (1)
  %at = tarray.shape (1)
  // CHECK: = tarray.index {{.*}} at {{.*}} : !tarray.array<tensor<8xf32>, max = 16>, !tarray.shape<1>
  %0 = tarray.index %x at %at : !tarray.array<tensor<8xf32>, max = 16>, !tarray.shape<1>
  // CHECK: = tarray.index_update add {{.*}}, {{.*}} at {{.*}} : !tarray.array<tensor<8xf32>, max = 16>, tensor<8xf32>, !tarray.shape<1>
  %1 = tarray.index_update add %x, %v at %at : !tarray.array<tensor<8xf32>, max = 16>, tensor<8xf32>, !tarray.shape<1>
  // CHECK: = tarray.gather {{.*}} at {{.*}} dim = 0 : tensor<4x8xf32>, tensor<3xi64>
  %2 = tarray.gather %t at %i dim = 0 : tensor<4x8xf32>, tensor<3xi64>
  // CHECK: = tarray.gather mean {{.*}} at {{.*}} : !tarray.array<tensor<8xf32>, max = 16>, tensor<3xi64>
  %3 = tarray.gather mean %x at %i : !tarray.array<tensor<8xf32>, max = 16>, tensor<3xi64>
  // CHECK: = tarray.gather {{.*}} at {{.*}} : !tarray.array<tensor<8xf32>, max = 16>, tensor<3xi64>
  %4 = tarray.gather %x at %i : !tarray.array<tensor<8xf32>, max = 16>, tensor<3xi64>
  // CHECK: = tarray.scatter sum {{.*}}, {{.*}} at {{.*}} dim = 0 : tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xi64>
  %5 = tarray.scatter sum %t, %u at %i dim = 0 : tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xi64>
  // CHECK: = tarray.scatter {{.*}}, {{.*}} at {{.*}} : !tarray.array<tensor<8xf32>, max = 16>, !tarray.array<tensor<8xf32>, max = 3>, tensor<3xi64>
  %6 = tarray.scatter %x, %4 at %i : !tarray.array<tensor<8xf32>, max = 16>, !tarray.array<tensor<8xf32>, max = 3>, tensor<3xi64>
  // CHECK: = tarray.embedding {{.*}} in {{.*}} dim = 1 : tensor<5xi32>, tensor<4x8xf32>
  %7 = tarray.embedding %tokens in %t dim = 1 : tensor<5xi32>, tensor<4x8xf32>
  // CHECK: = tarray.slice {{.*}} [1 : 2 : 8] dim = 1 : tensor<4x8xf32>
  %8 = tarray.slice %t [1 : 2 : 8] dim = 1 : tensor<4x8xf32>
  // CHECK: = tarray.slice {{.*}} [3 : 1 : 4] dim = 0 keep_dim = false : tensor<4x8xf32>
  %9 = tarray.slice %t [3 : 1 : 4] dim = 0 keep_dim = false : tensor<4x8xf32>
  // CHECK: = tarray.slice {{.*}} at {{.*}} dim = 0 keep_dim = true : tensor<4x8xf32>, tensor<i64>
  %10 = tarray.slice %t at %n dim = 0 keep_dim = true : tensor<4x8xf32>, tensor<i64>
  // CHECK: = tarray.transpose {{.*}} dims = [1, 0] : tensor<4x8xf32>
  %11 = tarray.transpose %t dims = [1, 0] : tensor<4x8xf32>
  // CHECK: = tarray.reshape {{.*}} to (2, -1) : tensor<4x8xf32>
  %12 = tarray.reshape %t to (2, -1) : tensor<4x8xf32>
  // CHECK: = tarray.unsqueeze {{.*}} dim = 1 : tensor<4x8xf32>
  %13 = tarray.unsqueeze %t dim = 1 : tensor<4x8xf32>
  // CHECK: = tarray.squeeze {{.*}} dim = 1 : tensor<4x1x8xf32>
  %14 = tarray.squeeze %13 dim = 1 : tensor<4x1x8xf32>
  return
}
func.func @loops(%x: !tarray.array<tensor<f32>, max = 16>, %t: tensor<4x8xf32>, %v: tensor<8xf32>, %z: tensor<f32>, %n: tensor<i64>, %true: tensor<i1>) {
  // CHECK: = tarray.shape (4, 8)
  %s = tarray.shape (4, 8)
  // CHECK: = tarray.foreach ({{.*}} in {{.*}} : !tarray.shape<2>, {{.*}} = {{.*}} : tensor<i64>) {
  %0:2 = tarray.foreach (%e in %s : !tarray.shape<2>, %a = %n : tensor<i64>) {
    %sum = stablehlo.add %a, %e : tensor<i64>
    tarray.yield %e, %sum : tensor<i64>, tensor<i64>
  }
  // CHECK: = tarray.parallel_foreach ({{.*}} in {{.*}} : !tarray.array<tensor<f32>, max = 16>, {{.*}} in {{.*}} : !tarray.array<tensor<f32>, max = 16>) {
  %1 = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<f32>, max = 16>, %f in %x : !tarray.array<tensor<f32>, max = 16>) {
    %y = stablehlo.add %e, %f : tensor<f32>
    tarray.yield %y : tensor<f32>
  }
  // CHECK: = tarray.parallel_foreach ({{.*}} in {{.*}} : tensor<4x8xf32>) attributes {note = "element-wise"} {
  %2 = tarray.parallel_foreach (%e in %t : tensor<4x8xf32>) attributes {note = "element-wise"} {
    %y = stablehlo.exponential %e : tensor<f32>
    tarray.yield %y : tensor<f32>
  }
  // CHECK: = tarray.scan forward ({{.*}} in {{.*}} : !tarray.array<tensor<f32>, max = 16>, {{.*}} = {{.*}} : tensor<f32>) {
  %3 = tarray.scan forward (%e in %x : !tarray.array<tensor<f32>, max = 16>, %a = %z : tensor<f32>) {
    %y = stablehlo.add %e, %a : tensor<f32>
    tarray.yield %y : tensor<f32>
  }
  // CHECK: = tarray.scan backward ({{.*}} in {{.*}} : tensor<4x8xf32>, {{.*}} = {{.*}} : tensor<8xf32>) {
  %4 = tarray.scan backward (%e in %t : tensor<4x8xf32>, %a = %v : tensor<8xf32>) {
    %y = stablehlo.add %e, %a : tensor<8xf32>
    tarray.yield %y : tensor<8xf32>
  }
  // CHECK: = tarray.reduce ({{.*}} in {{.*}} : tensor<4x8xf32>, {{.*}} = {{.*}} : tensor<8xf32>) {
  %5 = tarray.reduce (%e in %t : tensor<4x8xf32>, %a = %v : tensor<8xf32>) {
    %y = stablehlo.maximum %e, %a : tensor<8xf32>
    tarray.yield %y : tensor<8xf32>
  }
  // CHECK: = tarray.fold ({{.*}} in {{.*}} : !tarray.array<tensor<f32>, max = 16>, {{.*}} = {{.*}} : tensor<i64>) {
  %6 = tarray.fold (%e in %x : !tarray.array<tensor<f32>, max = 16>, %a = %n : tensor<i64>) {
    tarray.yield %a : tensor<i64>
  }
  // CHECK: = tarray.filter ({{.*}} in {{.*}} : tensor<8xf32>) {
  %7 = tarray.filter (%e in %v : tensor<8xf32>) {
    %y = stablehlo.compare GT, %e, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tarray.yield %y : tensor<i1>
  }
  // CHECK: = tarray.broadcast dims = [1] ({{.*}} in {{.*}} : tensor<4x8xf32>, {{.*}} = {{.*}} : tensor<8xf32>) {
  %8 = tarray.broadcast dims = [1] (%e in %t : tensor<4x8xf32>, %b = %v : tensor<8xf32>) {
    %y = stablehlo.subtract %e, %b : tensor<f32>
    tarray.yield %y : tensor<f32>
  }
  // CHECK: = tarray.broadcast ({{.*}} in {{.*}} : !tarray.array<tensor<f32>, max = 16>, {{.*}} = {{.*}} : tensor<8xf32>) {
  %9 = tarray.broadcast (%e in %x : !tarray.array<tensor<f32>, max = 16>, %b = %v : tensor<8xf32>) {
    tarray.yield %b : tensor<8xf32>
  }
  // CHECK: = tarray.apply_along_axis dim = 1 ({{.*}} in {{.*}} : tensor<4x8xf32>) {
  %10 = tarray.apply_along_axis dim = 1 (%line in %t : tensor<4x8xf32>) {
    %y = stablehlo.slice %line [0:2] : (tensor<8xf32>) -> tensor<2xf32>
    tarray.yield %y : tensor<2xf32>
  }
  // CHECK: = tarray.sortby ({{.*}} in {{.*}} : tensor<4x8xf32>) {
  %11 = tarray.sortby (%e in %t : tensor<4x8xf32>) {
    tarray.yield %z : tensor<f32>
  }
  // CHECK: = tarray.build max = 16 ({{.*}} in {{.*}} : tensor<i64>, {{.*}} = {{.*}} : tensor<f32>) {
  %12:2 = tarray.build max = 16 (%i in %n : tensor<i64>, %a = %z : tensor<f32>) {
    tarray.yield %true, %i, %a : tensor<i1>, tensor<i64>, tensor<f32>
  }
  // CHECK: = tarray.vectorize @f({{.*}}) : !tarray.array<tensor<f32>, max = 16> -> !tarray.array<tensor<i64>, max = 16>
  %13 = tarray.vectorize @f(%x) : !tarray.array<tensor<f32>, max = 16> -> !tarray.array<tensor<i64>, max = 16>
  return
}
func.func private @f(tensor<f32>) -> tensor<i64>

// Without a maximum there may be any number of elements, and sizes of what is made of them are known at run time only.
// CHECK: func.func @unbounded(%{{.*}}: !tarray.array<!tarray.array<tensor<4xf32>>, max = 3>, %{{.*}}: tensor<?x4xf32>) -> (!tarray.array<tensor<4xf32>>, tensor<?x4xf32>, tensor<2xi64>, tensor<4xi64>) {
func.func @unbounded(%x: !tarray.array<!tarray.array<tensor<4xf32>>, max = 3>, %t: tensor<?x4xf32>) -> (!tarray.array<tensor<4xf32>>, tensor<?x4xf32>, tensor<2xi64>, tensor<4xi64>) {
  // CHECK: = tarray.slices {{.*}} dim = 0 : tensor<?x4xf32>
  %0 = tarray.slices %t dim = 0 : tensor<?x4xf32>
  // CHECK: = tarray.to_offsets {{.*}} : !tarray.array<!tarray.array<tensor<4xf32>>, max = 3>
  %values, %offsets:2 = tarray.to_offsets %x : !tarray.array<!tarray.array<tensor<4xf32>>, max = 3>
  return %0, %values, %offsets#0, %offsets#1 : !tarray.array<tensor<4xf32>>, tensor<?x4xf32>, tensor<2xi64>, tensor<4xi64>
}
