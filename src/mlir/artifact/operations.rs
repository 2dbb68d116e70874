//! Operations, their regions, and the module.

use super::{
    Reading, Result,
    attributes::distinct,
    convolution,
    forms::{Default, Form, GROUPS, Group, LAYOUTS, Part, property},
};
use crate::{
    Attr, Builder, Op,
    diagnostic::{Failure, Message},
    op,
};
use mapwright_artifact::tree::{self, AttributeId, Field};
use melior::ir::{Block, Module, Region, RegionLike, ValueLike};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The operation between values of two dialects that stand for the same.
pub(super) const CAST: &str = "builtin.unrealized_conversion_cast";

/// Attributes of an operation that is to be made.
type Made<'c> = Vec<(Rc<str>, Attr<'c>)>;

impl<'c> Reading<'c, '_> {
    /// The module, verified.
    pub(super) fn module(&mut self) -> std::result::Result<Module<'c>, Failure> {
        let tree = self.tree;
        let location = self.location(tree.module.location);
        let module = Module::new(location);
        let body = crate::block(&module.body());
        let builder = Builder::new(self.context, body, location);
        let whole = Op::new(module.as_operation());
        let fail = |message: String| Failure::at(location, &message);
        for (name, id) in tree.module.attributes.iter().chain(&tree.module.properties) {
            let attribute = self.attribute(*id).map_err(fail)?;
            whole.set_attribute(name, attribute);
        }
        let [Some(block)] = tree.module.regions.as_slice() else {
            return Err(fail("a module has one region with a block".into()));
        };
        if !block.arguments.is_empty()
            || !tree.module.operands.is_empty()
            || !tree.module.results.is_empty()
        {
            return Err(fail("a module takes and gives nothing".into()));
        }
        for operation in &block.operations {
            self.operation(&builder, operation, CAST)?;
        }
        if whole.verify() {
            Ok(module)
        } else {
            Err(Failure::reported())
        }
    }

    /// Appends an operation; `parent` is the name of the one that it is in.
    fn operation(
        &mut self,
        builder: &Builder<'c>,
        operation: &tree::Operation,
        parent: &str,
    ) -> std::result::Result<(), Failure> {
        let location = self.location(operation.location);
        let fail = |message: String| {
            Message::error(location, format!("'{}': {message}", operation.name)).emit()
        };
        let mut operands = Vec::with_capacity(operation.operands.len());
        for id in &operation.operands {
            let value = self.values[id.0 as usize];
            operands
                .push(value.ok_or_else(|| fail("an operand of a value that is not there".into()))?);
        }
        let results = self.tys(&operation.results).map_err(fail)?;
        if &*operation.name == CAST {
            let same = operands.len() == results.len()
                && operands
                    .iter()
                    .zip(&results)
                    .all(|(operand, ty)| operand.r#type() == *ty);
            if same {
                self.bind(operation, &operands);
                return Ok(());
            }
        }
        let name = name_of(&operation.name, parent);
        if !self.context.is_registered_operation(&name) {
            return Err(fail("there is no such operation here".into()));
        }
        let made = self.attributes_of(operation).map_err(fail)?;
        let mut regions = Vec::with_capacity(operation.regions.len());
        for region in &operation.regions {
            regions.push(self.region(builder, region.as_ref(), &name)?);
        }
        builder.set_location(location);
        let named: Vec<_> = made.iter().map(|(name, value)| (&**name, *value)).collect();
        let op = builder.op_with_regions(&name, &operands, &results, &named, regions);
        self.bind(operation, &op.results());
        // An attribute of a form that the operation does not take is gone without a word.
        match made
            .iter()
            .find(|(name, value)| op.attribute(name) != Some(*value))
        {
            Some((name, value)) => Err(fail(format!("'{name}' cannot be {value}"))),
            None => Ok(()),
        }
    }

    fn bind(&mut self, operation: &tree::Operation, values: &[crate::Val<'c>]) {
        let first = operation.first_result.0 as usize;
        for (slot, value) in self.values[first..].iter_mut().zip(values) {
            *slot = Some(*value);
        }
    }

    fn region(
        &mut self,
        builder: &Builder<'c>,
        block: Option<&tree::Block>,
        parent: &str,
    ) -> std::result::Result<Region<'c>, Failure> {
        let region = Region::new();
        let Some(block) = block else {
            return Ok(region);
        };
        let mut arguments = Vec::with_capacity(block.arguments.len());
        for argument in &block.arguments {
            let location = self.location(argument.location);
            let ty = self.ty(argument.ty);
            let ty = ty.map_err(|message| Failure::at(location, &message))?;
            arguments.push((ty, location));
        }
        let made = crate::block(&region.append_block(Block::new(&arguments)));
        for (argument, value) in block.arguments.iter().zip(op::arguments(made)) {
            self.values[argument.value.0 as usize] = Some(value);
        }
        builder.within(made, |builder| {
            let mut operations = block.operations.iter();
            operations.try_for_each(|operation| self.operation(builder, operation, parent))
        })?;
        Ok(region)
    }

    /// The attributes that an operation has in StableHLO.
    fn attributes_of(&mut self, operation: &tree::Operation) -> Result<Made<'c>> {
        let mut made = Vec::new();
        for (name, id) in &operation.attributes {
            made.push((name.clone(), self.attribute(*id)?));
        }
        let Some(short) = short_name(&operation.name) else {
            for (name, id) in &operation.properties {
                made.push((name.clone(), self.attribute(*id)?));
            }
            distinct(&made)?;
            return Ok(made);
        };
        let mut left: HashMap<&str, AttributeId> = HashMap::new();
        for (name, id) in &operation.properties {
            if left.insert(name, *id).is_some() {
                return Err(format!("the property '{name}' twice"));
            }
        }
        for group in GROUPS
            .iter()
            .filter(|group| group.operations.contains(&short))
        {
            if let Some(attribute) = self.group(group, &mut left)? {
                made.push((group.attribute.into(), attribute));
            }
        }
        if left.contains_key("input_batch_dimension") {
            made.push(("dimension_numbers".into(), self.convolution(&mut left)?));
        }
        if let Some(id) = left.remove("channel_id") {
            let kind = left.remove("channel_type");
            let handle = self.plain_number(id)?;
            if kind.is_some() || handle != 0 {
                let kind = kind.map_or(Ok(0), |id| self.plain_number(id))?;
                let text = format!("#stablehlo.channel_handle<handle = {handle}, type = {kind}>");
                made.push(("channel_handle".into(), self.parse(&text)?));
            }
        }
        let mut speaking = HashSet::new();
        for (name, id) in &operation.properties {
            let name = &**name;
            if left.contains_key(name) && !self.says_nothing(property(short, name).default, *id) {
                speaking.insert(name);
            }
        }
        // A call without results has layouts of its operands and none of a result: both lists stay.
        if LAYOUTS.iter().any(|name| speaking.contains(name)) {
            speaking.extend(LAYOUTS);
        }
        // In the order of the operation, so that errors and texts do not depend on that of a map.
        for (name, id) in &operation.properties {
            if left.contains_key(&**name) && speaking.contains(&**name) {
                made.push((name.clone(), self.property(short, name, *id)?));
            }
        }
        distinct(&made)?;
        Ok(made)
    }

    /// A property in its form.
    fn property(&mut self, operation: &str, name: &str, id: AttributeId) -> Result<Attr<'c>> {
        let property = property(operation, name);
        let text = |of: &Self, id| {
            of.plain_text(id)
                .ok_or_else(|| format!("'{name}' is no text"))
        };
        Ok(match property.form {
            Form::Plain => self.attribute(id)?,
            Form::Number => self.attribute(id)?,
            Form::Numbers => {
                let numbers = self.plain_numbers(id)?;
                melior::ir::attribute::DenseI64ArrayAttribute::new(self.context, &numbers).into()
            }
            Form::Booleans => {
                let booleans = self.plain_numbers(id)?;
                let booleans: Vec<_> = booleans.iter().map(|one| (*one != 0).to_string()).collect();
                if booleans.is_empty() {
                    self.parse("array<i1>")?
                } else {
                    self.parse(&format!("array<i1: {}>", booleans.join(", ")))?
                }
            }
            Form::Symbol => {
                let name = text(self, id)?;
                melior::ir::attribute::FlatSymbolRefAttribute::new(self.context, &name).into()
            }
            Form::Symbols => {
                let Some((_, "array", [Field::Attributes(ids)])) = self.tree.attribute(id).parts()
                else {
                    return Err(format!("'{name}' is no list"));
                };
                let symbols: Result<Vec<Attr<'c>>> = ids
                    .iter()
                    .map(|id| {
                        let name = text(self, *id)?;
                        let symbol =
                            melior::ir::attribute::FlatSymbolRefAttribute::new(self.context, &name);
                        Ok(symbol.into())
                    })
                    .collect();
                melior::ir::attribute::ArrayAttribute::new(self.context, &symbols?).into()
            }
            Form::Unit => self.parse("unit")?,
        })
    }

    /// Tells whether a property has the value that is meant where StableHLO has no attribute.
    fn says_nothing(&mut self, default: Default, id: AttributeId) -> bool {
        let Some((_, kind, fields)) = self.tree.attribute(id).parts() else {
            return false;
        };
        let mut all = |number: i64| {
            let numbers = self.plain_numbers(id);
            numbers.is_ok_and(|numbers| numbers.iter().all(|one| *one == number))
        };
        match (default, fields) {
            (Default::False, [Field::Unsigned(value)]) => kind == "bool" && *value == 0,
            (Default::Number(number), _) => self.plain_number(id) == Ok(number),
            (Default::Alternative(number), [Field::Unsigned(value)]) => *value == number,
            (Default::Text, [Field::Text(text)]) => text.is_empty(),
            // Of arguments and results there may be as many empty dictionaries as there are
            // arguments.
            (Default::Array, [Field::Attributes(ids)]) => ids.iter().all(|id| {
                let entry = self.tree.attribute(*id).parts();
                matches!(entry, Some((_, "dictionary", [Field::Pairs(pairs)])) if pairs.is_empty())
            }),
            (Default::Dictionary, [Field::Pairs(pairs)]) => pairs.is_empty(),
            (Default::Empty | Default::NoPairs, [Field::Type(_), Field::Bytes(bytes)]) => {
                bytes.is_empty()
            }
            (Default::Ones, _) => all(1),
            (Default::Zeros | Default::Falses, _) => all(0),
            (
                Default::Accuracy,
                [
                    Field::Bits(0),
                    Field::Bits(0),
                    Field::Signed(0),
                    Field::Attribute(mode),
                ],
            ) => {
                let mode = self.tree.attribute(*mode).parts();
                matches!(mode, Some((_, _, [Field::Unsigned(0)])))
            }
            _ => false,
        }
    }

    /// An attribute that is several properties, which are taken from `left`.
    fn group(
        &mut self,
        group: &Group,
        left: &mut HashMap<&str, AttributeId>,
    ) -> Result<Option<Attr<'c>>> {
        let mut texts = Vec::new();
        let (mut absent, mut old) = (false, false);
        for (name, part) in group.fields {
            let Some(id) = left.remove(name) else {
                // Operations of before there was the attribute have none of its parts.
                old |= matches!(part, Part::Type | Part::Number | Part::Boolean);
                match part {
                    Part::List => return Err(format!("no property '{name}'")),
                    _ => continue,
                }
            };
            let text = match part {
                Part::List | Part::NewList => format!("{:?}", self.plain_numbers(id)?),
                Part::Number | Part::Boolean => self.attribute(id)?.to_string(),
                Part::Type => {
                    let ty = self.attribute(id)?.to_string();
                    absent |= ty == "none";
                    ty
                }
            };
            // Numbers are printed with their type, unless it is that of 64 bits.
            let text = text.split(" : ").next().unwrap_or_default();
            texts.push(format!("{name} = {text}"));
        }
        if absent || old {
            return Ok(None);
        }
        let text = format!("#stablehlo.{}<{}>", group.mnemonic, texts.join(", "));
        self.parse(&text).map(Some)
    }

    fn convolution(&mut self, left: &mut HashMap<&str, AttributeId>) -> Result<Attr<'c>> {
        let mut texts = Vec::with_capacity(3);
        for (tensor, kinds) in convolution::TENSORS {
            let mut take = |name: String| {
                let id = left.remove(name.as_str());
                id.ok_or_else(|| format!("no property '{name}'"))
            };
            let spatial = take(format!("{tensor}_spatial_dimensions"))?;
            let [first, second] = kinds;
            let first = (take(format!("{tensor}_{}_dimension", first.0))?, first.1);
            let second = (take(format!("{tensor}_{}_dimension", second.0))?, second.1);
            let lettered = [
                (self.plain_number(first.0)?, first.1),
                (self.plain_number(second.0)?, second.1),
            ];
            texts.push(convolution::text(lettered, &self.plain_numbers(spatial)?)?);
        }
        let [input, kernel, output] = texts.as_slice() else {
            return Err("a convolution of other tensors than three".into());
        };
        self.parse(&format!("#stablehlo.conv<{input}x{kernel}->{output}>"))
    }
}

/// The name of an operation of `vhlo` without its dialect and number.
fn short_name(name: &str) -> Option<&str> {
    let versioned = name.strip_prefix("vhlo.")?;
    Some(
        versioned
            .rsplit_once("_v")
            .map_or(versioned, |(name, _)| name),
    )
}

/// Returns the name of an operation in a program.
fn name_of(name: &str, parent: &str) -> String {
    match short_name(name) {
        None => name.to_owned(),
        Some(short) => match short {
            "func" | "call" => format!("func.{short}"),
            "return" if parent == "func.func" => "func.return".into(),
            short => format!("stablehlo.{short}"),
        },
    }
}
