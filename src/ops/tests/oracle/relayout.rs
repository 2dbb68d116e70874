//! Maps of `linalg.pack` and `linalg.unpack`: an element of the tensor, and the quotients and
//! remainders of its index by the sizes of tiles.

use super::harness::*;
use super::upstream::case;

/// How a tensor is packed.
#[derive(Clone)]
struct Packing {
    /// For each outer dimension, the one of the tensor.
    order: Vec<usize>,
    /// The dimensions that are cut, and the sizes of tiles.
    tiles: Vec<(usize, i64)>,
}

impl Packing {
    fn random(rng: &mut Rng, rank: usize) -> Self {
        let count = rng.int(0, rank as i64) as usize;
        let cut = rng.permutation(rank).into_iter().take(count);
        Self {
            tiles: cut.map(|k| (k, rng.int(1, 4))).collect(),
            order: rng.permutation(rank),
        }
    }

    fn size(&self, k: usize) -> i64 {
        let tile = self.tiles.iter().find(|(cut, _)| *cut == k);
        tile.map_or(1, |(_, size)| *size)
    }

    /// The place of an element of the tensor.
    fn place(&self, index: &[i64]) -> Index {
        let outer = self.order.iter().map(|k| index[*k] / self.size(*k));
        let inner = self.tiles.iter().map(|(k, size)| index[*k] % size);
        outer.chain(inner).collect()
    }

    /// The sizes of the packed tensor: as many tiles as it takes.
    fn sizes(&self, shape: &[i64]) -> Vec<i64> {
        let mut outer = vec![];
        for k in &self.order {
            let tiles = (0..shape[*k]).map(|i| i / self.size(*k) + 1).max();
            outer.push(tiles.unwrap_or(0));
        }
        outer.extend(self.tiles.iter().map(|(_, size)| *size));
        outer
    }
}

#[test]
pub fn relayout() {
    run("linalg.pack and unpack", 400, |rng| {
        let rank = rng.int(0, 3) as usize;
        let packing = Packing::random(rng, rank);
        let (pack, padded) = (rng.flag(), rng.flag());
        let mut shape = rng.shape(rank);
        if pack && !padded {
            for (k, size) in &packing.tiles {
                shape[*k] *= size;
            }
        }
        let packed = packing.sizes(&shape);
        // Some sizes are known at run time only, among them those of some tiles; other tiles have
        // constants as operands.
        let is_dynamic: Vec<bool> = (0..rank).map(|_| rng.int(0, 3) == 0).collect();
        let is_operand: Vec<bool> = packing.tiles.iter().map(|_| rng.int(0, 3) == 0).collect();
        let is_constant: Vec<bool> = packing.tiles.iter().map(|_| rng.flag()).collect();
        let (mut next, mut indices, mut prefix) =
            (2 + usize::from(pack && padded), vec![], String::new());
        let mut unknown = false;
        let mut sizes = vec![];
        for (i, (_, size)) in packing.tiles.iter().enumerate() {
            sizes.push(match (is_operand[i], is_constant[i]) {
                (false, _) => size.to_string(),
                (true, is_constant) => {
                    indices.push((next, *size));
                    next += 1;
                    if is_constant {
                        prefix += &format!("%k{i} = arith.constant {size} : index\n");
                        format!("%k{i}")
                    } else {
                        unknown = true;
                        format!("%arg{}", next - 1)
                    }
                }
            });
        }
        let bound = |n: i64, dynamic: bool| dynamic.then_some(n + 2);
        let of_whole: Vec<Option<i64>> =
            (0..rank).map(|k| bound(shape[k], is_dynamic[k])).collect();
        let of_packed: Vec<Option<i64>> = (packing.order.iter())
            .map(|k| {
                let tile = packing.tiles.iter().position(|(cut, _)| cut == k);
                is_dynamic[*k] || tile.is_some_and(|i| is_operand[i])
            })
            .chain(is_operand.iter().copied())
            .zip(&packed)
            .map(|(dynamic, n)| bound(*n, dynamic))
            .collect();
        let whole_type = bounded_type(&shape, &of_whole, "f32");
        let packed_type = bounded_type(&packed, &of_packed, "f32");
        let layout = format!(
            "outer_dims_perm = {} inner_dims_pos = {} inner_tiles = {} into %arg1",
            list(&packing.order),
            list(packing.tiles.iter().map(|(k, _)| k)),
            list(&sizes)
        );
        let says_where: Vec<(usize, Index)> = indices.iter().map(|(i, _)| (*i, vec![])).collect();
        let of_pad = if padded {
            "padding_value(%arg2 : f32) "
        } else {
            ""
        };
        let (op, from, to) = if pack {
            (
                format!("linalg.pack %arg0 {of_pad}{layout} : {whole_type} -> {packed_type}"),
                (shape.clone(), whole_type),
                (packed, packed_type),
            )
        } else {
            (
                format!("linalg.unpack %arg0 {layout} : {packed_type} -> {whole_type}"),
                (packed, packed_type),
                (shape.clone(), whole_type),
            )
        };
        let relation: Relation = Box::new(move |_, i| {
            let mut found = if pack {
                let all = super::harness::indices(&shape);
                let source = all.into_iter().find(|source| packing.place(source) == i);
                vec![source.map_or((2, vec![]), |source| (0, source))]
            } else {
                vec![(0, packing.place(i))]
            };
            found.extend(says_where.clone());
            found
        });
        let mut arguments = vec![(from.0, "f32"), (to.0.clone(), "f32")];
        if pack && padded {
            arguments.push((vec![], "scalar"));
        }
        arguments.extend(indices.iter().map(|_| (vec![], "index")));
        let mut case = case(op, &arguments, vec![to.0], indices, relation);
        (case.args[0], case.args[1]) = (from.1, to.1);
        case.prefix = prefix;
        // Quotients by a number that is known at run time only are no affine expressions, and where
        // run-time sizes end padding begins.
        let is_padded = pack && padded;
        let ends = is_padded && is_dynamic.contains(&true);
        case.exact.retain(|operand| match operand {
            0 => !unknown,
            2 if is_padded => !unknown && !ends,
            _ => true,
        });
        case
    });
}
