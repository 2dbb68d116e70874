//! Two halves of a product, each added up over two processes by a network that takes its time:
//! `cargo bench -p mapwright-runtime --bench overlap`. With `beside` the first sum is on its way
//! while the second half is computed.

#![allow(clippy::unwrap_used, reason = "a benchmark")]

use divan::Bencher;
use mapwright_runtime::collective::{
    Groups, Incoming, Mode, Operand, Outgoing, Place, Reduction, Transport, World, all_reduce,
};
use mapwright_runtime::{Context, ElementKind, Result};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn main() {
    divan::main();
}

/// Rows and columns of half a result, and what is summed up for each element.
const SIZE: usize = 512;
const DEPTH: usize = 128;

/// Seconds until a message of no bytes is there, and bytes a second: a sum takes about as long as
/// half a product.
const LATENCY: f64 = 20e-6;
const BANDWIDTH: f64 = 0.2e9;

/// A letter, and when it is there.
type Letter = (Instant, Vec<u8>);

/// What is under way, by sender and receiver.
#[derive(Default)]
struct Network(Mutex<BTreeMap<(usize, usize), VecDeque<Letter>>>);

impl Transport for Network {
    fn exchange(
        &self,
        own: usize,
        _: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        _: Duration,
    ) -> Result<()> {
        for letter in outgoing {
            let time = LATENCY + letter.bytes.len() as f64 / BANDWIDTH;
            let there = Instant::now() + Duration::from_secs_f64(time);
            let mut letters = self.0.lock().unwrap();
            let queue = letters.entry((own, letter.to)).or_default();
            queue.push_back((there, letter.bytes.to_vec()));
        }
        for place in incoming {
            let (there, bytes) = loop {
                let mut letters = self.0.lock().unwrap();
                let queue = letters.entry((place.from, own)).or_default();
                if let Some(letter) = queue.pop_front() {
                    break letter;
                }
                drop(letters);
                thread::sleep(Duration::from_micros(20));
            };
            thread::sleep(there.saturating_duration_since(Instant::now()));
            place.bytes[..bytes.len()].copy_from_slice(&bytes);
        }
        Ok(())
    }
}

unsafe extern "C" fn add(
    _: *const c_void,
    lhs: *const c_void,
    rhs: *const c_void,
    out: *mut c_void,
    count: i64,
) {
    for i in 0..count as usize {
        // SAFETY: the all-reduces below are of `f32`.
        unsafe {
            *out.cast::<f32>().add(i) = *lhs.cast::<f32>().add(i) + *rhs.cast::<f32>().add(i)
        };
    }
}

/// One process: its operands, and two halves of a result with their sums.
struct Process {
    context: Context,
    number: usize,
    operands: [Vec<f32>; 2],
    halves: [[Vec<f32>; 2]; 2],
}

impl Process {
    fn new(number: usize, network: &Arc<Network>, beside: bool) -> Self {
        let transport = Arc::<Network>::clone(network);
        let world = World::spread(1, 2, Duration::from_secs(60), transport).unwrap();
        let world = Arc::new(world.overlapping(beside));
        let place = Place {
            replica: 0,
            partition: number,
        };
        let zeros = || vec![0.0; SIZE * SIZE];
        Self {
            context: Context::new(1).fork_as(&world, place).unwrap(),
            number,
            operands: [vec![0.5; SIZE * DEPTH], vec![0.25; DEPTH * SIZE]],
            halves: [[zeros(), zeros()], [zeros(), zeros()]],
        }
    }

    fn step(&mut self) {
        let world = Arc::clone(self.context.world());
        for (half, [product, sum]) in self.halves.iter_mut().enumerate() {
            let [lhs, rhs] = &self.operands;
            for (row, factors) in product.chunks_mut(SIZE).zip(lhs.chunks(DEPTH)) {
                row.fill(0.0);
                for (factor, other) in factors.iter().zip(rhs.chunks(SIZE)) {
                    for (x, y) in row.iter_mut().zip(other) {
                        *x += factor * y;
                    }
                }
            }
            let addresses = (product.as_ptr() as usize, sum.as_mut_ptr() as usize);
            let context = self.context.fork();
            let reduce = move || {
                let groups = Groups {
                    mode: Mode::CrossPartition,
                    ids: &[],
                    size: 0,
                };
                let operand = Operand {
                    kind: ElementKind::F32,
                    shape: &[SIZE, SIZE],
                    input: addresses.0 as *const u8,
                    output: addresses.1 as *mut u8,
                };
                let sum = Reduction {
                    function: add,
                    environment: std::ptr::null(),
                };
                // SAFETY: the vectors have this shape, and stay until the step has waited.
                unsafe { all_reduce(&context, half as i64, groups, operand, sum) }
            };
            world.start(self.number, reduce).unwrap();
        }
        world.wait(self.number, 0).unwrap();
    }
}

#[divan::bench(args = [false, true])]
fn halves_of_a_product(bencher: Bencher, beside: bool) {
    let network = Arc::new(Network::default());
    let mut other = Process::new(1, &network, beside);
    let (go, goes) = mpsc::channel::<()>();
    let partner = thread::spawn(move || goes.iter().for_each(|()| other.step()));
    let mut own = Process::new(0, &network, beside);
    bencher.bench_local(|| {
        go.send(()).unwrap();
        own.step();
    });
    drop(go);
    partner.join().unwrap();
}
