//! Each operation on a small world, against what the specification says the result is.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;

use super::*;
use crate::{Context, ElementKind};

unsafe extern "C" fn add(
    _: *const c_void,
    lhs: *const c_void,
    rhs: *const c_void,
    out: *mut c_void,
    count: i64,
) {
    for i in 0..count as usize {
        // SAFETY: the tests use `f32` and the sizes they state.
        unsafe {
            *out.cast::<f32>().add(i) = *lhs.cast::<f32>().add(i) + *rhs.cast::<f32>().add(i)
        };
    }
}

const ADD: Reduction = Reduction {
    function: add,
    environment: std::ptr::null(),
};

// SAFETY: the function above may be called from any thread.
unsafe impl Sync for Reduction {}

/// Bytes under way, by sender and receiver.
type Letters = Mutex<BTreeMap<(usize, usize), VecDeque<Vec<u8>>>>;

/// Transport between processes that share no memory, as MPI is between real ones.
#[derive(Default)]
struct Letterbox(Letters);

impl Transport for Letterbox {
    fn exchange(
        &self,
        own: usize,
        what: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        limit: Duration,
    ) -> Result<()> {
        for letter in outgoing {
            let mut letters = lock(&self.0);
            let queue = letters.entry((own, letter.to)).or_default();
            queue.push_back(letter.bytes.to_vec());
        }
        let start = std::time::Instant::now();
        for place in incoming {
            let letter = loop {
                let mut letters = lock(&self.0);
                let queue = letters.entry((place.from, own)).or_default();
                if let Some(letter) = queue.pop_front() {
                    break letter;
                }
                drop(letters);
                if start.elapsed() > limit {
                    return Err(Error::new(Status::Timeout, what));
                }
                std::thread::yield_now();
            };
            place.bytes[..letter.len()].copy_from_slice(&letter);
        }
        Ok(())
    }
}

/// Runs `body(context, process)` on a thread for each process and returns the results in order:
/// they are the same whether the processes share their memory or not.
fn spmd<R: Send + PartialEq + std::fmt::Debug>(
    replicas: usize,
    partitions: usize,
    body: impl Fn(&Context, usize) -> R + Sync,
) -> Vec<R> {
    let limit = Duration::from_secs(20);
    let world = Arc::new(World::new(replicas, partitions, limit).unwrap());
    let together = spmd_in(&world, &body);
    // Each by itself, and two in one process of the system.
    for each in [1, 2] {
        let transport = Arc::new(Letterbox::default());
        let mut apart: Vec<Arc<World>> = Vec::new();
        for process in 0..world.processes() {
            let letters = Arc::clone(&transport);
            let new = || Arc::new(World::spread(replicas, partitions, limit, letters).unwrap());
            let beside = apart.last().filter(|_| process % each != 0).cloned();
            apart.push(beside.unwrap_or_else(new));
        }
        assert_eq!(spmd_of(&apart, &body), together);
    }
    together
}

fn spmd_in<R: Send>(world: &Arc<World>, body: impl Fn(&Context, usize) -> R + Sync) -> Vec<R> {
    spmd_of(&vec![Arc::clone(world); world.processes()], body)
}

/// Each process with its own world.
fn spmd_of<R: Send>(worlds: &[Arc<World>], body: impl Fn(&Context, usize) -> R + Sync) -> Vec<R> {
    let base = Context::new(2);
    std::thread::scope(|scope| {
        let handles: Vec<_> = worlds
            .iter()
            .enumerate()
            .map(|(p, world)| {
                let (base, body) = (&base, &body);
                scope.spawn(move || {
                    let place = Place {
                        replica: p / world.partitions(),
                        partition: p % world.partitions(),
                    };
                    body(&base.fork_as(world, place).unwrap(), p)
                })
            })
            .collect();
        handles.into_iter().map(|h| h.join().unwrap()).collect()
    })
}

fn operand<'a>(shape: &'a [usize], input: &[f32], output: &mut [f32]) -> Operand<'a> {
    Operand {
        kind: ElementKind::F32,
        shape,
        input: input.as_ptr().cast(),
        output: output.as_mut_ptr().cast(),
    }
}

#[test]
fn groups_are_formed_in_four_ways() {
    let world = World::new(4, 2, Duration::from_secs(1)).unwrap();
    let of = |mode, ids: &[i64], size, replica, partition| {
        let group = Groups { mode, ids, size }.group_of(&world, Place { replica, partition });
        group.map(|group| group.map(|members| members.into_vec()))
    };
    // Two groups of replicas.
    assert_eq!(
        of(Mode::CrossReplica, &[0, 2, 1, 3], 2, 2, 1),
        Ok(Some(vec![1, 5]))
    );
    assert_eq!(
        of(Mode::CrossPartition, &[1, 0], 2, 3, 0),
        Ok(Some(vec![7, 6]))
    );
    assert_eq!(
        of(Mode::CrossReplicaAndPartition, &[0, 2, 1, 3], 2, 3, 0),
        Ok(Some(vec![2, 6, 3, 7]))
    );
    assert_eq!(
        of(Mode::FlattenedIds, &[5, 0, 7, 1, 2, -1], 3, 1, 0),
        Ok(Some(vec![1, 2]))
    );
    assert_eq!(of(Mode::FlattenedIds, &[5, 0], 2, 1, 0), Ok(None));
    assert_eq!(
        of(Mode::CrossReplica, &[], 0, 1, 1),
        Ok(Some(vec![1, 3, 5, 7]))
    );
    assert!(of(Mode::CrossReplica, &[0, 4], 2, 0, 0).is_err());
    assert!(of(Mode::CrossReplica, &[0, 0], 2, 0, 0).is_err());
    assert!(World::new(0, 1, Duration::ZERO).is_err());
}

#[test]
fn all_reduce_many_times() {
    let sums = spmd(4, 1, |context, p| {
        let mut result = Vec::new();
        for round in 0..200 {
            let input = [(p * 10 + round) as f32, 1.0];
            let mut output = [0.0; 2];
            let groups = Groups {
                mode: Mode::CrossReplica,
                ids: &[0, 3, 1, 2],
                size: 2,
            };
            // SAFETY: the arrays have this shape.
            unsafe { all_reduce(context, 7, groups, operand(&[2], &input, &mut output), ADD) }
                .unwrap();
            result.push(output);
        }
        result
    });
    for (p, result) in sums.iter().enumerate() {
        let partner = 3 - p;
        for (round, output) in result.iter().enumerate() {
            assert_eq!(*output, [((p + partner) * 10 + 2 * round) as f32, 2.0]);
        }
    }
}

#[test]
fn gather_scatter_and_exchange() {
    let results = spmd(1, 2, |context, p| {
        let all = Groups {
            mode: Mode::CrossPartition,
            ids: &[0, 1],
            size: 2,
        };
        let base = 100.0 * p as f32;
        let input: Vec<f32> = (0..8).map(|i| base + i as f32).collect();
        let mut gathered = vec![0.0; 16];
        let mut exchanged = vec![0.0; 8];
        let mut scattered = vec![0.0; 4];
        // SAFETY: the vectors have the shapes that follow from [2, 4].
        unsafe {
            all_gather(context, 1, all, operand(&[2, 4], &input, &mut gathered), 1).unwrap();
            all_to_all(
                context,
                2,
                all,
                operand(&[2, 4], &input, &mut exchanged),
                (1, 0),
            )
            .unwrap();
            reduce_scatter(
                context,
                3,
                all,
                operand(&[2, 4], &input, &mut scattered),
                1,
                ADD,
            )
            .unwrap();
        }
        (gathered, exchanged, scattered)
    });
    let gathered: Vec<f32> = [
        0, 1, 2, 3, 100, 101, 102, 103, 4, 5, 6, 7, 104, 105, 106, 107,
    ]
    .map(|x| x as f32)
    .to_vec();
    for (p, (g, e, s)) in results.iter().enumerate() {
        assert_eq!(*g, gathered);
        let shift = 2.0 * p as f32;
        assert_eq!(
            *e,
            [0.0, 1.0, 4.0, 5.0, 100.0, 101.0, 104.0, 105.0].map(|x| x + shift)
        );
        assert_eq!(*s, [100.0, 102.0, 108.0, 110.0].map(|x| x + 2.0 * shift));
    }
}

#[test]
fn permute_and_broadcast() {
    let results = spmd(3, 1, |context, p| {
        let input = [p as f32 + 1.0];
        let (mut moved, mut spread, mut total) = ([9.0], [9.0], [9.0]);
        let groups = Groups {
            mode: Mode::CrossReplica,
            ids: &[2, 1],
            size: 2,
        };
        // SAFETY: the arrays have this shape.
        unsafe {
            permute(
                context,
                1,
                Mode::CrossReplica,
                &[0, 1, 1, 2],
                operand(&[1], &input, &mut moved),
            )
            .unwrap();
            broadcast(context, 2, groups, operand(&[1], &input, &mut spread), 0).unwrap();
            // Place 1 of the group is process 1.
            reduce(
                context,
                4,
                groups,
                operand(&[1], &input, &mut total),
                1,
                ADD,
            )
            .unwrap();
            assert!(
                permute(
                    context,
                    3,
                    Mode::CrossReplica,
                    &[0, 1, 0, 2],
                    operand(&[1], &input, &mut moved)
                )
                .is_err()
            );
        }
        (moved[0], spread[0], total[0])
    });
    assert_eq!(results, [(0.0, 0.0, 0.0), (1.0, 3.0, 5.0), (2.0, 3.0, 0.0)]);
}

#[test]
fn messages_arrive_in_order() {
    let world = Arc::new(World::new(2, 1, Duration::from_secs(20)).unwrap());
    world.send(5, HOST, 1, &[42]).unwrap();
    let received = spmd_in(&world, |context, p| {
        let world = context.world();
        let mut message = [0u8; 1];
        if p == 0 {
            (0..100).for_each(|i| world.send(3, 0, 1, &[i]).unwrap());
            return Vec::new();
        }
        let mut all: Vec<u8> = (0..100)
            .map(|_| {
                world.receive(3, 0, 1, &mut message).unwrap();
                message[0]
            })
            .collect();
        world.receive(5, HOST, 1, &mut message).unwrap();
        all.push(message[0]);
        all
    });
    assert_eq!(received[1], (0..100).chain([42]).collect::<Vec<u8>>());
    assert_eq!(
        world.send(1, 0, 2, &[]).unwrap_err().status,
        Status::InvalidArgument
    );
    world.send(1, 0, 1, &[1, 2]).unwrap();
    assert_eq!(
        world.receive(1, 0, 1, &mut [0]).unwrap_err().status,
        Status::ShapeMismatch
    );
}

#[test]
fn who_does_not_come_is_named() {
    let world = Arc::new(World::new(3, 1, Duration::from_millis(60)).unwrap());
    let outcomes = spmd_in(&world, |context, p| {
        let (input, mut output) = ([1.0], [0.0]);
        if p == 1 {
            return context.world().receive(1, 0, 1, &mut [0]);
        }
        // SAFETY: the arrays have this shape.
        unsafe {
            all_reduce(
                context,
                1,
                Groups {
                    mode: Mode::CrossReplica,
                    ids: &[],
                    size: 0,
                },
                operand(&[1], &input, &mut output),
                ADD,
            )
        }
    });
    for (p, outcome) in outcomes.into_iter().enumerate() {
        let error = outcome.unwrap_err();
        assert_eq!(error.status, Status::Timeout);
        assert!(
            p == 1 || error.message.contains("the processes [1]"),
            "{error}"
        );
    }
}

#[test]
fn a_failure_reaches_everybody() {
    // Different shapes.
    let is_failed = spmd(2, 1, |context, p| {
        let (input, mut output) = ([1.0; 2], [0.0; 2]);
        let shape = [1 + p];
        // SAFETY: the arrays have this shape or more.
        unsafe {
            all_reduce(
                context,
                1,
                Groups {
                    mode: Mode::CrossReplica,
                    ids: &[],
                    size: 0,
                },
                operand(&shape, &input, &mut output),
                ADD,
            )
        }
        .is_err()
    });
    assert_eq!(is_failed, [true, true]);
    // A process gives up while another waits.
    let world = Arc::new(World::new(2, 1, Duration::from_secs(20)).unwrap());
    let outcomes = spmd_in(&world, |context, p| {
        if p == 0 {
            context.world().abort(Error::invalid("no more"));
            return Err(Error::invalid("no more"));
        }
        let (input, mut output) = ([1.0], [0.0]);
        // SAFETY: the arrays have this shape.
        unsafe {
            all_reduce(
                context,
                1,
                Groups {
                    mode: Mode::CrossReplica,
                    ids: &[],
                    size: 0,
                },
                operand(&[1], &input, &mut output),
                ADD,
            )
        }
    });
    let error = outcomes[1].clone().unwrap_err();
    assert_eq!(
        (error.status, error.message.as_str()),
        (Status::Aborted, "another process failed: no more")
    );
}

#[test]
fn a_world_of_one_needs_nobody() {
    let context = Context::new(1);
    let (input, mut output) = ([3.0], [0.0]);
    // SAFETY: the arrays have this shape.
    unsafe {
        all_reduce(
            &context,
            1,
            Groups {
                mode: Mode::FlattenedIds,
                ids: &[0],
                size: 1,
            },
            operand(&[1], &input, &mut output),
            ADD,
        )
    }
    .unwrap();
    assert_eq!(output, [3.0]);
}

/// Parts that are runs of their tensors and others, short and long ones, with what a process says
/// of itself in between.
#[test]
fn what_is_long_or_lies_apart_arrives() {
    let all = Groups {
        mode: Mode::CrossPartition,
        ids: &[],
        size: 0,
    };
    // About as many bytes as fit into a note, too.
    let fit = (960..=1000).step_by(4).map(|columns| (1, columns));
    for (rows, columns) in [(4, 8), (64, 200), (8, 4000), (0, 8)]
        .into_iter()
        .chain(fit)
    {
        let count = rows * columns;
        let results = spmd(1, 4, |context, p| {
            // A sum in another order has other bits.
            let value = |i: usize| ((p * 7 + i * 13 + 1) as f32).sqrt() * 10f32.powi(p as i32 * 2);
            let input: Vec<f32> = (0..count).map(value).collect();
            let shape = [rows, columns];
            let outputs = |size: usize| vec![-1.0f32; size];
            let (mut sum, mut piece) = (outputs(count), outputs(count / 4));
            let (mut by_rows, mut by_columns) = (outputs(4 * count), outputs(4 * count));
            let (mut turned, mut back) = (outputs(count), outputs(count));
            // SAFETY: the vectors have the shapes that follow.
            unsafe {
                all_reduce(context, 1, all, operand(&shape, &input, &mut sum), ADD).unwrap();
                reduce_scatter(context, 2, all, operand(&shape, &input, &mut piece), 1, ADD)
                    .unwrap();
                all_gather(context, 3, all, operand(&shape, &input, &mut by_rows), 0).unwrap();
                all_gather(context, 4, all, operand(&shape, &input, &mut by_columns), 1).unwrap();
                all_to_all(
                    context,
                    5,
                    all,
                    operand(&shape, &input, &mut turned),
                    (1, 0),
                )
                .unwrap();
                let turned_shape = [rows * 4, columns / 4];
                let turned = operand(&turned_shape, &turned, &mut back);
                all_to_all(context, 6, all, turned, (0, 1)).unwrap();
            }
            assert_eq!(back, input);
            [sum, piece, by_rows, by_columns, turned]
        });
        let input =
            |p: usize, i: usize| ((p * 7 + i * 13 + 1) as f32).sqrt() * 10f32.powi(p as i32 * 2);
        for (p, [sum, piece, by_rows, by_columns, _]) in results.iter().enumerate() {
            for i in 0..count {
                let expected = (1..4).fold(input(0, i), |sum, q| sum + input(q, i));
                assert_eq!(sum[i], expected);
                let (row, column) = (i / columns, i % columns);
                if column / (columns / 4) == p {
                    let at = row * (columns / 4) + column % (columns / 4);
                    assert_eq!(piece[at], expected);
                }
                for q in 0..4 {
                    assert_eq!(by_rows[q * count + i], input(q, i));
                    assert_eq!(by_columns[(row * 4 + q) * columns + column], input(q, i));
                }
            }
        }
    }
}

#[test]
fn processes_at_different_operations_say_so() {
    let transport = Arc::new(Letterbox::default());
    let worlds: Vec<Arc<World>> = (0..2)
        .map(|_| {
            let letters = Arc::clone(&transport);
            Arc::new(World::spread(1, 2, Duration::from_secs(20), letters).unwrap())
        })
        .collect();
    let errors = spmd_of(&worlds, |context, p| {
        let all = Groups {
            mode: Mode::CrossPartition,
            ids: &[],
            size: 0,
        };
        let (input, mut output) = ([1.0], [0.0; 2]);
        let operand = operand(&[1], &input, &mut output);
        // SAFETY: the arrays have this shape or more.
        let outcome = unsafe {
            match p {
                0 => all_reduce(context, 3, all, operand, ADD),
                _ => all_gather(context, 4, all, operand, 0),
            }
        };
        outcome.unwrap_err().message
    });
    assert_eq!(
        errors[0],
        "process 1 is at all_gather number 4 of [1] of f32 in the group [0, 1], and process 0 at all_reduce number 3 of [1] of f32 in the group [0, 1]"
    );
    let told = worlds[0].send(0, 0, 1, &[1]).unwrap_err();
    assert_eq!(told.status, Status::Unsupported);
    let told = spmd_of(&worlds, |context, p| {
        // More than arrives.
        let said = format!("{p}{}", "-".repeat(p * 6000));
        let world = context.world();
        let told = world.tell_all(p, "a test", &said, Duration::from_secs(20));
        told.unwrap()
    });
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0][0], "0");
    // A note has 4,000 bytes, of which 16 and the text are in front.
    assert_eq!(told[0][1].len(), 4000 - 16 - "a test".len());
    assert!(told[0][1].starts_with("1---"));
}

/// Worlds that share no memory, whose collectives run beside computations.
fn overlapping_worlds(partitions: usize) -> Vec<Arc<World>> {
    let transport = Arc::new(Letterbox::default());
    let limit = Duration::from_secs(20);
    let new = |_| {
        let world = World::spread(1, partitions, limit, Arc::<Letterbox>::clone(&transport));
        Arc::new(world.unwrap().overlapping(true))
    };
    (0..partitions).map(new).collect()
}

#[test]
fn collectives_run_beside_what_follows_them() {
    use crate::ffi::{
        CollectiveOperand, ProcessGroups, mw_all_reduce, mw_collective_start, mw_collective_wait,
    };
    const COUNT: usize = 9000;
    static IDS: [i64; 3] = [0, 1, 2];
    let sums = spmd_of(&overlapping_worlds(3), |context, p| {
        let groups = ProcessGroups {
            mode: 1,
            ids: IDS.as_ptr(),
            count: 1,
            size: 3,
        };
        let value = |k: usize, i: usize| (p * 100 + k * 10 + i % 7) as f32;
        let inputs: Vec<Vec<f32>> = (0..4)
            .map(|k| (0..COUNT).map(|i| value(k, i)).collect())
            .collect();
        let mut outputs = vec![vec![0.0f32; COUNT]; 4];
        let shape = [COUNT as i64];
        let mut operands: Vec<CollectiveOperand> = Vec::new();
        for (input, output) in inputs.iter().zip(&mut outputs) {
            operands.push(CollectiveOperand {
                kind: ElementKind::F32 as i32,
                rank: 1,
                shape: shape.as_ptr(),
                input: input.as_ptr().cast(),
                output: output.as_mut_ptr().cast(),
            });
        }
        // SAFETY: the vectors have the shape, and stay until everything was waited for.
        unsafe {
            let reduce = |k: usize| {
                let operand = &raw const operands[k];
                let key = k as i64 + 1;
                mw_all_reduce(
                    context,
                    key,
                    &raw const groups,
                    operand,
                    add,
                    std::ptr::null(),
                )
            };
            for k in 0..3 {
                mw_collective_start(context, c"here".as_ptr());
                assert_eq!(reduce(k), 0);
            }
            // The last of three may be under way; the first has its sums.
            assert_eq!(mw_collective_wait(context, 2), 0);
            let first = operands[0].output.cast::<f32>().read();
            // One that is not started comes behind those that were.
            assert_eq!(reduce(3), 0);
            let third = operands[2].output.cast::<f32>().read();
            assert_eq!(mw_collective_wait(context, 0), 0);
            (first, third, outputs)
        }
    });
    for (first, third, outputs) in sums {
        assert_eq!((first, third), (300.0, 360.0));
        for (k, output) in outputs.iter().enumerate() {
            let expected = |i: usize| (300 + 3 * (k * 10 + i % 7)) as f32;
            assert!((0..COUNT).all(|i| output[i] == expected(i)));
        }
    }
}

#[test]
fn a_failure_of_what_runs_beside_is_told_where_it_is_waited_for() {
    let world = World::new(1, 1, Duration::from_secs(1)).unwrap();
    let world = world.overlapping(true);
    let failed = || Err(Error::invalid("no more"));
    assert_eq!(world.start(0, failed), Ok(()));
    // What comes behind is not run.
    let is_run = Arc::new(AtomicBool::new(false));
    let runs = Arc::clone(&is_run);
    let next = move || {
        runs.store(true, Ordering::SeqCst);
        Ok(())
    };
    assert_eq!(world.start(0, next), Ok(()));
    assert_eq!(world.wait(0, 0), Err(Error::invalid("no more")));
    assert!(!is_run.load(Ordering::SeqCst));
    // It is told once, and what comes after it runs.
    assert_eq!(world.wait(0, 0), Ok(()));
    let panics = || panic!("the reason");
    assert_eq!(world.start(0, panics), Ok(()));
    let told = world.wait(0, 0).unwrap_err();
    assert!(told.message.contains("the reason"), "{told}");
    // Without a processor for it, it runs at once.
    let world = world.overlapping(false);
    assert_eq!(world.start(0, failed), Err(Error::invalid("no more")));
}
