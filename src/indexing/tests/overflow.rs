//! Numbers at the ends of 64 bits and beyond: given maps and their simplified forms. Every row is
//! also checked by brute force, and the output is simplified again.

use crate::common::check_text as check;
use mapwright_indexing::IndexingMap;

/// A part of a constraint whose ends do not fit is not taken for the whole: in 128 bits the sum is
/// 2 * d0 + 1 there.
#[test]
fn a_part_of_a_constraint_beyond_64_bits() {
    let text = "(d0, d1, d2) -> (), domain: d0 in [0, 576460752303422503], d1 in [9223372036854775806, 9223372036854775807], \
                d2 in [9223372036854775805, 9223372036854775806], \
                d0 * 2 + d1 * 2 - d2 - 9223372036854775807 in [795207905586655521, 795209005098283298]";
    let map: IndexingMap = text.parse().expect("a map");
    let simplified = map.simplify();
    let (max, least) = (i64::MAX, 397_603_952_793_327_760);
    for (d0, expected) in [
        (0, false),
        (least - 1, false),
        (least, true),
        (least + 549_755_813_888, true),
    ] {
        let point = [d0, max, max - 1];
        assert_eq!(map.in_domain(&point, &[], &[]), Ok(expected), "{d0}");
        assert_eq!(
            simplified.in_domain(&point, &[], &[]),
            Ok(expected),
            "{d0}: {simplified}"
        );
    }
}

#[test]
fn the_ends_of_64_bits() {
    // What is absorbed cancels, and the constant that is left is a multiple of the modulus.
    check(
        "(d0) -> ((d0 mod 3 + (-d0) mod 15) mod 3), domain: d0 in [0, 3]",
        "(d0) -> (0), domain: d0 in [0, 3]",
    );
    // The least value of d1 * 3 + d0 does not fit: it is no end of it.
    check(
        "(d0, d1, d2) -> (), domain: d0 in [-9223372036854775805, -9223372036854775800], d1 in [-2, -1], \
         d2 in [9223372036854775805, 9223372036854775806], \
         d2 + d0 * 2 + (d1 + 3) * 6 in [-9223372036854775799, -9223372036854775792]",
        "(d0, d1, d2) -> (), domain: d0 in [-9223372036854775805, -9223372036854775802], d1 in [-2, -1], \
         d2 in [9223372036854775805, 9223372036854775806], \
         d0 * 2 + d1 * 6 + d2 + 18 in [-9223372036854775799, -9223372036854775792]",
    );
    // What is left of the constant does not fit, but is not needed.
    check(
        "(d0, d1) -> ((-d0 - 1 + d1 * 11) floordiv 22), domain: d0 in [9223372036854775800, 9223372036854775805], d1 in [0, 1]",
        "(d0, d1) -> (d1 - 419244183493398901), domain: d0 in [9223372036854775800, 9223372036854775805], d1 in [0, 1]",
    );
    // The large numbers are gone once it is known that the first digit is zero.
    check(
        "()[s0]{rt0} -> (), domain: s0 in [0, 9223372036854775807], rt0 in [0, 9223372036854775807], \
         (((s0 * 4611686018427387904) mod 7) floordiv 4) * 9223372036854775806 + (1 + (s0 + rt0 * 6) mod 7) mod 4 \
         in [-9223372036854774822, 1]",
        "()[s0]{rt0} -> (), domain: s0 in [0, inf], rt0 in [0, inf], \
         (s0 * 3 + 3) mod 7 in [0, 3], ((s0 - rt0) mod 7 + 1) mod 4 in [0, 1]",
    );
    // The sum is beyond 64 bits, where no interval can say what the congruence says.
    check(
        "()[s0, s1] -> (), domain: s0 in [-4, -3], s1 in [9223372036854775805, 9223372036854775806], \
         (s1 * 2 + s0 * 7) mod 15 in [4, 4]",
        "()[s0, s1] -> (), domain: s0 in [-4, -3], s1 in [9223372036854775805, 9223372036854775806], \
         (s0 * 7 + s1 * 2) mod 15 in [4, 4]",
    );
    // A constraint whose ends fit only without its constant is decided at once.
    check(
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1], \
         d0 + d1 + 9223372036854775805 in [9223372036854775805, 9223372036854775807]",
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1]",
    );
    // A constant that must stay inside of its constraint is no part of the remainder of the terms.
    check(
        "(d0, d1) -> (), domain: d0 in [0, 5], d1 in [0, 11], d0 * 9223372036854775802 - d1 * 9223372036854775805 - 1 in \
         [9223372036854775792, 9223372036854775807], (d0 * 2 + d1) mod 4 in [2, 3]",
        "(d0, d1) -> (), domain: d0 in [1, 4], d1 in [0, 3], d0 * 9223372036854775802 - d1 * 9223372036854775805 in \
         [9223372036854775793, 9223372036854775806], (d0 * 2 + d1) mod 4 in [2, 3]",
    );
    // An expression with a number that does not fit stays as it is written, and the results beside
    // it do not. The least number is no coefficient, since its negation does not fit.
    for stays in [
        "d0 * (-9223372036854775808 + d1)",
        "(-9223372036854775808 + d1) * d0",
        "d0 * -9223372036854775808",
        "((d0 + 1) mod 2 + (d0 * 2 + 7) * 9223372036854775806) floordiv 6",
        "(((9223372036854775806 + (d0 + 6) * 4) floordiv 22) * 22 + (9223372036854775806 + (d0 + 6) * 4) mod 22)",
        "(d0 + 9007199254739390) * 4611686018427387904 + (2 * 4611686018427387904) * 4611686018427387904",
    ] {
        let stays: IndexingMap =
            format!("(d0, d1) -> ({stays}, d0), domain: d0 in [0, 1], d1 in [0, 0]")
                .parse()
                .expect("a map");
        check(
            &stays
                .to_string()
                .replace(", d0), domain", ", (d0 + 7) mod 7), domain"),
            &stays.to_string(),
        );
    }
    // One of the two differences does not fit.
    check(
        "(d0) -> (max(d0, d0 + -9223372036854775808)), domain: d0 in [9223372036854775806, 9223372036854775807]",
        "(d0) -> (d0), domain: d0 in [9223372036854775806, inf]",
    );
    // Three products whose sum has no ends that fit say nothing of their variables.
    let far = "d0 in [-9223372036854775806, -9223372036854775805], d1 in [-9223372036854775806, -9223372036854775805], \
               d2 in [0, 9223372036854775806], d0 * 12 + d1 * 9223372036854775802 - d2 * 9223372036854775807 in [-2, -2]";
    let far = format!("(d0, d1, d2) -> (), domain: {far}");
    check(&far, &far);
    let far = "(d0) -> (), domain: d0 in [4, 6], \
               ((d0 mod 5) * -9223372036854775808 + (d0 + 1) mod 2) * 4611686018427387904 in [0, 0]";
    check(far, far);
    // What lies below the lowest place may be beyond 64 bits with a constant between 0 and the
    // divisor.
    for (constant, expected) in [
        (-9223372036854775805i64, "s0 floordiv 2"),
        (-9223372036854775801, "s0 floordiv 2 + 1"),
    ] {
        check(
            &format!(
                "(d0)[s0] -> ((d0 + {constant} + s0 * 2) floordiv 4), \
                 domain: d0 in [9223372036854775805, 9223372036854775806], s0 in [-9, 9]"
            ),
            &format!(
                "(d0)[s0] -> ({expected}), domain: d0 in [9223372036854775805, 9223372036854775806], s0 in [-9, 9]"
            ),
        );
    }
    // Small numbers all, and a product of three of them does not fit.
    check(
        "(d0, d1, d2) -> (d0), domain: d0 in [0, 2000000000], d1 in [0, 2000000000], d2 in [0, 9], \
         ((d0 + d1 * 10000000) floordiv 3) * 130000000 + d2 in [5, 7]",
        "(d0, d1, d2) -> (d0), domain: d0 in [0, 2], d1 in [0, 0], d2 in [5, 7]",
    );
    let max = i64::MAX;
    let min = i64::MIN;
    check(
        &format!("(d0) -> (d0 + 1 - 1), domain: d0 in [{min}, {max}]"),
        "(d0) -> (d0)",
    );
    check(
        &format!("(d0) -> (d0 * {max} floordiv {max}), domain: d0 in [0, {max}]"),
        "(d0) -> (d0), domain: d0 in [0, inf]",
    );
    check(
        &format!("(d0) -> ((d0 + {max}) mod 2), domain: d0 in [0, 1]"),
        "(d0) -> (-d0 + 1), domain: d0 in [0, 1]",
    );
    check(
        &format!("(d0) -> (d0), domain: d0 in [0, 9], d0 * {max} in [0, {max}]"),
        "(d0) -> (d0), domain: d0 in [0, 1]",
    );
    check(
        &format!("(d0) -> (d0 floordiv {min}), domain: d0 in [0, 9]"),
        &format!("(d0) -> (d0 floordiv {min}), domain: d0 in [0, 9]"),
    );
}
