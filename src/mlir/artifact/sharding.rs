//! Shardy's attributes, through their text.

use super::{Reading, Result, quoted};
use mapwright_artifact::tree::{AttributeId, Field};

/// The attributes by what MLIR's text calls them, if that is another name.
const NAMES: [(&str, &str); 3] = [
    ("sharding_v2", "sharding"),
    ("sharding_v3", "sharding"),
    ("sharding_per_value_v2", "sharding_per_value"),
];

impl Reading<'_, '_> {
    /// The text of an attribute by itself.
    pub(super) fn sharding(&self, name: &str, fields: &[Field]) -> Result<String> {
        let called = NAMES.iter().find(|(new, _)| *new == name);
        let called = called.map_or(name, |(_, called)| called);
        let text = self.shard_text(name, fields)?;
        Ok(format!("#sdy<{called} {text}>"))
    }

    fn shard(&self, id: AttributeId) -> Result<String> {
        match self.tree.attribute(id).parts() {
            Some(("sdy", name, fields)) => self.shard_text(name, fields),
            Some(("builtin", "string", [Field::Text(text)])) => Ok(quoted(text)),
            Some(("builtin", "symbol", [Field::Attribute(name)])) => {
                let name = self.plain_text(*name).ok_or("a symbol without a name")?;
                Ok(format!("@{}", quoted(&name)))
            }
            _ => Err("a sharding of other parts than shardings have".into()),
        }
    }

    fn shards(&self, ids: &[AttributeId]) -> Result<String> {
        let texts: Result<Vec<_>> = ids.iter().map(|id| self.shard(*id)).collect();
        Ok(texts?.join(", "))
    }

    /// The text of an attribute within another one.
    fn shard_text(&self, name: &str, fields: &[Field]) -> Result<String> {
        Ok(match (name, fields) {
            ("manual_axes" | "axis_ref_list", [Field::Attributes(axes)]) => {
                format!("{{{}}}", self.shards(axes)?)
            }
            ("mesh_axis", [Field::Text(name), Field::Signed(size)]) => {
                format!("{}={size}", quoted(name))
            }
            ("mesh", [Field::Attributes(axes), Field::SignedList(devices)]) => {
                let axes = self.shards(axes)?;
                match devices.as_slice() {
                    [] => format!("<[{axes}]>"),
                    devices => format!("<[{axes}], device_ids=[{}]>", numbers(devices)),
                }
            }
            ("sub_axis_info", [Field::Signed(before), Field::Signed(size)]) => {
                format!("({before}){size}")
            }
            ("axis_ref", [Field::Text(name), Field::OptionalAttribute(part)]) => match part {
                Some(part) => format!("{}:{}", quoted(name), self.shard(*part)?),
                None => quoted(name),
            },
            (
                "dimension_sharding",
                [
                    Field::Attributes(axes),
                    Field::Unsigned(closed),
                    Field::OptionalUnsigned(priority),
                ],
            ) => {
                let mut parts = vec![self.shards(axes)?];
                parts.retain(|axes| !axes.is_empty());
                if *closed == 0 {
                    parts.push("?".into());
                }
                let priority = priority.map_or(String::new(), |priority| format!("p{priority}"));
                format!("{{{}}}{priority}", parts.join(", "))
            }
            ("sharding" | "sharding_v2", [mesh, dimensions, lists @ ..]) => {
                self.tensor_sharding(mesh, dimensions, lists)?
            }
            ("sharding_v3", [mesh, dimensions, lists @ .., Field::Signed(0)]) => {
                self.tensor_sharding(mesh, dimensions, lists)?
            }
            ("sharding_v3", _) => {
                return Err(
                    "a sharding with a reduction other than the sum is not known here".into(),
                );
            }
            ("sharding_per_value" | "sharding_per_value_v2", [Field::Attributes(shardings)]) => {
                format!("<[{}]>", self.shards(shardings)?)
            }
            ("list_of_axis_ref_lists" | "all_to_all_param_list", [Field::Attributes(lists)]) => {
                format!("[{}]", self.shards(lists)?)
            }
            (
                "all_to_all_param",
                [
                    Field::Attributes(axes),
                    Field::Signed(from),
                    Field::Signed(to),
                ],
            ) => format!("{{{}}}: {from}->{to}", self.shards(axes)?),
            ("dim_mapping", [Field::SignedList(factors)]) => {
                let factors: Result<Vec<_>> = factors.iter().map(|one| factor(*one)).collect();
                factors?.concat()
            }
            ("tensor_mapping", [Field::Attributes(dimensions)]) => {
                format!("[{}]", self.shards(dimensions)?)
            }
            ("op_sharding_rule", fields) => self.rule(fields)?,
            (name, _) => return Err(format!("an attribute '{name}' of other parts than it has")),
        })
    }

    fn tensor_sharding(&self, mesh: &Field, dimensions: &Field, lists: &[Field]) -> Result<String> {
        let (Field::Attribute(mesh), Field::Attributes(dimensions)) = (mesh, dimensions) else {
            return Err("a sharding of other parts than shardings have".into());
        };
        let inlined = matches!(self.tree.attribute(*mesh).parts(), Some(("sdy", "mesh", _)));
        let mut text = format!(
            "<{}{}, [{}]",
            if inlined { "mesh" } else { "" },
            self.shard(*mesh)?,
            self.shards(dimensions)?
        );
        for (name, list) in ["replicated", "unreduced"].iter().zip(lists) {
            match list {
                Field::Attributes(axes) if axes.is_empty() => {}
                Field::Attributes(axes) => {
                    text += &format!(", {name}={{{}}}", self.shards(axes)?);
                }
                _ => return Err("a sharding of other parts than shardings have".into()),
            }
        }
        Ok(text + ">")
    }

    fn rule(&self, fields: &[Field]) -> Result<String> {
        let [
            Field::SignedList(sizes),
            Field::Attributes(operands),
            Field::Attributes(results),
            lists @ ..,
            Field::Unsigned(custom),
        ] = fields
        else {
            return Err("a rule of other parts than rules have".into());
        };
        let sizes = sizes.iter().enumerate();
        let sizes = sizes.map(|(i, size)| Ok(format!("{}={size}", factor(i as i64)?)));
        let sizes: Result<Vec<_>> = sizes.collect();
        let mut text = format!(
            "<({})->({}) {{{}}}",
            self.shards(operands)?,
            self.shards(results)?,
            sizes?.join(", ")
        );
        let names = [
            "reduction",
            "need_replication",
            "permutation",
            "blocked_propagation",
        ];
        for (name, list) in names.iter().zip(lists) {
            match list {
                Field::SignedList(list) if list.is_empty() => {}
                Field::SignedList(list) => {
                    let list: Result<Vec<_>> = list.iter().map(|one| factor(*one)).collect();
                    text += &format!(" {name}={{{}}}", list?.join(", "));
                }
                _ => return Err("a rule of other parts than rules have".into()),
            }
        }
        Ok(text + if *custom == 0 { ">" } else { ", custom>" })
    }
}

fn numbers(list: &[i64]) -> String {
    let list: Vec<_> = list.iter().map(i64::to_string).collect();
    list.join(", ")
}

/// Factors are called `i` to `z`, then `z_1` and so on.
fn factor(number: i64) -> Result<String> {
    const LAST: i64 = 17;
    match number {
        0..=LAST => Ok(char::from(b'i' + number as u8).into()),
        _ if number > LAST => Ok(format!("z_{}", number - LAST)),
        _ => Err(format!("a rule with factor {number}")),
    }
}
