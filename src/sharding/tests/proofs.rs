//! What the map algebra proves about layouts, with enumeration as the judge of the proofs.

use crate::common::{Plain, Random};
use mapwright_sharding::{DeviceMatrix, place_alike};

/// Ways of deciding that look at all points.
fn enumerates(method: &str) -> bool {
    method.contains("enumerat")
}

#[test]
fn every_element_is_held_by_so_many_ranks() {
    let mut r = Random::new(41);
    for case in 0..600 {
        let p = Plain::random(&mut r, 96);
        let tensor = p.layout().of_shape(&p.shape).unwrap();
        let claims = tensor.prove();
        for claim in &claims {
            assert_eq!(claim.holds, Some(true), "case {case}: {p:?}: {claim:?}");
            assert!(
                !enumerates(&claim.method),
                "case {case}: {p:?}: {claim:?} was not proved by algebra"
            );
        }
        // The same by counting.
        let elements: i64 = p.shape.iter().product();
        if elements * p.count() <= 20_000 {
            let mut held = vec![0i64; elements as usize];
            for rank in 0..p.count() {
                p.elements(rank).iter().for_each(|e| held[*e as usize] += 1);
            }
            let by = p.count() / tensor.layout().slice_count();
            assert!(held.iter().all(|h| *h == by), "case {case}");
            let ranks = if by == 1 {
                "1 rank".to_owned()
            } else {
                format!("{by} ranks")
            };
            assert_eq!(
                claims[1].statement,
                format!("every element is held by {ranks}")
            );
        }
    }
}

#[test]
fn layouts_that_place_alike_are_known_to() {
    let mut r = Random::new(42);
    let (mut alike, mut different) = (0, 0);
    for case in 0..600 {
        let a = Plain::random(&mut r, 48);
        // The same placement with the axes merged, split, or in another matrix; or another one
        // altogether.
        let mut b = match case % 3 {
            0 => Plain::random_on(&mut r, a.sizes.clone()),
            _ => {
                // An axis of size one anywhere changes nothing.
                let mut b = a.clone();
                let at = r.below(b.sizes.len() + 1);
                b.sizes.insert(at, 1);
                b.dims
                    .iter_mut()
                    .flatten()
                    .for_each(|x| *x += usize::from(*x >= at));
                if let Some(first) = b.dims.first_mut() {
                    first.push(at);
                }
                b
            }
        };
        b.dims.resize(a.dims.len(), Vec::new());
        b.shape.clone_from(&a.shape);
        let (left, right) = (a.layout().of_shape(&a.shape), b.layout().of_shape(&a.shape));
        let (Ok(left), Ok(right)) = (left, right) else {
            continue;
        };
        let truth = (0..a.count()).all(|k| a.ranges(k) == b.ranges(k));
        let claim = place_alike(&left, &right).unwrap();
        assert_eq!(
            claim.holds,
            Some(truth),
            "case {case}: {a:?} {b:?} {claim:?}"
        );
        if truth {
            alike += 1;
            assert!(!enumerates(&claim.method), "case {case}: {claim:?}");
        } else {
            different += 1;
        }
    }
    assert!(alike > 200 && different > 30, "{alike} {different}");
}

#[test]
fn a_merged_axis_places_alike() {
    let two = DeviceMatrix::new(&[2, 4], &["x", "y"])
        .unwrap()
        .layout(&[&["x", "y"][..]])
        .unwrap()
        .of_shape(&[1 << 40])
        .unwrap();
    let one = DeviceMatrix::new(&[8], &["all"])
        .unwrap()
        .layout(&["all"])
        .unwrap()
        .of_shape(&[1 << 40])
        .unwrap();
    assert_eq!(place_alike(&two, &one).unwrap().holds, Some(true));
    let swapped = DeviceMatrix::new(&[2, 4], &["x", "y"])
        .unwrap()
        .layout(&[&["y", "x"][..]])
        .unwrap()
        .of_shape(&[1 << 40])
        .unwrap();
    let claim = place_alike(&two, &swapped).unwrap();
    assert_eq!(claim.holds, Some(false), "{claim:?}");
}
