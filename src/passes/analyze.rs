//! `indexing-analyze`: attaches what follows from the maps as attributes.

use mapwright_analysis::document::{Request, What, answers};
use mapwright_mlir::{
    Attr, Op,
    diagnostic::Failure,
    melior::{
        Context,
        ir::{
            Identifier, Type,
            attribute::{
                ArrayAttribute, BoolAttribute, DictionaryAttribute, FloatAttribute,
                IntegerAttribute, StringAttribute,
            },
            r#type::IntegerType,
        },
    },
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use serde_json::Value;

/// The attributes that the pass attaches, in the order of [`What::ALL`].
pub(super) const ATTRIBUTES: [&str; 4] = [
    "indexing.views",
    "indexing.utilization",
    "indexing.coalescing",
    "indexing.tiles",
];

/// Attaches to every operation what `mapwright analyze` answers about it: an array of dictionaries,
/// with the members of the JSON. A member that is `null` there is left out here; in a list it is
/// `unit`. Tiles of arguments are attached to the function.
pub struct Analyze;

impl Pass for Analyze {
    fn argument(&self) -> &'static str {
        "indexing-analyze"
    }

    fn description(&self) -> &'static str {
        "Attaches views, utilization, coalescing or tiles to each operation as attributes"
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "what",
                description: "The question: views, utilization, coalescing or tiles",
                kind: OptionKind::Word(&["views", "utilization", "coalescing", "tiles"]),
            },
            PassOption {
                name: "width",
                description: "Vector width in elements, for coalescing: 1 to 4096",
                kind: OptionKind::Int(16),
            },
            PassOption {
                name: "order",
                description: "Loops over the dimensions of a result, outermost first, for coalescing",
                kind: OptionKind::IntList,
            },
            PassOption {
                name: "result",
                description: "The result of every function that a tile is of, tuples flattened",
                kind: OptionKind::Int(0),
            },
            PassOption {
                name: "tile-sizes",
                description: "Sizes of the tile, for tiles and utilization",
                kind: OptionKind::IntList,
            },
            PassOption {
                name: "tile-offsets",
                description: "Offsets of the tile, for tiles and utilization",
                kind: OptionKind::IntList,
            },
            PassOption {
                name: "tile-strides",
                description: "Strides of the tile, for tiles",
                kind: OptionKind::IntList,
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        // The attributes have its prefix.
        &["indexing"]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        request(options).map(|_| ())
    }

    fn run<'c>(&self, root: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let what = What::from_name(&context.text("what")).unwrap_or(What::Views);
        let request = request(context).map_err(|message| super::failure(root, &message))?;
        mapwright_analysis::document::check(root, what, &request)
            .map_err(|message| super::failure(root, &message))?;
        let name = What::ALL
            .iter()
            .zip(ATTRIBUTES)
            .find(|(other, _)| **other == what)
            .map_or(ATTRIBUTES[0], |(_, name)| name);
        // Several answers may be about one operation: tiles of its results.
        let mut lists: Vec<(Op<'c>, Vec<Attr<'c>>)> = Vec::new();
        for answer in answers(root, what, &request) {
            let mlir = root.context();
            let found: Vec<Attr<'c>> = match &answer.found {
                Value::Array(items) => items.iter().map(|item| attribute(mlir, item)).collect(),
                other => vec![attribute(mlir, other)],
            };
            match lists.iter_mut().rfind(|(op, _)| *op == answer.operation) {
                Some((_, list)) => list.extend(found),
                None => lists.push((answer.operation, found)),
            }
        }
        for (op, list) in lists {
            context.at(op);
            op.set_attribute(name, ArrayAttribute::new(op.context(), &list).into());
        }
        Ok(())
    }
}

/// Reads the request from the options.
fn request(options: &PassContext<'_>) -> Result<Request, String> {
    let width = options.int("width");
    if !(1..=4096).contains(&width) {
        return Err("option width must be between 1 and 4096".into());
    }
    let result = usize::try_from(options.int("result"))
        .map_err(|_| "option result must not be negative".to_owned())?;
    let order = options
        .ints("order")
        .into_iter()
        .map(|k| usize::try_from(k).map_err(|_| "option order has a negative dimension".to_owned()))
        .collect::<Result<_, _>>()?;
    Ok(Request {
        width,
        order,
        result,
        tile_offsets: options.ints("tile-offsets"),
        tile_sizes: options.ints("tile-sizes"),
        tile_strides: options.ints("tile-strides"),
    })
}

/// JSON as an attribute: objects are dictionaries, numbers `i64` or `f64`.
fn attribute<'c>(context: &'c Context, value: &Value) -> Attr<'c> {
    match value {
        Value::Null => Attr::unit(context),
        Value::Bool(flag) => BoolAttribute::new(context, *flag).into(),
        Value::String(text) => StringAttribute::new(context, text).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => {
                IntegerAttribute::new(IntegerType::new(context, 64).into(), number).into()
            }
            None => FloatAttribute::new(
                context,
                Type::float64(context),
                number.as_f64().unwrap_or(f64::NAN),
            )
            .into(),
        },
        Value::Array(items) => {
            let items: Vec<Attr<'c>> = items.iter().map(|item| attribute(context, item)).collect();
            ArrayAttribute::new(context, &items).into()
        }
        Value::Object(members) => {
            let members: Vec<(Identifier<'c>, Attr<'c>)> = members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (Identifier::new(context, name), attribute(context, value)))
                .collect();
            DictionaryAttribute::new(context, &members).into()
        }
    }
}
