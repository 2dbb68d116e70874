// An encoder layer of a Transformer over sentences of different lengths: d = 512, 8 heads, 2048 hidden features. At most 4 sentences of at most 24
// tokens; how many there are, and how long each is, is known at run time only. A token is a vector of 512 numbers: the embedding of its word.
//
// Whatever is done to a token by itself is a loop over the tokens of each sentence: those of all sentences are one product with a matrix. Only
// attention looks at a sentence as a whole: there its tokens are stacked to a Tensor with as many rows as the sentence has tokens. Nothing is padded.

!sentence = !tarray.array<tensor<512xf32>, max = 24>
!batch = !tarray.array<!tarray.array<tensor<512xf32>, max = 24>, max = 4>

// Mean 0 and variance 1, then scale and shift.
func.func private @norm(%x: tensor<512xf32>, %scale: tensor<512xf32>, %shift: tensor<512xf32>) -> tensor<512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<512.0> : tensor<f32>
  %eps = stablehlo.constant dense<1.0e-6> : tensor<f32>
  %sum = tarray.reduce (%e in %x : tensor<512xf32>, %a = %zero : tensor<f32>) {
    %0 = stablehlo.add %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %mean = stablehlo.divide %sum, %n : tensor<f32>
  %centred = tarray.broadcast (%e in %x : tensor<512xf32>, %m = %mean : tensor<f32>) {
    %0 = stablehlo.subtract %e, %m : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %squares = tarray.parallel_foreach (%e in %centred : tensor<512xf32>) {
    %0 = stablehlo.multiply %e, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %total = tarray.reduce (%e in %squares : tensor<512xf32>, %a = %zero : tensor<f32>) {
    %0 = stablehlo.add %a, %e : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %variance = stablehlo.divide %total, %n : tensor<f32>
  %above = stablehlo.add %variance, %eps : tensor<f32>
  %factor = stablehlo.rsqrt %above : tensor<f32>
  %unit = tarray.broadcast (%e in %centred : tensor<512xf32>, %f = %factor : tensor<f32>) {
    %0 = stablehlo.multiply %e, %f : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %scaled = stablehlo.multiply %unit, %scale : tensor<512xf32>
  %shifted = stablehlo.add %scaled, %shift : tensor<512xf32>
  return %shifted : tensor<512xf32>
}

// What the tokens of one sentence see of each other: the queries, keys and values of 8 heads of 64 features.
func.func private @attention(%q: !sentence, %k: !sentence, %v: !sentence) -> !sentence {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %scale = stablehlo.constant dense<0.125> : tensor<f32>
  %qs = tarray.stack %q dim = 0 : !sentence
  %ks = tarray.stack %k dim = 0 : !sentence
  %vs = tarray.stack %v dim = 0 : !sentence
  %qh = tarray.reshape %qs to (-1, 8, 64) : tensor<?x512xf32>
  %kh = tarray.reshape %ks to (-1, 8, 64) : tensor<?x512xf32>
  %vh = tarray.reshape %vs to (-1, 8, 64) : tensor<?x512xf32>
  %products = stablehlo.dot_general %qh, %kh, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<?x8x64xf32>, tensor<?x8x64xf32>) -> tensor<8x?x?xf32>
  %scores = tarray.parallel_foreach (%e in %products : tensor<8x?x?xf32>) {
    %0 = stablehlo.multiply %e, %scale : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %weights = tarray.apply_along_axis dim = 2 (%line in %scores : tensor<8x?x?xf32>) {
    %most = tarray.reduce (%e in %line : tensor<?xf32>, %a = %low : tensor<f32>) {
      %0 = stablehlo.maximum %a, %e : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %shifted = tarray.broadcast (%e in %line : tensor<?xf32>, %m = %most : tensor<f32>) {
      %0 = stablehlo.subtract %e, %m : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %powers = tarray.parallel_foreach (%e in %shifted : tensor<?xf32>) {
      %0 = stablehlo.exponential %e : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %sum = tarray.reduce (%e in %powers : tensor<?xf32>, %a = %zero : tensor<f32>) {
      %0 = stablehlo.add %a, %e : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    %parts = tarray.broadcast (%e in %powers : tensor<?xf32>, %s = %sum : tensor<f32>) {
      %0 = stablehlo.divide %e, %s : tensor<f32>
      tarray.yield %0 : tensor<f32>
    }
    tarray.yield %parts : tensor<?xf32>
  }
  %heads = stablehlo.dot_general %weights, %vh, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<8x?x?xf32>, tensor<?x8x64xf32>) -> tensor<8x?x64xf32>
  %rows = tarray.transpose %heads dims = [1, 0, 2] : tensor<8x?x64xf32>
  %joined = tarray.reshape %rows to (-1, 512) : tensor<?x8x64xf32>
  %tokens = tarray.slices %joined dim = 0 max = 24 : tensor<?x512xf32>
  return %tokens : !sentence
}

func.func @main(%x: !batch, %wq: tensor<512x512xf32>, %wk: tensor<512x512xf32>, %wv: tensor<512x512xf32>,
                %scale1: tensor<512xf32>, %shift1: tensor<512xf32>, %w1: tensor<512x2048xf32>, %b1: tensor<2048xf32>,
                %w2: tensor<2048x512xf32>, %b2: tensor<512xf32>, %scale2: tensor<512xf32>, %shift2: tensor<512xf32>) -> !batch {
  %seen = tarray.parallel_foreach (%sentence in %x : !batch) {
    %q, %k, %v = tarray.parallel_foreach (%t in %sentence : !sentence) {
      %0 = stablehlo.dot_general %t, %wq, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32>
      %1 = stablehlo.dot_general %t, %wk, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32>
      %2 = stablehlo.dot_general %t, %wv, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32>
      tarray.yield %0, %1, %2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
    }
    %a = func.call @attention(%q, %k, %v) : (!sentence, !sentence, !sentence) -> !sentence
    %normed = tarray.parallel_foreach (%t in %sentence : !sentence, %s in %a : !sentence) {
      %0 = stablehlo.add %t, %s : tensor<512xf32>
      %1 = func.call @norm(%0, %scale1, %shift1) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
      tarray.yield %1 : tensor<512xf32>
    }
    tarray.yield %normed : !sentence
  }
  %y = tarray.parallel_foreach (%sentence in %seen : !batch) {
    %fed = tarray.parallel_foreach (%t in %sentence : !sentence) {
      %zero = stablehlo.constant dense<0.0> : tensor<2048xf32>
      %0 = stablehlo.dot_general %t, %w1, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x2048xf32>) -> tensor<2048xf32>
      %1 = stablehlo.add %0, %b1 : tensor<2048xf32>
      %2 = stablehlo.maximum %1, %zero : tensor<2048xf32>
      %3 = stablehlo.dot_general %2, %w2, contracting_dims = [0] x [0] : (tensor<2048xf32>, tensor<2048x512xf32>) -> tensor<512xf32>
      %4 = stablehlo.add %3, %b2 : tensor<512xf32>
      %5 = stablehlo.add %t, %4 : tensor<512xf32>
      %6 = func.call @norm(%5, %scale2, %shift2) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
      tarray.yield %6 : tensor<512xf32>
    }
    tarray.yield %fed : !sentence
  }
  return %y : !batch
}
