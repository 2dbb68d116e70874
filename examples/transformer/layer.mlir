// An encoder layer of a Transformer over sentences of different lengths: d = 512, 8 heads, 2048 hidden features. At most 4 sentences of at most 24
// tokens; how many there are, and how long each is, is known at run time only. A token is a vector of 512 numbers: the embedding of its word.
// @main is the layer alone, @encoder what goes before it too (the embedding of words and of their places), and dropout. @batched is the layer as well: @one,
// which knows of one sentence, a matrix with a row a token, for all sentences by `vectorize`.
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

// The same on matrices with a row a token.
func.func private @attend(%qs: tensor<?x512xf32>, %ks: tensor<?x512xf32>, %vs: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %scale = stablehlo.constant dense<0.125> : tensor<f32>
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
  return %joined : tensor<?x512xf32>
}

// The layer of one sentence.
func.func private @one(%x: tensor<?x512xf32>, %wq: tensor<512x512xf32>, %wk: tensor<512x512xf32>, %wv: tensor<512x512xf32>,
                       %scale1: tensor<512xf32>, %shift1: tensor<512xf32>, %w1: tensor<512x2048xf32>, %b1: tensor<2048xf32>,
                       %w2: tensor<2048x512xf32>, %b2: tensor<512xf32>, %scale2: tensor<512xf32>, %shift2: tensor<512xf32>) -> tensor<?x512xf32> {
  %q = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %k = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %v = stablehlo.dot_general %x, %wv, contracting_dims = [1] x [0] : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %a = func.call @attend(%q, %k, %v) : (tensor<?x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %seen = stablehlo.add %x, %a : tensor<?x512xf32>
  %normed = tarray.apply_along_axis dim = 1 (%t in %seen : tensor<?x512xf32>) {
    %0 = func.call @norm(%t, %scale1, %shift1) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    tarray.yield %0 : tensor<512xf32>
  }
  %products = stablehlo.dot_general %normed, %w1, contracting_dims = [1] x [0] : (tensor<?x512xf32>, tensor<512x2048xf32>) -> tensor<?x2048xf32>
  %hidden = tarray.broadcast (%e in %products : tensor<?x2048xf32>, %b = %b1 : tensor<2048xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %e, %b : tensor<f32>
    %1 = stablehlo.maximum %0, %zero : tensor<f32>
    tarray.yield %1 : tensor<f32>
  }
  %fed = stablehlo.dot_general %hidden, %w2, contracting_dims = [1] x [0] : (tensor<?x2048xf32>, tensor<2048x512xf32>) -> tensor<?x512xf32>
  %shifted = tarray.broadcast (%e in %fed : tensor<?x512xf32>, %b = %b2 : tensor<512xf32>) {
    %0 = stablehlo.add %e, %b : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }
  %all = stablehlo.add %normed, %shifted : tensor<?x512xf32>
  %y = tarray.apply_along_axis dim = 1 (%t in %all : tensor<?x512xf32>) {
    %0 = func.call @norm(%t, %scale2, %shift2) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    tarray.yield %0 : tensor<512xf32>
  }
  return %y : tensor<?x512xf32>
}

func.func @batched(%x: !batch, %wq: tensor<512x512xf32>, %wk: tensor<512x512xf32>, %wv: tensor<512x512xf32>,
                   %scale1: tensor<512xf32>, %shift1: tensor<512xf32>, %w1: tensor<512x2048xf32>, %b1: tensor<2048xf32>,
                   %w2: tensor<2048x512xf32>, %b2: tensor<512xf32>, %scale2: tensor<512xf32>, %shift2: tensor<512xf32>) -> !batch {
  %y = tarray.vectorize @one(%x, %wq, %wk, %wv, %scale1, %shift1, %w1, %b1, %w2, %b2, %scale2, %shift2)
    : !batch, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x2048xf32>, tensor<2048xf32>,
      tensor<2048x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32> -> !batch
  return %y : !batch
}

// The numbers of words, and what they become: a row of the table by the square root of 512, and the sines and cosines of the place in the sentence.
!words = !tarray.array<tensor<i64>, max = 24>
!lines = !tarray.array<!tarray.array<tensor<i64>, max = 24>, max = 4>

func.func private @embedded(%word: tensor<i64>, %place: tensor<i64>, %table: tensor<1000x512xf32>) -> tensor<512xf32> {
  %root = stablehlo.constant dense<22.627417> : tensor<512xf32>
  %row = tarray.slice %table at %word dim = 0 keep_dim = false : tensor<1000x512xf32>, tensor<i64>
  %scaled = stablehlo.multiply %row, %root : tensor<512xf32>
  // Features 2 i and 2 i + 1 are the sine and the cosine of place / 10000^(2 i / 512).
  %rate = stablehlo.constant dense<-0.017988946> : tensor<512xf32>
  %two = stablehlo.constant dense<2> : tensor<512xi64>
  %number = stablehlo.iota dim = 0 : tensor<512xi64>
  %odd = stablehlo.remainder %number, %two : tensor<512xi64>
  %even = stablehlo.subtract %number, %odd : tensor<512xi64>
  %exponent = stablehlo.convert %even : (tensor<512xi64>) -> tensor<512xf32>
  %power = stablehlo.multiply %exponent, %rate : tensor<512xf32>
  %frequency = stablehlo.exponential %power : tensor<512xf32>
  %all = stablehlo.broadcast_in_dim %place, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %places = stablehlo.convert %all : (tensor<512xi64>) -> tensor<512xf32>
  %angle = stablehlo.multiply %places, %frequency : tensor<512xf32>
  %sine = stablehlo.sine %angle : tensor<512xf32>
  %cosine = stablehlo.cosine %angle : tensor<512xf32>
  %is_odd = stablehlo.convert %odd : (tensor<512xi64>) -> tensor<512xi1>
  %encoding = stablehlo.select %is_odd, %cosine, %sine : tensor<512xi1>, tensor<512xf32>
  %sum = stablehlo.add %scaled, %encoding : tensor<512xf32>
  return %sum : tensor<512xf32>
}

// Half of the features become zero, and the others twice what they were. Which ones follows from a seed, the word, its place and the feature's number.
func.func private @dropout(%x: tensor<512xf32>, %word: tensor<i64>, %place: tensor<i64>, %seed: tensor<ui32>) -> tensor<512xf32> {
  %a = stablehlo.constant dense<2654435761> : tensor<ui32>
  %b = stablehlo.constant dense<2246822519> : tensor<ui32>
  %c = stablehlo.constant dense<3266489917> : tensor<512xui32>
  %d = stablehlo.constant dense<2146121005> : tensor<512xui32>
  %e = stablehlo.constant dense<2221713035> : tensor<512xui32>
  %16 = stablehlo.constant dense<16> : tensor<512xui32>
  %15 = stablehlo.constant dense<15> : tensor<512xui32>
  %31 = stablehlo.constant dense<31> : tensor<512xui32>
  %zero = stablehlo.constant dense<0.0> : tensor<512xf32>
  %w = stablehlo.convert %word : (tensor<i64>) -> tensor<ui32>
  %p = stablehlo.convert %place : (tensor<i64>) -> tensor<ui32>
  %w1 = stablehlo.multiply %w, %a : tensor<ui32>
  %p1 = stablehlo.multiply %p, %b : tensor<ui32>
  %s1 = stablehlo.xor %seed, %w1 : tensor<ui32>
  %s2 = stablehlo.add %s1, %p1 : tensor<ui32>
  %s3 = stablehlo.broadcast_in_dim %s2, dims = [] : (tensor<ui32>) -> tensor<512xui32>
  %k = stablehlo.iota dim = 0 : tensor<512xui32>
  %k1 = stablehlo.multiply %k, %c : tensor<512xui32>
  %h = stablehlo.add %s3, %k1 : tensor<512xui32>
  %h1 = stablehlo.shift_right_logical %h, %16 : tensor<512xui32>
  %h2 = stablehlo.xor %h, %h1 : tensor<512xui32>
  %h3 = stablehlo.multiply %h2, %d : tensor<512xui32>
  %h4 = stablehlo.shift_right_logical %h3, %15 : tensor<512xui32>
  %h5 = stablehlo.xor %h3, %h4 : tensor<512xui32>
  %h6 = stablehlo.multiply %h5, %e : tensor<512xui32>
  %h7 = stablehlo.shift_right_logical %h6, %16 : tensor<512xui32>
  %h8 = stablehlo.xor %h6, %h7 : tensor<512xui32>
  %last = stablehlo.shift_right_logical %h8, %31 : tensor<512xui32>
  %drops = stablehlo.convert %last : (tensor<512xui32>) -> tensor<512xi1>
  %twice = stablehlo.add %x, %x : tensor<512xf32>
  %kept = stablehlo.select %drops, %zero, %twice : tensor<512xi1>, tensor<512xf32>
  return %kept : tensor<512xf32>
}

func.func @encoder(%words: !lines, %table: tensor<1000x512xf32>, %seed: tensor<ui32>,
                   %wq: tensor<512x512xf32>, %wk: tensor<512x512xf32>, %wv: tensor<512x512xf32>,
                   %scale1: tensor<512xf32>, %shift1: tensor<512xf32>, %w1: tensor<512x2048xf32>, %b1: tensor<2048xf32>,
                   %w2: tensor<2048x512xf32>, %b2: tensor<512xf32>, %scale2: tensor<512xf32>, %shift2: tensor<512xf32>) -> !batch {
  %from = stablehlo.constant dense<0> : tensor<i64>
  %step = stablehlo.constant dense<1> : tensor<i64>
  %y = tarray.parallel_foreach (%line in %words : !lines) {
    %n = tarray.length %line : !words
    %places = tarray.arange %from, %n, %step max = 24 : tensor<i64>, tensor<i64>, tensor<i64>
    %x, %q, %k, %v = tarray.parallel_foreach (%word in %line : !words, %place in %places : !words) {
      %t = func.call @embedded(%word, %place, %table) : (tensor<i64>, tensor<i64>, tensor<1000x512xf32>) -> tensor<512xf32>
      %0 = stablehlo.dot_general %t, %wq, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32>
      %1 = stablehlo.dot_general %t, %wk, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32>
      %2 = stablehlo.dot_general %t, %wv, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32>
      tarray.yield %t, %0, %1, %2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
    }
    %a = func.call @attention(%q, %k, %v) : (!sentence, !sentence, !sentence) -> !sentence
    %fed = tarray.parallel_foreach (%t in %x : !sentence, %s in %a : !sentence, %word in %line : !words, %place in %places : !words) {
      %zero = stablehlo.constant dense<0.0> : tensor<2048xf32>
      %0 = stablehlo.add %t, %s : tensor<512xf32>
      %1 = func.call @norm(%0, %scale1, %shift1) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
      %2 = stablehlo.dot_general %1, %w1, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x2048xf32>) -> tensor<2048xf32>
      %3 = stablehlo.add %2, %b1 : tensor<2048xf32>
      %4 = stablehlo.maximum %3, %zero : tensor<2048xf32>
      %5 = stablehlo.dot_general %4, %w2, contracting_dims = [0] x [0] : (tensor<2048xf32>, tensor<2048x512xf32>) -> tensor<512xf32>
      %6 = stablehlo.add %5, %b2 : tensor<512xf32>
      %7 = func.call @dropout(%6, %word, %place, %seed) : (tensor<512xf32>, tensor<i64>, tensor<i64>, tensor<ui32>) -> tensor<512xf32>
      %8 = stablehlo.add %1, %7 : tensor<512xf32>
      %9 = func.call @norm(%8, %scale2, %shift2) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
      tarray.yield %9 : tensor<512xf32>
    }
    tarray.yield %fed : !sentence
  }
  return %y : !batch
}
