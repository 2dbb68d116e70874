//! The operations of artifacts, in all their versions, and what belongs to each in the order of its
//! bytes.

use crate::version::Version;
use std::{collections::BTreeMap, sync::OnceLock};

/// An operation with properties.
#[derive(Debug)]
pub struct Definition {
    /// With its dialect, and for `vhlo` with its own number.
    pub name: String,
    /// The first version that has it.
    pub since: Version,
    /// The last one.
    pub until: Version,
    /// The names of its properties, and whether each may be absent.
    pub properties: Vec<(&'static str, bool)>,
}

fn definitions() -> &'static BTreeMap<String, Definition> {
    static DEFINITIONS: OnceLock<BTreeMap<String, Definition>> = OnceLock::new();
    DEFINITIONS.get_or_init(|| {
        let vhlo = rows(VHLO).into_iter().filter_map(versioned);
        let others = rows(OTHERS).into_iter().filter_map(unversioned);
        vhlo.chain(others)
            .map(|definition| (definition.name.clone(), definition))
            .collect()
    })
}

/// The words of each row; lines that begin with spaces continue one.
fn rows(table: &'static str) -> Vec<Vec<&'static str>> {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in table.lines() {
        match rows.last_mut() {
            Some(row) if line.starts_with(' ') => row.extend(line.split_whitespace()),
            _ => rows.push(line.split_whitespace().collect()),
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

fn versioned(row: Vec<&'static str>) -> Option<Definition> {
    let [name, number, since, until, properties @ ..] = row.as_slice() else {
        return None;
    };
    Some(Definition {
        name: format!("vhlo.{name}_v{number}"),
        since: since.parse().ok()?,
        until: until.parse().unwrap_or(Version::NEWEST),
        properties: properties.iter().map(|name| (*name, false)).collect(),
    })
}

fn unversioned(row: Vec<&'static str>) -> Option<Definition> {
    let (name, properties) = row.split_first()?;
    let optional = |name: &'static str| match name.strip_suffix('?') {
        Some(name) => (name, true),
        None => (name, false),
    };
    Some(Definition {
        name: (*name).to_owned(),
        since: Version::OLDEST,
        until: Version::NEWEST,
        properties: properties.iter().map(|name| optional(name)).collect(),
    })
}

/// The definition of an operation, if the tables have it.
#[must_use]
pub fn definition(name: &str) -> Option<&'static Definition> {
    definitions().get(name)
}

/// All definitions, in the order of names.
pub fn all() -> impl Iterator<Item = &'static Definition> {
    definitions().values()
}

/// The form of an operation of `vhlo`, without its dialect and number, that a version has.
#[must_use]
pub fn at(name: &str, version: Version) -> Option<&'static Definition> {
    (1..=9)
        .map_while(|number| definition(&format!("vhlo.{name}_v{number}")))
        .find(|definition| (definition.since..=definition.until).contains(&version))
}

/// Operations of `vhlo`: name, number, first and last version, and properties in the order of their
/// bytes.
const VHLO: &str = "
abs 1 0.9.0 -
add 1 0.9.0 -
after_all 1 0.9.0 -
all_gather 1 0.9.0 1.4.0 all_gather_dim channel_id replica_groups use_global_device_ids
all_gather 2 1.5.0 - all_gather_dim channel_id replica_groups use_global_device_ids
all_reduce 1 0.9.0 1.4.0 channel_id replica_groups use_global_device_ids
all_reduce 2 1.5.0 - channel_id replica_groups use_global_device_ids
all_to_all 1 0.9.0 1.4.0 channel_id concat_dimension replica_groups split_count split_dimension
all_to_all 2 1.5.0 - channel_id concat_dimension replica_groups split_count split_dimension
and 1 0.9.0 -
async_done 1 1.15.0 -
async_start 1 1.15.0 -
atan2 1 0.9.0 -
batch_norm_grad 1 0.9.0 - epsilon feature_index
batch_norm_inference 1 0.9.0 - epsilon feature_index
batch_norm_training 1 0.9.0 - epsilon feature_index
bitcast_convert 1 0.9.0 -
broadcast_in_dim 1 0.9.0 - broadcast_dimensions
broadcast 1 0.9.0 - broadcast_sizes
call 1 0.9.0 - callee
case 1 0.9.0 -
cbrt 1 0.9.0 1.9.0
cbrt 2 1.10.0 - result_accuracy
ceil 1 0.9.0 -
cholesky 1 0.9.0 - lower
clamp 1 0.9.0 -
collective_broadcast 1 0.16.0 1.19.0 channel_id replica_groups
collective_broadcast 2 1.20.0 - channel_id has_dynamic_root replica_groups
collective_permute 1 0.9.0 - channel_id source_target_pairs
collective_reduce 1 1.19.0 - channel_id has_dynamic_root replica_groups use_global_device_ids
compare 1 0.9.0 - compare_type comparison_direction
complex 1 0.9.0 -
composite 1 0.19.0 1.13.0 composite_attributes decomposition name version
composite 2 1.14.0 - composite_attributes decomposition name version
concatenate 1 0.9.0 - dimension
constant 1 0.9.0 - value
convert 1 0.9.0 -
convolution 1 0.9.0 - batch_group_count feature_group_count input_batch_dimension
  input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension
  kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension
  output_feature_dimension output_spatial_dimensions padding precision_config rhs_dilation
  window_reversal window_strides
cosine 1 0.9.0 1.9.0
cosine 2 1.10.0 - result_accuracy
count_leading_zeros 1 0.9.0 -
create_token 1 0.9.0 -
cross-replica-sum 1 0.9.0 - replica_groups
custom_call 1 0.9.0 1.17.0 api_version backend_config call_target_name called_computations
  has_side_effect operand_layouts output_operand_aliases result_layouts
custom_call 2 1.18.0 - api_version backend_config call_target_name called_computations
  has_side_effect operand_layouts output_operand_aliases result_layouts result_tilings
divide 1 0.9.0 -
dot_general 1 0.9.0 1.5.0 lhs_batching_dimensions lhs_contracting_dimensions precision_config
  rhs_batching_dimensions rhs_contracting_dimensions
dot_general 2 1.6.0 - accumulation_type allow_imprecise_accumulation lhs_batching_dimensions
  lhs_component_count lhs_contracting_dimensions lhs_precision_type num_primitive_operations
  precision_config rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions
  rhs_precision_type
dot 1 0.9.0 - precision_config
dynamic_broadcast_in_dim 1 0.9.0 - broadcast_dimensions known_expanding_dimensions
  known_nonexpanding_dimensions
dynamic_conv 1 0.9.0 0.19.0 batch_group_count feature_group_count input_batch_dimension
  input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension
  kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension
  output_feature_dimension output_spatial_dimensions padding precision_config rhs_dilation
  window_reversal window_strides
dynamic_conv 2 0.20.0 - batch_group_count feature_group_count input_batch_dimension
  input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension
  kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension
  output_feature_dimension output_spatial_dimensions precision_config rhs_dilation window_reversal
  window_strides
dynamic_gather 1 0.9.0 1.0.0 collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims
  start_index_map
dynamic_gather 2 1.1.0 - collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims
  operand_batching_dims start_index_map start_indices_batching_dims
dynamic_iota 1 0.9.0 - iota_dimension
dynamic_pad 1 0.9.0 -
dynamic_reshape 1 0.9.0 -
dynamic_slice 1 0.9.0 - slice_sizes
dynamic_update_slice 1 0.9.0 -
einsum 1 0.9.0 - einsum_config
exponential_minus_one 1 0.9.0 1.9.0
exponential_minus_one 2 1.10.0 - result_accuracy
exponential 1 0.9.0 1.8.0
exponential 2 1.9.0 - result_accuracy
fft 1 0.9.0 - fft_length fft_type
floor 1 0.9.0 -
func 1 0.9.0 - arg_attrs function_type res_attrs sym_name sym_visibility
gather 1 0.9.0 1.0.0 collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims
  slice_sizes start_index_map
gather 2 1.1.0 - collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims
  operand_batching_dims slice_sizes start_index_map start_indices_batching_dims
get_dimension_size 1 0.9.0 - dimension
get_tuple_element 1 0.9.0 - index
if 1 0.9.0 -
imag 1 0.9.0 -
infeed 1 0.9.0 - infeed_config layout
iota 1 0.9.0 - iota_dimension
is_finite 1 0.9.0 -
log_plus_one 1 0.9.0 1.9.0
log_plus_one 2 1.10.0 - result_accuracy
log 1 0.9.0 1.9.0
log 2 1.10.0 - result_accuracy
logistic 1 0.9.0 1.9.0
logistic 2 1.10.0 - result_accuracy
map 1 0.9.0 - dimensions
maximum 1 0.9.0 -
minimum 1 0.9.0 -
multiply 1 0.9.0 -
negate 1 0.9.0 -
not 1 0.9.0 -
optimization_barrier 1 0.9.0 -
or 1 0.9.0 -
outfeed 1 0.9.0 - outfeed_config
pad 1 0.9.0 - edge_padding_high edge_padding_low interior_padding
partition_id 1 0.9.0 -
popcnt 1 0.9.0 -
power 1 0.9.0 -
real_dynamic_slice 1 0.9.0 -
real 1 0.9.0 -
recv 1 0.9.0 1.11.0 channel_id channel_type is_host_transfer
recv 2 1.12.0 - channel_id channel_type is_host_transfer source_target_pairs
reduce_precision 1 0.9.0 - exponent_bits mantissa_bits
reduce_scatter 1 0.9.0 - channel_id replica_groups scatter_dimension use_global_device_ids
reduce 1 0.9.0 - dimensions
reduce_window 1 0.9.0 - base_dilations padding window_dilations window_dimensions window_strides
remainder 1 0.9.0 -
replica_id 1 0.9.0 -
reshape 1 0.9.0 -
return 1 0.9.0 -
reverse 1 0.9.0 - dimensions
rng_bit_generator 1 0.9.0 - rng_algorithm
rng 1 0.9.0 - rng_distribution
round_nearest_afz 1 0.9.0 -
round_nearest_even 1 0.9.0 -
rsqrt 1 0.9.0 1.9.0
rsqrt 2 1.10.0 - result_accuracy
scatter 1 0.9.0 1.0.0 index_vector_dim indices_are_sorted inserted_window_dims
  scatter_dims_to_operand_dims unique_indices update_window_dims
scatter 2 1.1.0 - index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims
  scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims
select_and_scatter 1 0.9.0 - padding window_dimensions window_strides
select 1 0.9.0 -
send 1 0.9.0 1.11.0 channel_id channel_type is_host_transfer
send 2 1.12.0 - channel_id channel_type is_host_transfer source_target_pairs
set_dimension_size 1 0.9.0 - dimension
shift_left 1 0.9.0 -
shift_right_arithmetic 1 0.9.0 -
shift_right_logical 1 0.9.0 -
sign 1 0.9.0 -
sine 1 0.9.0 1.9.0
sine 2 1.10.0 - result_accuracy
slice 1 0.9.0 - limit_indices start_indices strides
sort 1 0.9.0 - dimension is_stable
sqrt 1 0.9.0 1.9.0
sqrt 2 1.10.0 - result_accuracy
subtract 1 0.9.0 -
tan 1 1.4.0 1.9.0
tan 2 1.10.0 - result_accuracy
tanh 1 0.9.0 1.9.0
tanh 2 1.10.0 - result_accuracy
torch_index_select 1 0.9.0 - batch_dims dim
transpose 1 0.9.0 - permutation
triangular_solve 1 0.9.0 - left_side lower transpose_a unit_diagonal
tuple 1 0.9.0 -
unary_einsum 1 0.9.0 - einsum_config
uniform_dequantize 1 0.9.0 -
uniform_quantize 1 0.9.0 -
while 1 0.9.0 -
xor 1 0.9.0 -
";

/// Operations of other dialects that have properties: those with `?` may be absent.
const OTHERS: &str = "
builtin.module sym_name? sym_visibility?
func.func arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility?
func.call arg_attrs? callee no_inline? res_attrs?
sdy.mesh mesh sym_name
sdy.constant value
sdy.sharding_constraint sharding
sdy.reshard sharding
sdy.sharding_group group_id
sdy.propagation_barrier allowed_direction
sdy.data_flow_edge sharding?
sdy.manual_computation in_shardings manual_axes out_shardings
sdy.named_computation in_shardings? name out_shardings?
sdy.all_gather gathering_axes out_sharding
sdy.all_slice out_sharding slicing_axes
sdy.all_to_all out_sharding params
sdy.all_reduce out_sharding reduction_axes
sdy.reduce_scatter out_sharding reduce_scatter_axes
sdy.collective_permute out_sharding
sdy.replicated_to_unreduced axes out_sharding
sdy.sharded_to_unreduced axes out_sharding
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_in_order() {
        assert_eq!(definitions().len(), rows(VHLO).len() + rows(OTHERS).len());
        let vhlo = |definition: &&Definition| definition.name.starts_with("vhlo.");
        let vhlo: Vec<_> = definitions().values().filter(vhlo).collect();
        assert_eq!(vhlo.len(), 145, "the operations of StableHLO 1.20.0");
        for definition in definitions().values() {
            assert!(definition.since <= definition.until, "{}", definition.name);
            let ordered = definition.properties.is_sorted_by(|a, b| a.0 < b.0);
            assert!(
                ordered,
                "{}: the bytes are in the order of names",
                definition.name
            );
        }
    }

    #[test]
    fn versions_of_an_operation_follow_each_other() {
        let name = |name, version| at(name, version).map(|found| found.name.as_str());
        assert_eq!(
            name("all_gather", Version(1, 4, 0)),
            Some("vhlo.all_gather_v1")
        );
        assert_eq!(
            name("all_gather", Version(1, 5, 0)),
            Some("vhlo.all_gather_v2")
        );
        assert_eq!(name("tan", Version(1, 3, 0)), None);
        assert_eq!(name("tan", Version(1, 10, 0)), Some("vhlo.tan_v2"));
        // The numbers of versions that StableHLO has had legal operations for.
        let legal = |version| {
            let all = definitions()
                .values()
                .filter(|one| one.name.starts_with("vhlo."));
            all.filter(|one| (one.since..=one.until).contains(&version))
                .count()
        };
        assert_eq!(legal(Version(1, 13, 7)), 116);
        assert_eq!(legal(Version(1, 17, 0)), 119);
        assert_eq!(legal(Version::NEWEST), 120);
    }
}
