//! The bounds checks see what they are for: kernels of an emitter that is wrong on purpose.

use mapwright_codegen::{Declined, EmitContext, Emitter, Kernel, KernelKind, Schedule, Tiles};
use mapwright_mlir::{Builder, ElementType, Op, Val, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Error, Executable, ExecuteOptions, Tensor};

/// How a kernel accesses memory.
#[derive(Clone, Copy, Debug)]
enum Access {
    Load,
    Store,
    VectorLoad,
    VectorStore,
    MaskedLoad,
    MaskedStore,
    Gather,
    Scatter,
}

const ALL: [Access; 8] = [
    Access::Load,
    Access::Store,
    Access::VectorLoad,
    Access::VectorStore,
    Access::MaskedLoad,
    Access::MaskedStore,
    Access::Gather,
    Access::Scatter,
];

/// Elements of every buffer.
const SIZE: i64 = 16;

/// Lanes of vectors; half of them are on under a mask.
const LANES: i64 = 8;

/// Makes kernels of one access at one index, whatever they should compute.
struct Wrong {
    access: Access,
    index: i64,
}

impl Wrong {
    fn body<'c>(&self, b: &Builder<'c>, from: Val<'c>, to: Val<'c>) {
        let at = [b.cidx(self.index)];
        let safe = [b.cidx(0)];
        let f32 = b.parse_type("f32");
        let lanes = b.vector(&[LANES], f32);
        let numbers = b.vector(&[LANES], b.parse_type("i32"));
        let ones = b.vector(&[LANES], b.parse_type("i1"));
        let constant = |text: &str, ty| b.cattr(b.parse_attr(&format!("dense<{text}> : {ty}")), ty);
        let mask = || constant("[1, 1, 1, 1, 0, 0, 0, 0]", ones);
        let distances = || constant("[0, 1, 2, 3, 9, 9, 9, 9]", numbers);
        let seven = || constant("7.0", lanes);
        match self.access {
            Access::Load => b.store(b.load(from, &at), to, &safe),
            Access::Store => b.store(b.load(from, &safe), to, &at),
            Access::VectorLoad => b.vstore(b.vload(from, &at, lanes), to, &safe),
            Access::VectorStore => b.vstore(seven(), to, &at),
            Access::MaskedLoad => {
                let found = b.op1(
                    "vector.maskedload",
                    &[from, at[0], mask(), seven()],
                    lanes,
                    &[],
                );
                b.vstore(found, to, &safe);
            }
            Access::MaskedStore => {
                b.op(
                    "vector.maskedstore",
                    &[to, at[0], mask(), seven()],
                    &[],
                    &[],
                );
            }
            Access::Gather => {
                let operands = [from, at[0], distances(), mask(), seven()];
                let found = b.op1("vector.gather", &operands, lanes, &[]);
                b.vstore(found, to, &safe);
            }
            Access::Scatter => {
                let operands = [to, at[0], distances(), mask(), seven()];
                b.op("vector.scatter", &operands, &[], &[]);
            }
        }
    }

    /// The last index that is right.
    fn last(access: Access) -> i64 {
        match access {
            Access::Load | Access::Store => SIZE - 1,
            Access::VectorLoad | Access::VectorStore => SIZE - LANES,
            _ => SIZE - LANES / 2,
        }
    }
}

impl Emitter for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn content(&self) -> KernelKind {
        KernelKind::Loops
    }

    fn emit<'c>(
        &self,
        cx: &EmitContext<'_, 'c>,
        fusion: Op<'c>,
        name: &str,
    ) -> Result<Kernel, Declined> {
        let module = cx.module;
        module.set_location(fusion.location());
        let buffer = module.parse_type(&format!("memref<{SIZE}xf32>"));
        let types = [buffer, buffer, module.index(), module.index()];
        module.func(name, &types, &[], true, |b, arguments| {
            self.body(b, arguments[0], arguments[1]);
            b.ret(&[]);
        });
        Ok(Kernel {
            emitter: "wrong",
            tiles: Tiles::Static(1),
            grain: 1,
            cost: 1.0,
            scratch_bytes: 0,
            prepacked_bytes: 0,
            phases: Vec::new(),
            in_place: Vec::new(),
            updates: None,
            weighed: false,
            inner_sizes: Vec::new(),
            schedule: Schedule::bare("wrong"),
        })
    }
}

/// Runs a kernel that makes this access; the argument stays as it is.
fn run(access: Access, index: i64) -> Result<Vec<Tensor>, Error> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let text = format!(
        "func.func @main(%x: tensor<{SIZE}xf32>) -> tensor<{SIZE}xf32> {{
           %0 = stablehlo.negate %x : tensor<{SIZE}xf32>
           return %0 : tensor<{SIZE}xf32>
         }}"
    );
    let Ok(module) = diagnostics.parse("program", text.as_bytes()) else {
        panic!("{}", diagnostics.take());
    };
    let options = CompileOptions {
        threads: 1,
        bounds_checks: true,
        ..CompileOptions::default()
    };
    let wrong = Wrong { access, index };
    let module = Op::new(module.as_operation());
    let executable = match Executable::compile_with(module, &options, &[&wrong]) {
        Ok(executable) => executable,
        Err(error) => panic!("{} {error}", diagnostics.take()),
    };
    let bytes: Vec<u8> = (0..SIZE).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let input = Tensor::new(&ElementType::F32, &[SIZE], &bytes).expect("a tensor");
    let found = executable.execute(&[&input], &ExecuteOptions::default());
    assert_eq!(
        input.bytes(),
        bytes,
        "{access:?} at {index} writes to the argument"
    );
    found
}

/// One test: the first access outside is kept for the whole process.
#[test]
fn accesses_outside_of_a_buffer_are_errors_with_a_location() {
    for access in ALL {
        let last = Wrong::last(access);
        for inside in [0, 1, last] {
            let found = run(access, inside);
            assert!(found.is_ok(), "{access:?} at {inside}: {:?}", found.err());
        }
        // So far outside that the access itself would end the process.
        for outside in [last + 1, SIZE, 1 << 40, -1, i64::MIN] {
            let Err(error) = run(access, outside) else {
                panic!("{access:?} at {outside} is not seen");
            };
            let text = error.to_string();
            let (place, size) = ("\"program\":2:", format!("a dimension of size {SIZE}"));
            assert!(
                text.contains("is outside of") && text.contains(&size),
                "{text}"
            );
            assert!(text.contains(place), "no location: {text}");
        }
    }
}
