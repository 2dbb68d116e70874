//! How long a program takes whose collectives run beside what does not wait for them.

use std::collections::HashMap;

/// A step of what a device does.
pub(super) enum Step {
    /// Multiplications and additions, by their number.
    Compute(f64),
    /// The message of this number is sent, behind those before it.
    Send(usize),
    /// The message of this number has to be there.
    Wait(usize),
    /// Steps that are done so many times.
    Loop(i64, Vec<Step>),
}

/// Returns the time from the first step until all is computed and sent, where `compute` says what
/// multiplications and additions take, and `send` what a message does, both in one unit.
pub(super) fn elapsed(
    steps: &[Step],
    compute: &dyn Fn(f64) -> f64,
    send: &dyn Fn(usize) -> f64,
) -> f64 {
    // When the last step is done, and when all that was sent is there.
    let (mut now, mut sent) = (0.0f64, 0.0f64);
    let mut there: HashMap<usize, f64> = HashMap::new();
    for step in steps {
        match step {
            Step::Compute(flops) => now += compute(*flops),
            Step::Send(message) => {
                sent = sent.max(now) + send(*message);
                there.insert(*message, sent);
            }
            Step::Wait(message) => now = now.max(there.get(message).copied().unwrap_or(now)),
            Step::Loop(times, inner) => {
                if sends(inner) {
                    now = now.max(sent);
                }
                now += *times as f64 * elapsed(inner, compute, send);
            }
        }
    }
    now.max(sent)
}

fn sends(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Send(_) => true,
        Step::Loop(_, inner) => sends(inner),
        Step::Compute(_) | Step::Wait(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_take_no_time_of_their_own_beside_products() {
        let time = |steps: &[Step]| elapsed(steps, &|flops| flops, &|message| [3.0, 5.0][message]);
        // Both halves of a product of 4, whose sums take 3 and 5.
        let halves = |first: Vec<Step>| {
            let mut steps = vec![Step::Compute(4.0), Step::Send(0)];
            steps.extend(first);
            steps.extend([Step::Compute(4.0), Step::Send(1), Step::Wait(1)]);
            steps
        };
        assert_eq!(time(&halves(vec![Step::Wait(0)])), 4.0 + 3.0 + 4.0 + 5.0);
        assert_eq!(time(&halves(Vec::new())), 4.0 + 4.0 + 5.0);
        // A second message waits for the first one.
        let both = [Step::Send(0), Step::Send(1), Step::Compute(1.0)];
        assert_eq!(time(&both), 8.0);
        // Iterations wait for their own messages, and for those before the loop.
        let inner = vec![Step::Send(1), Step::Compute(7.0), Step::Wait(1)];
        let steps = [Step::Send(0), Step::Loop(10, inner), Step::Wait(0)];
        assert_eq!(time(&steps), 3.0 + 70.0);
        let steps = [Step::Send(0), Step::Loop(10, vec![Step::Compute(1.0)])];
        assert_eq!(time(&steps), 10.0);
    }
}
