//! Names for what is added to a module that has other functions.

use std::collections::{BTreeSet, HashMap};

/// Symbols of a module.
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// The first number that may be free, by what is in front of it.
    next: HashMap<String, usize>,
}

impl Names {
    /// Makes a table in which these names are taken.
    pub(super) fn new(taken: impl Iterator<Item = String>) -> Self {
        Self {
            taken: taken.collect(),
            next: HashMap::new(),
        }
    }

    /// Takes `name`. Returns whether it was free.
    pub(super) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_string())
    }

    /// `<stem>_<number>`, such that no symbol begins with it.
    pub(super) fn fresh(&mut self, stem: String) -> String {
        let next = self.next.entry(stem.clone()).or_insert(0);
        loop {
            let name = format!("{stem}_{next}");
            *next += 1;
            let after = self.taken.range(name.clone()..).next();
            if after.is_none_or(|other| !other.starts_with(&name)) {
                self.taken.insert(name.clone());
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_no_other() {
        let taken = ["f_region_0_kernel", "f_region_2", "g"];
        let mut names = Names::new(taken.iter().map(|name| name.to_string()));
        let mut fresh = || names.fresh("f_region".into());
        assert_eq!([fresh(), fresh()], ["f_region_1", "f_region_3"]);
        assert!(names.take("h") && !names.take("h") && !names.take("g"));
    }
}
