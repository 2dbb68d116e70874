//! Reduction of programs: the smallest program found for which a test still holds.
//!
//! The search is delta debugging over MLIR. Each step ([`steps`]) has numbered places in a program,
//! and is tried on ranges of them, large ones first; sizes ([`sizes`]) are tried one by one. A
//! candidate is made from the text of the best program so far, has to verify, to be smaller by
//! [`Cost`] and to read back; only then the test is asked. Nothing depends on time or addresses, so
//! the same program and the same test give the same result.
//!
//! Upstream's `reduction-tree` is not used: it erases operations without anything in the place of
//! their results, and has no tool with our dialects.

#![forbid(unsafe_code)]

mod cost;
mod signature;
mod sizes;
mod steps;

use cost::Cost;
use mapwright_mlir::{Op, diagnostic::Diagnostics, edit, melior::ir::Module, op};
use sizes::Place;
use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};
use steps::{STEPS, Step};

/// The smallest program that was found.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The text of the program.
    pub text: String,
    /// Operations of the given program.
    pub before: usize,
    /// Operations of the smallest one.
    pub after: usize,
    /// Programs that the test was asked about.
    pub candidates: usize,
}

/// Asks about a program, and keeps those that are better.
pub trait Test {
    /// Why a test could not be carried out.
    type Error;

    /// Decides whether a program still shows what is looked for.
    ///
    /// # Errors
    /// The test could not be carried out; the search ends.
    fn holds(&mut self, program: &str) -> Result<bool, Self::Error>;

    /// Receives each program that is the best so far, and the step that made it.
    ///
    /// # Errors
    /// The program could not be kept; the search ends.
    fn keep(&mut self, program: &str, step: &str) -> Result<(), Self::Error>;
}

/// Searches for a smaller program for which the test holds. `None` where it does not hold for
/// `module` itself.
///
/// # Errors
/// What the test fails with.
pub fn reduce<'c, T: Test>(module: Op<'c>, test: &mut T) -> Result<Option<Reduced>, T::Error> {
    let best = text_of(module);
    if !test.holds(&best)? {
        return Ok(None);
    }
    test.keep(&best, "the program itself")?;
    let before = module.descendants().len();
    let mut search = Search {
        diagnostics: Diagnostics::to_text(module.context()),
        cost: Cost::from_module(module),
        best,
        seen: HashSet::new(),
        sweeps: false,
        candidates: 1,
        test,
    };
    search.run()?;
    let after = search.look(|root| root.descendants().len());
    Ok(Some(Reduced {
        text: search.best,
        before,
        after,
        candidates: search.candidates,
    }))
}

struct Search<'c, 't, T> {
    /// Candidates that are not valid are no news.
    diagnostics: Diagnostics<'c>,
    best: String,
    cost: Cost,
    /// Hashes of the candidates that the test was asked about.
    seen: HashSet<u64>,
    /// Whether what nothing uses is left out of every candidate.
    sweeps: bool,
    candidates: usize,
    test: &'t mut T,
}

impl<'c, T: Test> Search<'c, '_, T> {
    fn run(&mut self) -> Result<(), T::Error> {
        // A test may be about an operation that nothing uses; then such operations go one by one.
        let dead = self.look(steps::sweep);
        self.sweeps = !dead || self.attempt("what nothing uses", |root| steps::sweep(root))?;
        loop {
            let mut smaller = self.earlier()?;
            for step in STEPS {
                smaller |= self.step(step)?;
            }
            smaller |= self.sizes()?;
            if !smaller {
                return Ok(());
            }
        }
    }

    fn read(&self, text: &str) -> Option<Module<'c>> {
        let module = self.diagnostics.parse("candidate", text.as_bytes()).ok();
        self.diagnostics.take();
        module
    }

    /// Looks at a copy of the best program.
    fn look<V: Default>(&self, view: impl FnOnce(Op<'c>) -> V) -> V {
        let module = self.read(&self.best);
        module.map_or_else(V::default, |module| view(Op::new(module.as_operation())))
    }

    /// Changes a copy of the best program, which is the best one from now on if it is smaller and
    /// the test holds. The change says whether there was anything to do.
    fn attempt(
        &mut self,
        step: &str,
        change: impl FnOnce(Op<'c>) -> bool,
    ) -> Result<bool, T::Error> {
        let Some(module) = self.read(&self.best) else {
            return Ok(false);
        };
        let root = Op::new(module.as_operation());
        if !change(root) {
            return Ok(false);
        }
        if self.sweeps {
            steps::sweep(root);
        }
        signature::settle(root);
        let valid = root.verify();
        self.diagnostics.take();
        let cost = Cost::from_module(root);
        if !valid || cost >= self.cost {
            return Ok(false);
        }
        let text = text_of(root);
        let mut hash = DefaultHasher::new();
        text.hash(&mut hash);
        if !self.seen.insert(hash.finish()) || self.read(&text).is_none() {
            return Ok(false);
        }
        self.candidates += 1;
        if !self.test.holds(&text)? {
            return Ok(false);
        }
        self.test.keep(&text, step)?;
        self.best = text;
        self.cost = cost;
        Ok(true)
    }

    /// Tries a step on all places, on halves of them, and so on, from the end of the program.
    fn step(&mut self, step: &Step) -> Result<bool, T::Error> {
        let places = |search: &Self| search.look(|root| (step.places)(root));
        let mut smaller = false;
        let mut size = if step.single { 1 } else { places(self) };
        while size > 0 {
            let mut end = places(self);
            while end > 0 {
                let range: Range<usize> = end.saturating_sub(size)..end;
                end = range.start;
                if self.attempt(step.name, |root| (step.apply)(root, range))? {
                    smaller = true;
                    end = end.min(places(self));
                }
            }
            size /= 2;
        }
        Ok(smaller)
    }

    /// Tries to return an earlier value of a function, by bisection.
    fn earlier(&mut self) -> Result<bool, T::Error> {
        let mut smaller = false;
        for function in 0..self.look(|root| signature::uncalled(root).len()) {
            let body = |root: Op<'c>| {
                let functions = signature::uncalled(root);
                let block = functions.get(function).and_then(|f| f.body(0));
                block.map_or(0, |block| op::ops(block).len().saturating_sub(1))
            };
            // Returning the last operation alone is no step where nothing else is returned.
            let last = self.look(body).saturating_sub(1);
            let change = |root| steps::return_at(root, function, last);
            smaller |= self.attempt("returned earlier", change)?;
            let (mut low, mut high) = (0, self.look(body).saturating_sub(1));
            while low < high {
                let middle = usize::midpoint(low, high);
                let change = |root| steps::return_at(root, function, middle);
                if self.attempt("returned earlier", change)? {
                    smaller = true;
                    (low, high) = (0, self.look(body).saturating_sub(1));
                } else {
                    low = middle + 1;
                }
            }
        }
        Ok(smaller)
    }

    /// Tries smaller sizes in the place of each size.
    fn sizes(&mut self) -> Result<bool, T::Error> {
        let mut smaller = false;
        for place in self.look(sizes::places) {
            let from = place.size();
            let powers = (0..).map(|k| 1i64 << k).take_while(|to| *to < from - 1);
            let candidates = powers.chain([from - 1]);
            // Numbers in constants are looked at where all of the same size become smaller.
            let also = [false, true].into_iter().take(match place {
                Place::Everywhere(_) => 2,
                Place::Argument(..) => 1,
            });
            for (to, numbers) in candidates.flat_map(|to| also.clone().map(move |n| (to, n))) {
                let change = |root| sizes::change(root, place, to, numbers);
                if self.attempt("smaller sizes", change)? {
                    smaller = true;
                    break;
                }
            }
        }
        Ok(smaller)
    }
}

/// The text of a program as a file has it.
fn text_of(module: Op<'_>) -> String {
    let mut text = module.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Erases operations, each of which nothing uses; `ops` has those before their users.
fn erase(ops: &[Op<'_>]) {
    for op in ops.iter().rev() {
        edit::erase_unused(*op);
    }
}
