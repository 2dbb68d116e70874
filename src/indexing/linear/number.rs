//! Arithmetic of whole numbers: divisors, remainders, congruences.

/// The greatest common divisor; 0 if both are 0, and 1 where it is 2^63, which is no `i64`.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    if let (Ok(mut a), Ok(mut b)) = (u32::try_from(a), u32::try_from(b)) {
        // Mostly so, and shorter divisions take less time.
        while b > 1 {
            (a, b) = (b, a % b);
        }
        return if b == 1 { 1 } else { a as i64 };
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only gcd(MIN, MIN) and gcd(MIN, 0) do not fit; one is a divisor of everything.
    i64::try_from(a).unwrap_or(1)
}

/// The greatest common divisor of numbers of 128 bits; 1 where it is 2^127, which is no `i128`.
pub(crate) fn wide_gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b > i64::MAX as u128 {
        (a, b) = (b, a % b);
    }
    match b {
        0 => i128::try_from(a).unwrap_or(1),
        b => gcd((a % b) as i64, b as i64).into(),
    }
}

/// `v` modulo a positive `m`.
pub(crate) fn remainder(v: i128, m: i64) -> i128 {
    match i64::try_from(v) {
        Ok(v) => v.rem_euclid(m) as i128,
        Err(_) => v.rem_euclid(m as i128),
    }
}

/// `floor(x / m)`, for a positive m.
pub(crate) fn floor(x: i128, m: i64) -> i128 {
    match i64::try_from(x) {
        // Mostly so, and a division takes its time.
        Ok(x) if 0 <= x && x < m => 0,
        Ok(x) => x.div_euclid(m) as i128,
        Err(_) => x.div_euclid(m as i128),
    }
}

/// True if `m` divides `x * y`.
pub(crate) fn divides(m: i64, x: i64, y: i64) -> bool {
    match x.checked_mul(y) {
        Some(v) => v % m == 0,
        None => (x as i128 * y as i128) % m as i128 == 0,
    }
}

/// The number that is equal modulo `m` and nearest to zero; modulo 0 the number itself.
pub(crate) fn nearest(v: i64, m: i64) -> i64 {
    if m == 0 {
        return v;
    }
    let r = v.rem_euclid(m);
    if r > m / 2 { r - m } else { r }
}

/// The inverse of `a` modulo `m`, for coprime numbers; 0 modulo 1.
pub(crate) fn inverse(a: i128, m: i128) -> i128 {
    let (mut r, mut next_r, mut x, mut next_x) = (m, a, 0i128, 1i128);
    while next_r != 0 {
        let q = r / next_r;
        (r, next_r) = (next_r, r - q * next_r);
        (x, next_x) = (next_x, x - q * next_x);
    }
    x.rem_euclid(m)
}

/// `x = r` modulo `m` and `x = s` modulo `n`: one congruence (Chinese remainder theorem), `None` if
/// none, `Err` if too large.
pub(crate) fn chinese((m, r): (i64, i64), (n, s): (i64, i64)) -> Result<Option<(i64, i64)>, ()> {
    if m == 1 {
        return Ok(Some((n, s.rem_euclid(n))));
    }
    let g = gcd(m, n);
    let (m, n, g) = (m as i128, n as i128, g as i128);
    let difference = s as i128 - r as i128;
    if difference % g != 0 {
        return Ok(None);
    }
    let lcm = m / g * n;
    if lcm > i64::MAX as i128 {
        return Err(());
    }
    // r + m * t = s modulo n, so t = (s - r) / g * (m / g)^-1 modulo n / g.
    let period = n / g;
    let inverse = inverse((m / g).rem_euclid(period), period);
    let t = ((difference / g).rem_euclid(period) * inverse).rem_euclid(period);
    Ok(Some((
        lcm as i64,
        (r as i128 + m * t).rem_euclid(lcm) as i64,
    )))
}
