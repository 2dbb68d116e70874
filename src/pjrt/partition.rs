//! Programs of several partitions become that of one device; and how arguments and results lie on
//! the devices, as frameworks ask for it.

use crate::{
    protobuf::{packed, write_bytes, write_number},
    status::{Code, Result, Status},
};
use mapwright_mlir::{
    Builder, Op,
    artifact::{Version, write},
};
use mapwright_normalize::{
    inline::MOST,
    partition::{forget_unused, partition},
};
use mapwright_sharding::{
    LayoutError, ShardedTensor,
    notation::{HloSharding, Subgroup},
};

/// Shardings of arguments and results, each a serialized `xla.OpSharding`; empty for one that each
/// device has as a whole.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Shardings {
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) outputs: Vec<Vec<u8>>,
}

/// Makes `main` the program of one device; shardings of what the program takes and gives, and that
/// program as an artifact of a version. Another function stands in the place of `main` then.
///
/// # Errors
/// What cannot be partitioned, which was diagnosed: `said` has it.
pub(crate) fn partitioned(
    root: Op<'_>,
    main: Op<'_>,
    partitions: usize,
    version: Version,
    said: impl Fn(Code) -> Status,
) -> Result<(Shardings, Vec<u8>)> {
    let count = i64::try_from(partitions).unwrap_or(i64::MAX);
    let made = partition(root, main, count, MOST).map_err(|_| said(Code::Unimplemented))?;
    let all = |places: &[Option<ShardedTensor>]| {
        let each = places.iter().map(|place| hlo(place.as_ref()));
        let each = each.collect::<std::result::Result<Vec<_>, _>>();
        each.map_err(|error| Status::internal(error.to_string()))
    };
    let inputs = all(&made.placement.inputs)?;
    let outputs = all(&made.placement.outputs)?;
    forget_unused(root);
    say(root, &inputs, &outputs);
    // What the framework's version cannot have, a newer one can.
    let program = write(root, version).or_else(|_| write(root, Version::NEWEST));
    let program = program.map_err(|_| said(Code::Unimplemented))?;
    let all = |all: Vec<HloSharding>| all.iter().map(serialized).collect();
    let shardings = Shardings {
        inputs: all(inputs),
        outputs: all(outputs),
    };
    Ok((shardings, program))
}

/// Notes the shardings at the module, where frameworks that do not know the extension for shardings
/// look for them.
fn say(root: Op<'_>, inputs: &[HloSharding], outputs: &[HloSharding]) {
    let Some(block) = root.body(0) else {
        return;
    };
    let b = Builder::new(root.context(), block, root.location());
    let text = |one: &HloSharding| b.str_attr(&one.to_string());
    let inputs: Vec<_> = inputs.iter().map(text).collect();
    let outputs = match outputs {
        [one] => text(one),
        several => text(&HloSharding::Tuple(several.to_vec())),
    };
    root.set_attribute("mhlo.spmd_parameters_shardings", b.array_attr(&inputs));
    root.set_attribute("mhlo.spmd_output_sharding", outputs);
}

/// Types of `xla.OpSharding`.
const REPLICATED: u64 = 0;
const OTHER: u64 = 3;
const UNREDUCED: u64 = 6;

/// Returns the sharding of a tensor in the notation of HLO.
fn hlo(place: Option<&ShardedTensor>) -> std::result::Result<HloSharding, LayoutError> {
    match place.map(ShardedTensor::layout) {
        Some(layout) if layout.slice_count() > 1 || !layout.partial().is_empty() => {
            HloSharding::from_layout(layout)
        }
        _ => Ok(HloSharding::Replicated),
    }
}

/// A sharding as `xla.OpSharding`; empty for what every device has as a whole.
fn serialized(sharding: &HloSharding) -> Vec<u8> {
    let mut bytes = Vec::new();
    match sharding {
        HloSharding::Unreduced => write_number(1, UNREDUCED, &mut bytes),
        HloSharding::Tiled {
            tile,
            devices,
            subgroups,
        } => {
            let numbers = |list: &[i64]| packed(list.iter().map(|number| *number as u64));
            write_number(1, OTHER, &mut bytes);
            write_bytes(3, &numbers(tile), &mut bytes);
            write_bytes(4, &numbers(&devices.ids()), &mut bytes);
            match subgroups[..] {
                [] => {}
                [Subgroup::Replicated] => write_number(6, 1, &mut bytes),
                _ => {
                    let kind = |group: &Subgroup| match group {
                        Subgroup::Unreduced => UNREDUCED,
                        _ => REPLICATED,
                    };
                    write_bytes(8, &packed(subgroups.iter().map(kind)), &mut bytes);
                }
            }
        }
        _ => {}
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::{context, diagnostic::Diagnostics};
    use mapwright_sharding::{DeviceMatrix, Layout, Reduction};

    #[test]
    fn devices_stand_in_the_order_of_the_tiles() {
        let bytes = |map: &[&str]| {
            let matrix = DeviceMatrix::new(&[2, 2], &["x", "y"]).unwrap();
            let layout = matrix.layout(map).unwrap();
            serialized(&hlo(Some(&layout.of_shape(&[8, 8]).unwrap())).unwrap())
        };
        // Rows by y, columns by x: tile (y, x) is on device 2 x + y.
        assert_eq!(bytes(&["y", "x"]), [8, 3, 26, 2, 2, 2, 34, 4, 0, 2, 1, 3]);
        // Divided by y alone: the copies along x are the innermost.
        assert_eq!(
            bytes(&["y", "None"]),
            [8, 3, 26, 3, 2, 1, 2, 34, 4, 0, 2, 1, 3, 48, 1]
        );
        assert_eq!(bytes(&["None", "None"]), [0; 0]);
    }

    /// As JAX writes `P('x', unreduced={'y'})`, but with a list of the devices, and
    /// `P(unreduced={'x', 'y'})`.
    #[test]
    fn sums_that_are_partial_say_so() {
        let matrix = DeviceMatrix::new(&[2, 2], &["x", "y"]).unwrap();
        let rows = matrix.layout(&["x"]).unwrap();
        let rows = rows.with_partial("y", Reduction::Sum).unwrap();
        let bytes =
            |layout: &Layout| serialized(&hlo(Some(&layout.of_shape(&[8]).unwrap())).unwrap());
        assert_eq!(
            bytes(&rows),
            [8, 3, 26, 2, 2, 2, 34, 4, 0, 1, 2, 3, 66, 1, 6]
        );
        let all = matrix.layout(&["None"]).unwrap();
        let all = all.with_partial("x", Reduction::Sum).unwrap();
        let all = all.with_partial("y", Reduction::Sum).unwrap();
        assert_eq!(bytes(&all), [8, 6]);
    }

    #[test]
    fn a_program_by_hand_becomes_that_of_a_device() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let text = r#"
          sdy.mesh @nothing = <[]>
          sdy.mesh @mesh = <["i"=4]>
          func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}]>, tf.aliasing_output = 0 : i32}) -> tensor<8xf32> {
            %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"i"}]>] out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%b: tensor<2xf32>) {
              %1 = stablehlo.add %b, %b : tensor<2xf32>
              sdy.return %1 : tensor<2xf32>
            } : (tensor<8xf32>) -> tensor<8xf32>
            return %0 : tensor<8xf32>
          }"#;
        let module = diagnostics.parse("program", text.as_bytes()).unwrap();
        let root = Op::new(module.as_operation());
        let main = |root: Op<'_>| {
            format!(
                "{}",
                root.descendants()
                    .into_iter()
                    .find(|op| op.name() == "func.func")
                    .unwrap()
                    .melior()
            )
        };
        let function = root
            .descendants()
            .into_iter()
            .find(|op| op.name() == "func.func")
            .unwrap();
        let said = |code| Status::new(code, diagnostics.take().trim_end());
        let (shardings, _) = partitioned(root, function, 4, Version::NEWEST, said)
            .unwrap_or_else(|status| panic!("{}", status.message()));
        assert_eq!(shardings.inputs, [[8, 3, 26, 1, 4, 34, 4, 0, 1, 2, 3]]);
        assert_eq!(shardings.inputs, shardings.outputs);
        // As XLA writes a division of one dimension among four devices in their order.
        let output = root.string("mhlo.spmd_output_sharding");
        assert_eq!(output.as_deref(), Some("{devices=[4]<=[4]}"));
        assert!(root.verify());
        let text = main(root);
        assert!(
            text.contains("(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32>"),
            "{text}"
        );
        assert!(!text.contains("manual"), "{text}");
    }
}
