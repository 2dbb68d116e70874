//! Building the host function: the LLVM dialect, tersely. Arithmetic stays in `arith` until the
//! conversion.

use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::{Block, Region, RegionLike};
use mapwright_mlir::{Blk, Builder, Ty, Val, op};
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
};

/// Builds one function after another into a module, and declares what they call.
pub(crate) struct Code<'c> {
    /// Appends to the body of the module.
    module: Builder<'c>,
    declared: RefCell<BTreeMap<String, String>>,
    globals: RefCell<BTreeMap<String, usize>>,
    defined: RefCell<BTreeMap<String, ()>>,
    strings: Cell<usize>,
    /// Symbols that were in the module before.
    taken: BTreeSet<String>,
}

/// The function being built.
pub(crate) struct Frame<'a, 'c> {
    pub code: &'a Code<'c>,
    pub b: Builder<'c>,
    region: mapwright_mlir::Reg<'c>,
    /// Holds nothing but allocations and constants; ends in a branch to the first block of the
    /// body.
    entry: Blk<'c>,
}

impl<'c> Code<'c> {
    pub(crate) fn new(module: Builder<'c>) -> Self {
        let taken = op::ops(module.block())
            .into_iter()
            .filter_map(|op| op.string("sym_name"))
            .collect();
        Self {
            module,
            taken,
            declared: RefCell::default(),
            globals: RefCell::default(),
            defined: RefCell::default(),
            strings: Cell::new(0),
        }
    }

    /// Appends `llvm.func @name`, its types in the LLVM dialect's spelling (`ptr`, `i64`).
    pub(crate) fn function(
        &self,
        name: &str,
        inputs: &[&str],
        result: &str,
        fill: impl FnOnce(&Frame<'_, 'c>, &[Val<'c>]),
    ) {
        self.defined.borrow_mut().insert(name.to_string(), ());
        let b = &self.module;
        let ty = |text: &str| match text {
            "ptr" => b.ptr(),
            other => b.parse_type(other),
        };
        let region = Region::new();
        let arguments: Vec<_> = inputs.iter().map(|t| (ty(t), b.location())).collect();
        let entry = mapwright_mlir::block(&region.append_block(Block::new(&arguments)));
        let body = mapwright_mlir::block(&region.append_block(Block::new(&[])));
        {
            let frame = Frame {
                code: self,
                b: Builder::new(b.context(), entry, b.location()),
                region: mapwright_mlir::region(&region),
                entry,
            };
            frame.b.set_block(body);
            fill(&frame, &op::arguments(entry));
            frame.b.set_block(entry);
            frame.b.branch("llvm.br", &[], &[body], &[]);
        }
        self.emit(name, inputs, result, region);
    }

    /// Removes the function `name` again.
    pub(crate) fn remove(&self, name: &str) {
        self.defined.borrow_mut().remove(name);
        for op in op::ops(self.module.block()) {
            if op.string("sym_name").as_deref() == Some(name) {
                mapwright_mlir::edit::erase_unused(op);
            }
        }
    }

    /// Says that `name` is called, with types in the LLVM dialect's spelling.
    pub(crate) fn declare(&self, name: &str, inputs: &[&str], result: &str) {
        let ty = format!("!llvm.func<{result} ({})>", inputs.join(", "));
        self.declared.borrow_mut().insert(name.to_string(), ty);
    }

    /// Tells whether there is a function of this name already.
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.defined.borrow().contains_key(name)
    }

    fn emit(&self, name: &str, inputs: &[&str], result: &str, region: Region<'c>) {
        let b = &self.module;
        let ty = b.parse_type(&format!("!llvm.func<{result} ({})>", inputs.join(", ")));
        let attributes = [
            ("sym_name", b.str_attr(name)),
            ("function_type", b.type_attr(ty)),
            ("linkage", b.parse_attr("#llvm.linkage<external>")),
        ];
        b.op_with_regions("llvm.func", &[], &[], &attributes, vec![region]);
    }

    /// Declares what was called and is not defined here. Call it last.
    pub(crate) fn finish(&self) {
        let b = &self.module;
        // Others may have put functions into the module as well.
        let there: BTreeSet<String> = op::ops(b.block())
            .into_iter()
            .filter_map(|op| op.string("sym_name"))
            .collect();
        for (name, ty) in self.declared.borrow().iter() {
            if self.defined.borrow().contains_key(name) || there.contains(name) {
                continue;
            }
            let mut attributes = vec![
                ("sym_name", b.str_attr(name)),
                ("function_type", b.type_attr(b.parse_type(ty))),
                ("linkage", b.parse_attr("#llvm.linkage<external>")),
            ];
            if name == "mw_alloc" {
                // Nothing else is there.
                attributes.push(("res_attrs", b.parse_attr("[{llvm.noalias}]")));
            }
            b.op_with_regions("llvm.func", &[], &[], &attributes, vec![Region::new()]);
        }
        for (name, bytes) in self.globals.borrow().iter() {
            let ty = b.parse_type(&format!("!llvm.array<{bytes} x i8>"));
            let attributes = [
                ("sym_name", b.str_attr(name)),
                ("global_type", b.type_attr(ty)),
                ("linkage", b.parse_attr("#llvm.linkage<external>")),
            ];
            b.op_with_regions(
                "llvm.mlir.global",
                &[],
                &[],
                &attributes,
                vec![Region::new()],
            );
        }
    }
}

impl<'c> Frame<'_, 'c> {
    /// A new block, to be filled later.
    pub(crate) fn block(&self) -> Blk<'c> {
        mapwright_mlir::block(&self.region.append_block(Block::new(&[])))
    }

    pub(crate) fn jump(&self, to: Blk<'c>) {
        self.b.branch("llvm.br", &[], &[to], &[]);
    }

    pub(crate) fn jump_if(&self, condition: Val<'c>, yes: Blk<'c>, no: Blk<'c>) {
        let segments = [("operandSegmentSizes", self.b.i32_array(&[1, 0, 0]))];
        self.b
            .branch("llvm.cond_br", &[condition], &[yes, no], &segments);
    }

    pub(crate) fn i64(&self, value: i64) -> Val<'c> {
        self.b.cint(value, self.b.i64())
    }

    pub(crate) fn i32(&self, value: i64) -> Val<'c> {
        self.b.cint(value, self.b.int(32))
    }

    /// `bytes` bytes in the frame, 64-byte aligned.
    pub(crate) fn alloca(&self, bytes: i64) -> Val<'c> {
        let b = &self.b;
        b.within(self.entry, |b| {
            let count = b.op1(
                "llvm.mlir.constant",
                &[],
                b.i64(),
                &[("value", b.i64_attr(bytes.max(1)))],
            );
            let attributes = [
                ("elem_type", b.type_attr(b.int(8))),
                ("alignment", b.i64_attr(64)),
            ];
            b.op1("llvm.alloca", &[count], b.ptr(), &attributes)
        })
    }

    /// `pointer + offset` bytes.
    pub(crate) fn offset(&self, pointer: Val<'c>, bytes: i64) -> Val<'c> {
        match (bytes, i32::try_from(bytes)) {
            (0, _) => pointer,
            (_, Ok(small)) => {
                let b = &self.b;
                let attributes = [
                    ("elem_type", b.type_attr(b.int(8))),
                    ("rawConstantIndices", b.i32_array(&[small])),
                ];
                b.op1("llvm.getelementptr", &[pointer], b.ptr(), &attributes)
            }
            _ => self.offset_by(pointer, self.i64(bytes)),
        }
    }

    /// `pointer + bytes` bytes, known at run time.
    pub(crate) fn offset_by(&self, pointer: Val<'c>, bytes: Val<'c>) -> Val<'c> {
        let b = &self.b;
        let attributes = [
            ("elem_type", b.type_attr(b.int(8))),
            ("rawConstantIndices", b.i32_array(&[i32::MIN])),
        ];
        b.op1(
            "llvm.getelementptr",
            &[pointer, bytes],
            b.ptr(),
            &attributes,
        )
    }

    pub(crate) fn load(&self, pointer: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        self.b.op1("llvm.load", &[pointer], ty, &[])
    }

    pub(crate) fn load_ptr(&self, pointer: Val<'c>) -> Val<'c> {
        self.load(pointer, self.b.ptr())
    }

    pub(crate) fn load_i64(&self, pointer: Val<'c>) -> Val<'c> {
        self.load(pointer, self.b.i64())
    }

    pub(crate) fn store(&self, value: Val<'c>, pointer: Val<'c>) {
        self.b.op("llvm.store", &[value, pointer], &[], &[]);
    }

    /// Copies `bytes` bytes (`i64`); the places do not overlap.
    pub(crate) fn copy(&self, to: Val<'c>, from: Val<'c>, bytes: Val<'c>) {
        let volatile = [("isVolatile", self.b.bool_attr(false))];
        self.b
            .op("llvm.intr.memcpy", &[to, from, bytes], &[], &volatile);
    }

    pub(crate) fn null(&self) -> Val<'c> {
        self.b.op1("llvm.mlir.zero", &[], self.b.ptr(), &[])
    }

    /// The address of a function or global.
    pub(crate) fn address(&self, name: &str) -> Val<'c> {
        let symbol = [("global_name", self.b.symbol_attr(name))];
        self.b
            .op1("llvm.mlir.addressof", &[], self.b.ptr(), &symbol)
    }

    /// The address of external constant data of `bytes` bytes.
    pub(crate) fn data(&self, name: &str, bytes: usize) -> Val<'c> {
        self.code
            .globals
            .borrow_mut()
            .insert(name.to_string(), bytes);
        self.address(name)
    }

    /// A C string.
    pub(crate) fn text(&self, text: &str) -> Val<'c> {
        self.texts(&[text])
    }

    /// Address of several such strings, one behind the other.
    pub(crate) fn texts(&self, texts: &[impl AsRef<str>]) -> Val<'c> {
        let b = &self.code.module;
        let name = loop {
            let number = self.code.strings.get();
            self.code.strings.set(number + 1);
            let name = format!("mw_text_{number}");
            if !self.code.taken.contains(&name) {
                break name;
            }
        };
        let clean = |text: &dyn AsRef<str>| text.as_ref().replace('\0', "?") + "\0";
        let clean: String = texts.iter().map(|text| clean(text)).collect();
        let attributes = [
            ("sym_name", b.str_attr(&name)),
            (
                "global_type",
                b.type_attr(b.parse_type(&format!("!llvm.array<{} x i8>", clean.len()))),
            ),
            ("linkage", b.parse_attr("#llvm.linkage<internal>")),
            ("constant", b.unit_attr()),
            ("value", b.str_attr(&clean)),
        ];
        b.op_with_regions(
            "llvm.mlir.global",
            &[],
            &[],
            &attributes,
            vec![Region::new()],
        );
        self.address(&name)
    }

    /// Remembers the declaration of a function whose address is taken.
    pub(crate) fn declare(&self, name: &str, inputs: &[&str], result: &str) {
        self.code.declare(name, inputs, result);
    }

    /// Calls `name`; `result` is `void` or a type in the LLVM dialect's spelling.
    pub(crate) fn call(&self, name: &str, args: &[Val<'c>], result: &str) -> Option<Val<'c>> {
        use mapwright_mlir::melior::ir::ValueLike;
        let b = &self.b;
        let inputs: Vec<String> = args
            .iter()
            .map(|v| v.r#type().to_string().replace("!llvm.", ""))
            .collect();
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        self.declare(name, &inputs, result);
        let results = match result {
            "void" => Vec::new(),
            "ptr" => vec![b.ptr()],
            other => vec![b.parse_type(other)],
        };
        b.call_llvm(name, args, &results).first().copied()
    }

    /// Calls a function that returns a status, and leaves through `exit` if that is not zero.
    pub(crate) fn try_call(&self, name: &str, args: &[Val<'c>], exit: Blk<'c>) {
        if let Some(status) = self.call(name, args, "i32") {
            let bad = self.b.cmpi(CmpI::Ne, status, self.i32(0));
            self.leave_if(bad, exit);
        }
    }

    /// Leaves through `exit` if `condition` holds.
    pub(crate) fn leave_if(&self, condition: Val<'c>, exit: Blk<'c>) {
        let next = self.block();
        self.jump_if(condition, exit, next);
        self.b.set_block(next);
    }

    pub(crate) fn is_null(&self, pointer: Val<'c>) -> Val<'c> {
        let b = &self.b;
        let null = self.null();
        b.op1(
            "llvm.icmp",
            &[pointer, null],
            b.i1(),
            &[("predicate", b.i64_attr(0))],
        )
    }

    pub(crate) fn ret(&self, value: Option<Val<'c>>) {
        let values: Vec<Val<'c>> = value.into_iter().collect();
        self.b.op("llvm.return", &values, &[], &[]);
    }
}
