//! Groups of processes as functions: which replicas are in the group of a replica, and where in it
//! the replica is.

use mapwright_indexing::{Expr, Interval, c};

/// A part of the relation between a replica and the members of its group: for these replicas,
/// `member(p) = start + p * step`.
#[derive(Clone, Debug)]
pub struct Case {
    /// Only this replica; all of them if absent.
    pub replica: Option<i64>,
    /// Place of the replica in its group, as a function of the replica.
    pub position: Expr,
    /// First member, as a function of the replica.
    start: Expr,
    step: i64,
    /// The places that this case tells of.
    pub places: Interval,
}

impl Case {
    /// The member at place `p`.
    pub fn member(&self, p: Expr) -> Expr {
        self.start.clone() + p * self.step
    }
}

/// Replicas, group size and relation.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Number of replicas: one more than the greatest member.
    pub replicas: i64,
    /// Members of a group (all groups have the same size).
    pub size: i64,
    /// The parts.
    pub cases: Vec<Case>,
}

/// The relation of groups given as lists; `replica` is the variable. One group, neighbours
/// together, and every n-th together are closed formulas; anything else is told replica by replica.
///
/// # Errors
/// A sentence, if there is no member, a replica occurs twice, the groups differ in size, or there
/// are too many to tell one by one.
pub fn relation(groups: &[Vec<i64>], replica: Expr) -> Result<Relation, String> {
    let size = groups.first().map_or(0, Vec::len);
    if size == 0 {
        return Err("there are no replica groups: the number of replicas is not known".into());
    }
    if groups.iter().any(|group| group.len() != size) {
        return Err("the replica groups differ in size".into());
    }
    let mut all: Vec<i64> = groups.iter().flatten().copied().collect();
    all.sort_unstable();
    if all.windows(2).any(|pair| pair[0] == pair[1]) || all[0] < 0 {
        return Err("a replica occurs in two groups".into());
    }
    let (count, m) = (groups.len() as i64, size as i64);
    let replicas = all[all.len() - 1] + 1;
    let places = Interval::of_size(m);
    let formula = |f: &dyn Fn(i64, i64) -> i64| {
        groups.iter().enumerate().all(|(g, group)| {
            group
                .iter()
                .enumerate()
                .all(|(p, member)| *member == f(g as i64, p as i64))
        })
    };
    let one = |position, start, step| {
        vec![Case {
            replica: None,
            position,
            start,
            step,
            places,
        }]
    };
    let cases = if count == 1 && formula(&|_, p| p) {
        one(replica, c(0), 1)
    } else if formula(&|g, p| g * m + p) {
        one(replica.clone().modulo(m), replica.floor_div(m) * m, 1)
    } else if formula(&|g, p| p * count + g) {
        one(
            replica.clone().floor_div(count),
            replica.modulo(count),
            count,
        )
    } else {
        let mut cases = Vec::new();
        for group in groups {
            let step = if size > 1 { group[1] - group[0] } else { 0 };
            let steady = group.windows(2).all(|pair| pair[1] - pair[0] == step);
            for (position, member) in group.iter().enumerate() {
                let position = c(position as i64);
                if steady {
                    cases.push(Case {
                        replica: Some(*member),
                        position,
                        start: c(group[0]),
                        step,
                        places,
                    });
                    continue;
                }
                for (p, other) in group.iter().enumerate() {
                    cases.push(Case {
                        replica: Some(*member),
                        position: position.clone(),
                        start: c(*other),
                        step: 0,
                        places: Interval::point(p as i64),
                    });
                }
            }
        }
        if cases.len() > 256 {
            return Err(
                "the replica groups follow no rule and are too many to be told one by one".into(),
            );
        }
        cases.sort_by_key(|case| case.replica);
        cases
    };
    Ok(Relation {
        replicas,
        size: m,
        cases,
    })
}
