//! Shardy's sharding rules: `#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8}
//! reduction={k}>`.

use super::NotationError;
use super::checks::{Checked, Violation, refused};
use super::cursor::Cursor;
use mapwright_indexing::counted;

/// The factors of each dimension of a tensor.
pub type Mapping = Vec<Vec<usize>>;

/// Dimensions of operands and results that are split together: those that have a factor in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShardingRule {
    /// The factors of the operands.
    pub operands: Vec<Mapping>,
    /// The factors of the results.
    pub results: Vec<Mapping>,
    /// The sizes of the factors.
    pub sizes: Vec<i64>,
    /// Factors that are summed over.
    pub reduction: Vec<usize>,
    /// Factors that no device may have a part of.
    pub need_replication: Vec<usize>,
    /// Factors along which elements move to other devices.
    pub permutation: Vec<usize>,
    /// Factors through which no sharding propagates.
    pub blocked: Vec<usize>,
}

/// The factors are written `i` to `z`, then `z_1`, `z_2`, ….
const LETTERS: usize = 18;

fn name(factor: usize) -> String {
    match u8::try_from(factor) {
        Ok(letter) if factor < LETTERS => char::from(b'i' + letter).to_string(),
        _ => format!("z_{}", factor + 1 - LETTERS),
    }
}

/// `jk`: one factor after the other; `*` is none.
fn factors(c: &mut Cursor) -> Result<Vec<usize>, NotationError> {
    if c.accept("*") {
        return Ok(Vec::new());
    }
    let column = c.column();
    let mut word = c.word("factors such as `i` or `jk`")?;
    let mut list = Vec::new();
    while let Some(letter) = word.bytes().next() {
        let known = usize::from(letter).checked_sub(usize::from(b'i'));
        let Some(mut factor) = known.filter(|factor| *factor < LETTERS) else {
            return Err(NotationError::Syntax {
                column,
                expected: "factors such as `i` or `jk`".to_owned(),
                found: format!("`{word}`"),
            });
        };
        word = &word[1..];
        if let (true, Some(after)) = (factor == LETTERS - 1, word.strip_prefix('_')) {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let number = after[..digits].parse::<usize>().unwrap_or(0);
            factor = factor.saturating_add(number);
            word = &after[digits..];
        }
        list.push(factor);
    }
    Ok(list)
}

impl std::str::FromStr for ShardingRule {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<ShardingRule, NotationError> {
        Cursor::read(text, |c| {
            c.accept("#sdy.op_sharding_rule");
            c.require("<")?;
            let mappings = |c: &mut Cursor| c.list("(", ")", |c| c.list("[", "]", factors));
            let operands = mappings(c)?;
            c.require("->")?;
            let results = mappings(c)?;
            let sizes = c.list("{", "}", |c| {
                factors(c)?;
                c.require("=")?;
                c.integer()
            })?;
            let mut rule = ShardingRule {
                operands,
                results,
                sizes,
                ..ShardingRule::default()
            };
            for (word, set) in [
                ("reduction", &mut rule.reduction),
                ("need_replication", &mut rule.need_replication),
                ("permutation", &mut rule.permutation),
                ("blocked_propagation", &mut rule.blocked),
            ] {
                if c.accept(word) {
                    c.require("=")?;
                    *set = c.list("{", "}", factors)?.concat();
                }
            }
            if c.accept(",") {
                c.require("custom")?;
            }
            c.require(">")?;
            Ok(rule)
        })
    }
}

impl ShardingRule {
    /// Checks the constraints of the rule of an operation, of whose operands and results these are
    /// the ranks.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check(&self, operands: &[usize], results: &[usize]) -> Checked {
        let mut used = vec![false; self.sizes.len()];
        for (what, ranks, mappings) in [
            ("operand", operands, &self.operands),
            ("result", results, &self.results),
        ] {
            if ranks.len() != mappings.len() {
                return refused(format!(
                    "the rule has {}, the operation has {}",
                    counted(mappings.len(), what),
                    ranks.len()
                ));
            }
            for (i, (rank, mapping)) in ranks.iter().zip(mappings).enumerate() {
                if *rank != mapping.len() {
                    return refused(format!(
                        "the rule has {} for {what} {i}, which has {rank}",
                        counted(mapping.len(), "dimension")
                    ));
                }
                self.check_mapping(mapping, &mut used)
                    .map_err(|Violation(reason)| Violation(format!("{what} {i}: {reason}")))?;
            }
        }
        if self.operands.is_empty() && self.results.is_empty() {
            return refused("a rule needs an operand or a result");
        }
        if let Some(unused) = used.iter().position(|used| !used) {
            return refused(format!("no dimension has the factor {}", name(unused)));
        }
        self.check_sets()
    }

    fn check_mapping(&self, mapping: &Mapping, used: &mut [bool]) -> Checked {
        let mut known = Vec::new();
        for dim in mapping {
            for factor in dim {
                let Some(size) = self.sizes.get(*factor) else {
                    return refused(format!("the factor {} has no size", name(*factor)));
                };
                if known.contains(factor) {
                    return refused(format!("the factor {} is used twice", name(*factor)));
                }
                if dim.len() > 1 && *size == 1 {
                    return refused(format!(
                        "the factor {} of size 1 is not alone in its dimension",
                        name(*factor)
                    ));
                }
                known.push(*factor);
                used[*factor] = true;
            }
        }
        Ok(())
    }

    fn check_sets(&self) -> Checked {
        let kinds = [&self.reduction, &self.need_replication, &self.permutation];
        for set in kinds.into_iter().chain([&self.blocked]) {
            if !set.is_sorted_by(|a, b| a < b) {
                return refused("the factors of a set are not in their order, or twice in it");
            }
            if let Some(factor) = set.iter().find(|factor| **factor >= self.sizes.len()) {
                return refused(format!("the factor {} has no size", name(*factor)));
            }
        }
        for (i, set) in kinds.iter().enumerate() {
            let mut others = kinds[..i].iter().flat_map(|other| other.iter());
            if let Some(factor) = others.find(|factor| set.contains(factor)) {
                return refused(format!("the factor {} is of two kinds", name(*factor)));
            }
        }
        let mut of_results = self.results.iter().flatten().flatten();
        match of_results.find(|factor| self.reduction.contains(factor)) {
            Some(factor) => refused(format!(
                "the factor {} is summed over, and a result has it",
                name(*factor)
            )),
            None => Ok(()),
        }
    }
}
