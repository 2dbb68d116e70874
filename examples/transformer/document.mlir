// The encoder layer as it is in the paper on tensor arrays: a sentence is a matrix of d = 512 rows and L columns, a column a word; 8 heads of 64 features,
// 2048 hidden ones. How many sentences there are, and how many words each of them has, is known at run time only: `tensor<?x?xi64>` are the numbers of the
// words. `%y0` to `%y25` are the paper's variables. `layer.mlir` beside it is the same layer for sentences of different lengths.
//
// The paper is followed to the letter but for its slips: scores are divided by the root of the features of a head, `%y11` is made of the values,
// what attention gives is added to `%y0`, and what dropout keeps is divided by the share that it keeps.

// softmax(X), of one line.
func.func private @softmax(%x: tensor<?xf32>) -> tensor<?xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y0 = tarray.reduce (%e in %x : tensor<?xf32>, %a = %low : tensor<f32>) {
    %0 = stablehlo.maximum %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y1 = tarray.broadcast (%e in %x : tensor<?xf32>, %m = %y0 : tensor<f32>) {
    %0 = stablehlo.subtract %e, %m : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y2 = tarray.parallel_foreach (%e in %y1 : tensor<?xf32>) {
    %0 = stablehlo.exponential %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y3 = tarray.reduce (%e in %y2 : tensor<?xf32>, %a = %zero : tensor<f32>) {
    %0 = stablehlo.add %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y4 = tarray.broadcast (%e in %y2 : tensor<?xf32>, %s = %y3 : tensor<f32>) {
    %0 = stablehlo.divide %e, %s : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  return %y4 : tensor<?xf32>
}

// norm(X), of one word: mean 0 and variance 1.
func.func private @norm(%x: tensor<512xf32>) -> tensor<512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<512.0> : tensor<f32>
  %eps = stablehlo.constant dense<1.0e-6> : tensor<f32>
  %sum = tarray.reduce (%e in %x : tensor<512xf32>, %a = %zero : tensor<f32>) {
    %0 = stablehlo.add %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y0 = stablehlo.divide %sum, %n : tensor<f32>
  %y1 = tarray.broadcast (%e in %x : tensor<512xf32>, %m = %y0 : tensor<f32>) {
    %0 = stablehlo.subtract %e, %m : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y2 = tarray.parallel_foreach (%e in %y1 : tensor<512xf32>) {
    %0 = stablehlo.multiply %e, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y3 = tarray.reduce (%e in %y2 : tensor<512xf32>, %a = %zero : tensor<f32>) {
    %0 = stablehlo.add %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %variance = stablehlo.divide %y3, %n : tensor<f32>
  %above = stablehlo.add %variance, %eps : tensor<f32>
  %y4 = stablehlo.sqrt %above : tensor<f32>
  %y5 = tarray.broadcast (%e in %y1 : tensor<512xf32>, %s = %y4 : tensor<f32>) {
    %0 = stablehlo.divide %e, %s : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  return %y5 : tensor<512xf32>
}

func.func private @relu(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.maximum %x, %zero : tensor<f32>
  return %0 : tensor<f32>
}

// Zero, or twice the number, each in one case of two; and which of them it is.
func.func private @dropout(%x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.5> : tensor<f32>
  %scalar = stablehlo.constant dense<> : tensor<0xi64>
  %random = stablehlo.rng %zero, %one, %scalar, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
  %kept = stablehlo.compare LE, %random, %rate : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %scaled = stablehlo.divide %x, %rate : tensor<f32>
  %0 = stablehlo.select %kept, %scaled, %zero : tensor<i1>, tensor<f32>
  return %0, %kept : tensor<f32>, tensor<i1>
}

// The sines and cosines of the places of L words, d x L: features 2 i and 2 i + 1 are the sine and the cosine of place / 10000^(2 i / 512).
func.func private @places(%token: tensor<?xi64>) -> tensor<512x?xf32> {
  %length = stablehlo.get_dimension_size %token, dim = 0 : (tensor<?xi64>) -> tensor<i32>
  %columns = stablehlo.reshape %length : (tensor<i32>) -> tensor<1xi32>
  %rows = stablehlo.constant dense<512> : tensor<1xi32>
  %sizes = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %feature = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<512x?xi64>
  %place = stablehlo.dynamic_iota %sizes, dim = 1 : (tensor<2xi32>) -> tensor<512x?xf32>
  %code = tarray.parallel_foreach (%k in %feature : tensor<512x?xi64>, %p in %place : tensor<512x?xf32>) {
    %two = stablehlo.constant dense<2> : tensor<i64>
    %rate = stablehlo.constant dense<-0.017988946> : tensor<f32>
    %odd = stablehlo.remainder %k, %two : tensor<i64>
    %even = stablehlo.subtract %k, %odd : tensor<i64>
    %exponent = stablehlo.convert %even : (tensor<i64>) -> tensor<f32>
    %power = stablehlo.multiply %exponent, %rate : tensor<f32>
    %frequency = stablehlo.exponential %power : tensor<f32>
    %angle = stablehlo.multiply %p, %frequency : tensor<f32>
    %sine = stablehlo.sine %angle : tensor<f32>
    %cosine = stablehlo.cosine %angle : tensor<f32>
    %is_odd = stablehlo.convert %odd : (tensor<i64>) -> tensor<i1>
    %0 = stablehlo.select %is_odd, %cosine, %sine : tensor<i1>, tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  return %code : tensor<512x?xf32>
}

// One sentence: `%token` has its L words. The second result says which of the hidden features dropout keeps.
func.func private @sentence(
    %token: tensor<?xi64>, %var0: tensor<512x1000xf32>, %var1: tensor<512x512xf32>, %var2: tensor<512x512xf32>, %var3: tensor<512x512xf32>,
    %var4: tensor<512xf32>, %var5: tensor<512xf32>, %var6: tensor<512x2048xf32>, %var7: tensor<2048xf32>, %var8: tensor<2048x512xf32>,
    %var9: tensor<512xf32>) -> (tensor<?x512xf32>, tensor<?x2048xi1>) {
  // Positional encoding.
  %posenc = func.call @places(%token) : (tensor<?xi64>) -> tensor<512x?xf32>
  %words = tarray.embedding %token in %var0 dim = 1 : tensor<?xi64>, tensor<512x1000xf32>
  %columns = tarray.transpose %words dims = [1, 0] : tensor<?x512xf32>
  %y0 = tarray.parallel_foreach (%w in %columns : tensor<512x?xf32>, %p in %posenc : tensor<512x?xf32>) {
    %root = stablehlo.constant dense<22.627417> : tensor<f32>
    %0 = stablehlo.multiply %w, %root : tensor<f32>
    %1 = stablehlo.add %0, %p : tensor<f32>
    tarray.yield %1 : tensor<f32>
  }
  // Multi-head attention, the heads in parallel.
  %y1 = stablehlo.dot_general %var1, %y0, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x?xf32>) -> tensor<512x?xf32>
  %y2 = stablehlo.dot_general %var2, %y0, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x?xf32>) -> tensor<512x?xf32>
  %y3 = stablehlo.dot_general %var3, %y0, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x?xf32>) -> tensor<512x?xf32>
  %y4 = tarray.reshape %y1 to (8, 64, -1) : tensor<512x?xf32>
  %y5 = tarray.reshape %y2 to (8, 64, -1) : tensor<512x?xf32>
  %y6 = tarray.slices %y4 dim = 0 : tensor<8x64x?xf32>
  %y7 = tarray.slices %y5 dim = 0 : tensor<8x64x?xf32>
  %scores = tarray.parallel_foreach (%q in %y6 : !tarray.array<tensor<64x?xf32>, max = 8>, %k in %y7 : !tarray.array<tensor<64x?xf32>, max = 8>) {
    %t = tarray.transpose %k dims = [1, 0] : tensor<64x?xf32>
    %y8i = stablehlo.dot_general %t, %q, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x?xf32>) -> tensor<?x?xf32>
    tarray.yield %y8i : tensor<?x?xf32>
  }
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y8 = tarray.stack %scores dim = 0 padding %zero : !tarray.array<tensor<?x?xf32>, max = 8>, tensor<f32>
  %y9 = tarray.parallel_foreach (%e in %y8 : tensor<8x?x?xf32>) {
    %scale = stablehlo.constant dense<0.125> : tensor<f32>
    %0 = stablehlo.multiply %e, %scale : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y10 = tarray.apply_along_axis dim = 1 (%line in %y9 : tensor<8x?x?xf32>) {
    %0 = func.call @softmax(%line) : (tensor<?xf32>) -> tensor<?xf32>
    tarray.yield %0 : tensor<?xf32>
  }
  %y11 = tarray.reshape %y3 to (8, 64, -1) : tensor<512x?xf32>
  %y13 = tarray.slices %y11 dim = 0 : tensor<8x64x?xf32>
  %y14 = tarray.slices %y10 dim = 0 : tensor<8x?x?xf32>
  %heads = tarray.parallel_foreach (%v in %y13 : !tarray.array<tensor<64x?xf32>, max = 8>, %p in %y14 : !tarray.array<tensor<?x?xf32>, max = 8>) {
    %y12i = stablehlo.dot_general %v, %p, contracting_dims = [1] x [0] : (tensor<64x?xf32>, tensor<?x?xf32>) -> tensor<64x?xf32>
    tarray.yield %y12i : tensor<64x?xf32>
  }
  %y12 = tarray.stack %heads dim = 0 padding %zero : !tarray.array<tensor<64x?xf32>, max = 8>, tensor<f32>
  %y15 = tarray.reshape %y12 to (512, -1) : tensor<8x64x?xf32>
  // Add and norm.
  %y16 = tarray.parallel_foreach (%a in %y15 : tensor<512x?xf32>, %b in %y0 : tensor<512x?xf32>) {
    %0 = stablehlo.add %a, %b : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y17 = tarray.apply_along_axis dim = 0 (%column in %y16 : tensor<512x?xf32>) {
    %0 = func.call @norm(%column) : (tensor<512xf32>) -> tensor<512xf32>
    tarray.yield %0 : tensor<512xf32>
  }
  %y18 = tarray.broadcast dims = [0] (%e in %y17 : tensor<512x?xf32>, %s = %var4 : tensor<512xf32>) {
    %0 = stablehlo.multiply %e, %s : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y19 = tarray.broadcast dims = [0] (%e in %y18 : tensor<512x?xf32>, %s = %var5 : tensor<512xf32>) {
    %0 = stablehlo.add %e, %s : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  // Pointwise feed forward.
  %rows = tarray.transpose %y19 dims = [1, 0] : tensor<512x?xf32>
  %y20 = stablehlo.dot_general %rows, %var6, contracting_dims = [1] x [0] : (tensor<?x512xf32>, tensor<512x2048xf32>) -> tensor<?x2048xf32>
  %y21 = tarray.broadcast (%e in %y20 : tensor<?x2048xf32>, %b = %var7 : tensor<2048xf32>) {
    %0 = stablehlo.add %e, %b : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y22 = tarray.parallel_foreach (%e in %y21 : tensor<?x2048xf32>) {
    %0 = func.call @relu(%e) : (tensor<f32>) -> tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %y23, %kept = tarray.parallel_foreach (%e in %y22 : tensor<?x2048xf32>) {
    %0:2 = func.call @dropout(%e) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
    tarray.yield %0#0, %0#1 : tensor<f32>, tensor<i1>
  }
  %y24 = stablehlo.dot_general %y23, %var8, contracting_dims = [1] x [0] : (tensor<?x2048xf32>, tensor<2048x512xf32>) -> tensor<?x512xf32>
  %y25 = tarray.broadcast (%e in %y24 : tensor<?x512xf32>, %b = %var9 : tensor<512xf32>) {
    %0 = stablehlo.add %e, %b : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  return %y25, %kept : tensor<?x512xf32>, tensor<?x2048xi1>
}

func.func @document(
    %tokens: tensor<?x?xi64>, %var0: tensor<512x1000xf32>, %var1: tensor<512x512xf32>, %var2: tensor<512x512xf32>, %var3: tensor<512x512xf32>,
    %var4: tensor<512xf32>, %var5: tensor<512xf32>, %var6: tensor<512x2048xf32>, %var7: tensor<2048xf32>, %var8: tensor<2048x512xf32>,
    %var9: tensor<512xf32>) -> (tensor<?x?x512xf32>, tensor<?x?x2048xi1>) {
  %batch = tarray.slices %tokens dim = 0 : tensor<?x?xi64>
  %y, %kept = tarray.parallel_foreach (%token in %batch : !tarray.array<tensor<?xi64>>) {
    %0:2 = func.call @sentence(%token, %var0, %var1, %var2, %var3, %var4, %var5, %var6, %var7, %var8, %var9) : (tensor<?xi64>, tensor<512x1000xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x2048xf32>, tensor<2048xf32>, tensor<2048x512xf32>, tensor<512xf32>) -> (tensor<?x512xf32>, tensor<?x2048xi1>)
    tarray.yield %0#0, %0#1 : tensor<?x512xf32>, tensor<?x2048xi1>
  }
  %all = tarray.stack %y dim = 0 : !tarray.array<tensor<?x512xf32>>
  %mask = tarray.stack %kept dim = 0 : !tarray.array<tensor<?x2048xi1>>
  return %all, %mask : tensor<?x?x512xf32>, tensor<?x?x2048xi1>
}
