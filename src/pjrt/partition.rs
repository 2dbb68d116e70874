//! Programs of several partitions that say themselves what each device computes: `shard_map` and `pmap` of JAX. Their main function is one
//! computation by hand (Shardy's region for one device) over its arguments, and becomes the program inside.

use crate::{
    protobuf::{packed, write_bytes, write_number},
    status::{Result, Status},
};
use mapwright_mlir::{Attr, Builder, Op, Val, attr, edit, melior::ir::ValueLike, op};
use std::collections::HashMap;

/// How arguments and results lie on the devices, each a serialized `xla.OpSharding`; nothing for what each device has as a whole.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Shardings {
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) outputs: Vec<Vec<u8>>,
}

/// A mesh: its axes with their sizes, and the devices in its order.
#[derive(Debug, PartialEq)]
struct Mesh {
    axes: Vec<(String, usize)>,
    devices: Vec<usize>,
}

/// The axes along which each dimension of a tensor is divided.
type Sharding = Vec<Vec<String>>;

/// Makes `main` the program of one device, if it says what that is; shardings of what the program then takes and gives.
///
/// # Errors
/// Something is divided without the program saying how each device computes it.
pub(crate) fn localise(root: Op<'_>, main: Op<'_>, partitions: usize) -> Result<Shardings> {
    let refused = || {
        Status::unimplemented(format!(
            "the program divides its tensors among {partitions} partitions, and is not a shard_map or pmap as a whole; such programs are not partitioned yet"
        ))
    };
    let body = main.body(0).ok_or_else(refused)?;
    let operations = op::ops(body);
    if let [computation, end] = operations[..]
        && is_by_hand(computation)
    {
        return inlined(root, main, computation, end).ok_or_else(refused);
    }
    match is_replicated(root, main) {
        true => Ok(Shardings::default()),
        false => Err(refused()),
    }
}

/// Is it the program of one device along some axes?
fn is_by_hand(op: Op<'_>) -> bool {
    op.dialect() == "sdy" && op.attribute("manual_axes").is_some()
}

/// Does every device have everything as a whole?
fn is_replicated(root: Op<'_>, main: Op<'_>) -> bool {
    let is_whole = |text: Option<String>| {
        let sharding = text.map(|text| read_sharding(&text));
        sharding.is_none_or(|read| read.is_some_and(|dims| dims.iter().all(Vec::is_empty)))
    };
    let said = ["arg_attrs", "res_attrs"]
        .into_iter()
        .flat_map(|name| dictionaries(main, name));
    let mut said = said.map(|dictionary| {
        said_of(dictionary, "mhlo.sharding").is_none()
            && is_whole(said_of(dictionary, "sdy.sharding"))
    });
    said.all(|is_whole| is_whole)
        && root.descendants().iter().all(|op| {
            op.dialect() != "sdy" || op.num_regions() == 0 && is_whole(op.text("sharding"))
        })
}

fn dictionaries<'c>(main: Op<'c>, name: &str) -> Vec<Attr<'c>> {
    main.attribute(name)
        .and_then(attr::array)
        .unwrap_or_default()
}

fn said_of(dictionary: Attr<'_>, key: &str) -> Option<String> {
    attr::entry(dictionary, key).map(|value| value.to_string())
}

/// Puts the program of one device into the place of the computation, and its types into those of `main`.
fn inlined<'c>(root: Op<'c>, main: Op<'c>, computation: Op<'c>, end: Op<'c>) -> Option<Shardings> {
    let block = main.body(0)?;
    let outer = op::arguments(block);
    let (operands, results) = (computation.operands(), computation.results());
    // Each argument is an operand once, and each result is given once, in order.
    if operands != outer || results != end.operands() {
        return None;
    }
    let given = computation.text("in_shardings")?;
    let taken = computation.text("out_shardings")?;
    let mesh = read_mesh(root, [&given, &taken])?;
    let manual = names(&computation.text("manual_axes")?);
    let by_hand = |(name, size): &(String, usize)| *size == 1 || manual.contains(name);
    if !mesh.axes.iter().all(by_hand) {
        return None;
    }
    let (inputs, outputs) = (read_shardings(&given)?, read_shardings(&taken)?);
    if inputs.len() != operands.len() || outputs.len() != results.len() {
        return None;
    }
    for (key, shardings) in [("arg_attrs", &inputs), ("res_attrs", &outputs)] {
        for (dictionary, sharding) in dictionaries(main, key).into_iter().zip(shardings) {
            let said = said_of(dictionary, "sdy.sharding");
            if said.is_some_and(|text| read_sharding(&text).as_ref() != Some(sharding)) {
                return None;
            }
        }
    }
    let shardings = Shardings {
        inputs: inputs
            .iter()
            .map(|dims| mesh.serialized(dims))
            .collect::<Option<_>>()?,
        outputs: outputs
            .iter()
            .map(|dims| mesh.serialized(dims))
            .collect::<Option<_>>()?,
    };

    let inner = computation.body(0)?;
    let inner_operations = op::ops(inner);
    let (last, rest) = inner_operations.split_last()?;
    let mut map: HashMap<usize, Val<'c>> = HashMap::new();
    let mut own = Vec::new();
    for argument in op::arguments(inner) {
        let place = outer.len() + own.len();
        let new = edit::insert_argument(block, place, argument.r#type(), main.location());
        map.insert(op::key(argument), new);
        own.push(new);
    }
    for operation in rest {
        edit::insert_before(computation, edit::copy(*operation, &mut map));
    }
    let given: Vec<Val<'c>> = last
        .operands()
        .into_iter()
        .map(|value| map.get(&op::key(value)).copied().unwrap_or(value))
        .collect();
    for (i, value) in given.iter().enumerate() {
        edit::set_operand(end, i, *value);
    }
    let b = Builder::new(main.context(), block, main.location());
    edit::erase_unused(computation);
    for _ in &outer {
        edit::erase_argument(block, 0);
    }
    let types = |values: &[Val<'c>]| {
        values
            .iter()
            .map(|value| value.r#type())
            .collect::<Vec<_>>()
    };
    let ty = b.function_type(&types(&own), &types(&given));
    main.set_attribute("function_type", b.type_attr(ty));
    for key in ["arg_attrs", "res_attrs"] {
        let all = dictionaries(main, key);
        if all.is_empty() {
            continue;
        }
        let kept = |dictionary: &Attr<'c>| {
            let entries = attr::dictionary(*dictionary).unwrap_or_default();
            let entries = entries
                .into_iter()
                .filter(|(name, _)| *name != "sdy.sharding");
            let texts: Vec<String> = entries
                .map(|(name, value)| format!("\"{name}\" = {value}"))
                .collect();
            b.parse_attr(&format!("{{{}}}", texts.join(", ")))
        };
        let kept: Vec<Attr<'c>> = all.iter().map(kept).collect();
        main.set_attribute(key, b.array_attr(&kept));
    }
    Some(shardings)
}

/// What stands in quotation marks.
fn names(text: &str) -> Vec<String> {
    text.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The one mesh that shardings name. A program has others, too, for operations inside.
fn read_mesh(root: Op<'_>, shardings: [&str; 2]) -> Option<Mesh> {
    let named = shardings.iter().flat_map(|text| text.split("<@").skip(1));
    let mut names: Vec<&str> = named.filter_map(|rest| rest.split(',').next()).collect();
    names.sort_unstable();
    names.dedup();
    let [name] = names[..] else { return None };
    let all = root.descendants();
    let mesh = all.iter().find(|op| {
        let is_named = op.string("sym_name").as_deref() == Some(name);
        op.dialect() == "sdy" && is_named
    });
    mesh_of(&mesh?.text("mesh")?)
}

/// Reads `#sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>`.
fn mesh_of(text: &str) -> Option<Mesh> {
    let (axes, rest) = text.split_once('[')?.1.split_once(']')?;
    let mut read = Vec::new();
    for axis in axes.split(',').filter(|axis| !axis.trim().is_empty()) {
        let (name, size) = axis.trim().strip_prefix('"')?.split_once("\"=")?;
        read.push((name.to_owned(), size.parse().ok()?));
    }
    let count: usize = read.iter().map(|(_, size)| size).product();
    let devices = match rest.split_once('[') {
        None => (0..count).collect(),
        Some((_, ids)) => {
            let ids = ids.split_once(']')?.0.split(',');
            ids.map(|id| id.trim().parse().ok())
                .collect::<Option<Vec<_>>>()?
        }
    };
    (devices.len() == count).then_some(Mesh {
        axes: read,
        devices,
    })
}

/// Reads `<@mesh, [{"x"}, {"y", ?}]>`, whatever stands before it; nothing where an axis is taken in parts, or the mesh is not a name.
fn read_sharding(text: &str) -> Option<Sharding> {
    let (_, text) = text.split_once("<@")?;
    let (dims, after) = text.split_once('[')?.1.split_once(']')?;
    if dims.contains(":(") || after.contains("unreduced") {
        return None;
    }
    let each = dims.split('{').skip(1);
    Some(
        each.map(|dim| names(dim.split('}').next().unwrap_or_default()))
            .collect(),
    )
}

/// Reads `#sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>`.
fn read_shardings(text: &str) -> Option<Vec<Sharding>> {
    let each = text.split("<@").skip(1);
    each.map(|one| read_sharding(&format!("<@{one}"))).collect()
}

impl Mesh {
    /// A sharding on this mesh as `xla.OpSharding`; empty where nothing is divided.
    fn serialized(&self, dims: &Sharding) -> Option<Vec<u8>> {
        let place = |name: &String| self.axes.iter().position(|(known, _)| known == name);
        let mut order: Vec<usize> = dims.iter().flatten().map(place).collect::<Option<_>>()?;
        let tiles: Vec<u64> = dims
            .iter()
            .map(|names| {
                let sizes = names.iter().filter_map(place).map(|axis| self.axes[axis].1);
                sizes.product::<usize>() as u64
            })
            .collect();
        if tiles.iter().all(|tiles| *tiles == 1) {
            return Some(Vec::new());
        }
        // The axes that divide nothing are the innermost ones of the tiles.
        order.extend((0..self.axes.len()).filter(|axis| {
            !dims
                .iter()
                .flatten()
                .filter_map(place)
                .any(|used| used == *axis)
        }));
        let sizes: Vec<usize> = order.iter().map(|axis| self.axes[*axis].1).collect();
        let mut strides = vec![1; self.axes.len()];
        for axis in (1..self.axes.len()).rev() {
            strides[axis - 1] = strides[axis] * self.axes[axis].1;
        }
        let device = |tile: usize| {
            let (mut rest, mut index) = (tile, 0);
            for (axis, size) in order.iter().zip(&sizes).rev() {
                index += rest % size * strides[*axis];
                rest /= size;
            }
            self.devices[index] as u64
        };
        let copies = self.devices.len() as u64 / tiles.iter().product::<u64>();
        let mut bytes = Vec::new();
        write_number(1, 3, &mut bytes);
        let last = (copies > 1).then_some(copies);
        write_bytes(3, &packed(tiles.into_iter().chain(last)), &mut bytes);
        write_bytes(4, &packed((0..self.devices.len()).map(device)), &mut bytes);
        if last.is_some() {
            write_number(6, 1, &mut bytes);
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::{context, diagnostic::Diagnostics};

    fn names_of(dims: &[&[&str]]) -> Sharding {
        let dim = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        dims.iter().map(dim).collect()
    }

    #[test]
    fn shardings_are_read() {
        assert_eq!(
            read_sharding("#sdy.sharding<@mesh, [{\"i\"}, {?}]>"),
            Some(names_of(&[&["i"], &[]]))
        );
        assert_eq!(read_sharding("<@mesh, [{\"y\":(1)2}]>"), None);
        let two =
            read_shardings("#sdy.sharding_per_value<[<@mesh, [{\"a\", \"b\"}]>, <@mesh, []>]>");
        assert_eq!(two, Some(vec![names_of(&[&["a", "b"]]), names_of(&[])]));
    }

    #[test]
    fn devices_stand_in_the_order_of_the_tiles() {
        let mesh = mesh_of("#sdy.mesh<[\"x\"=2, \"y\"=2]>").unwrap();
        // Rows by y, columns by x: tile (y, x) is on device 2 x + y.
        let bytes = mesh.serialized(&names_of(&[&["y"], &["x"]])).unwrap();
        assert_eq!(bytes, [8, 3, 26, 2, 2, 2, 34, 4, 0, 2, 1, 3]);
        // Divided by y alone: the copies along x are the innermost.
        let bytes = mesh.serialized(&names_of(&[&["y"]])).unwrap();
        assert_eq!(bytes, [8, 3, 26, 2, 2, 2, 34, 4, 0, 2, 1, 3, 48, 1]);
        assert_eq!(mesh.serialized(&names_of(&[&[], &[]])), Some(vec![]));
        assert_eq!(mesh.serialized(&names_of(&[&["z"]])), None);
        let turned = mesh_of("#sdy.mesh<[\"x\"=2], device_ids=[1, 0]>").unwrap();
        let bytes = turned.serialized(&names_of(&[&["x"]])).unwrap();
        assert_eq!(bytes, [8, 3, 26, 1, 2, 34, 2, 1, 0]);
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
        let shardings =
            localise(root, function, 4).unwrap_or_else(|status| panic!("{}", status.message()));
        assert_eq!(shardings.inputs, [[8, 3, 26, 1, 4, 34, 4, 0, 1, 2, 3]]);
        assert_eq!(shardings.inputs, shardings.outputs);
        assert!(root.verify());
        let text = main(root);
        assert!(
            text.contains("(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32>"),
            "{text}"
        );
        assert!(!text.contains("manual"), "{text}");
    }
}
