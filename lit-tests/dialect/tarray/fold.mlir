// RUN: mapwright-opt %s --canonicalize | FileCheck %s

// Shapes that are known are computed when programs are made canonical.

// CHECK-LABEL: @all
func.func @all(%t: tensor<4x8xf32>) -> (!tarray.shape<5>, !tarray.shape<4>, !tarray.shape<2>, !tarray.shape<3>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %five = stablehlo.constant dense<5> : tensor<i64>
  %s = tarray.shape (1, 2, 3)
  %size = tarray.size %t : tensor<4x8xf32>
  // CHECK-DAG: %[[ADD:.*]] = tarray.shape (1, 2, 3, 4, 8)
  %add = tarray.add %s, %size : !tarray.shape<3>, !tarray.shape<2>
  // CHECK-DAG: %[[INSERT:.*]] = tarray.shape (1, 5, 2, 3)
  %insert = tarray.insert %s, 1, %five : !tarray.shape<3>, tensor<i64>
  // CHECK-DAG: %[[DEL:.*]] = tarray.shape (1, 3)
  %del = tarray.del %s, 1 : !tarray.shape<3>
  // CHECK-DAG: %[[REPLACE:.*]] = tarray.shape (1, 5, 3)
  %replace = tarray.replace %s, 1, %five : !tarray.shape<3>, tensor<i64>
  // CHECK-DAG: %[[NUMEL:.*]] = stablehlo.constant dense<6> : tensor<i64>
  %numel = tarray.numel %s : !tarray.shape<3>
  // CHECK-DAG: %[[NDIMS:.*]] = stablehlo.constant dense<3> : tensor<i64>
  %ndims = tarray.ndims %s : !tarray.shape<3>
  // CHECK-DAG: %[[EIGHT:.*]] = stablehlo.constant dense<8> : tensor<i64>
  %dim = tarray.size %t dim = 1 : tensor<4x8xf32>
  // CHECK: return %[[ADD]], %[[INSERT]], %[[DEL]], %[[REPLACE]], %[[NUMEL]], %[[NDIMS]], %[[EIGHT]]
  return %add, %insert, %del, %replace, %numel, %ndims, %dim : !tarray.shape<5>, !tarray.shape<4>, !tarray.shape<2>, !tarray.shape<3>, tensor<i64>, tensor<i64>, tensor<i64>
}

// A size is never negative.
// CHECK-LABEL: @negative
func.func @negative() -> !tarray.shape<1> {
  %n = stablehlo.constant dense<-5> : tensor<i64>
  %s = tarray.shape ()
  // CHECK: tarray.shape (0)
  %t = tarray.insert %s, 0, %n : !tarray.shape<0>, tensor<i64>
  return %t : !tarray.shape<1>
}

// CHECK-LABEL: @at_run_time
func.func @at_run_time(%t: tensor<?x8xf32>) -> !tarray.shape<2> {
  // CHECK: tarray.size
  %s = tarray.size %t : tensor<?x8xf32>
  return %s : !tarray.shape<2>
}
