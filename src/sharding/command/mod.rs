//! `mapwright shards`: a layout, and a change of layout, as tables, JSON or a page.

mod html;
mod json;
mod table;

use crate::error::LayoutError;
use crate::layout::{DeviceMatrix, Layout, Reduction, Repeat, Split};
use crate::notation::cursor::Cursor;
use crate::notation::{Grid, GridSharding, HloSharding, Mesh, NotationError, ShardySharding};
use crate::reshard::{Plan, Reshard};
use crate::tensor::ShardedTensor;

/// The most devices of which every rank is listed.
pub const MOST_DEVICES: i64 = 1 << 22;

/// Request, as it stands on the command line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// `2,1,2,2,1`.
    pub device_matrix: Option<String>,
    /// `a,b,c,d,e`; without it the axes are `a`, `b`, ….
    pub alias: Option<String>,
    /// `b,(d,e),None`.
    pub tensor_map: Option<String>,
    /// The axes that hold partial sums, `c,d`.
    pub partial: Option<String>,
    /// The strategy of `.shard(strategy)`, `2,1,1,2,1`.
    pub strategy: Option<String>,
    /// The number of devices, where the layout does not say it.
    pub devices: Option<i64>,
    /// Place of a strategy's repetition.
    pub repeat: Repeat,
    /// A layout in any notation, in place of a tensor map: HLO, Shardy, `shard.sharding`.
    pub sharding: Option<String>,
    /// `sdy.mesh @m = <["x"=2]>` or `shard.grid @g(shape = 2x4)`, for texts that refer to it.
    pub mesh: Option<String>,
    /// The shape of the tensor, `1,2,1,2,2`; empty for a scalar.
    pub shape: String,
    /// The layout before a change: a tensor map or a text in any notation.
    pub from: Option<String>,
    /// The layout after a change.
    pub to: Option<String>,
    /// Bytes of an element.
    pub element_bytes: i64,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    tensor: ShardedTensor,
    change: Option<(Reshard, Result<Plan, LayoutError>)>,
    element_bytes: i64,
}

/// Texts of a layout in the notations, or why it has none.
struct Notations {
    hlo: Result<String, String>,
    shardy: Result<(String, String), String>,
    shard: Result<(String, String), String>,
}

impl Request {
    /// Works the request out.
    ///
    /// # Errors
    /// Whatever is wrong, with the option that it stands in.
    pub fn run(&self) -> Result<Report, LayoutError> {
        let shape = integers("--shape", &self.shape)?;
        let main = self.main_layout(&shape)?;
        let read = |option: &str, text: &Option<String>| -> Result<Option<Layout>, LayoutError> {
            text.as_ref()
                .map(|t| self.layout(t, &shape).map_err(|e| in_option(option, e)))
                .transpose()
        };
        let (from, to) = (read("--from", &self.from)?, read("--to", &self.to)?);
        let Some(shown) = main.clone().or_else(|| from.clone()).or_else(|| to.clone()) else {
            return Err(wrong(
                "no layout is given: --tensor-map, --strategy, --sharding or --from and --to are needed",
            ));
        };
        if self.element_bytes < 1 {
            return Err(wrong(&format!(
                "--element-bytes is {}, it must be at least 1",
                self.element_bytes
            )));
        }
        if shown.device_count() > MOST_DEVICES {
            return Err(wrong(&format!(
                "{} devices are more than the {MOST_DEVICES} that are listed",
                shown.device_count()
            )));
        }
        let change = match (from.or_else(|| main.clone()), to.or_else(|| main.clone())) {
            (Some(from), Some(to)) if self.from.is_some() || self.to.is_some() => {
                let change = Reshard::new(from.of_shape(&shape)?, to.of_shape(&shape)?)?;
                let plan = change.plan(self.element_bytes);
                Some((change, plan))
            }
            _ if self.from.is_some() || self.to.is_some() => {
                return Err(wrong(
                    "one of --from and --to is missing, and so is another layout",
                ));
            }
            _ => None,
        };
        Ok(Report {
            tensor: shown.of_shape(&shape)?,
            change,
            element_bytes: self.element_bytes,
        })
    }

    fn main_layout(&self, shape: &[i64]) -> Result<Option<Layout>, LayoutError> {
        match (&self.tensor_map, &self.strategy, &self.sharding) {
            (Some(map), None, None) => Ok(Some(self.on_matrix(map, shape.len())?)),
            (None, Some(strategy), None) => {
                let strategy = integers("--strategy", strategy)?;
                let needed = strategy
                    .iter()
                    .try_fold(1i64, |a, b| a.checked_mul(*b))
                    .unwrap_or(1);
                Ok(Some(Layout::shard(
                    &strategy,
                    self.devices.unwrap_or(needed),
                    self.repeat,
                )?))
            }
            (None, None, Some(text)) => Ok(Some(
                self.layout(text, shape)
                    .map_err(|e| in_option("--sharding", e))?,
            )),
            (None, None, None) => Ok(None),
            _ => Err(wrong(
                "--tensor-map, --strategy and --sharding exclude each other",
            )),
        }
    }

    /// The tensor map on the device matrix of the command line.
    fn on_matrix(&self, map: &str, rank: usize) -> Result<Layout, LayoutError> {
        let Some(sizes) = &self.device_matrix else {
            return Err(wrong("--device-matrix is needed for a tensor map"));
        };
        let sizes = integers("--device-matrix", sizes)?;
        let names: Vec<String> = match &self.alias {
            Some(names) => words(names),
            None => (0..sizes.len()).map(default_name).collect(),
        };
        // MindSpore's axis of this name makes micro-batches, and no slices on devices.
        if names.iter().any(|name| name == "interleaved_parallel") {
            return Err(in_option(
                "--alias",
                LayoutError::Request(
                    "`interleaved_parallel` is MindSpore's name for slices that one device works on in turn: it is no axis of devices".to_owned(),
                ),
            ));
        }
        let map = by_name(tensor_map(map, rank)?, &names)?;
        let mut layout = DeviceMatrix::new(&sizes, &names)?.layout(&map)?;
        for name in self.partial.as_deref().map(words).unwrap_or_default() {
            layout = layout.with_partial(&name, Reduction::Sum)?;
        }
        Ok(layout)
    }

    /// A layout in any notation.
    fn layout(&self, text: &str, shape: &[i64]) -> Result<Layout, LayoutError> {
        let text = text.trim();
        if text.starts_with('{') {
            let devices = match (&self.devices, &self.device_matrix) {
                (Some(n), _) => Some(*n),
                (None, Some(sizes)) => integers("--device-matrix", sizes)?
                    .into_iter()
                    .try_fold(1i64, i64::checked_mul),
                _ => None,
            };
            return text.parse::<HloSharding>()?.to_layout(shape.len(), devices);
        }
        if text.starts_with("#sdy") || text.starts_with('<') {
            let mesh = self
                .mesh
                .as_ref()
                .map(|m| m.parse::<Mesh>().map_err(|e| in_option("--mesh", e.into())))
                .transpose()?;
            return text.parse::<ShardySharding>()?.to_layout(mesh.as_ref());
        }
        if text.starts_with("shard.sharding") || text.starts_with('%') {
            let Some(grid) = &self.mesh else {
                return Err(wrong(
                    "the grid is not known: --mesh 'shard.grid @name(shape = …)' is needed",
                ));
            };
            let grid = grid
                .parse::<Grid>()
                .map_err(|e| in_option("--mesh", e.into()))?;
            return text.parse::<GridSharding>()?.to_layout(&grid, shape);
        }
        self.on_matrix(text, shape.len())
    }
}

impl Report {
    /// The layout that is shown.
    pub fn tensor(&self) -> &ShardedTensor {
        &self.tensor
    }

    /// The change of layout, if one was asked for.
    pub fn reshard(&self) -> Option<&Reshard> {
        self.change.as_ref().map(|c| &c.0)
    }

    /// Tables for people.
    pub fn text(&self) -> String {
        table::text(self)
    }

    /// The JSON document.
    pub fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    /// A page that needs nothing but a browser.
    ///
    /// # Errors
    /// More slices than can be drawn.
    pub fn html(&self) -> Result<String, LayoutError> {
        html::html(self)
    }

    fn notations(&self) -> Notations {
        let layout = self.tensor.layout();
        let text = |e: LayoutError| match e {
            LayoutError::Notation(NotationError::Refused { reason, .. }) => reason,
            other => other.to_string(),
        };
        Notations {
            hlo: HloSharding::from_layout(layout)
                .map(|h| h.to_string())
                .map_err(text),
            shardy: ShardySharding::from_layout(layout, None, false)
                .map(|(m, s)| (m.to_string(), s.to_string()))
                .map_err(text),
            shard: GridSharding::from_layout(layout, None)
                .map(|(g, s)| (g.to_string(), s.to_string()))
                .map_err(text),
        }
    }
}

fn wrong(reason: &str) -> LayoutError {
    LayoutError::Request(reason.to_owned())
}

fn in_option(option: &str, error: LayoutError) -> LayoutError {
    LayoutError::Request(format!("{option}: {error}"))
}

/// `a`, …, `z`, `a1`, ….
fn default_name(i: usize) -> String {
    let letter = (b'a' + (i % 26) as u8) as char;
    if i < 26 {
        letter.to_string()
    } else {
        format!("{letter}{}", i / 26)
    }
}

/// The words of a list, also as a tuple or a list of Python's: `("a", "b",)`.
fn words(text: &str) -> Vec<String> {
    let text = text.trim();
    let inner = [('(', ')'), ('[', ']')]
        .into_iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    let text = inner.map_or(text, |inner| inner.trim().trim_end_matches(','));
    if text.trim().is_empty() {
        Vec::new()
    } else {
        text.split(',').map(unquoted).collect()
    }
}

fn unquoted(word: &str) -> String {
    let word = word.trim();
    let inner = ['"', '\''].into_iter();
    let inner = inner
        .clone()
        .find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote));
    inner.unwrap_or(word).to_owned()
}

/// A tensor map by names. Numbers that are no names count the axes from the fastest one, and -1 is
/// no axis, as MindSpore has it.
fn by_name(map: Vec<Split>, names: &[String]) -> Result<Vec<Split>, LayoutError> {
    let named = |entry: &String| match entry.parse::<i64>() {
        Ok(number) if !names.contains(entry) => {
            let from_right = usize::try_from(number).ok();
            let place = from_right.and_then(|n| names.len().checked_sub(n + 1));
            place.map(|place| names[place].clone()).ok_or_else(|| {
                let count = names.len();
                wrong(&format!(
                    "the tensor map names axis {number} of {count}, counted from 0 at the fastest"
                ))
            })
        }
        _ => Ok(entry.clone()),
    };
    let one = |split: Split| {
        let axes = split.iter().filter(|entry| *entry != "-1");
        axes.map(named).collect::<Result<Split, _>>()
    };
    map.into_iter().map(one).collect()
}

fn integers(option: &str, text: &str) -> Result<Vec<i64>, LayoutError> {
    words(text)
        .iter()
        .map(|w| {
            w.parse().map_err(|_| {
                LayoutError::Request(format!("{option}: `{w}` is no integer of 64 bits"))
            })
        })
        .collect()
}

/// Reads `b,(d,e),None`, also with the parentheses and quotation marks of Python around it. A
/// single pair of parentheses is that of the whole map if the tensor has as many dimensions as
/// stand in it, or if there are tuples in it; else it has the axes of the only dimension.
fn tensor_map(text: &str, rank: usize) -> Result<Vec<Split>, LayoutError> {
    let plain: String = text.chars().filter(|c| !"\"'".contains(*c)).collect();
    let plain = plain
        .trim()
        .trim_start_matches("tensor_map=")
        .replace(",)", ")");
    if plain.trim().is_empty() {
        return Ok(Vec::new());
    }
    let name = |c: &mut Cursor| -> Result<String, NotationError> { Ok(c.axis_name()?.to_owned()) };
    // The axes of an entry, and whether it is a tuple.
    let entry = |c: &mut Cursor| -> Result<(Split, bool), NotationError> {
        if c.sees("(") {
            Ok((c.list("(", ")", name)?, true))
        } else {
            Ok((vec![name(c)?], false))
        }
    };
    let mut c = Cursor::new(&plain);
    let mut map: Vec<(Split, bool)> = Vec::new();
    let whole = c.sees("(").then(|| c.list("(", ")", entry)).transpose();
    let whole = whole.ok().flatten().filter(|inner| {
        let is_map = inner.iter().any(|e| e.1) || inner.len() == rank && rank != 1;
        is_map && c.end().is_ok()
    });
    if let Some(inner) = whole {
        map = inner;
    } else {
        c = Cursor::new(&plain);
        loop {
            map.push(entry(&mut c)?);
            if !c.accept(",") {
                break;
            }
        }
        c.end()?;
    }
    let split = |(axes, _): (Split, bool)| axes.into_iter().filter(|n| n != "None").collect();
    Ok(map.into_iter().map(split).collect())
}
