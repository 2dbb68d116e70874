// RUN: mapwright-opt %s --indexing-differentiate="of=complement wrt=0" | FileCheck %s --check-prefix=BELL
// RUN: mapwright-opt %s --indexing-differentiate="of=another wrt=0" | FileCheck %s --check-prefix=PIECES
// RUN: mapwright-opt %s --indexing-differentiate="of=except wrt=0" | FileCheck %s --check-prefix=EXCEPT
// An approximation of erfc by a polynomial, and an exponential times a polynomial of 1/|x|, has the derivative of erfc: pieces are not differentiated, and
// not needed any more.
// BELL-LABEL: func.func @complement_vjp
// BELL-NOT: stablehlo.select
// BELL: stablehlo.multiply %arg0, %arg0
// BELL: stablehlo.exponential
// BELL: dense<-1.128379
// BELL-NOT: stablehlo.select
// BELL-NOT: stablehlo.divide
// BELL: return
// Nearly the same function is not erfc: its pieces have their derivatives.
// PIECES-LABEL: func.func @another_vjp
// PIECES: stablehlo.select
// PIECES: return
// Neither is a function that is erfc but for an interval that is shorter than any grid: there its derivative is zero.
// EXCEPT-LABEL: func.func @except_vjp
// EXCEPT: stablehlo.constant dense<-1.128379
// EXCEPT: stablehlo.select
// EXCEPT: return
func.func @complement(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %square = stablehlo.multiply %x, %x : tensor<4xf32>
  %sc6 = stablehlo.constant dense<7.8824974E-05> : tensor<4xf32>
  %sc5 = stablehlo.constant dense<-0.0008018855> : tensor<4xf32>
  %sm5 = stablehlo.multiply %sc6, %square : tensor<4xf32>
  %sa5 = stablehlo.add %sm5, %sc5 : tensor<4xf32>
  %sc4 = stablehlo.constant dense<0.005189312> : tensor<4xf32>
  %sm4 = stablehlo.multiply %sa5, %square : tensor<4xf32>
  %sa4 = stablehlo.add %sm4, %sc4 : tensor<4xf32>
  %sc3 = stablehlo.constant dense<-0.026854329> : tensor<4xf32>
  %sm3 = stablehlo.multiply %sa4, %square : tensor<4xf32>
  %sa3 = stablehlo.add %sm3, %sc3 : tensor<4xf32>
  %sc2 = stablehlo.constant dense<0.11283597> : tensor<4xf32>
  %sm2 = stablehlo.multiply %sa3, %square : tensor<4xf32>
  %sa2 = stablehlo.add %sm2, %sc2 : tensor<4xf32>
  %sc1 = stablehlo.constant dense<-0.37612626> : tensor<4xf32>
  %sm1 = stablehlo.multiply %sa2, %square : tensor<4xf32>
  %sa1 = stablehlo.add %sm1, %sc1 : tensor<4xf32>
  %sc0 = stablehlo.constant dense<1.1283791> : tensor<4xf32>
  %sm0 = stablehlo.multiply %sa1, %square : tensor<4xf32>
  %sa0 = stablehlo.add %sm0, %sc0 : tensor<4xf32>
  %odd = stablehlo.multiply %x, %sa0 : tensor<4xf32>
  %near = stablehlo.subtract %one, %odd : tensor<4xf32>
  %y = stablehlo.abs %x : tensor<4xf32>
  %inverse = stablehlo.divide %one, %y : tensor<4xf32>
  %tc9 = stablehlo.constant dense<0.062572494> : tensor<4xf32>
  %tc8 = stablehlo.constant dense<-0.35384253> : tensor<4xf32>
  %tm8 = stablehlo.multiply %tc9, %inverse : tensor<4xf32>
  %ta8 = stablehlo.add %tm8, %tc8 : tensor<4xf32>
  %tc7 = stablehlo.constant dense<0.8499692> : tensor<4xf32>
  %tm7 = stablehlo.multiply %ta8, %inverse : tensor<4xf32>
  %ta7 = stablehlo.add %tm7, %tc7 : tensor<4xf32>
  %tc6 = stablehlo.constant dense<-1.0884403> : tensor<4xf32>
  %tm6 = stablehlo.multiply %ta7, %inverse : tensor<4xf32>
  %ta6 = stablehlo.add %tm6, %tc6 : tensor<4xf32>
  %tc5 = stablehlo.constant dense<0.6984003> : tensor<4xf32>
  %tm5 = stablehlo.multiply %ta6, %inverse : tensor<4xf32>
  %ta5 = stablehlo.add %tm5, %tc5 : tensor<4xf32>
  %tc4 = stablehlo.constant dense<-0.016911548> : tensor<4xf32>
  %tm4 = stablehlo.multiply %ta5, %inverse : tensor<4xf32>
  %ta4 = stablehlo.add %tm4, %tc4 : tensor<4xf32>
  %tc3 = stablehlo.constant dense<-0.29038227> : tensor<4xf32>
  %tm3 = stablehlo.multiply %ta4, %inverse : tensor<4xf32>
  %ta3 = stablehlo.add %tm3, %tc3 : tensor<4xf32>
  %tc2 = stablehlo.constant dense<0.002245375> : tensor<4xf32>
  %tm2 = stablehlo.multiply %ta3, %inverse : tensor<4xf32>
  %ta2 = stablehlo.add %tm2, %tc2 : tensor<4xf32>
  %tc1 = stablehlo.constant dense<0.56396466> : tensor<4xf32>
  %tm1 = stablehlo.multiply %ta2, %inverse : tensor<4xf32>
  %ta1 = stablehlo.add %tm1, %tc1 : tensor<4xf32>
  %tc0 = stablehlo.constant dense<8.199254E-06> : tensor<4xf32>
  %tm0 = stablehlo.multiply %ta1, %inverse : tensor<4xf32>
  %ta0 = stablehlo.add %tm0, %tc0 : tensor<4xf32>
  %minus = stablehlo.negate %square : tensor<4xf32>
  %bell = stablehlo.exponential %minus : tensor<4xf32>
  %tail = stablehlo.multiply %bell, %ta0 : tensor<4xf32>
  %other = stablehlo.subtract %two, %tail : tensor<4xf32>
  %left = stablehlo.compare LT, %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %far = stablehlo.select %left, %other, %tail : tensor<4xi1>, tensor<4xf32>
  %is_near = stablehlo.compare LT, %y, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %r = stablehlo.select %is_near, %near, %far : tensor<4xi1>, tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @another(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %square = stablehlo.multiply %x, %x : tensor<4xf32>
  %sc6 = stablehlo.constant dense<7.8824974E-05> : tensor<4xf32>
  %sc5 = stablehlo.constant dense<-0.0008018855> : tensor<4xf32>
  %sm5 = stablehlo.multiply %sc6, %square : tensor<4xf32>
  %sa5 = stablehlo.add %sm5, %sc5 : tensor<4xf32>
  %sc4 = stablehlo.constant dense<0.005189312> : tensor<4xf32>
  %sm4 = stablehlo.multiply %sa5, %square : tensor<4xf32>
  %sa4 = stablehlo.add %sm4, %sc4 : tensor<4xf32>
  %sc3 = stablehlo.constant dense<-0.026881183> : tensor<4xf32>
  %sm3 = stablehlo.multiply %sa4, %square : tensor<4xf32>
  %sa3 = stablehlo.add %sm3, %sc3 : tensor<4xf32>
  %sc2 = stablehlo.constant dense<0.11283597> : tensor<4xf32>
  %sm2 = stablehlo.multiply %sa3, %square : tensor<4xf32>
  %sa2 = stablehlo.add %sm2, %sc2 : tensor<4xf32>
  %sc1 = stablehlo.constant dense<-0.37612626> : tensor<4xf32>
  %sm1 = stablehlo.multiply %sa2, %square : tensor<4xf32>
  %sa1 = stablehlo.add %sm1, %sc1 : tensor<4xf32>
  %sc0 = stablehlo.constant dense<1.1283791> : tensor<4xf32>
  %sm0 = stablehlo.multiply %sa1, %square : tensor<4xf32>
  %sa0 = stablehlo.add %sm0, %sc0 : tensor<4xf32>
  %odd = stablehlo.multiply %x, %sa0 : tensor<4xf32>
  %near = stablehlo.subtract %one, %odd : tensor<4xf32>
  %y = stablehlo.abs %x : tensor<4xf32>
  %inverse = stablehlo.divide %one, %y : tensor<4xf32>
  %tc9 = stablehlo.constant dense<0.062572494> : tensor<4xf32>
  %tc8 = stablehlo.constant dense<-0.35384253> : tensor<4xf32>
  %tm8 = stablehlo.multiply %tc9, %inverse : tensor<4xf32>
  %ta8 = stablehlo.add %tm8, %tc8 : tensor<4xf32>
  %tc7 = stablehlo.constant dense<0.8499692> : tensor<4xf32>
  %tm7 = stablehlo.multiply %ta8, %inverse : tensor<4xf32>
  %ta7 = stablehlo.add %tm7, %tc7 : tensor<4xf32>
  %tc6 = stablehlo.constant dense<-1.0884403> : tensor<4xf32>
  %tm6 = stablehlo.multiply %ta7, %inverse : tensor<4xf32>
  %ta6 = stablehlo.add %tm6, %tc6 : tensor<4xf32>
  %tc5 = stablehlo.constant dense<0.6984003> : tensor<4xf32>
  %tm5 = stablehlo.multiply %ta6, %inverse : tensor<4xf32>
  %ta5 = stablehlo.add %tm5, %tc5 : tensor<4xf32>
  %tc4 = stablehlo.constant dense<-0.016911548> : tensor<4xf32>
  %tm4 = stablehlo.multiply %ta5, %inverse : tensor<4xf32>
  %ta4 = stablehlo.add %tm4, %tc4 : tensor<4xf32>
  %tc3 = stablehlo.constant dense<-0.29038227> : tensor<4xf32>
  %tm3 = stablehlo.multiply %ta4, %inverse : tensor<4xf32>
  %ta3 = stablehlo.add %tm3, %tc3 : tensor<4xf32>
  %tc2 = stablehlo.constant dense<0.002245375> : tensor<4xf32>
  %tm2 = stablehlo.multiply %ta3, %inverse : tensor<4xf32>
  %ta2 = stablehlo.add %tm2, %tc2 : tensor<4xf32>
  %tc1 = stablehlo.constant dense<0.56396466> : tensor<4xf32>
  %tm1 = stablehlo.multiply %ta2, %inverse : tensor<4xf32>
  %ta1 = stablehlo.add %tm1, %tc1 : tensor<4xf32>
  %tc0 = stablehlo.constant dense<8.199254E-06> : tensor<4xf32>
  %tm0 = stablehlo.multiply %ta1, %inverse : tensor<4xf32>
  %ta0 = stablehlo.add %tm0, %tc0 : tensor<4xf32>
  %minus = stablehlo.negate %square : tensor<4xf32>
  %bell = stablehlo.exponential %minus : tensor<4xf32>
  %tail = stablehlo.multiply %bell, %ta0 : tensor<4xf32>
  %other = stablehlo.subtract %two, %tail : tensor<4xf32>
  %left = stablehlo.compare LT, %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %far = stablehlo.select %left, %other, %tail : tensor<4xi1>, tensor<4xf32>
  %is_near = stablehlo.compare LT, %y, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %r = stablehlo.select %is_near, %near, %far : tensor<4xi1>, tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @except(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %square = stablehlo.multiply %x, %x : tensor<4xf32>
  %sc6 = stablehlo.constant dense<7.8824974E-05> : tensor<4xf32>
  %sc5 = stablehlo.constant dense<-0.0008018855> : tensor<4xf32>
  %sm5 = stablehlo.multiply %sc6, %square : tensor<4xf32>
  %sa5 = stablehlo.add %sm5, %sc5 : tensor<4xf32>
  %sc4 = stablehlo.constant dense<0.005189312> : tensor<4xf32>
  %sm4 = stablehlo.multiply %sa5, %square : tensor<4xf32>
  %sa4 = stablehlo.add %sm4, %sc4 : tensor<4xf32>
  %sc3 = stablehlo.constant dense<-0.026854329> : tensor<4xf32>
  %sm3 = stablehlo.multiply %sa4, %square : tensor<4xf32>
  %sa3 = stablehlo.add %sm3, %sc3 : tensor<4xf32>
  %sc2 = stablehlo.constant dense<0.11283597> : tensor<4xf32>
  %sm2 = stablehlo.multiply %sa3, %square : tensor<4xf32>
  %sa2 = stablehlo.add %sm2, %sc2 : tensor<4xf32>
  %sc1 = stablehlo.constant dense<-0.37612626> : tensor<4xf32>
  %sm1 = stablehlo.multiply %sa2, %square : tensor<4xf32>
  %sa1 = stablehlo.add %sm1, %sc1 : tensor<4xf32>
  %sc0 = stablehlo.constant dense<1.1283791> : tensor<4xf32>
  %sm0 = stablehlo.multiply %sa1, %square : tensor<4xf32>
  %sa0 = stablehlo.add %sm0, %sc0 : tensor<4xf32>
  %odd = stablehlo.multiply %x, %sa0 : tensor<4xf32>
  %near = stablehlo.subtract %one, %odd : tensor<4xf32>
  %y = stablehlo.abs %x : tensor<4xf32>
  %inverse = stablehlo.divide %one, %y : tensor<4xf32>
  %tc9 = stablehlo.constant dense<0.062572494> : tensor<4xf32>
  %tc8 = stablehlo.constant dense<-0.35384253> : tensor<4xf32>
  %tm8 = stablehlo.multiply %tc9, %inverse : tensor<4xf32>
  %ta8 = stablehlo.add %tm8, %tc8 : tensor<4xf32>
  %tc7 = stablehlo.constant dense<0.8499692> : tensor<4xf32>
  %tm7 = stablehlo.multiply %ta8, %inverse : tensor<4xf32>
  %ta7 = stablehlo.add %tm7, %tc7 : tensor<4xf32>
  %tc6 = stablehlo.constant dense<-1.0884403> : tensor<4xf32>
  %tm6 = stablehlo.multiply %ta7, %inverse : tensor<4xf32>
  %ta6 = stablehlo.add %tm6, %tc6 : tensor<4xf32>
  %tc5 = stablehlo.constant dense<0.6984003> : tensor<4xf32>
  %tm5 = stablehlo.multiply %ta6, %inverse : tensor<4xf32>
  %ta5 = stablehlo.add %tm5, %tc5 : tensor<4xf32>
  %tc4 = stablehlo.constant dense<-0.016911548> : tensor<4xf32>
  %tm4 = stablehlo.multiply %ta5, %inverse : tensor<4xf32>
  %ta4 = stablehlo.add %tm4, %tc4 : tensor<4xf32>
  %tc3 = stablehlo.constant dense<-0.29038227> : tensor<4xf32>
  %tm3 = stablehlo.multiply %ta4, %inverse : tensor<4xf32>
  %ta3 = stablehlo.add %tm3, %tc3 : tensor<4xf32>
  %tc2 = stablehlo.constant dense<0.002245375> : tensor<4xf32>
  %tm2 = stablehlo.multiply %ta3, %inverse : tensor<4xf32>
  %ta2 = stablehlo.add %tm2, %tc2 : tensor<4xf32>
  %tc1 = stablehlo.constant dense<0.56396466> : tensor<4xf32>
  %tm1 = stablehlo.multiply %ta2, %inverse : tensor<4xf32>
  %ta1 = stablehlo.add %tm1, %tc1 : tensor<4xf32>
  %tc0 = stablehlo.constant dense<8.199254E-06> : tensor<4xf32>
  %tm0 = stablehlo.multiply %ta1, %inverse : tensor<4xf32>
  %ta0 = stablehlo.add %tm0, %tc0 : tensor<4xf32>
  %minus = stablehlo.negate %square : tensor<4xf32>
  %bell = stablehlo.exponential %minus : tensor<4xf32>
  %tail = stablehlo.multiply %bell, %ta0 : tensor<4xf32>
  %other = stablehlo.subtract %two, %tail : tensor<4xf32>
  %left = stablehlo.compare LT, %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %far = stablehlo.select %left, %other, %tail : tensor<4xi1>, tensor<4xf32>
  %is_near = stablehlo.compare LT, %y, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %r = stablehlo.select %is_near, %near, %far : tensor<4xi1>, tensor<4xf32>
  %low = stablehlo.constant dense<0.5> : tensor<4xf32>
  %high = stablehlo.constant dense<0.5001> : tensor<4xf32>
  %above = stablehlo.compare GT, %x, %low : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %below = stablehlo.select %above, %one, %r : tensor<4xi1>, tensor<4xf32>
  %beyond = stablehlo.compare GT, %x, %high : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %all = stablehlo.select %beyond, %r, %below : tensor<4xi1>, tensor<4xf32>
  return %all : tensor<4xf32>
}
