//! Upstream's affine maps as plain data.

use crate::Attr;
use melior::{
    Context,
    ir::{AffineExpr, attribute::AttributeLike},
};
use mlir_sys as sys;

/// An affine expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AffineNode {
    /// A dimension of the map.
    Dim(usize),
    /// A symbol of the map.
    Symbol(usize),
    /// A number.
    Constant(i64),
    /// An operation of two expressions.
    Binary(AffineOp, Box<AffineNode>, Box<AffineNode>),
}

/// An operation of affine expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AffineOp {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The quotient, rounded toward minus infinity.
    FloorDiv,
    /// The quotient, rounded toward plus infinity.
    CeilDiv,
    /// The remainder, never negative.
    Mod,
}

/// An affine map: `(dims)[symbols] -> (results)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AffineMap {
    /// The number of dimensions.
    pub dims: usize,
    /// The number of symbols.
    pub symbols: usize,
    /// The results.
    pub results: Vec<AffineNode>,
}

/// Nodes of one map beyond which it is left alone: expressions share parts, written out they can be
/// very long.
const MOST_NODES: usize = 20_000;
/// Nesting beyond which an expression is left alone.
const MOST_DEPTH: usize = 1_000;

impl AffineMap {
    /// The map in an attribute; `None` for any other attribute, and for maps of extraordinary size.
    pub fn from_mlir(attribute: Attr<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the accessor is called only on an affine map, whose context lives as long as the
        // attribute.
        unsafe {
            if !sys::mlirAttributeIsAAffineMap(raw) {
                return None;
            }
            Self::from_raw(sys::mlirAffineMapAttrGetValue(raw))
        }
    }

    /// The map as an attribute.
    pub fn to_mlir<'c>(&self, context: &'c Context) -> Attr<'c> {
        // SAFETY: the map is valid; the context lives as long as the attribute.
        unsafe { Attr::from_raw(sys::mlirAffineMapAttrGet(self.to_melior(context).to_raw())) }
    }

    /// Upstream's map.
    pub fn to_melior<'c>(&self, context: &'c Context) -> melior::ir::AffineMap<'c> {
        let raw = context.to_raw();
        let mut results: Vec<_> = self.results.iter().map(|e| encode(raw, e)).collect();
        // SAFETY: the list has the length that is given; the context lives as long as the map.
        unsafe {
            melior::ir::AffineMap::from_raw(sys::mlirAffineMapGet(
                raw,
                self.dims as isize,
                self.symbols as isize,
                results.len() as isize,
                results.as_mut_ptr(),
            ))
        }
    }

    /// Reads it as plain data; `None` for maps of extraordinary size.
    pub fn from_melior(map: melior::ir::AffineMap<'_>) -> Option<Self> {
        // SAFETY: the map is valid.
        unsafe { Self::from_raw(map.to_raw()) }
    }

    /// # Safety
    /// `map` is a map of a living context.
    unsafe fn from_raw(map: sys::MlirAffineMap) -> Option<Self> {
        let mut left = MOST_NODES;
        // SAFETY: promised by the caller; results are asked for within their number.
        unsafe {
            let results = (0..sys::mlirAffineMapGetNumResults(map))
                .map(|i| decode(sys::mlirAffineMapGetResult(map, i), &mut left, 0))
                .collect::<Option<Vec<_>>>()?;
            Some(AffineMap {
                dims: usize::try_from(sys::mlirAffineMapGetNumDims(map)).ok()?,
                symbols: usize::try_from(sys::mlirAffineMapGetNumSymbols(map)).ok()?,
                results,
            })
        }
    }
}

impl crate::Op<'_> {
    /// From the loops of an operation with upstream's `LinalgOp` interface to the index of each
    /// operand, as the interface gives them; `None` for any other operation.
    pub fn linalg_maps(self) -> Option<Vec<AffineMap>> {
        // SAFETY: any operation may be asked; null is the answer for those without the interface.
        let maps = unsafe {
            Attr::from_option_raw(sys::mlirLinalgGetIndexingMapsAttribute(self.to_raw()))
        };
        let maps = crate::attr::array(maps?)?;
        maps.into_iter().map(AffineMap::from_mlir).collect()
    }
}

impl AffineNode {
    /// Upstream's expression.
    pub fn to_melior<'c>(&self, context: &'c Context) -> AffineExpr<'c> {
        // SAFETY: the context lives as long as the expression.
        unsafe { AffineExpr::from_raw(encode(context.to_raw(), self)) }
    }

    /// Reads it as plain data; `None` for expressions of extraordinary size.
    pub fn from_melior(expr: AffineExpr<'_>) -> Option<Self> {
        let mut left = MOST_NODES;
        // SAFETY: the expression is valid.
        unsafe { decode(expr.to_raw(), &mut left, 0) }
    }

    /// The number of operations.
    pub fn operations(&self) -> usize {
        match self {
            AffineNode::Binary(_, x, y) => 1 + x.operations() + y.operations(),
            _ => 0,
        }
    }
}

/// # Safety
/// `expr` is an expression of a living context.
unsafe fn decode(expr: sys::MlirAffineExpr, left: &mut usize, depth: usize) -> Option<AffineNode> {
    *left = left.checked_sub(1)?;
    if depth > MOST_DEPTH {
        return None;
    }
    // SAFETY: each accessor is called on the kind of expression that was checked.
    unsafe {
        if sys::mlirAffineExprIsADim(expr) {
            let at = sys::mlirAffineDimExprGetPosition(expr);
            return Some(AffineNode::Dim(usize::try_from(at).ok()?));
        }
        if sys::mlirAffineExprIsASymbol(expr) {
            let at = sys::mlirAffineSymbolExprGetPosition(expr);
            return Some(AffineNode::Symbol(usize::try_from(at).ok()?));
        }
        if sys::mlirAffineExprIsAConstant(expr) {
            return Some(AffineNode::Constant(sys::mlirAffineConstantExprGetValue(
                expr,
            )));
        }
        let op = if sys::mlirAffineExprIsAAdd(expr) {
            AffineOp::Add
        } else if sys::mlirAffineExprIsAMul(expr) {
            AffineOp::Mul
        } else if sys::mlirAffineExprIsAFloorDiv(expr) {
            AffineOp::FloorDiv
        } else if sys::mlirAffineExprIsACeilDiv(expr) {
            AffineOp::CeilDiv
        } else if sys::mlirAffineExprIsAMod(expr) {
            AffineOp::Mod
        } else {
            return None;
        };
        let x = decode(sys::mlirAffineBinaryOpExprGetLHS(expr), left, depth + 1)?;
        let y = decode(sys::mlirAffineBinaryOpExprGetRHS(expr), left, depth + 1)?;
        Some(AffineNode::Binary(op, Box::new(x), Box::new(y)))
    }
}

fn encode(context: sys::MlirContext, node: &AffineNode) -> sys::MlirAffineExpr {
    // SAFETY: the context lives; operands are expressions of the same context.
    unsafe {
        match node {
            AffineNode::Dim(i) => sys::mlirAffineDimExprGet(context, *i as isize),
            AffineNode::Symbol(i) => sys::mlirAffineSymbolExprGet(context, *i as isize),
            AffineNode::Constant(v) => sys::mlirAffineConstantExprGet(context, *v),
            AffineNode::Binary(op, x, y) => {
                let (x, y) = (encode(context, x), encode(context, y));
                match op {
                    AffineOp::Add => sys::mlirAffineAddExprGet(x, y),
                    AffineOp::Mul => sys::mlirAffineMulExprGet(x, y),
                    AffineOp::FloorDiv => sys::mlirAffineFloorDivExprGet(x, y),
                    AffineOp::CeilDiv => sys::mlirAffineCeilDivExprGet(x, y),
                    AffineOp::Mod => sys::mlirAffineModExprGet(x, y),
                }
            }
        }
    }
}
