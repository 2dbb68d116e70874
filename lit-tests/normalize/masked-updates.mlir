// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --interpret | FileCheck %s --check-prefix=VALUES

// What a loop carries, or an update of it, by a mask: the mask chooses what is written, and the update stays in place. A whole row of masks, masks in
// masks, both branches updated, a scatter, which writes outside of the tensor where it is masked, and one by a mask of rows, which writes what is there.

// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.select {{.*}}{{tensor<40x4xf32>|tensor<i1>, tensor<40xf32>}}
// CHECK: %[[OLD:[^ ]*]] = stablehlo.dynamic_slice %[[STATE:[^,]*]], {{.*}} sizes = [1, 4]
// CHECK: %[[NEW:[^ ]*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[OLD]] : tensor<i1>, tensor<1x4xf32>
// CHECK: stablehlo.dynamic_update_slice %[[STATE]], %[[NEW]]
// CHECK-NOT: stablehlo.select {{.*}}{{tensor<40x4xf32>|tensor<i1>, tensor<40xf32>}}
// CHECK: %[[MASK:[^ ]*]] = "stablehlo.gather"(%{{[^,]*}}, %[[AT:[^)]*]])
// CHECK: %[[OLD:[^ ]*]] = "stablehlo.gather"(%[[STATE:[^,]*]], %[[AT]])
// CHECK: %[[NEW:[^ ]*]] = stablehlo.select %[[MASK]], %{{.*}}, %[[OLD]] : tensor<40xi1>, tensor<40xf32>
// CHECK: "stablehlo.scatter"(%[[STATE]], %[[AT]], %[[NEW]])
// CHECK-NOT: stablehlo.select {{.*}}tensor<40x4xf32>

// By hand: row i of the first is i where i is odd; in column 1 of the second rows 0 to 4 of the mask of rows (even rows) are 7; of the third element i is
// i + 1 where i is odd and less than 6, and element i + 20 is 9 where it is even; of the fourth element i is 2 where i is odd; of the fifth column i is i
// in even rows, as far as there are columns.
// VALUES: dense<[0.0, 1.0, 0.0, 3.0, 0.0, 5.0, 0.0, 7.0]> : tensor<8xf32>
// VALUES: dense<[7.0, 0.0, 7.0, 0.0, 7.0, 0.0, 7.0, 0.0]> : tensor<8xf32>
// VALUES: dense<[0.0, 2.0, 0.0, 4.0, 0.0, 6.0, 0.0, 0.0]> : tensor<8xf32>
// VALUES: dense<[9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 9.0, 0.0]> : tensor<8xf32>
// VALUES: dense<[0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0]> : tensor<8xf32>
// VALUES: dense<[3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0]> : tensor<8xf32>
func.func public @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %rows = stablehlo.constant dense<0.0> : tensor<40x4xf32>
  %list = stablehlo.constant dense<0.0> : tensor<40xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %twenty = stablehlo.constant dense<20> : tensor<i32>
  %end = stablehlo.constant dense<8> : tensor<i32>
  %number = stablehlo.iota dim = 0 : tensor<40xi32>
  %twos = stablehlo.constant dense<2> : tensor<40xi32>
  %zeros = stablehlo.constant dense<0> : tensor<40xi32>
  %parity = stablehlo.remainder %number, %twos : tensor<40xi32>
  %even = stablehlo.compare EQ, %parity, %zeros, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
  %seven = stablehlo.constant dense<7.0> : tensor<40x1xf32>
  %nine = stablehlo.constant dense<9.0> : tensor<1xf32>
  %two_f = stablehlo.constant dense<2.0> : tensor<f32>
  %l:6 = stablehlo.while(%i = %zero, %a = %rows, %b = %rows, %c = %list, %d = %list, %g = %rows) : tensor<i32>, tensor<40x4xf32>, tensor<40x4xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %r = stablehlo.remainder %i, %two : tensor<i32>
    %odd = stablehlo.compare EQ, %r, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %few = stablehlo.compare LT, %i, %six, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %x = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    // A scalar mask.
    %row = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %a1 = stablehlo.dynamic_update_slice %a, %row, %i, %zero : (tensor<40x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<40x4xf32>
    %a2 = stablehlo.select %odd, %a1, %a : tensor<i1>, tensor<40x4xf32>
    // A mask of rows.
    %masks = stablehlo.broadcast_in_dim %even, dims = [0] : (tensor<40xi1>) -> tensor<40x4xi1>
    %b1 = stablehlo.dynamic_update_slice %b, %seven, %zero, %one : (tensor<40x4xf32>, tensor<40x1xf32>, tensor<i32>, tensor<i32>) -> tensor<40x4xf32>
    %b2 = stablehlo.select %masks, %b1, %b : tensor<40x4xi1>, tensor<40x4xf32>
    // A mask in a mask, whose other branch is an update, too.
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.convert %next : (tensor<i32>) -> tensor<f32>
    %e = stablehlo.reshape %y : (tensor<f32>) -> tensor<1xf32>
    %c1 = stablehlo.dynamic_update_slice %c, %e, %i : (tensor<40xf32>, tensor<1xf32>, tensor<i32>) -> tensor<40xf32>
    %c2 = stablehlo.select %few, %c1, %c : tensor<i1>, tensor<40xf32>
    %later = stablehlo.add %i, %twenty : tensor<i32>
    %c3 = stablehlo.dynamic_update_slice %c, %nine, %later : (tensor<40xf32>, tensor<1xf32>, tensor<i32>) -> tensor<40xf32>
    %c4 = stablehlo.select %odd, %c2, %c3 : tensor<i1>, tensor<40xf32>
    // A scatter.
    %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %d1 = "stablehlo.scatter"(%d, %at, %two_f) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>
    }> ({
    ^bb0(%old: tensor<f32>, %value: tensor<f32>):
      %sum = stablehlo.add %old, %value : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<40xf32>, tensor<1xi32>, tensor<f32>) -> tensor<40xf32>
    %d2 = stablehlo.select %odd, %d1, %d : tensor<i1>, tensor<40xf32>
    // A scatter of a column, and a mask of rows.
    %column = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %g1 = "stablehlo.scatter"(%g, %at, %column) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>
    }> ({
    ^bb0(%old: tensor<f32>, %value: tensor<f32>):
      stablehlo.return %value : tensor<f32>
    }) : (tensor<40x4xf32>, tensor<1xi32>, tensor<40xf32>) -> tensor<40x4xf32>
    %g2 = stablehlo.select %masks, %g1, %g : tensor<40x4xi1>, tensor<40x4xf32>
    stablehlo.return %next, %a2, %b2, %c4, %d2, %g2 : tensor<i32>, tensor<40x4xf32>, tensor<40x4xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40x4xf32>
  }
  %a3 = stablehlo.slice %l#1 [0:8, 2:3] : (tensor<40x4xf32>) -> tensor<8x1xf32>
  %a4 = stablehlo.reshape %a3 : (tensor<8x1xf32>) -> tensor<8xf32>
  %b3 = stablehlo.slice %l#2 [0:8, 1:2] : (tensor<40x4xf32>) -> tensor<8x1xf32>
  %b4 = stablehlo.reshape %b3 : (tensor<8x1xf32>) -> tensor<8xf32>
  %c5 = stablehlo.slice %l#3 [0:8] : (tensor<40xf32>) -> tensor<8xf32>
  %c6 = stablehlo.slice %l#3 [20:28] : (tensor<40xf32>) -> tensor<8xf32>
  %d3 = stablehlo.slice %l#4 [0:8] : (tensor<40xf32>) -> tensor<8xf32>
  %g3 = stablehlo.slice %l#5 [0:8, 3:4] : (tensor<40x4xf32>) -> tensor<8x1xf32>
  %g4 = stablehlo.reshape %g3 : (tensor<8x1xf32>) -> tensor<8xf32>
  return %a4, %b4, %c5, %c6, %d3, %g4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
