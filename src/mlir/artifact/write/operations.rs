//! Operations, their properties, and what is nested in them.

use super::Writing;
use crate::{
    Blk, Op, Ty, Val,
    artifact::{
        Result, convolution,
        forms::{Default, Form, GROUPS, Part, property},
        operations::CAST,
    },
    attr,
    diagnostic::{Failure, Message},
    op, text,
};
use mapwright_artifact::{
    Version,
    dialects::operations::{self, Definition},
    tree::{self, Argument, AttributeId, Field, TypeId, ValueId},
};
use melior::ir::ValueLike;
use std::rc::Rc;

/// The first version in which other dialects may stand between the operations of `vhlo`.
const MIXED: Version = Version(1, 11, 0);

type Written<T> = std::result::Result<T, Failure>;

/// Names and attributes.
type Named = Vec<(Rc<str>, AttributeId)>;

impl<'c> Writing<'c> {
    pub(super) fn module(&mut self, module: Op<'c>) -> Written<tree::Operation> {
        self.foreign_operation(module)
            .map(|(_, operation, _)| operation)
    }

    fn block(&mut self, block: Blk<'c>, foreign: bool) -> Written<tree::Block> {
        let mut made = tree::Block::default();
        let arguments = op::arguments(block);
        for argument in &arguments {
            let location = argument_location(*argument);
            let fail = |message: String| Failure::at(location, &message);
            let ty = if foreign {
                Ok(self.foreign_type(argument.r#type()))
            } else {
                self.ty(argument.r#type())
            };
            made.arguments.push(Argument {
                value: self.new_value(*argument),
                ty: ty.map_err(fail)?,
                location: self.location(location).map_err(fail)?,
            });
        }
        if foreign {
            for argument in arguments {
                let cast = self
                    .cast_from(argument)
                    .map_err(|message| Failure::at(argument_location(argument), &message))?;
                made.operations.push(cast);
            }
        }
        for operation in op::ops(block) {
            self.operation(operation, &mut made.operations)?;
        }
        Ok(made)
    }

    fn new_value(&mut self, value: Val<'c>) -> ValueId {
        let id = ValueId(self.values);
        self.values += 1;
        self.numbers.insert(op::key(value), id);
        id
    }

    /// From now on a value is the one of `vhlo` that a cast gives.
    fn cast_from(&mut self, value: Val<'c>) -> Result<tree::Operation> {
        let operand = self.operand(value)?;
        let ty = self.ty(value.r#type())?;
        Ok(cast(operand, self.new_value(value), ty))
    }

    fn operand(&self, value: Val<'c>) -> Result<ValueId> {
        let id = self.numbers.get(&op::key(value)).copied();
        id.ok_or_else(|| "has an operand of elsewhere".into())
    }

    fn operation(&mut self, operation: Op<'c>, out: &mut Vec<tree::Operation>) -> Written<()> {
        let short = match operation.name() {
            "func.func" | "func.call" | "func.return" => operation.short_name(),
            name if name.starts_with("stablehlo.") => operation.short_name(),
            _ => {
                let (before, made, after) = self.foreign_operation(operation)?;
                out.extend(before);
                out.push(made);
                out.extend(after);
                return Ok(());
            }
        };
        let fail = |message: String| {
            Message::error(
                operation.location(),
                format!("'{}': {message}", operation.name()),
            )
            .emit()
        };
        let Some(definition) = operations::at(short, self.version) else {
            return Err(fail(self.no_such(short)));
        };
        let (attributes, properties) = self.split(operation, short, definition).map_err(fail)?;
        let operands: Result<Vec<_>> = operation
            .operands()
            .into_iter()
            .map(|value| self.operand(value))
            .collect();
        let operands = operands.map_err(fail)?;
        let types: Vec<Ty<'c>> = operation
            .results()
            .iter()
            .map(|value| value.r#type())
            .collect();
        let made = tree::Operation {
            name: definition.name.as_str().into(),
            location: self.location(operation.location()).map_err(fail)?,
            attributes,
            properties,
            operands,
            first_result: ValueId(self.values),
            results: self.tys(&types).map_err(fail)?,
            regions: Vec::new(),
        };
        let made = self.with_regions(operation, made, false)?;
        out.push(made);
        Ok(())
    }

    fn not_here(&self, name: &str) -> String {
        let version = self.version;
        format!("an artifact of version {version} cannot have the attribute '{name}' here")
    }

    /// Why a version has no operation.
    fn no_such(&self, short: &str) -> String {
        let first = operations::all()
            .filter(|one| one.name.starts_with(&format!("vhlo.{short}_v")))
            .map(|one| one.since)
            .min();
        match first {
            Some(since) => format!(
                "is there since version {since}; an artifact of version {} cannot have it",
                self.version
            ),
            None => "artifacts do not have this operation".into(),
        }
    }

    fn with_regions(
        &mut self,
        operation: Op<'c>,
        mut made: tree::Operation,
        foreign: bool,
    ) -> Written<tree::Operation> {
        for value in operation.results() {
            self.new_value(value);
        }
        for i in 0..operation.num_regions() {
            let blocks = op::blocks(operation.region(i));
            let block = match blocks.as_slice() {
                [] => None,
                [block] => Some(self.block(*block, foreign)?),
                _ => {
                    return Err(Failure::at(
                        operation.location(),
                        "artifacts have one block in a region",
                    ));
                }
            };
            made.regions.push(block);
        }
        Ok(made)
    }

    /// An operation of another dialect, with the casts before and after it.
    fn foreign_operation(
        &mut self,
        operation: Op<'c>,
    ) -> Written<(Vec<tree::Operation>, tree::Operation, Vec<tree::Operation>)> {
        let location = operation.location();
        let fail = |message: String| {
            Message::error(location, format!("'{}': {message}", operation.name())).emit()
        };
        let is_module = operation.name() == "builtin.module";
        let known = operations::definition(operation.name());
        if !is_module && (self.version < MIXED || operation.dialect() == "chlo") {
            return Err(fail(match operation.dialect() {
                "chlo" => {
                    "is no operation of StableHLO; indexing-legalize-chlo makes such of it".into()
                }
                _ => format!(
                    "other dialects are there since version {MIXED}; an artifact of version {} cannot have them",
                    self.version
                ),
            }));
        }
        let mut before = Vec::new();
        let mut operands = Vec::new();
        for value in operation.operands() {
            let operand = self.operand(value).map_err(fail)?;
            let ty = self.foreign_type(value.r#type());
            let inner = ValueId(self.values);
            self.values += 1;
            before.push(cast(operand, inner, ty));
            operands.push(inner);
        }
        let (mut attributes, mut properties) = (Vec::new(), Vec::new());
        for (name, value) in operation.attributes() {
            let own = known.is_some_and(|one| one.properties.iter().any(|(own, _)| *own == name));
            let entry = (Rc::from(name), self.foreign(value));
            if own {
                properties.push(entry)
            } else {
                attributes.push(entry)
            }
        }
        let results = operation.results();
        let types = results
            .iter()
            .map(|value| self.foreign_type(value.r#type()))
            .collect();
        let made = tree::Operation {
            name: operation.name().into(),
            location: self.location(location).map_err(fail)?,
            attributes,
            properties,
            operands,
            first_result: ValueId(self.values),
            results: types,
            regions: Vec::new(),
        };
        let made = self.with_regions(operation, made, !is_module)?;
        let mut after = Vec::new();
        for value in results {
            after.push(self.cast_from(value).map_err(fail)?);
        }
        Ok((before, made, after))
    }

    /// Splits the attributes of an operation into those that stay and its properties.
    fn split(
        &mut self,
        operation: Op<'c>,
        short: &str,
        definition: &Definition,
    ) -> Result<(Named, Named)> {
        let mut used: Vec<&str> = Vec::new();
        let mut properties = Vec::new();
        for (name, _) in &definition.properties {
            let (attribute, id) = self.property(operation, short, name)?;
            used.push(attribute);
            properties.push((Rc::from(*name), id));
        }
        for group in GROUPS
            .iter()
            .filter(|group| used.contains(&group.attribute))
        {
            let written = operation.text(group.attribute).unwrap_or_default();
            let missing = |name| !definition.properties.iter().any(|(own, _)| *own == name);
            let newer = group
                .fields
                .iter()
                .map(|(name, _)| *name)
                .filter(|name| missing(*name));
            for name in newer {
                if !text::integer_list(&written, name).is_empty() {
                    return Err(self.not_here(name));
                }
            }
        }
        let mut attributes = Vec::new();
        for (name, value) in operation.attributes() {
            if used.contains(&name) {
                continue;
            }
            let id = self.attribute(value)?;
            if name.contains('.') {
                attributes.push((Rc::from(name), id));
                continue;
            }
            // Newer than the version: it must say nothing.
            let group = GROUPS.iter().any(|group| group.attribute == name);
            let default = property(short, name).default;
            let says_nothing = match default {
                Default::Accuracy => value.to_string().contains("<DEFAULT>"),
                Default::None => false,
                _ => self
                    .default(operation, default)
                    .is_ok_and(|silent| silent == id),
            };
            if group || !says_nothing {
                return Err(self.not_here(name));
            }
        }
        Ok((attributes, properties))
    }

    /// A property, and the attribute that it is from.
    fn property(
        &mut self,
        operation: Op<'c>,
        short: &str,
        name: &'static str,
    ) -> Result<(&'static str, AttributeId)> {
        let groups = GROUPS
            .iter()
            .filter(|group| group.operations.contains(&short));
        for group in groups {
            if let Some((_, part)) = group.fields.iter().find(|(field, _)| *field == name) {
                let written = operation.text(group.attribute);
                return Ok((
                    group.attribute,
                    self.part(operation, *part, name, written.as_deref())?,
                ));
            }
        }
        if let Some(id) = self.convolution(operation, name)? {
            return Ok(("dimension_numbers", id));
        }
        if let "channel_id" | "channel_type" = name {
            let written = operation.text("channel_handle").unwrap_or_default();
            let field = if name == "channel_id" {
                "handle"
            } else {
                "type"
            };
            let number = text::integer_list(&written, field)
                .first()
                .copied()
                .unwrap_or_default();
            return Ok(("channel_handle", self.integer(number)?));
        }
        let property = property(short, name);
        let Some(value) = operation.attribute(name) else {
            return Ok((
                name,
                self.default(operation, property.default)
                    .map_err(|why| format!("{why} '{name}'"))?,
            ));
        };
        let wrong = || format!("'{name}' cannot be {value}");
        let id = match property.form {
            Form::Plain => self.attribute(value)?,
            Form::Unit => self.vhlo("bool", vec![Field::Unsigned(1)])?,
            Form::Number => {
                let number = attr::int(value).and_then(|number| u64::try_from(number).ok());
                self.vhlo(
                    "api_version",
                    vec![Field::Unsigned(number.ok_or_else(wrong)?)],
                )?
            }
            Form::Numbers => self.numbers(&attr::ints(value).ok_or_else(wrong)?)?,
            Form::Booleans => self.booleans(&attr::ints(value).ok_or_else(wrong)?)?,
            Form::Symbol => self.string(&attr::symbol(value).ok_or_else(wrong)?)?,
            Form::Symbols => {
                let symbols = attr::array(value).ok_or_else(wrong)?.into_iter();
                let names: Option<Vec<String>> = symbols.map(attr::symbol).collect();
                let names = names.ok_or_else(wrong)?;
                let ids: Result<Vec<_>> = names.iter().map(|name| self.string(name)).collect();
                self.vhlo("array", vec![Field::Attributes(ids?)])?
            }
        };
        Ok((name, id))
    }

    /// A property that is a part of an attribute.
    fn part(
        &mut self,
        operation: Op<'c>,
        part: Part,
        name: &str,
        written: Option<&str>,
    ) -> Result<AttributeId> {
        let field = written.and_then(|text| text::field(text, name));
        match part {
            Part::List | Part::NewList => self.numbers(
                &written
                    .map(|text| text::integer_list(text, name))
                    .unwrap_or_default(),
            ),
            // Of an attribute that is not there every part is the type of nothing.
            _ if written.is_none() => {
                let none = self.type_of("none", Vec::new())?;
                self.vhlo("type", vec![Field::Type(none)])
            }
            Part::Number => {
                let number = field.map(text::integers).unwrap_or_default();
                self.integer(number.first().copied().flatten().unwrap_or_default())
            }
            Part::Boolean => self.vhlo(
                "bool",
                vec![Field::Unsigned(u64::from(field == Some("true")))],
            ),
            Part::Type => {
                let ty = Ty::parse(operation.context(), field.unwrap_or("none"));
                let ty = self.ty(ty.ok_or_else(|| format!("'{name}' is no type"))?)?;
                self.vhlo("type", vec![Field::Type(ty)])
            }
        }
    }

    /// A property that is a part of the dimensions of a convolution.
    fn convolution(&mut self, operation: Op<'c>, name: &str) -> Result<Option<AttributeId>> {
        for (i, (tensor, kinds)) in convolution::TENSORS.iter().enumerate() {
            let Some(rest) = name
                .strip_prefix(tensor)
                .and_then(|rest| rest.strip_prefix('_'))
            else {
                continue;
            };
            let written = operation.text("dimension_numbers").unwrap_or_default();
            let words = convolution::words(&written, i);
            if rest == "spatial_dimensions" {
                return self.numbers(&convolution::spatial(&words)).map(Some);
            }
            let kind = rest.strip_suffix("_dimension");
            if let Some((_, letter)) = kinds.iter().find(|(name, _)| Some(*name) == kind) {
                let place = words.iter().position(|word| word == letter);
                let place = place.ok_or_else(|| format!("no dimension '{letter}'"))?;
                return self.integer(place as i64).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the value of a property where there is no attribute.
    fn default(&mut self, operation: Op<'c>, default: Default) -> Result<AttributeId> {
        let windows = || {
            let spatial = operation.text("dimension_numbers");
            match operation.ints("window_dimensions") {
                Some(windows) => windows.len(),
                None => {
                    convolution::spatial(&convolution::words(&spatial.unwrap_or_default(), 0)).len()
                }
            }
        };
        match default {
            Default::None => Err("no attribute".into()),
            Default::False => self.vhlo("bool", vec![Field::Unsigned(0)]),
            // The version of a composite has 32 bits.
            Default::Number(0) => {
                let ty = self.type_of("i32", Vec::new())?;
                self.vhlo("integer", vec![Field::Type(ty), Field::Bits(0)])
            }
            Default::Number(number) => self.integer(number),
            Default::Alternative(number) => {
                let kind = if number == 1 {
                    "api_version"
                } else {
                    "comparison_type"
                };
                self.vhlo(kind, vec![Field::Unsigned(number)])
            }
            Default::Text => self.string(""),
            Default::Array => self.vhlo("array", vec![Field::Attributes(Vec::new())]),
            Default::Dictionary => self.vhlo("dictionary", vec![Field::Pairs(Vec::new())]),
            Default::Empty => self.numbers(&[]),
            Default::NoPairs => self.elements(&[0, 0], "i64", Vec::new()),
            Default::Ones => self.numbers(&vec![1; windows()]),
            Default::Zeros => {
                let count = windows();
                self.elements(&[count as i64, 2], "i64", vec![0; 16 * count])
            }
            Default::Falses => self.booleans(&vec![0; windows()]),
            Default::Accuracy => {
                let mode = self.vhlo("result_accuracy_mode", vec![Field::Unsigned(0)])?;
                let zero = Field::Bits(0);
                let fields = vec![zero.clone(), zero, Field::Signed(0), Field::Attribute(mode)];
                self.vhlo("result_accuracy", fields)
            }
        }
    }
}

/// A cast of one value.
fn cast(operand: ValueId, result: ValueId, ty: TypeId) -> tree::Operation {
    tree::Operation {
        name: CAST.into(),
        location: None,
        attributes: Vec::new(),
        properties: Vec::new(),
        operands: vec![operand],
        first_result: result,
        results: vec![ty],
        regions: Vec::new(),
    }
}

fn argument_location<'c>(argument: Val<'c>) -> crate::Loc<'c> {
    // SAFETY: the value is an argument of a block, and its location one of the context.
    unsafe { crate::Loc::from_raw(mlir_sys::mlirValueGetLocation(argument.to_raw())) }
}
