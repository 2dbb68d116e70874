//! Each fast path switched off by itself: the code changes, the results do not (beyond the order of
//! additions).

mod case;

use crate::ways::{self, Numbers, compile, numbers, run};
use case::{Case, case, scatter, softmax, sorted};
use mapwright_codegen::{FAST_PATHS, Options, emitters};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, pipeline::lowered_text};

/// Sizes are primes and such, so that the ends of loops are taken too.
fn cases() -> Vec<Case> {
    let reduce = |name: &str, from: &str, to: &str, dims: &str| {
        format!(
            "stablehlo.reduce({name} init: %z) applies stablehlo.add across dimensions = [{dims}] : ({from}, tensor<f32>) -> {to}"
        )
    };
    let zero = "%z = stablehlo.constant dense<0.0> : tensor<f32>";
    let rows = "%x: tensor<37x301xf32>";
    let arrays = |path: &'static str| {
        let list = "!tarray.array<tensor<64xf32>, max = 16>";
        let body = format!(
            "%p = stablehlo.constant dense<0.0> : tensor<f32>
             %x = tarray.from_offsets %v, %o, %i max = [8, 16] : tensor<128x64xf32>, tensor<2xi64>, tensor<9xi64>
             %y = tarray.parallel_foreach (%l in %x : !tarray.array<{list}, max = 8>) {{
               %z = tarray.parallel_foreach (%t in %l : {list}) {{
                 %0 = stablehlo.dot_general %t, %w, contracting_dims = [0] x [0] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
                 tarray.yield %0 : tensor<64xf32>
               }}
               %s = tarray.stack %z dim = 0 padding %p : {list}, tensor<f32>
               tarray.yield %s : tensor<16x64xf32>
             }}
             %r = tarray.stack %y dim = 0 padding %p : !tarray.array<tensor<16x64xf32>, max = 8>, tensor<f32>"
        );
        let arguments =
            "%v: tensor<128x64xf32>, %o: tensor<2xi64>, %i: tensor<9xi64>, %w: tensor<64x64xf32>";
        case(path, 0.1, arguments, "tensor<8x16x64xf32>", &body)
    };
    vec![
        arrays("distribution"),
        arrays("batching"),
        case(
            "common-values",
            0.1,
            "%x: tensor<37x41xf32>, %y: tensor<41x29xf32>",
            "tensor<37x29xf32>",
            "%a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<37x41xf32>, tensor<41x29xf32>) -> tensor<37x29xf32>
             %b = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<37x41xf32>, tensor<41x29xf32>) -> tensor<37x29xf32>
             %c = stablehlo.tanh %a : tensor<37x29xf32>
             %r = stablehlo.add %b, %c : tensor<37x29xf32>",
        ),
        case(
            "fusion",
            0.0,
            "%x: tensor<37x301xf32>",
            "tensor<37x301xf32>",
            "%a = stablehlo.negate %x : tensor<37x301xf32>
             %r = stablehlo.add %a, %x : tensor<37x301xf32>",
        ),
        case(
            "movement",
            0.0,
            "%x: tensor<37x301xf32>, %y: tensor<5x37xf32>",
            "tensor<306x37xf32>",
            "%a = stablehlo.transpose %x, dims = [1, 0] : (tensor<37x301xf32>) -> tensor<301x37xf32>
             %b = stablehlo.concatenate %a, %y, dim = 0 : (tensor<301x37xf32>, tensor<5x37xf32>) -> tensor<306x37xf32>
             %r = stablehlo.negate %b : tensor<306x37xf32>",
        ),
        case(
            "rounds",
            0.0,
            "%x: tensor<37x301xf32>",
            "tensor<37x301xf32>",
            "%0 = stablehlo.constant dense<0> : tensor<i32>
             %1 = stablehlo.constant dense<1> : tensor<i32>
             %n = stablehlo.constant dense<37> : tensor<i32>
             %c = stablehlo.constant dense<0.0> : tensor<1x301xf32>
             %e = stablehlo.constant dense<0.0> : tensor<37x301xf32>
             %l:3 = stablehlo.while(%i = %0, %m = %c, %h = %e) : tensor<i32>, tensor<1x301xf32>, tensor<37x301xf32>
             cond {
               %b = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %b : tensor<i1>
             } do {
               %s = stablehlo.dynamic_slice %x, %i, %0, sizes = [1, 301] : (tensor<37x301xf32>, tensor<i32>, tensor<i32>) -> tensor<1x301xf32>
               %t = stablehlo.maximum %m, %s : tensor<1x301xf32>
               %u = stablehlo.dynamic_update_slice %h, %t, %i, %0 : (tensor<37x301xf32>, tensor<1x301xf32>, tensor<i32>, tensor<i32>) -> tensor<37x301xf32>
               %j = stablehlo.add %i, %1 : tensor<i32>
               stablehlo.return %j, %t, %u : tensor<i32>, tensor<1x301xf32>, tensor<37x301xf32>
             }
             %r = stablehlo.negate %l#2 : tensor<37x301xf32>",
        ),
        case(
            "simplified-maps",
            0.0,
            "%x: tensor<5x12x12xf32>",
            "tensor<30x24xf32>",
            "%a = stablehlo.reshape %x : (tensor<5x12x12xf32>) -> tensor<18x10x4xf32>\n\
             %b = stablehlo.reshape %a : (tensor<18x10x4xf32>) -> tensor<24x30xf32>\n\
             %r = stablehlo.transpose %b, dims = [1, 0] : (tensor<24x30xf32>) -> tensor<30x24xf32>",
        ),
        case(
            "named-sizes",
            0.1,
            "%x: tensor<f32>, %s: tensor<2xi32>",
            "tensor<f32>",
            &format!(
                "{zero}
                 %b = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
                 %t = stablehlo.tanh %b : tensor<?x?xf32>
                 %c = {}
                 %e = stablehlo.negate %c : tensor<?xf32>
                 %r = {}",
                reduce("%t", "tensor<?x?xf32>", "tensor<?xf32>", "0"),
                reduce("%e", "tensor<?xf32>", "tensor<f32>", "0")
            ),
        ),
        case(
            "slabs",
            0.0,
            "%x: tensor<50x101xf32>, %i: tensor<37x1xi32>, %u: tensor<37x101xf32>",
            "tensor<50x101xf32>",
            &scatter(
                "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                ["tensor<50x101xf32>", "tensor<37x1xi32>", "tensor<37x101xf32>"],
                "f32",
            ),
        ),
        case(
            "split-reduction",
            0.0,
            "%x: tensor<101xi32>, %i: tensor<262150x1xi32>, %u: tensor<262150xi32>",
            "tensor<101xi32>",
            &scatter(
                "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                ["tensor<101xi32>", "tensor<262150x1xi32>", "tensor<262150xi32>"],
                "i32",
            ),
        ),
        case(
            "split-reduction",
            0.0,
            "%x: tensor<37500x7xi32>",
            "tensor<7xi32>",
            "%z = stablehlo.constant dense<0> : tensor<i32>
             %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<37500x7xi32>, tensor<i32>) -> tensor<7xi32>",
        ),
        case(
            "less-memory",
            0.0,
            "%x: tensor<67x73xf32>, %w: tensor<73x73xf32>",
            "tensor<67x73xf32>",
            "%o = stablehlo.constant dense<1.0> : tensor<67x73xf32>
             %t = stablehlo.tanh %x : tensor<67x73xf32>
             %u = stablehlo.subtract %o, %t : tensor<67x73xf32>
             %p = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] : (tensor<67x73xf32>, tensor<73x73xf32>) -> tensor<67x73xf32>
             %q = stablehlo.dot_general %p, %w, contracting_dims = [1] x [0] : (tensor<67x73xf32>, tensor<73x73xf32>) -> tensor<67x73xf32>
             %v = stablehlo.multiply %q, %u : tensor<67x73xf32>
             %r = stablehlo.multiply %v, %t : tensor<67x73xf32>",
        ),
        case(
            "result-memory",
            0.0,
            "%x: tensor<41x41xf32>",
            "tensor<41x41xf32>",
            "%a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<41x41xf32>, tensor<41x41xf32>) -> tensor<41x41xf32>
             %b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<41x41xf32>, tensor<41x41xf32>) -> tensor<41x41xf32>
             %r = stablehlo.dot_general %b, %x, contracting_dims = [1] x [0] : (tensor<41x41xf32>, tensor<41x41xf32>) -> tensor<41x41xf32>",
        ),
        case(
            "overlap",
            0.0,
            "%x: tensor<41x41xf32>, %y: tensor<41x41xf32>",
            "tensor<41x41xf32>",
            "%a = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
             ^bb0(%p: tensor<f32>, %q: tensor<f32>):
               %s = stablehlo.add %p, %q : tensor<f32>
               stablehlo.return %s : tensor<f32>
             }) : (tensor<41x41xf32>) -> tensor<41x41xf32>
             %b = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<41x41xf32>, tensor<41x41xf32>) -> tensor<41x41xf32>
             %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<41x41xf32>, tensor<41x41xf32>) -> tensor<41x41xf32>",
        ),
        case(
            "views",
            0.0,
            "%x: tensor<64x32xf32>, %w: tensor<32x32xf32>, %i: tensor<i32>",
            "tensor<16x32xf32>",
            "%zero = stablehlo.constant dense<0> : tensor<i32>
             %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [16, 32] : (tensor<64x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
             %r = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>",
        ),
        case(
            "unit-dims",
            1e-3,
            "%x: tensor<23x1x61xf32>, %y: tensor<61x43xf32>, %w: tensor<43x29xf32>",
            "tensor<23x1x29xf32>",
            &format!(
                "{zero}
                 %p = stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<23x1x61xf32>, tensor<61x43xf32>) -> tensor<23x1x43xf32>
                 %s = {}
                 %b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<23x1xf32>) -> tensor<23x1x43xf32>
                 %q = stablehlo.subtract %p, %b : tensor<23x1x43xf32>
                 %r = stablehlo.dot_general %q, %w, contracting_dims = [2] x [0] : (tensor<23x1x43xf32>, tensor<43x29xf32>) -> tensor<23x1x29xf32>",
                reduce("%p", "tensor<23x1x43xf32>", "tensor<23x1xf32>", "2")
            ),
        ),
        case(
            "complex-products",
            1e-3,
            "%x: tensor<31x37xf32>, %y: tensor<31x37xf32>, %w: tensor<37x41xf32>",
            "tensor<31x41xf32>",
            "%a = stablehlo.complex %x, %y : tensor<31x37xcomplex<f32>>
             %b = stablehlo.complex %w, %w : tensor<37x41xcomplex<f32>>
             %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<31x37xcomplex<f32>>, tensor<37x41xcomplex<f32>>) -> tensor<31x41xcomplex<f32>>
             %c = stablehlo.real %p : (tensor<31x41xcomplex<f32>>) -> tensor<31x41xf32>
             %d = stablehlo.imag %p : (tensor<31x41xcomplex<f32>>) -> tensor<31x41xf32>
             %r = stablehlo.subtract %c, %d : tensor<31x41xf32>",
        ),
        case(
            "shared-batches",
            1e-3,
            "%x: tensor<13x3x61xf32>, %w: tensor<61x43xf32>",
            "tensor<13x3x43xf32>",
            "%b = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<61x43xf32>) -> tensor<13x61x43xf32>
             %r = stablehlo.dot_general %x, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<13x3x61xf32>, tensor<13x61x43xf32>) -> tensor<13x3x43xf32>",
        ),
        case(
            "convolutions",
            1e-3,
            "%x: tensor<2x7x11x13xf32>, %w: tensor<5x7x3x3xf32>",
            "tensor<2x5x11x13xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x11x13xf32>, tensor<5x7x3x3xf32>) -> tensor<2x5x11x13xf32>",
        ),
        case(
            "convolutions",
            1e-3,
            "%x: tensor<1x5x7x3xf32>, %w: tensor<3x3x3x5xf32>",
            "tensor<1x9x19x5xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 3]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x7x3xf32>, tensor<3x3x3x5xf32>) -> tensor<1x9x19x5xf32>",
        ),
        case(
            "convolutions",
            1e-4,
            "%x: tensor<2x19x11x13xf32>, %w: tensor<19x1x3x5xf32>",
            "tensor<2x19x11x13xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [2, 2]]} {feature_group_count = 19 : i64, batch_group_count = 1 : i64} : (tensor<2x19x11x13xf32>, tensor<19x1x3x5xf32>) -> tensor<2x19x11x13xf32>",
        ),
        case(
            "computed-padding",
            1e-3,
            "%x: tensor<2x7x11x13xf32>, %w: tensor<3x3x13x19xf32>",
            "tensor<2x4x6x19xf32>",
            "%c = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi32>
             %p = stablehlo.optimization_barrier %c : tensor<2x2xi32>
             %r = \"stablehlo.dynamic_conv\"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>}> : (tensor<2x7x11x13xf32>, tensor<3x3x13x19xf32>, tensor<2x2xi32>) -> tensor<2x4x6x19xf32>",
        ),
        case(
            "long-windows",
            1e-4,
            "%x: tensor<19x307xf32>",
            "tensor<8x67xf32>",
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %r = \"stablehlo.reduce_window\"(%x, %z) ({
             ^bb0(%a: tensor<f32>, %b: tensor<f32>):
               %s = stablehlo.add %a, %b : tensor<f32>
               stablehlo.return %s : tensor<f32>
             }) {window_dimensions = array<i64: 5, 101>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [17, 9]]> : tensor<2x2xi64>} : (tensor<19x307xf32>, tensor<f32>) -> tensor<8x67xf32>",
        ),
        case(
            "lhs-dilation",
            1e-3,
            "%x: tensor<2x7x11x13xf32>, %w: tensor<4x3x13x19xf32>",
            "tensor<2x13x13x19xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[2, 1], [-1, 0]], lhs_dilate = [2, 3], rhs_dilate = [1, 2], reverse = [true, false]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x11x13xf32>, tensor<4x3x13x19xf32>) -> tensor<2x13x13x19xf32>",
        ),
        case(
            "few-output-channels",
            1e-3,
            "%x: tensor<2x37x43x13xf32>, %w: tensor<3x5x13x1xf32>",
            "tensor<2x19x42x1xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [5, 2]], rhs_dilate = [1, 2], reverse = [false, true]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x37x43x13xf32>, tensor<3x5x13x1xf32>) -> tensor<2x19x42x1xf32>",
        ),
        case(
            "few-output-channels",
            1e-3,
            "%x: tensor<3x11x29x31xbf16>, %w: tensor<3x11x3x4xbf16>",
            "tensor<3x3x57x89xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [2, -1]], lhs_dilate = [2, 3]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<3x11x29x31xbf16>, tensor<3x11x3x4xbf16>) -> tensor<3x3x57x89xf32>",
        ),
        case(
            "few-output-channels",
            1e-4,
            "%x: tensor<5x101x103x1xf32>, %w: tensor<3x3x1x2xf32>",
            "tensor<5x101x103x2xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<5x101x103x1xf32>, tensor<3x3x1x2xf32>) -> tensor<5x101x103x2xf32>",
        ),
        case(
            "top-k",
            0.0,
            "%x: tensor<3x101xf32>",
            "tensor<3x17xi32>",
            "%v, %r = \"chlo.top_k\"(%x) <{k = 17 : i64}> : (tensor<3x101xf32>) -> (tensor<3x17xf32>, tensor<3x17xi32>)",
        ),
        case(
            "in-place",
            0.0,
            "%x: tensor<1013xi32>, %u: tensor<7xi32>, %i: tensor<i32>",
            "tensor<1013xi32>",
            &format!(
                "%s = {}
                 %d = stablehlo.dynamic_update_slice %s, %u, %i : (tensor<1013xi32>, tensor<7xi32>, tensor<i32>) -> tensor<1013xi32>
                 %r = {}",
                sorted("%x"),
                sorted("%d")
            ),
        ),
        case(
            "transposes",
            0.0,
            "%x: tensor<67x83xf32>",
            "tensor<83x67xf32>",
            "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<67x83xf32>) -> tensor<83x67xf32>
             %r = stablehlo.negate %t : tensor<83x67xf32>",
        ),
        case(
            "small-updates",
            0.0,
            "%x: tensor<7xi32>",
            "tensor<7xi32>",
            "%c0 = stablehlo.constant dense<0> : tensor<i32>
             %c1 = stablehlo.constant dense<1> : tensor<i32>
             %n = stablehlo.constant dense<11> : tensor<i32>
             %l:2 = stablehlo.while(%i = %c0, %s = %x) : tensor<i32>, tensor<7xi32>
             cond {
               %m = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %m : tensor<i1>
             } do {
               %u = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
               %t = stablehlo.dynamic_update_slice %s, %u, %i : (tensor<7xi32>, tensor<1xi32>, tensor<i32>) -> tensor<7xi32>
               %v = stablehlo.reverse %t, dims = [0] : tensor<7xi32>
               %w = stablehlo.add %t, %v : tensor<7xi32>
               %j = stablehlo.add %i, %c1 : tensor<i32>
               stablehlo.return %j, %w : tensor<i32>, tensor<7xi32>
             }
             %r = stablehlo.negate %l#1 : tensor<7xi32>",
        ),
        case(
            "small-products",
            1e-6,
            "%x: tensor<1031x3xf32>, %y: tensor<3x3xf32>",
            "tensor<1031x3xf32>",
            "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1031x3xf32>, tensor<3x3xf32>) -> tensor<1031x3xf32>",
        ),
        case(
            "inner-dimensions",
            0.0,
            "%x: tensor<67x83x3xf32>, %y: tensor<3xf32>",
            "tensor<67x83x3xf32>",
            "%b = stablehlo.broadcast_in_dim %y, dims = [2] : (tensor<3xf32>) -> tensor<67x83x3xf32>
             %r = stablehlo.multiply %x, %b : tensor<67x83x3xf32>",
        ),
        case(
            "complex-lanes",
            0.0,
            "%x: tensor<67x83xf32>",
            "tensor<67x83xf32>",
            "%z = stablehlo.complex %x, %x : tensor<67x83xcomplex<f32>>
             %y = stablehlo.multiply %z, %z : tensor<67x83xcomplex<f32>>
             %r = stablehlo.abs %y : (tensor<67x83xcomplex<f32>>) -> tensor<67x83xf32>",
        ),
        case(
            "reductions",
            1e-3,
            rows,
            "tensor<37xf32>",
            &format!("{zero}\n%r = {}", reduce("%x", "tensor<37x301xf32>", "tensor<37xf32>", "1")),
        ),
        case(
            "selections",
            0.0,
            "%x: tensor<19x101xf32>",
            "tensor<19xi32>",
            "%i = stablehlo.iota dim = 1 : tensor<19x101xi32>
             %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %none = stablehlo.constant dense<0> : tensor<i32>
             %b, %r = \"stablehlo.reduce\"(%x, %i, %low, %none) <{dimensions = array<i64: 1>}> ({
             ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %c: tensor<f32>, %ci: tensor<i32>):
               %gt = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %take = stablehlo.or %gt, %nan : tensor<i1>
               %eq = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %first = stablehlo.compare LT, %ai, %ci, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
               %tie = stablehlo.and %eq, %first : tensor<i1>
               %takei = stablehlo.or %take, %tie : tensor<i1>
               %v = stablehlo.select %take, %a, %c : tensor<i1>, tensor<f32>
               %w = stablehlo.select %takei, %ai, %ci : tensor<i1>, tensor<i32>
               stablehlo.return %v, %w : tensor<f32>, tensor<i32>
             }) : (tensor<19x101xf32>, tensor<19x101xi32>, tensor<f32>, tensor<i32>) -> (tensor<19xf32>, tensor<19xi32>)",
        ),
        case(
            "scans",
            1e-3,
            "%x: tensor<13x97xf32>",
            "tensor<13x97xf32>",
            &format!(
                "{zero}
                 %r = \"stablehlo.reduce_window\"(%x, %z) <{{window_dimensions = array<i64: 1, 97>, padding = dense<[[0, 0], [96, 0]]> : tensor<2x2xi64>}}> ({{
                 ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                   %s = stablehlo.add %a, %b : tensor<f32>
                   stablehlo.return %s : tensor<f32>
                 }}) : (tensor<13x97xf32>, tensor<f32>) -> tensor<13x97xf32>"
            ),
        ),
        case(
            "windows",
            0.0,
            "%x: tensor<11x13x19xf32>",
            "tensor<5x6x19xf32>",
            "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %r = \"stablehlo.reduce_window\"(%x, %low) <{window_dimensions = array<i64: 3, 3, 1>, window_strides = array<i64: 2, 2, 1>}> ({
             ^bb0(%a: tensor<f32>, %b: tensor<f32>):
               %s = stablehlo.maximum %a, %b : tensor<f32>
               stablehlo.return %s : tensor<f32>
             }) : (tensor<11x13x19xf32>, tensor<f32>) -> tensor<5x6x19xf32>",
        ),
        case("row-scratch", 1e-5, rows, "tensor<37x301xf32>", &softmax(&[37, 301], 1)),
        case("vector-groups", 1e-5, rows, "tensor<37x301xf32>", &softmax(&[37, 301], 1)),
        case("lookups", 1e-6, rows, "tensor<37x301xf32>", &softmax(&[37, 301], 1)),
        case(
            "vector-groups",
            0.0,
            "%x: tensor<64x67xf32>",
            "tensor<67x64xf32>",
            "%e = stablehlo.exponential %x : tensor<64x67xf32>
             %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<64x67xf32>) -> tensor<67x64xf32>
             %r = stablehlo.tanh %t : tensor<67x64xf32>",
        ),
        case(
            "vector-groups",
            0.0,
            "%x: tensor<1003xf64>",
            "tensor<1003xf64>",
            "%s = stablehlo.sine %x : tensor<1003xf64>
             %r = stablehlo.add %s, %x : tensor<1003xf64>",
        ),
        // Vectors of three registers, with a part of one at the end of each row.
        case(
            "vector-groups",
            0.0,
            "%x: tensor<19x781xf32>, %y: tensor<781xf32>",
            "tensor<19x781xf32>",
            "%b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<781xf32>) -> tensor<19x781xf32>
             %s = stablehlo.add %x, %b : tensor<19x781xf32>
             %t = stablehlo.tanh %s : tensor<19x781xf32>
             %c = stablehlo.compare GT, %t, %b : (tensor<19x781xf32>, tensor<19x781xf32>) -> tensor<19x781xi1>
             %r = stablehlo.select %c, %t, %x : tensor<19x781xi1>, tensor<19x781xf32>",
        ),
        case(
            "column-sweeps",
            0.0,
            "%x: tensor<3x67x1024xf32>",
            "tensor<3x67x1024xf32>",
            &softmax(&[3, 67, 1024], 1),
        ),
        case(
            "row-groups",
            0.0,
            "%x: tensor<7x11x67xf32>",
            "tensor<7x11x67xf32>",
            &softmax(&[7, 11, 67], 2),
        ),
        case("reciprocals", 0.0, rows, "tensor<37x301xf32>", &softmax(&[37, 301], 1)),
        case(
            "streaming-stores",
            0.0,
            "%x: tensor<1100x1023xf32>",
            "tensor<1100x1023xf32>",
            "%r = stablehlo.negate %x : tensor<1100x1023xf32>",
        ),
        case(
            "light-loops",
            0.0,
            "%x: tensor<37xi32>",
            "tensor<37xi32>",
            "%zero = stablehlo.constant dense<0> : tensor<i32>
             %one = stablehlo.constant dense<1> : tensor<i32>
             %trips = stablehlo.constant dense<29> : tensor<i32>
             %l:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<37xi32>
             cond {
               %c = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %c : tensor<i1>
             } do {
               %j = stablehlo.add %i, %one : tensor<i32>
               %s = stablehlo.dynamic_slice %y, %i, sizes = [3] : (tensor<37xi32>, tensor<i32>) -> tensor<3xi32>
               %n = stablehlo.dynamic_update_slice %y, %s, %j : (tensor<37xi32>, tensor<3xi32>, tensor<i32>) -> tensor<37xi32>
               stablehlo.return %j, %n : tensor<i32>, tensor<37xi32>
             }
             %r = stablehlo.add %l#1, %l#1 : tensor<37xi32>",
        ),
        case(
            "sort-keys",
            0.0,
            "%x: tensor<1013xi32>",
            "tensor<1013xi32>",
            &format!("%r = {}", sorted("%x")),
        ),
        case(
            "depthwise",
            1e-4,
            "%x: tensor<1x11x13x19xf32>, %w: tensor<3x3x1x19xf32>",
            "tensor<1x11x13x19xf32>",
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 19 : i64, batch_group_count = 1 : i64} : (tensor<1x11x13x19xf32>, tensor<3x3x1x19xf32>) -> tensor<1x11x13x19xf32>",
        ),
        case(
            "gemv-row",
            1e-3,
            "%x: tensor<211xf32>, %w: tensor<53x211xf32>",
            "tensor<53xf32>",
            "%r = stablehlo.dot_general %x, %w, contracting_dims = [0] x [1] : (tensor<211xf32>, tensor<53x211xf32>) -> tensor<53xf32>",
        ),
        case(
            "packing",
            1e-3,
            "%x: tensor<23x61xf32>, %w: tensor<43x61xf32>",
            "tensor<23x43xf32>",
            "%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<23x61xf32>, tensor<43x61xf32>) -> tensor<23x43xf32>",
        ),
        case(
            "packed-constants",
            0.0,
            "%x: tensor<23x61xf32>",
            "tensor<23x43xf32>",
            &format!(
                "%w = stablehlo.constant {}
                 %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<23x61xf32>, tensor<43x61xf32>) -> tensor<23x43xf32>",
                ways::dense(&[43, 61], "f32", 3)
            ),
        ),
        case(
            "epilogues",
            1e-3,
            "%x: tensor<23x61xf32>, %w: tensor<61x43xf32>",
            "tensor<23x43xf32>",
            "%p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<23x61xf32>, tensor<61x43xf32>) -> tensor<23x43xf32>
             %r = stablehlo.negate %p : tensor<23x43xf32>",
        ),
        case(
            "dot-instructions",
            0.0,
            "%x: tensor<23x61xi8>, %w: tensor<61x43xi8>",
            "tensor<23x43xi32>",
            "%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<23x61xi8>, tensor<61x43xi8>) -> tensor<23x43xi32>",
        ),
        case(
            "lane-instructions",
            0.0,
            rows,
            "tensor<37xf32>",
            "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %e = stablehlo.exponential %x : tensor<37x301xf32>
             %l = stablehlo.log %x : tensor<37x301xf32>
             %n = stablehlo.compare NE, %l, %l : (tensor<37x301xf32>, tensor<37x301xf32>) -> tensor<37x301xi1>
             %s = stablehlo.select %n, %e, %l : tensor<37x301xi1>, tensor<37x301xf32>
             %m = stablehlo.maximum %s, %x : tensor<37x301xf32>
             %r = stablehlo.reduce(%m init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<37x301xf32>, tensor<f32>) -> tensor<37xf32>",
        ),
        case(
            "prefetches",
            0.0,
            "%x: tensor<523x613xf32>",
            "tensor<613x523xf32>",
            "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<523x613xf32>) -> tensor<613x523xf32>
             %r = stablehlo.negate %t : tensor<613x523xf32>",
        ),
        case(
            "memory-order",
            0.0,
            "%x: tensor<131x1501xf32>, %w: tensor<1501x521xf32>",
            "tensor<521xf32>",
            &format!(
                "{zero}\n%s = {}
                 %r = stablehlo.dot_general %s, %w, contracting_dims = [0] x [0] : (tensor<1501xf32>, tensor<1501x521xf32>) -> tensor<521xf32>",
                reduce("%x", "tensor<131x1501xf32>", "tensor<1501xf32>", "0")
            ),
        ),
        case(
            "stored-blocks",
            0.0,
            "%x: tensor<67x83xf32>",
            "tensor<83x67xf32>",
            "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<67x83xf32>) -> tensor<83x67xf32>
             %r = stablehlo.exponential %t : tensor<83x67xf32>",
        ),
        case(
            "tiled",
            1e-6,
            rows,
            "tensor<37x301xf32>",
            "%r = stablehlo.tanh %x : tensor<37x301xf32>",
        ),
        case(
            "contraction",
            1e-3,
            "%x: tensor<23x61xf32>, %w: tensor<61x43xf32>",
            "tensor<23x43xf32>",
            "%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<23x61xf32>, tensor<61x43xf32>) -> tensor<23x43xf32>",
        ),
        case(
            "chain",
            0.0,
            "%x: tensor<23x61xf32>, %y: tensor<61x43xf32>, %w: tensor<43x29xf32>",
            "tensor<23x29xf32>",
            &format!(
                "{zero}
                 %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<23x61xf32>, tensor<61x43xf32>) -> tensor<23x43xf32>
                 %s = {}
                 %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<23xf32>) -> tensor<23x43xf32>
                 %q = stablehlo.subtract %p, %b : tensor<23x43xf32>
                 %r = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<23x43xf32>, tensor<43x29xf32>) -> tensor<23x29xf32>",
                reduce("%p", "tensor<23x43xf32>", "tensor<23xf32>", "1")
            ),
        ),
    ]
}

#[test]
fn each_path_by_itself() {
    // Types of the language of tensor arrays are inferred.
    mapwright_ops::hooks::install();
    for case in cases() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let Ok(module) = diagnostics.parse("test", case.source.as_bytes()) else {
            panic!("{}\n{}", diagnostics.take(), case.source);
        };
        let op = Op::new(module.as_operation());
        let text = |disabled: &[&str]| {
            // What is for registers of 256 bits is not made for wider ones.
            let narrow = ["vector-groups", "column-sweeps", "lookups"].contains(&case.path);
            let options = Options {
                vector_bits: if narrow { 256 } else { 512 },
                dot_bf16: true,
                dot_i8: true,
                scales_lanes: !narrow,
                permutes_lanes: narrow,
                disabled: disabled.iter().map(ToString::to_string).collect(),
                ..Options::default()
            };
            match lowered_text(op, &CompileOptions::default(), &options) {
                Ok(text) => text,
                Err(error) => panic!("{} {error}\n{}", diagnostics.take(), case.source),
            }
        };
        assert!(
            text(&[]) != text(&[case.path]),
            "'{}' makes no difference to\n{}",
            case.path,
            case.source
        );
        let [with, without] = compile(&case.source, [&[], &[case.path]]);
        let inputs = Numbers {
            every: 0,
            odd: &[],
            // Indices are inside of an operand, some of them.
            below: 120,
        }
        .inputs(&with, 3);
        let (on, off) = (run(&with, &inputs, 1), run(&without, &inputs, 1));
        for (a, b) in on.iter().zip(&off) {
            if case.tolerance == 0.0 || !a.element().is_float() {
                assert!(
                    a.bytes() == b.bytes(),
                    "'{}' differs\n{}",
                    case.path,
                    case.source
                );
                continue;
            }
            for (i, (p, q)) in numbers(a).iter().zip(&numbers(b)).enumerate() {
                assert!(
                    (p - q).abs() <= case.tolerance,
                    "'{}', element {i}: {p} against {q}\n{}",
                    case.path,
                    case.source
                );
            }
        }
    }
}

/// A path that is listed has a case, and so has every emitter but the last, which takes everything.
#[test]
fn every_path_has_a_case() {
    let cases: Vec<&str> = cases().iter().map(|case| case.path).collect();
    let names = emitters();
    let all = FAST_PATHS
        .iter()
        .map(|path| path.name)
        .chain(names.iter().rev().skip(1).map(|e| e.name()));
    for path in all {
        assert!(cases.contains(&path), "no case for '{path}'");
    }
}
