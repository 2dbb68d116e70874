//! The short way of digits and constraints against the long one, which knows all rules: the same map, character by character.

mod common;

use common::chains::from_env;
use common::{Random, generate};
use mapwright_indexing::{Constraint, Expr, IndexingMap, Interval, Simplifier, Variable, c, d, s};

/// Simplifies in both ways. Where numbers may leave 64 bits on one of them, the short way must not leave more to do.
fn compare(
    map: &IndexingMap,
    (short, long): (&mut Simplifier, &mut Simplifier),
    ends: bool,
) -> bool {
    let s = map.simplify_with(short, false);
    let l = map.simplify_with(long, false);
    let shorter = s.map.operation_count() < l.map.operation_count();
    if !(ends && shorter) {
        assert_eq!(s.map.to_string(), l.map.to_string(), "of {map}");
    }
    s.changed
}

/// A variable, or something that was made before, or a sum, product, quotient or remainder of it: numbers that divide each other
/// are frequent, so that many a digit falls into what it is a digit of.
fn small(random: &mut Random, variables: &[Expr], steps: usize) -> Expr {
    let numbers = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 37, 48, 96];
    let mut made: Vec<Expr> = variables.to_vec();
    for _ in 0..steps {
        let x = made[random.below(made.len())].clone();
        let n = random.pick(&numbers);
        let next = match random.below(9) {
            0 | 1 => x + made[random.below(made.len())].clone(),
            2 => x * if random.chance(20) { -n } else { n },
            3 => x + if random.chance(30) { -n } else { n },
            4 | 5 => x.floor_div(n),
            6 => x.ceil_div(n),
            _ => x.modulo(n),
        };
        made.push(next);
    }
    made.pop().unwrap_or_else(|| c(0))
}

#[test]
fn small_maps_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000);
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_260_103);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let sizes = [
        1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 24, 25, 37, 48, 96, 97, 4096,
    ];
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let dims = 1 + random.below(3);
        let mut variables = Vec::new();
        for _ in 0..dims {
            let lower = match random.below(4) {
                0 => random.below(20) as i64 - 10,
                _ => 0,
            };
            let values = Interval::new(lower, lower + random.pick(&sizes) - 1);
            variables.push(Variable::new(values));
        }
        let exprs: Vec<Expr> = (0..dims).map(d).collect();
        let mut results = Vec::new();
        for _ in 0..1 + random.below(2) {
            let steps = 1 + random.below(6);
            results.push(small(&mut random, &exprs, steps));
        }
        let map = IndexingMap::new(variables, results);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}

/// Variables and a constant, as dilated windows have them.
fn window(random: &mut Random, variables: &[Expr]) -> Expr {
    let mut sum = c(random.below(9) as i64 - 4);
    for v in variables {
        if random.chance(80) {
            sum = sum + v.clone() * random.pick(&[1, 1, 1, -1, 2, 3, 4, -2, 5]);
        }
    }
    sum
}

/// A quotient or a remainder of a window, or one beside another variable.
fn of_window(random: &mut Random, window: &Expr, variables: &[Expr]) -> (Expr, i64) {
    let n = random.pick(&[2, 2, 3, 3, 4, 5, 6, 8]);
    match random.below(6) {
        0 => (window.clone().modulo(n), n),
        1 => {
            let multiple = variables[random.below(variables.len())].clone() * n;
            ((window.clone() + multiple).modulo(n), n)
        }
        2 => (window.clone().floor_div(n), 60 / n),
        3 => (window.clone().ceil_div(n), 60 / n),
        4 => {
            let (x, y) = (random.below(variables.len()), random.below(variables.len()));
            let quotient = variables[x].clone().floor_div(n) * random.pick(&[1, 1, -1, 2]);
            (
                quotient + variables[y].clone() * random.pick(&[1, -1, 2]),
                40,
            )
        }
        _ => (window.clone(), 60),
    }
}

/// What padding, windows and strides leave: bounds of a variable, of a sum, of a digit; remainders of one value and of several.
fn constraint(
    random: &mut Random,
    variables: &[Expr],
    widths: &[i64],
    window: &Expr,
) -> Constraint {
    let i = random.below(variables.len());
    let x = variables[i].clone();
    let n = random.pick(&[2, 3, 4, 5, 6, 8, 16]);
    let k = random.below(9) as i64 - 4;
    let (expr, width) = match random.below(18) {
        12..18 => of_window(random, window, variables),
        0 | 1 => (x, widths[i]),
        2 => (x + k, widths[i]),
        3 => (
            x * if random.chance(30) { -n } else { n } + k,
            widths[i] * n,
        ),
        4 => (x.floor_div(n), widths[i] / n),
        5 | 6 => (x.modulo(n), n),
        7 => ((x + k).modulo(n), n),
        8 => (
            x.modulo(n * 3).floor_div(n) * random.pick(&[-2, 1, 2]) + k,
            5,
        ),
        9 => {
            let j = random.below(variables.len());
            let sum =
                x * random.pick(&[1, 1, -1, n]) + variables[j].clone() * random.pick(&[1, -1, 2]);
            (sum + k, widths[i] + widths[j])
        }
        10 => {
            let mut sum = c(k);
            for (v, coef) in variables.iter().zip([random.pick(&[1, n, n * n]), n, 1]) {
                sum = sum + v.clone() * coef;
            }
            (sum, widths[i] * n)
        }
        _ => {
            let steps = random.below(5);
            (small(random, variables, steps), widths[i])
        }
    };
    let width = width.clamp(1, 5000) as u64;
    let lower = match random.below(3) {
        0 => 0,
        _ => {
            random.below(width as usize + 3) as i64
                - 2
                - if random.chance(20) { width as i64 } else { 0 }
        }
    };
    let upper = match random.below(4) {
        0 => lower,
        1 => lower + random.below(4) as i64,
        2 => lower + 2 * width as i64,
        _ => lower + random.below(width as usize + 2) as i64,
    };
    let interval = match random.below(40) {
        0 => Interval::new(i64::MIN, upper),
        1 => Interval::new(lower, i64::MAX),
        _ => Interval::new(lower, upper),
    };
    Constraint { expr, interval }
}

/// What padding, windows and strides leave of a map.
fn constrained(random: &mut Random) -> IndexingMap {
    let sizes = [
        1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 24, 25, 37, 48, 96, 97, 4096,
    ];
    let (dims, ranges) = (1 + random.below(2), random.below(2));
    let (mut variables, mut exprs, mut widths) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..dims + ranges {
        let lower = match random.below(4) {
            0 => random.below(20) as i64 - 10,
            _ => 0,
        };
        let width = random.pick(&sizes);
        let values = Interval::new(lower, lower + width - 1);
        variables.push(Variable::new(values));
        exprs.push(if i < dims { d(i) } else { s(i - dims) });
        widths.push(width);
    }
    let mut results = Vec::new();
    let window = window(random, &exprs);
    for _ in 0..1 + random.below(2) {
        if random.chance(40) {
            results.push(of_window(random, &window, &exprs).0);
            continue;
        }
        let steps = random.below(5);
        results.push(small(random, &exprs, steps));
    }
    let of_ranges = variables.split_off(dims);
    let mut map = IndexingMap::new(variables, results);
    map.ranges = of_ranges;
    for _ in 0..1 + random.below(3) {
        map.constraints
            .push(constraint(random, &exprs, &widths, &window));
    }
    map
}

#[test]
fn constrained_maps_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000);
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_260_105);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let map = constrained(&mut random);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 4, "{changed} of {maps} were changed");
}

#[test]
fn all_maps_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 4;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_260_104);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let mut map = generate::map(&mut random, 1 << 40);
        if random.chance(10) {
            map = generate::at_the_ends(&mut random, &map);
        }
        let text = map.to_string();
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        let ends = numbers.any(|digits| digits.len() > 17);
        compare(&map, (&mut short, &mut long), ends);
    }
}

/// What permutations along an axis and shards leave: a variable moved within its period beside what lies above it and beside others, and
/// a digit of a variable beside multiples of it, divided.
#[test]
fn rotations_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 2;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_124);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let m = random.pick(&[2, 3, 4, 5, 8, 11, 16]);
        let k = random.below(3 * m as usize) as i64 - m;
        let mut factor = || random.pick(&[1, 1, 1, 1, 2, 3, 4, 11, m, 2 * m, -1, -2, -m]);
        let (f, g, h) = (factor(), factor(), factor());
        let x = d(0);
        let moved = match random.below(4) {
            0 => (x.clone() + d(1) + k).modulo(m),
            1 => (x.clone() * h + k).modulo(m),
            _ => (x.clone() + k).modulo(m),
        };
        let mut sum = match random.below(6) {
            0 | 1 => x.clone().floor_div(m) * f + moved * g,
            2 => moved * g + d(1) * f,
            3 => x.clone().floor_div(m).modulo(4) * f + moved * g + d(1) * h,
            4 => (x.clone() * (h * m) + x.clone().modulo(m) * g + k).floor_div(m),
            _ => (x.clone() * h + x.clone().floor_div(m) * f + d(1) * g + k).floor_div(m),
        };
        if random.chance(40) {
            sum = sum + (random.below(9) as i64 - 4);
        }
        let n = random.pick(&[m, m, 2, 3, 4, 6, 12]);
        sum = match random.below(8) {
            0 => sum.floor_div(n),
            1 => sum.modulo(n),
            _ => sum,
        };
        let lower = random.pick(&[0, 0, 0, 0, 1, -1, -7]);
        let width = random.pick(&[m - 1, m, m + 1, 2 * m, 3 * m - 1, 4 * m - 1, 97]);
        let values = Interval::new(lower, lower + width);
        let others = Interval::new(0, random.below(6) as i64);
        let variables = vec![Variable::new(values), Variable::new(others)];
        let map = IndexingMap::new(variables, vec![sum, d(1)]);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}

/// What rolls of reshaped axes leave: numerals that are moved within their period, once or twice, and divided.
#[test]
fn rolls_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 4;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_125);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let m = random.pick(&[2, 3, 4, 5, 8, 12]);
        let n = random.pick(&[1, 2, 3, 4, 7, 16]);
        let period = m * n;
        let mut sum = match n {
            1 => d(0),
            _ => d(0) * n + d(1),
        };
        for _ in 0..1 + random.below(2) {
            let k = random.below(3 * period as usize) as i64 - period;
            let k = if random.chance(50) { k / n * n } else { k };
            sum = (sum + k).modulo(period);
        }
        let q = random.pick(&[n, n, m, 2, 3, 4, period]).max(2);
        let result = match random.below(4) {
            0 => sum,
            1 => sum.modulo(q),
            _ => sum.floor_div(q),
        };
        let lower = random.pick(&[0, 0, 0, 0, 1, -m]);
        let values = Interval::new(lower, lower + m - 1);
        let variables = vec![
            Variable::new(values),
            Variable::new(Interval::new(0, n - 1)),
        ];
        let map = IndexingMap::new(variables, vec![result]);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}

/// Differences of variables that have the same values: nothing but their order tells their quotients and remainders from those of their
/// negations. Bounds of the differences, and what stands beside them, may.
#[test]
fn open_signs_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 2;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_126);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let c = random.pick(&[1, 1, 1, 1, 2, 3]);
        let difference = match random.below(4) {
            0 => s(0) - d(0),
            1 => (d(0) - s(0)) * c + d(2) - d(3),
            _ => d(0) * c - s(0) * c,
        };
        let m = random.pick(&[2, 3, 4, 5, 8, 12]);
        let k = random.pick(&[0, 0, 1, -1, m - 1, 2 - m, 2 * m, 7, -9]);
        let sum = difference.clone() + k;
        let mut divided = |sum: Expr| match random.below(3) {
            0 => sum.floor_div(m),
            1 => sum.ceil_div(m),
            _ => sum.modulo(m),
        };
        let (first, second) = (divided(sum.clone()), divided(sum));
        let factor = random.pick(&[1, 1, 1, -1, 2, -3]);
        let beside = random.pick(&[0, 0, 0, 1, -1, m, -4, -c]);
        let first = match random.below(4) {
            0 => first * factor + d(1) + beside,
            1 => d(1) * random.pick(&[1, -1, 2]) + first * factor + beside,
            2 => first * factor + beside,
            _ => first,
        };
        let last = random.pick(&[1, 2, 3, 6, 11, 31, 96]);
        let lower = random.pick(&[0, 0, 0, 1, -5]);
        let values = Interval::new(lower, lower + last);
        let others = Interval::new(0, random.pick(&[1, 2, 5, last]));
        let dims = [values, others, others, others];
        let mut map = IndexingMap::new(dims.map(Variable::new).into(), vec![first, second]);
        map.ranges.push(Variable::new(values));
        for _ in 0..random.below(3) {
            let least = random.below(9) as i64 - 6;
            let most = least + random.below(6) as i64;
            let (expr, interval) = match random.below(3) {
                0 => (difference.clone(), Interval::new(least, most)),
                1 => (d(0) + s(0), Interval::new(2 * lower + 1, 2 * lower + most)),
                _ => (difference.clone().modulo(m), Interval::new(least, most)),
            };
            map.constraints.push(Constraint { expr, interval });
        }
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}

/// What reshapes leave: numerals, whose radices need not fit, divided.
#[test]
fn numerals_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 2;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_125);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let sizes = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16];
        let (mut variables, mut sum, mut place) = (Vec::new(), c(0), 1i64);
        let count = 1 + random.below(4);
        for i in 0..count {
            let size = random.pick(&sizes);
            let lower = if random.chance(5) { -2 } else { 0 };
            let values = Interval::new(lower, lower + size - 1);
            variables.push(Variable::new(values));
            let digit = match random.below(12) {
                0 => d(i).floor_div(random.pick(&sizes)),
                1 => d(i).modulo(random.pick(&sizes)),
                _ => d(i),
            };
            sum = sum + digit * if random.chance(5) { -place } else { place };
            place *= match random.below(12) {
                0 => 1,
                1 => random.pick(&sizes),
                _ => size,
            };
        }
        if random.chance(20) {
            sum = sum + (random.below(25) as i64 - 12);
        }
        let n = random.pick(&sizes) * random.pick(&sizes);
        let outer = random.pick(&[1, 1, 1, 2, 3, 4, -1]);
        let result = match random.below(5) {
            0 | 1 => sum.floor_div(n) * outer,
            2 => sum.ceil_div(n) * outer,
            _ => sum.modulo(n) * outer,
        };
        let map = IndexingMap::new(variables, vec![result, d(0)]);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 3, "{changed} of {maps} were changed");
}

/// What tiles leave: sums of digits of several axes, and of quotients of their differences, in an interval, one or two of them beside
/// bounds of other sums.
fn tiles(random: &mut Random) -> IndexingMap {
    let sizes = [1, 2, 3, 4, 6, 8, 12, 16, 30, 64, 96];
    let count = 2 + random.below(3);
    let mut variables = Vec::new();
    for _ in 0..count {
        let lower = random.pick(&[0, 0, 0, 0, 1, -2]);
        let values = Interval::new(lower, lower + random.pick(&sizes));
        variables.push(Variable::new(values));
    }
    // A part of each variable, or of it and the next one.
    let part = |random: &mut Random, i: usize| {
        let (x, n) = (d(i), random.pick(&[2, 2, 3, 4, 5, 8, 16]));
        let m = random.pick(&[2, 3, 4, 8]);
        let y = d((i + 1) % count);
        let difference = match random.below(4) {
            0 => x.clone() * random.pick(&[2, 3, -1, 7, 15]) + y,
            1 => y - x.clone(),
            _ => x.clone() - y,
        };
        match random.below(9) {
            0 | 1 => (x, false),
            2 => (x.floor_div(n), false),
            3 => (x.modulo(n), false),
            4 => (x.floor_div(n).modulo(m), false),
            5 => ((x * m + random.below(9) as i64).floor_div(n), false),
            6 => (
                (difference + random.pick(&[0, 1, -1, 7])).floor_div(n),
                true,
            ),
            7 => (difference.ceil_div(n), true),
            _ => (difference.floor_div(n), true),
        }
    };
    let sum_of = |random: &mut Random| {
        let mut sum = c(random.pick(&[0, 0, 0, 1, -1, 5]));
        let mut i = random.below(2);
        while i < count {
            let (x, two) = part(random, i);
            sum = sum + x * random.pick(&[1, 1, 1, -1, 2, 3, 4, 8, 16, -2, 15, 63]);
            i += if two { 2 } else { 1 };
        }
        sum
    };
    let (first, second) = (sum_of(random), sum_of(random));
    let quotient =
        (d(0) - d(1) + random.pick(&[0, 0, 1, -2])).floor_div(random.pick(&sizes).max(2));
    let results = vec![
        match random.below(4) {
            0 => quotient * random.pick(&[1, 1, 2, 3, -1]),
            1 => first.clone(),
            2 if random.chance(50) => first.clone().floor_div(random.pick(&[2, 3, 4, 12])),
            2 => d(0).floor_div(2) * random.pick(&[1, 2, -2, -3]),
            _ => d(0),
        },
        match random.below(3) {
            0 => (d(0) + d(1)).modulo(random.pick(&sizes).max(2)),
            1 => d(1) * random.pick(&[1, -2, -3, -4]),
            _ if random.chance(50) => second.clone().ceil_div(random.pick(&[2, 3, 4, 12])),
            _ => second.clone(),
        },
    ];
    let mut map = IndexingMap::new(variables, results);
    for k in 0..1 + random.below(3) {
        let expr = match (k, random.below(9)) {
            (_, 6) => {
                let (x, n) = (d(random.below(count)), random.pick(&[2, 3, 4, 8]));
                let sum = x.floor_div(n) * random.pick(&[1, 1, -1]) + random.pick(&[0, -3, 1]);
                let other = d(random.below(count)) * random.pick(&[0, 1, 1, 2, -1, 3]);
                (sum + other).modulo(random.pick(&[2, 3, 4, 6]))
            }
            (_, 7) => second.clone().modulo(random.pick(&sizes).max(2)),
            (_, 8) => {
                (d(0) * random.pick(&[1, 2, 3]) + d(1) * random.pick(&[2, 4, 6]) + d(count - 1))
                    .modulo(random.pick(&[2, 4, 6, 12]))
            }
            (0, _) => first.clone(),
            (_, 0) => second.clone(),
            (_, 1) => d(0) - d(1),
            (_, 2) => (d(0) + d(1)).modulo(random.pick(&sizes).max(2)),
            (_, 3) => d(random.below(count)).modulo(random.pick(&sizes).max(2)),
            (_, 4) => d(random.below(count)).floor_div(2),
            _ => d(0) + d(count - 1),
        };
        let lower = random.below(16) as i64 - if random.chance(50) { 0 } else { 8 };
        let width = random.pick(&[0, 0, 1, 3, 8, 30, 100]);
        let interval = Interval::new(lower, lower + width);
        map.constraints.push(Constraint { expr, interval });
    }
    map
}

#[test]
fn sums_of_digits_in_an_interval_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 2;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_127);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let map = tiles(&mut random);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}

/// The map with some of its numbers replaced by such as are near the ends of what goes the short way.
fn with_large_numbers(map: &IndexingMap, random: &mut Random) -> IndexingMap {
    let large = [
        1 << 27,
        (1 << 27) - 1,
        (1 << 27) + 1,
        99_999_999,
        1 << 31,
        (1 << 31) - 1,
        (1 << 31) + 1,
        2_000_000_000,
        1 << 55,
    ];
    let text = map.to_string();
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        if number.parse::<i64>().is_ok_and(|v| v != 0) && random.chance(20) {
            out += &i64::to_string(&random.pick(&large));
            out += &word[number.len()..];
        } else {
            out += word;
        }
    }
    out.parse().unwrap_or_else(|e| panic!("{out}: {e}"))
}

/// What leaves the short way because it is too large does so before a number leaves 64 bits.
#[test]
fn large_numbers_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 2;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_129);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let map = match random.below(2) {
            0 => tiles(&mut random),
            _ => constrained(&mut random),
        };
        let map = with_large_numbers(&map, &mut random);
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}

/// Sums that are divided, of which constraints say something: of all of it, and of some of its terms, which may split off for it.
#[test]
fn bounded_sums_are_written_alike() {
    let maps = from_env("MAPWRIGHT_SHORT_MAPS", 200_000) / 2;
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_261_128);
    let (mut short, mut long) = (Simplifier::new(), Simplifier::new().with_short_way(false));
    let mut changed = 0;
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let count = 2 + random.below(3);
        let (mut variables, mut terms) = (Vec::new(), Vec::new());
        for i in 0..count {
            let lower = random.pick(&[0, 0, 0, 0, -2]);
            let last = lower + random.pick(&[1, 2, 3, 6, 7, 15, 25, 31]);
            variables.push(Variable::new(Interval::new(lower, last)));
            let coef = random.pick(&[1, 1, 1, -1, 2, 2, 3, 4, 6, 8, -4, 12, 32]);
            terms.push((d(i), coef));
        }
        let part = |random: &mut Random, chance: usize| {
            let mut sum = c(random.pick(&[0, 0, 1, -3, 5]));
            for (x, coef) in &terms {
                if random.chance(chance) {
                    sum = sum + x.clone() * *coef;
                }
            }
            sum
        };
        let m = random.pick(&[2, 3, 4, 6, 8, 10, 12, 16, 24]);
        let sum = part(&mut random, 90);
        let divided = match random.below(4) {
            0 => sum.clone().modulo(m),
            1 => sum.clone().ceil_div(m),
            _ => sum.clone().floor_div(m),
        };
        let clamped = {
            let (x, n) = (
                part(&mut random, 60),
                c(random.pick(&[-3, 0, 1, 7, 30, 90])),
            );
            match random.below(4) {
                0 => x.min(n),
                1 => n.min(x),
                2 => x.max(n),
                _ => n.max(x),
            }
        };
        let results = vec![
            divided * random.pick(&[1, 1, 1, 2, -1]),
            sum.floor_div(8),
            clamped * random.pick(&[1, 1, 3, -2]) + d(0),
        ];
        let mut map = IndexingMap::new(variables, results);
        for _ in 0..random.below(3) {
            let chance = random.pick(&[50, 70, 100]);
            let mut expr = part(&mut random, chance);
            if random.chance(10) {
                expr = expr.modulo(random.pick(&[2, 4]));
            }
            let lower = random.pick(&[0, 0, 1, 3, -4, 10]);
            let interval = Interval::new(lower, lower + random.pick(&[0, 1, 2, 3, 7, 30, 90]));
            map.constraints.push(Constraint { expr, interval });
        }
        changed += u64::from(compare(&map, (&mut short, &mut long), false));
    }
    assert!(changed > maps / 10, "{changed} of {maps} were changed");
}
