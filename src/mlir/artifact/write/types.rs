//! Types of `vhlo`.

use super::Writing;
use crate::{ElementType, Ty, artifact::Result};
use mapwright_artifact::{
    kinds::Kind,
    tree::{Entry, Field, TypeId},
};
use melior::ir::TypeLike;
use mlir_sys as sys;

impl<'c> Writing<'c> {
    /// A type of `vhlo` by name.
    pub(super) fn type_of(&mut self, name: &str, fields: Vec<Field>) -> Result<TypeId> {
        let kind = Kind::named("vhlo", true, name)
            .filter(|kind| kind.shapes.len() == fields.len())
            .ok_or_else(|| format!("a type '{name}', which artifacts do not have"))?;
        Ok(TypeId(self.types.add(Entry::Known(kind, fields))))
    }

    pub(super) fn tys(&mut self, types: &[Ty<'c>]) -> Result<Vec<TypeId>> {
        types.iter().map(|ty| self.ty(*ty)).collect()
    }

    /// The type that stands for one of a program.
    pub(super) fn ty(&mut self, ty: Ty<'c>) -> Result<TypeId> {
        let key = ty.to_raw().ptr as usize;
        if let Some(id) = self.made_types.get(&key) {
            return Ok(*id);
        }
        let id = self.made_type(ty)?;
        self.made_types.insert(key, id);
        Ok(id)
    }

    fn made_type(&mut self, ty: Ty<'c>) -> Result<TypeId> {
        let raw = ty.to_raw();
        // SAFETY: each accessor is called only on types of its kind, and within their lengths.
        unsafe {
            let all =
                |count: isize, get: unsafe extern "C" fn(sys::MlirType, isize) -> sys::MlirType| {
                    (0..count)
                        .map(|i| Ty::from_raw(get(raw, i)))
                        .collect::<Vec<Ty<'c>>>()
                };
            let shape = || -> Vec<i64> {
                (0..sys::mlirShapedTypeGetRank(raw))
                    .map(|i| {
                        if sys::mlirShapedTypeIsDynamicDim(raw, i as isize) {
                            i64::MIN
                        } else {
                            sys::mlirShapedTypeGetDimSize(raw, i as isize)
                        }
                    })
                    .collect()
            };
            if sys::mlirTypeIsARankedTensor(raw) {
                let element = self.ty(Ty::from_raw(sys::mlirShapedTypeGetElementType(raw)))?;
                let encoding = sys::mlirRankedTensorTypeGetEncoding(raw);
                let (shape, element) = (Field::SignedList(shape()), Field::Type(element));
                if encoding.ptr.is_null() {
                    return self.type_of("tensor", vec![shape, element]);
                }
                let encoding = self.attribute(crate::Attr::from_raw(encoding))?;
                return self.type_of(
                    "encoded_tensor",
                    vec![Field::Attribute(encoding), shape, element],
                );
            }
            if sys::mlirTypeIsAUnrankedTensor(raw) {
                let element = self.ty(Ty::from_raw(sys::mlirShapedTypeGetElementType(raw)))?;
                return self.type_of("unranked", vec![Field::Type(element)]);
            }
            if sys::mlirTypeIsAMemRef(raw) {
                let element = self.ty(Ty::from_raw(sys::mlirShapedTypeGetElementType(raw)))?;
                let fields = vec![Field::SignedList(shape()), Field::Type(element)];
                return self.type_of("buffer", fields);
            }
            if sys::mlirTypeIsAComplex(raw) {
                let element = self.ty(Ty::from_raw(sys::mlirComplexTypeGetElementType(raw)))?;
                return self.type_of("complex", vec![Field::Type(element)]);
            }
            if sys::mlirTypeIsATuple(raw) {
                let types = all(
                    sys::mlirTupleTypeGetNumTypes(raw),
                    sys::mlirTupleTypeGetType,
                );
                let types = self.tys(&types)?;
                return self.type_of("tuple", vec![Field::Types(types)]);
            }
            if sys::mlirTypeIsAFunction(raw) {
                let inputs = all(
                    sys::mlirFunctionTypeGetNumInputs(raw),
                    sys::mlirFunctionTypeGetInput,
                );
                let results = all(
                    sys::mlirFunctionTypeGetNumResults(raw),
                    sys::mlirFunctionTypeGetResult,
                );
                let fields = [self.tys(&inputs)?, self.tys(&results)?].map(Field::Types);
                return self.type_of("function", fields.into());
            }
        }
        if let ElementType::Quantized(_) = ElementType::from_mlir(ty) {
            return self.quantized(ty);
        }
        match ty.to_string().as_str() {
            "!stablehlo.token" => self.type_of("token", Vec::new()),
            "!shape.witness" => self.type_of("witness", Vec::new()),
            name => self.type_of(name, Vec::new()),
        }
    }

    fn quantized(&mut self, ty: Ty<'c>) -> Result<TypeId> {
        let ElementType::Quantized(parts) = ElementType::from_mlir(ty) else {
            return Err(format!("a type '{ty}', which artifacts do not have"));
        };
        // Stored numbers have no sign in MLIR: the flag says it.
        let width = parts.storage.bit_width().unwrap_or_default();
        let storage = self.type_of(&format!("i{width}"), Vec::new())?;
        let expressed = self.type_of(parts.expressed.name(), Vec::new())?;
        let mut fields = vec![
            Field::Unsigned(u64::from(!parts.storage.is_unsigned())),
            Field::Type(storage),
            Field::Type(expressed),
        ];
        let range = [parts.storage_min, parts.storage_max].map(Field::Signed);
        let scales: Vec<u64> = parts.scales.iter().map(|scale| scale.to_bits()).collect();
        match (parts.axis, scales.as_slice(), parts.zero_points.as_slice()) {
            (None, [scale], [zero]) => {
                fields.extend([Field::Bits(*scale), Field::Signed(*zero)]);
                fields.extend(range);
                self.type_of("quantized", fields)
            }
            (Some(axis), _, zeros) => {
                fields.push(Field::Unsigned(axis as u64));
                fields.extend(range);
                fields.extend([
                    Field::UnsignedList(scales.clone()),
                    Field::SignedList(zeros.to_vec()),
                ]);
                self.type_of("quantized_axis", fields)
            }
            _ => Err(format!("a type '{ty}', which artifacts do not have")),
        }
    }
}
