//! `indexing-simplify`: simplifies every `#indexing.map` attribute.

use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Attr, Op, attr,
    diagnostic::Failure,
    hooks::{map_attribute, map_attribute_text},
    melior::ir::attribute::ArrayAttribute,
    pass::{Pass, PassContext},
};

/// Simplifies every `#indexing.map` in the attributes of the operations, also inside of arrays.
pub struct Simplify;

impl Pass for Simplify {
    fn argument(&self) -> &'static str {
        "indexing-simplify"
    }

    fn description(&self) -> &'static str {
        "Simplifies the indexing maps in attributes"
    }

    fn before(&self) -> &'static str {
        "A pass that attaches maps, such as `indexing-annotate` or `indexing-fuse{maps=true}`."
    }

    fn run<'c>(&self, root: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        for op in [root].into_iter().chain(root.descendants()) {
            context.at(op);
            for (name, attribute) in op.attributes() {
                if let Some(simpler) = simplified(op, attribute)? {
                    op.set_attribute(name, simpler);
                }
            }
        }
        Ok(())
    }
}

/// The simplified attribute; `None` if there is nothing to simplify in it.
fn simplified<'c>(op: Op<'c>, attribute: Attr<'c>) -> Result<Option<Attr<'c>>, Failure> {
    if let Some(text) = map_attribute_text(attribute) {
        let map: IndexingMap = text
            .parse()
            .map_err(|error| Failure::at(op.location(), &format!("indexing map: {error}")))?;
        let simpler = map.simplify();
        if simpler == map {
            return Ok(None);
        }
        return map_attribute(op.location(), &simpler.to_string())
            .map(Some)
            .ok_or(Failure::reported());
    }
    let Some(elements) = attr::array(attribute) else {
        return Ok(None);
    };
    let mut changed = false;
    let elements = elements
        .into_iter()
        .map(|element| {
            let simpler = simplified(op, element)?;
            changed |= simpler.is_some();
            Ok(simpler.unwrap_or(element))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(changed.then(|| ArrayAttribute::new(op.context(), &elements).into()))
}
