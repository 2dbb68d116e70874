// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s
// RUN: mapwright maps %s --func shown --compose | FileCheck %s --check-prefix=MAPS

// Scalars of arith, math, tensor, shape and index, which frontends mix into StableHLO, become tensors of rank 0. Values are worked out by
// hand from what these dialects define: two's complement for integers, IEEE 754 for floats.

// MAPS: result 0 -> argument 0
// MAPS-NEXT: (d0) -> (d0 + 1)
func.func @shown(%a: tensor<4xf32>) -> tensor<3xf32> {
  %one = arith.constant 1 : index
  %one_32 = arith.index_cast %one : index to i32
  %start = tensor.from_elements %one_32 : tensor<i32>
  %0 = stablehlo.slice %a [1:4] : (tensor<4xf32>) -> tensor<3xf32>
  %1 = stablehlo.convert %start : (tensor<i32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.add %0, %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}

// CHECK-NOT: {{(arith|math|tensor|shape|index)\.[a-z_]+ }}
func.func @main() {
  func.call @integers() : () -> ()
  func.call @bits() : () -> ()
  func.call @floats() : () -> ()
  func.call @tensors() : () -> ()
  func.call @shapes() : () -> ()
  func.call @regions() : () -> ()
  func.call @calls() : () -> ()
  return
}

func.func private @integers() {
  %a = arith.constant -7 : i32
  %b = arith.constant 2 : i32
  %sum = arith.addi %a, %b : i32
  %difference = arith.subi %a, %b : i32
  %product = arith.muli %a, %b : i32
  %quotient = arith.divsi %a, %b : i32
  %rest = arith.remsi %a, %b : i32
  %floor = arith.floordivsi %a, %b : i32
  %ceil = arith.ceildivsi %a, %b : i32
  %least = arith.minsi %a, %b : i32
  %most = arith.maxsi %a, %b : i32
  %signed = tensor.from_elements %sum, %difference, %product, %quotient, %rest, %floor, %ceil, %least, %most : tensor<9xi32>
  check.expect_eq_const %signed, dense<[-5, -9, -14, -3, -1, -4, -3, -7, 2]> : tensor<9xi32>
  // Without a sign -7 is 4294967289.
  %quotient_u = arith.divui %a, %b : i32
  %rest_u = arith.remui %a, %b : i32
  %ceil_u = arith.ceildivui %a, %b : i32
  %least_u = arith.minui %a, %b : i32
  %most_u = arith.maxui %a, %b : i32
  %unsigned = tensor.from_elements %quotient_u, %rest_u, %ceil_u, %least_u, %most_u : tensor<5xi32>
  check.expect_eq_const %unsigned, dense<[2147483644, 1, 2147483645, 2, -7]> : tensor<5xi32>
  %and = arith.andi %a, %b : i32
  %or = arith.ori %a, %b : i32
  %xor = arith.xori %a, %b : i32
  %left = arith.shli %a, %b : i32
  %right = arith.shrsi %a, %b : i32
  %right_u = arith.shrui %a, %b : i32
  %bits = tensor.from_elements %and, %or, %xor, %left, %right, %right_u : tensor<6xi32>
  check.expect_eq_const %bits, dense<[0, -5, -5, -28, -2, 1073741822]> : tensor<6xi32>
  %slt = arith.cmpi slt, %a, %b : i32
  %ult = arith.cmpi ult, %a, %b : i32
  %uge = arith.cmpi uge, %a, %b : i32
  %ne = arith.cmpi ne, %a, %b : i32
  %compared = tensor.from_elements %slt, %ult, %uge, %ne : tensor<4xi1>
  check.expect_eq_const %compared, dense<[true, false, true, true]> : tensor<4xi1>
  %chosen = arith.select %slt, %a, %b : i32
  %wide = arith.extsi %chosen : i32 to i64
  %wide_u = arith.extui %a : i32 to i64
  %longs = tensor.from_elements %wide, %wide_u : tensor<2xi64>
  check.expect_eq_const %longs, dense<[-7, 4294967289]> : tensor<2xi64>
  %narrow = arith.trunci %wide_u : i64 to i8
  %odd = arith.trunci %a : i32 to i1
  %even = arith.trunci %b : i32 to i1
  %bytes = tensor.from_elements %narrow : tensor<1xi8>
  %parity = tensor.from_elements %odd, %even : tensor<2xi1>
  check.expect_eq_const %bytes, dense<-7> : tensor<1xi8>
  check.expect_eq_const %parity, dense<[true, false]> : tensor<2xi1>
  return
}

// One bit is a number modulo 2, and -1 where it has a sign.
func.func private @bits() {
  %t = arith.constant true
  %f = arith.constant false
  %sum = arith.addi %t, %t : i1
  %product = arith.muli %t, %f : i1
  %slt = arith.cmpi slt, %t, %f : i1
  %ult = arith.cmpi ult, %t, %f : i1
  %found = tensor.from_elements %sum, %product, %slt, %ult : tensor<2x2xi1>
  check.expect_eq_const %found, dense<[[false, false], [true, false]]> : tensor<2x2xi1>
  %signed = arith.extsi %t : i1 to i8
  %unsigned = arith.extui %t : i1 to i8
  %bytes = tensor.from_elements %signed, %unsigned : tensor<2xi8>
  check.expect_eq_const %bytes, dense<[-1, 1]> : tensor<2xi8>
  return
}

func.func private @floats() {
  %a = arith.constant 2.5 : f32
  %b = arith.constant -1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %sum = arith.addf %a, %b : f32
  %product = arith.mulf %a, %b : f32
  %quotient = arith.divf %a, %b : f32
  %rest = arith.remf %a, %b : f32
  %negated = arith.negf %a : f32
  %number = arith.maxnumf %nan, %b : f32
  %square_root = arith.constant 6.25 : f32
  %root = math.sqrt %square_root : f32
  %down = math.trunc %product : f32
  %values = tensor.from_elements %sum, %product, %quotient, %rest, %negated, %number, %root, %down : tensor<8xf32>
  check.expect_eq_const %values, dense<[1.5, -2.5, -2.5, 0.5, -2.5, -1.0, 2.5, -2.0]> : tensor<8xf32>
  %olt = arith.cmpf olt, %b, %a : f32
  %ult = arith.cmpf ult, %nan, %a : f32
  %ogt = arith.cmpf ogt, %nan, %a : f32
  %one = arith.cmpf one, %nan, %a : f32
  %une = arith.cmpf une, %nan, %a : f32
  %ord = arith.cmpf ord, %nan, %a : f32
  %uno = arith.cmpf uno, %nan, %a : f32
  %ueq = arith.cmpf ueq, %b, %a : f32
  %compared = tensor.from_elements %olt, %ult, %ogt, %one, %une, %ord, %uno, %ueq : tensor<8xi1>
  check.expect_eq_const %compared, dense<[true, true, false, false, true, false, true, false]> : tensor<8xi1>
  %int = arith.fptosi %product : f32 to i32
  %all = arith.constant -1 : i8
  %signed = arith.sitofp %all : i8 to f32
  %unsigned = arith.uitofp %all : i8 to f32
  %same = arith.bitcast %b : f32 to i32
  %wide = arith.extf %a : f32 to f64
  %half = arith.truncf %wide : f64 to f16
  %ints = tensor.from_elements %int, %same : tensor<2xi32>
  %reals = tensor.from_elements %signed, %unsigned : tensor<2xf32>
  %halves = tensor.from_elements %half : tensor<1xf16>
  check.expect_eq_const %ints, dense<[-2, 0xBF800000]> : tensor<2xi32>
  check.expect_eq_const %reals, dense<[-1.0, 255.0]> : tensor<2xf32>
  check.expect_eq_const %halves, dense<2.5> : tensor<1xf16>
  return
}

func.func private @tensors() {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = arith.muli %x, %x : tensor<2x3xi32>
  check.expect_eq_const %y, dense<[[1, 4, 9], [16, 25, 36]]> : tensor<2x3xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = index.add %one, %one
  %a = tensor.extract %x[%one, %zero] : tensor<2x3xi32>
  %b = tensor.extract %x[%zero, %two] : tensor<2x3xi32>
  %pair = tensor.from_elements %a, %b : tensor<2xi32>
  check.expect_eq_const %pair, dense<[4, 3]> : tensor<2xi32>
  %inserted = tensor.insert %a into %pair[%one] : tensor<2xi32>
  check.expect_eq_const %inserted, dense<[4, 4]> : tensor<2xi32>
  %many = tensor.splat %b : tensor<3xi32>
  check.expect_eq_const %many, dense<3> : tensor<3xi32>
  %line = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xi32> into tensor<6xi32>
  %part = tensor.extract_slice %line[1] [2] [3] : tensor<6xi32> to tensor<2xi32>
  check.expect_eq_const %part, dense<[2, 5]> : tensor<2xi32>
  %long = tensor.concat dim(0) %part, %pair : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  check.expect_eq_const %long, dense<[2, 5, 4, 3]> : tensor<4xi32>
  // Sizes that are forgotten and known again.
  %unknown = tensor.cast %long : tensor<4xi32> to tensor<?xi32>
  %n = tensor.dim %unknown, %zero : tensor<?xi32>
  %n_32 = arith.index_cast %n : index to i32
  %doubled = stablehlo.add %unknown, %unknown : tensor<?xi32>
  %known = tensor.cast %doubled : tensor<?xi32> to tensor<4xi32>
  check.expect_eq_const %known, dense<[4, 10, 8, 6]> : tensor<4xi32>
  %count = tensor.from_elements %n_32 : tensor<1xi32>
  check.expect_eq_const %count, dense<4> : tensor<1xi32>
  return
}

func.func private @shapes() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %row = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %shape = shape.shape_of %x : tensor<2x3xf32> -> tensor<2xindex>
  %one = arith.constant 1 : index
  %n = shape.get_extent %shape, %one : tensor<2xindex>, index -> index
  %total = shape.num_elements %shape : tensor<2xindex> -> index
  %of_row = shape.shape_of %row : tensor<3xf32> -> tensor<1xindex>
  %common = shape.broadcast %shape, %of_row : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
  %spread = stablehlo.dynamic_broadcast_in_dim %row, %common, dims = [1] : (tensor<3xf32>, tensor<2xindex>) -> tensor<2x3xf32>
  %sum = stablehlo.add %x, %spread : tensor<2x3xf32>
  check.expect_eq_const %sum, dense<[[2.0, 3.0, 4.0], [2.0, 3.0, 4.0]]> : tensor<2x3xf32>
  %n_32 = arith.index_cast %n : index to i32
  %total_32 = arith.index_cast %total : index to i32
  %pair = tensor.from_elements %n_32, %total_32 : tensor<2xi32>
  check.expect_eq_const %pair, dense<[3, 6]> : tensor<2xi32>
  %fits = shape.cstr_broadcastable %shape, %of_row : tensor<2xindex>, tensor<1xindex>
  %assumed = shape.assuming %fits -> (tensor<2x3xf32>) {
    %twice = stablehlo.add %spread, %spread : tensor<2x3xf32>
    shape.assuming_yield %twice : tensor<2x3xf32>
  }
  check.expect_eq_const %assumed, dense<[[2.0, 4.0, 6.0], [2.0, 4.0, 6.0]]> : tensor<2x3xf32>
  return
}

func.func private @regions() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sums = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = tensor.extract %a[] : tensor<f32>
    %q = tensor.extract %b[] : tensor<f32>
    %r = arith.addf %p, %q : f32
    %t = tensor.from_elements %r : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %sums, dense<[6.0, 15.0]> : tensor<2xf32>
  // A scalar of the function in a region of it.
  %limit = arith.constant 5 : i32
  %start = arith.constant dense<0> : tensor<i32>
  %end = stablehlo.while(%i = %start) : tensor<i32>
    cond {
      %j = tensor.extract %i[] : tensor<i32>
      %less = arith.cmpi slt, %j, %limit : i32
      %goes_on = tensor.from_elements %less : tensor<i1>
      stablehlo.return %goes_on : tensor<i1>
    } do {
      %two = arith.constant dense<2> : tensor<i32>
      %next = arith.addi %i, %two : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  check.expect_eq_const %end, dense<6> : tensor<i32>
  return
}

// Scalars at the borders of functions.
func.func private @twice(%a: f32, %n: index) -> (f32, index) {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addi %n, %n : index
  return %0, %1 : f32, index
}

func.func private @calls() {
  %a = arith.constant 1.5 : f32
  %n = arith.constant 3 : index
  %0:2 = func.call @twice(%a, %n) : (f32, index) -> (f32, index)
  %1 = tensor.from_elements %0#0 : tensor<f32>
  check.expect_eq_const %1, dense<3.0> : tensor<f32>
  %2 = arith.index_cast %0#1 : index to i64
  %3 = tensor.from_elements %2 : tensor<i64>
  check.expect_eq_const %3, dense<6> : tensor<i64>
  return
}
