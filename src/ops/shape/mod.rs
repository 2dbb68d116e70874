//! Operations that rearrange or repeat elements: broadcast, transpose, reverse, reshape, bitcast.

pub mod bitcast;
pub mod broadcast;
pub(crate) mod checks;
pub mod reshape;
mod sizes;
pub mod transpose;

use crate::definition::{Class, OpDef};
use crate::repeats;
use crate::shape_function::{elements_of, like_first};

pub(crate) const OPS: &[OpDef] = &[
    OpDef::of_rule("broadcast", "shape", broadcast::repeated)
        .shaped(sizes::broadcast)
        .repeats(repeats::stretched)
        .class(Class::Movement)
        .view()
        .checked(checks::broadcast),
    OpDef::of_rule("broadcast_in_dim", "shape", broadcast::repeated)
        .shaped(sizes::broadcast_in_dim)
        .declares_sizes()
        .requires(sizes::broadcast_in_dim_fits)
        .repeats(repeats::stretched)
        .class(Class::Movement)
        .view()
        .keyed(&["broadcast_dimensions"])
        .checked(checks::broadcast_in_dim),
    OpDef::of_rule("dynamic_broadcast_in_dim", "shape", broadcast::repeated)
        .shaped(elements_of::<1>)
        .requires(sizes::dynamic_broadcast_fits)
        .made_of(1)
        .repeats(repeats::stretched)
        .class(Class::Movement)
        .sized_by(1, 1)
        .view()
        .checked(checks::dynamic_broadcast_in_dim),
    OpDef::of_rule("transpose", "shape", transpose::transposed)
        .shaped(sizes::transpose)
        .class(Class::Movement)
        .view()
        .keyed(&["permutation"])
        .checked(checks::transpose)
        .labelled(&[["c1", "c3"]]),
    OpDef::of_rule("reverse", "shape", transpose::reversed)
        .shaped(like_first)
        .class(Class::Movement)
        .view()
        .keyed(&["dimensions"])
        .checked(checks::reverse)
        .labelled(&[["c1", "c1"]]),
    OpDef::new(
        "reshape",
        "shape",
        reshape::output_to_input,
        reshape::input_to_output,
    )
    .moving(reshape::reshaped)
    .shaped(sizes::reshape)
    .declares_sizes()
    .requires(sizes::reshape_fits)
    .class(Class::Movement)
    .view()
    .sizes()
    .keyed(&[])
    .checked(checks::reshape),
    OpDef::new(
        "dynamic_reshape",
        "shape",
        reshape::output_to_input,
        reshape::input_to_output,
    )
    .moving(reshape::reshaped)
    .shaped(sizes::dynamic_reshape)
    .made_of(1)
    .class(Class::Movement)
    .sized_by(1, 1)
    .view()
    .sizes()
    .checked(checks::dynamic_reshape),
    OpDef::new(
        "bitcast_convert",
        "shape",
        bitcast::convert_output_to_input,
        bitcast::convert_input_to_output,
    )
    .shaped(sizes::bitcast_convert)
    .requires(sizes::bitcast_convert_fits)
    .class(Class::Elementwise)
    .view()
    .keyed(&[])
    .checked(checks::bitcast_convert),
    OpDef::new(
        "bitcast",
        "shape",
        bitcast::output_to_input,
        bitcast::input_to_output,
    )
    .view()
    .sizes()
    .checked(crate::typing::mhlo::bitcast),
];
