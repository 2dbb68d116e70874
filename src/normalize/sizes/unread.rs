//! What a loop starts with and overwrites before anybody reads it, where it has as many rounds as a
//! dimension has elements: each round writes one.

use super::{Sizes, tensor};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Builder, Op, Val, op};
use mapwright_ops::attrs::{ComparisonDirection, UNREAD, comparison_direction};
use mapwright_ops::control::reads::yields;

/// A loop whose rounds are counted from zero.
struct Counted<'c> {
    /// The number of the carried value that counts.
    counter: usize,
    /// Number of rounds.
    rounds: Extent,
    body: Blk<'c>,
}

fn is_same(a: Val<'_>, b: Val<'_>) -> bool {
    op::key(a) == op::key(b)
}

fn is_used_once(value: Val<'_>) -> bool {
    op::uses(value).len() == 1
}

impl Sizes {
    /// Marks what the loop `around` is given and overwrites all of: it need not be computed.
    pub fn note_unread<'c>(&self, b: &Builder<'c>, around: Op<'c>) {
        let unknown = |value| tensor(value).is_some_and(|ty| ty.static_shape().is_none());
        let given: Vec<(usize, Op<'c>)> = (around.operands().into_iter().enumerate())
            .filter(|(_, value)| unknown(*value) && is_used_once(*value))
            .filter_map(|(i, value)| Some((i, op::defining_op(value)?.0)))
            .filter(|(_, made)| made.num_results() == 1)
            .collect();
        let Some(counted) = self.counted(around).filter(|_| !given.is_empty()) else {
            return;
        };
        let mut inside = self.inside(around, counted.body);
        inside.visit_all(counted.body);
        for (i, made) in given {
            if inside.overwrites(around, &counted, i).is_some() {
                made.set_attribute(UNREAD, b.unit_attr());
            }
        }
    }

    /// The loop `for (i = 0; i < n; i += 1)`.
    fn counted<'c>(&self, around: Op<'c>) -> Option<Counted<'c>> {
        if !around.is_hlo("while") {
            return None;
        }
        let (condition, body) = (around.body(0)?, around.body(1)?);
        let (compare, _) = op::defining_op(*yields(condition).first()?)?;
        let less = compare.is_hlo("compare")
            && comparison_direction(compare).ok()? == ComparisonDirection::Lt;
        let (block, counter) = op::block_argument(compare.operand(0)).filter(|_| less)?;
        let argument = *op::arguments(body).get(counter)?;
        let (add, _) = op::defining_op(*yields(body).get(counter)?)?;
        if !add.is_hlo("add") || block != condition {
            return None;
        }
        let step = (0..2).find(|k| is_same(add.operand(1 - k), argument))?;
        let number = |block: Blk<'c>, value: Val<'c>| {
            let mut inner = self.inside(around, block);
            inner.visit_all(block);
            let found = inner.number(value, &[]);
            inner.resolve(found)
        };
        let first = self.clone().number(around.operand(counter), &[]);
        let by_one = number(body, add.operand(step)) == 1;
        (by_one && self.resolve(first) == 0).then(|| Counted {
            counter,
            rounds: number(condition, compare.operand(1)),
            body,
        })
    }

    /// Checks that each round writes one slice of carried value `i` and nothing in the loop reads
    /// it. `self` has the sizes inside of the body.
    fn overwrites<'c>(&mut self, around: Op<'c>, counted: &Counted<'c>, i: usize) -> Option<()> {
        let arguments = op::arguments(counted.body);
        let argument = *arguments.get(i)?;
        let (update, _) = op::defining_op(*yields(counted.body).get(i)?)?;
        let asked = op::arguments(around.body(0)?);
        let own = update.is_hlo("dynamic_update_slice")
            && update.block() == Some(counted.body)
            && is_same(update.operand(0), argument)
            && is_used_once(argument)
            && is_used_once(update.result(0))
            && op::uses(*asked.get(i)?).is_empty();
        if !own {
            return None;
        }
        let [whole, part] = [argument, update.operand(1)].map(|value| self.of_value(value));
        let mut moving = None;
        for (d, start) in update.operands().into_iter().skip(2).enumerate() {
            let rest = self.resolve(*whole.get(d)? - *part.get(d)?);
            // A start where everything is taken is the first one, whatever it says.
            if rest == 0 {
                continue;
            }
            let one = part[d] == 1 && is_same(start, arguments[counted.counter]);
            let all = self.resolve(whole[d] - counted.rounds) == 0;
            if !one || !all || moving.is_some() {
                return None;
            }
            moving = Some(());
        }
        moving
    }
}
