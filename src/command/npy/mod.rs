//! Tensors as `.npy` files.
//!
//! Element types that NumPy lacks (bf16, f8…, f4…, i4…) travel as their bits in unsigned integers
//! of 16 or 8 bits; they are also read as `ml_dtypes` writes them, which is without a type (`V2`,
//! `V1`). In memory, as in the runtime, an element below 8 bits takes one byte (a signed one is
//! sign-extended), and tensors are row-major.

mod part;

pub(crate) use part::{read_part, write_head, write_part};

use super::foreign;
use crate::{
    mlir::{Dim, ElementType, FloatKind, TensorType},
    native::Tensor,
};
use anyhow::{Context as _, bail, ensure};
use npyz::{DType, NpyHeader, Order, TypeStr};
use std::{
    borrow::Cow,
    fs::File,
    io::{BufReader, Read, Write},
    path::Path,
};

/// NumPy's type for an element type, as in an `.npy` header.
///
/// # Errors
/// Types without bits.
pub fn type_string(element: &ElementType) -> anyhow::Result<&'static str> {
    Ok(match element {
        ElementType::Bool => "|b1",
        ElementType::Int { width, unsigned } => match (width, unsigned) {
            (0..8, _) | (8, true) => "|u1",
            (8, false) => "|i1",
            (16, false) => "<i2",
            (16, true) => "<u2",
            (32, false) => "<i4",
            (32, true) => "<u4",
            (64, false) => "<i8",
            (64, true) => "<u8",
            _ => bail!("NumPy has no integers of {width} bits"),
        },
        ElementType::Index => "<i8",
        ElementType::Float(FloatKind::F64) => "<f8",
        ElementType::Float(FloatKind::F32) => "<f4",
        ElementType::Float(FloatKind::F16) => "<f2",
        ElementType::Float(kind) => match kind.width() {
            0..=8 => "|u1",
            9..=16 => "<u2",
            _ => "<u4",
        },
        ElementType::Complex(FloatKind::F32) => "<c8",
        ElementType::Complex(FloatKind::F64) => "<c16",
        ElementType::Complex(kind) => bail!("NumPy has no complex numbers of {}", kind.name()),
        ElementType::Quantized(quantization) => type_string(&quantization.storage)?,
        ElementType::Other(name) => bail!("{name} has no form in a file"),
    })
}

/// Bytes of a header, at most. NumPy writes and reads much shorter ones.
const LONGEST_HEADER: u32 = 1 << 20;

/// The element type of a file's tensor, of those that NumPy has.
///
/// # Errors
/// No such file, no `.npy` file, and other elements.
pub(crate) fn element_of(path: &Path) -> anyhow::Result<ElementType> {
    use FloatKind::{F16, F32, F64};
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let of_file = || path.display().to_string();
    let (header, ..) = header(BufReader::new(file)).with_context(of_file)?;
    let floats = [F16, F32, F64].map(ElementType::Float).into_iter();
    let complex = [F32, F64].map(ElementType::Complex);
    let integers = [8, 16, 32, 64].map(|width| [ElementType::int(width), ElementType::uint(width)]);
    let all = floats.chain(complex).chain(integers.into_iter().flatten());
    let mut all = all.chain([ElementType::Bool]);
    let found = plain(&header, "a number of NumPy's").with_context(of_file)?;
    let is_it = |element: &ElementType| {
        let wanted = type_string(element);
        wanted.is_ok_and(|wanted| same_type(&found, wanted))
    };
    let element = all.find(is_it);
    element.with_context(|| format!("{}: elements are {found}, which is no type here", of_file()))
}

/// Reads a tensor that has to fit `expected`: its element type and every size that is known.
pub(crate) fn read(path: &Path, expected: &TensorType) -> anyhow::Result<Tensor> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    read_from(BufReader::new(file), expected).with_context(|| path.display().to_string())
}

fn read_from(mut reader: impl Read, expected: &TensorType) -> anyhow::Result<Tensor> {
    let (head, start) = Head::read(&mut reader, expected)?;
    let data = start.as_slice().chain(reader);
    let mut tensor = Tensor::read(&expected.element, &head.shape, data)?;
    head.arrange(&mut tensor)?;
    Ok(tensor)
}

/// The header of a file, where the data begin, and what was read of them.
fn header(mut reader: impl Read) -> anyhow::Result<(NpyHeader, u64, Vec<u8>)> {
    // Magic and version, then the length of the header, for which memory is taken before it is
    // read.
    let mut start = [0; 12];
    let read = reader.read_exact(&mut start);
    if !start.starts_with(b"\x93NUMPY") {
        match foreign::format(&start) {
            Some(what) => bail!("not an .npy file, but {what}"),
            None => bail!("not an .npy file"),
        }
    }
    read.context("not an .npy file")?;
    let [.., version, _, a, b, c, d] = start;
    let length = match version {
        1 => u32::from(u16::from_le_bytes([a, b])),
        _ => u32::from_le_bytes([a, b, c, d]),
    };
    ensure!(
        length <= LONGEST_HEADER,
        "not an .npy file: a header of {length} bytes"
    );
    let whole = if version == 1 { 10 } else { 12 } + u64::from(length);
    let mut head = start.to_vec();
    let rest = whole.saturating_sub(head.len() as u64);
    reader.by_ref().take(rest).read_to_end(&mut head)?;
    // The name of `ml_dtypes` for f8E5M2, which readers of headers refuse.
    if let Some(at) = head.windows(5).position(|part| part == b"'<f1'") {
        head[at + 2] = b'V';
    }
    let mut rest = head.as_slice();
    let header = NpyHeader::from_reader(&mut rest).context("not an .npy file")?;
    Ok((header, whole, rest.to_vec()))
}

/// The type of the elements, where they are no records.
fn plain(header: &NpyHeader, wanted: &str) -> anyhow::Result<TypeStr> {
    match header.dtype() {
        DType::Plain(found) => Ok(found),
        _ => bail!("records cannot be read; {wanted} is expected"),
    }
}

/// Header of a file, in front of the data.
struct Head {
    found: TypeStr,
    shape: Vec<i64>,
    order: Order,
    /// Offset at which the data begin, in bytes.
    at: u64,
}

impl Head {
    /// Reads the head of a file whose tensor has to fit `expected`, and what was read of the data.
    fn read(reader: impl Read, expected: &TensorType) -> anyhow::Result<(Self, Vec<u8>)> {
        let (header, at, rest) = header(reader)?;
        let wanted = type_string(&expected.element)?;
        let found = plain(&header, wanted)?;
        ensure!(
            same_type(&found, wanted) || has_the_bits(&found, &expected.element),
            "elements are {found}, but {wanted} is expected for {expected}"
        );
        let shape: Vec<i64> = header
            .shape()
            .iter()
            .map(|size| i64::try_from(*size))
            .collect::<Result<_, _>>()
            .context("a size is beyond 64 bits")?;
        ensure!(
            fits(&shape, expected),
            "shape is {shape:?}, but {expected} is expected"
        );
        let head = Self {
            found,
            shape,
            order: header.order(),
            at,
        };
        Ok((head, rest))
    }

    /// Makes elements as the runtime has them of those of the file: order of bytes, order of
    /// dimensions, narrow types.
    fn arrange(&self, tensor: &mut Tensor) -> anyhow::Result<()> {
        let width = self.found.num_bytes().context("elements without a size")?;
        let found = self.found.to_string();
        if found.starts_with('>') {
            // Both halves of a complex number have their own byte order.
            let part = if found.contains('c') {
                width / 2
            } else {
                width
            };
            let parts = tensor.bytes_mut().chunks_exact_mut(part);
            parts.for_each(<[u8]>::reverse);
        }
        if self.order == Order::Fortran {
            let bytes = to_row_major(tensor.bytes(), tensor.shape(), width);
            tensor.bytes_mut().copy_from_slice(&bytes);
        }
        let element = tensor.element().clone();
        if element.byte_width() == Some(1) {
            for byte in tensor.bytes_mut() {
                *byte = in_memory(*byte, &element);
            }
        }
        Ok(())
    }
}

/// Returns the header in front of the data of a tensor, as NumPy writes it: version 1, of a
/// multiple of 64 bytes.
fn head(element: &ElementType, shape: &[i64]) -> anyhow::Result<Vec<u8>> {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let text = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        type_string(element)?,
        sizes.join(", ")
    );
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    let stated = u16::try_from(length).context("a shape of too many dimensions")?;
    head.extend(stated.to_le_bytes());
    head.extend(text.as_bytes());
    head.resize(10 + length - 1, b' ');
    head.push(b'\n');
    Ok(head)
}

/// Writes a tensor, whose bytes are as the runtime has them.
pub(crate) fn write(
    mut writer: impl Write,
    element: &ElementType,
    shape: &[i64],
    bytes: &[u8],
) -> anyhow::Result<()> {
    writer.write_all(&head(element, shape)?)?;
    writer.write_all(&in_file(bytes, element))?;
    // On drop an error, as of a full disk, would be lost.
    writer.flush()?;
    Ok(())
}

/// Elements as they are in a file, of those in memory.
fn in_file<'a>(bytes: &'a [u8], element: &ElementType) -> Cow<'a, [u8]> {
    match narrow(element) {
        None => bytes.into(),
        Some(mask) => bytes.iter().map(|byte| byte & mask).collect(),
    }
}

/// The bits of an element that has fewer than eight; `None` for all others.
fn narrow(element: &ElementType) -> Option<u8> {
    let width = match element {
        ElementType::Int { width, .. } => *width,
        ElementType::Float(kind) => kind.width(),
        ElementType::Quantized(quantization) => return narrow(&quantization.storage),
        _ => return None,
    };
    (width < 8).then(|| (1 << width) - 1)
}

/// An element below eight bits as it is in memory, and a boolean as 0 or 1.
fn in_memory(byte: u8, element: &ElementType) -> u8 {
    match element {
        ElementType::Bool => u8::from(byte != 0),
        ElementType::Quantized(quantization) => in_memory(byte, &quantization.storage),
        ElementType::Int {
            width,
            unsigned: false,
        } if *width < 8 => {
            let shift = 8 - width;
            ((byte << shift) as i8 >> shift) as u8
        }
        _ => narrow(element).map_or(byte, |mask| byte & mask),
    }
}

/// Equal but for the byte order, which is looked at later.
fn same_type(found: &TypeStr, wanted: &str) -> bool {
    let found = found.to_string();
    // `i1` is also how a boolean array may be passed on by tools that only know integers.
    found.get(1..) == wanted.get(1..)
        || (wanted == "|b1" && matches!(found.get(1..), Some("u1" | "i1")))
}

/// Whether elements are bytes without a type of NumPy's, as `ml_dtypes`, and JAX with it, writes
/// those of bf16 or f8.
fn has_the_bits(found: &TypeStr, element: &ElementType) -> bool {
    let is_foreign = match element {
        ElementType::Float(kind) => {
            !matches!(kind, FloatKind::F16 | FloatKind::F32 | FloatKind::F64)
        }
        element => narrow(element).is_some(),
    };
    let found = found.to_string();
    let width = found.get(1..).and_then(|text| text.strip_prefix('V'));
    is_foreign && width.and_then(|text| text.parse().ok()) == element.byte_width()
}

fn fits(shape: &[i64], expected: &TensorType) -> bool {
    shape.len() == expected.rank()
        && shape
            .iter()
            .zip(&expected.dims)
            .all(|(size, dim)| match dim {
                Dim::Static(fixed) => size == fixed,
                Dim::Bounded(bound) => size <= bound,
                Dim::Dynamic => true,
            })
}

fn to_row_major(bytes: &[u8], shape: &[i64], width: usize) -> Vec<u8> {
    let shape: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
    let mut strides = vec![width; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    let mut result = Vec::with_capacity(bytes.len());
    let mut index = vec![0; shape.len()];
    while result.len() < bytes.len() {
        let offset: usize = index
            .iter()
            .zip(&strides)
            .map(|(i, stride)| i * stride)
            .sum();
        result.extend_from_slice(&bytes[offset..offset + width]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(element: ElementType, shape: &[i64]) -> TensorType {
        TensorType::new(element, shape)
    }

    /// The header that NumPy's `format.py` describes for version 1.0, written by hand.
    fn file(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let fortran = if fortran { "True" } else { "False" };
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read_bytes(file: &[u8], expected: &TensorType) -> Result<Vec<u8>, String> {
        read_from(file, expected)
            .map(|tensor| tensor.bytes().to_vec())
            .map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_is_written_is_what_numpy_writes() {
        let mut bytes = Vec::new();
        write(
            &mut bytes,
            &ElementType::F32,
            &[2],
            &[1, 2, 3, 4, 5, 6, 7, 8],
        )
        .unwrap();
        let expected = file("<f4", false, "(2,)", &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes, expected);
    }

    /// The descriptions are those that `np.save` writes for arrays of `ml_dtypes` 0.5.
    #[test]
    fn types_of_ml_dtypes_are_bits() {
        let bits = |kind| ElementType::Float(kind);
        for (descr, element, data, read) in [
            (
                "<V2",
                bits(FloatKind::BF16),
                [0x80, 0x3f, 0, 0x40],
                [0x80, 0x3f, 0, 0x40],
            ),
            (
                "<f1",
                bits(FloatKind::F8E5M2),
                [1, 2, 0xff, 4],
                [1, 2, 0xff, 4],
            ),
            (
                "<V1",
                bits(FloatKind::F8E4M3FN),
                [1, 2, 0xff, 4],
                [1, 2, 0xff, 4],
            ),
            // The integers 1, 7, -8 and -1.
            (
                "<V1",
                ElementType::int(4),
                [1, 7, 8, 15],
                [1, 7, 0xf8, 0xff],
            ),
        ] {
            let size = data.len() / element.byte_width().unwrap();
            let bytes = file(descr, false, &format!("({size},)"), &data);
            let expected = tensor(element, &[size as i64]);
            assert_eq!(read_bytes(&bytes, &expected), Ok(read.to_vec()), "{descr}");
        }
        for (descr, element) in [
            ("<V2", bits(FloatKind::F16)),
            ("<f2", bits(FloatKind::BF16)),
            ("<V1", bits(FloatKind::BF16)),
            ("<V4", ElementType::F32),
        ] {
            let bytes = file(descr, false, "(1,)", &[0; 4]);
            let error = read_bytes(&bytes, &tensor(element, &[1])).unwrap_err();
            assert!(error.contains(descr), "{error}");
        }
    }

    #[test]
    fn every_type_comes_back() {
        let types = [
            ElementType::Bool,
            ElementType::int(2),
            ElementType::uint(4),
            ElementType::int(8),
            ElementType::uint(16),
            ElementType::int(32),
            ElementType::uint(64),
            ElementType::Float(FloatKind::F4E2M1FN),
            ElementType::Float(FloatKind::F8E5M2),
            ElementType::Float(FloatKind::BF16),
            ElementType::Float(FloatKind::F16),
            ElementType::F64,
            ElementType::Complex(FloatKind::F32),
            ElementType::Complex(FloatKind::F64),
        ];
        for element in types {
            let width = element.byte_width().unwrap();
            let bytes: Vec<u8> = (0..6 * width)
                .map(|i| in_memory((i * 7) as u8, &element))
                .collect();
            let mut file = Vec::new();
            write(&mut file, &element, &[2, 3], &bytes).unwrap();
            let back = read_bytes(&file, &tensor(element.clone(), &[2, 3]));
            assert_eq!(back, Ok(bytes), "{element:?}");
        }
    }

    #[test]
    fn signed_bits_below_a_byte_are_extended_in_memory_and_not_in_the_file() {
        let i4 = ElementType::int(4);
        let found = read_bytes(
            &file("|u1", false, "(3,)", &[7, 8, 15]),
            &tensor(i4.clone(), &[3]),
        );
        assert_eq!(found, Ok(vec![7, 0xf8, 0xff]));
        let mut bytes = Vec::new();
        write(&mut bytes, &i4, &[3], &[7, 0xf8, 0xff]).unwrap();
        assert!(bytes.ends_with(&[7, 8, 15]));
    }

    #[test]
    fn column_major_files_become_row_major() {
        // [[1, 2, 3], [4, 5, 6]]
        let found = read_bytes(
            &file("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]),
            &tensor(ElementType::uint(8), &[2, 3]),
        );
        assert_eq!(found, Ok(vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn big_endian_files_become_little_endian() {
        let found = read_bytes(
            &file(">i2", false, "(2,)", &[1, 2, 3, 4]),
            &tensor(ElementType::int(16), &[2]),
        );
        assert_eq!(found, Ok(vec![2, 1, 4, 3]));
        let found = read_bytes(
            &file(">c8", false, "()", &[1, 2, 3, 4, 5, 6, 7, 8]),
            &tensor(ElementType::Complex(FloatKind::F32), &[]),
        );
        assert_eq!(found, Ok(vec![4, 3, 2, 1, 8, 7, 6, 5]));
    }

    #[test]
    fn files_that_do_not_fit_are_refused_with_the_reason() {
        let expected = tensor(ElementType::F32, &[2, 3]);
        let data = [0; 24];
        for (bytes, reason) in [
            (file("<f4", false, "(3, 2)", &data), "shape is [3, 2], but "),
            (file("<f4", false, "(6,)", &data), "shape is [6], but "),
            (
                file("<f8", false, "(2, 3)", &data),
                "elements are <f8, but <f4 is expected",
            ),
            (
                file("<f4", false, "(2, 3)", &data[..20]),
                "the data end after 20 of 24 bytes",
            ),
            (b"not numpy".to_vec(), "not an .npy file"),
            (
                b"PK\x03\x04 and more".to_vec(),
                "not an .npy file, but a zip archive",
            ),
            (
                b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(),
                "not an .npy file: a header of 4294967295 bytes",
            ),
            (Vec::new(), "not an .npy file"),
        ] {
            let error = read_bytes(&bytes, &expected).unwrap_err();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn run_time_sizes_come_from_the_file_and_keep_the_bound() {
        let mut expected = tensor(ElementType::uint(8), &[0]);
        expected.dims[0] = Dim::Bounded(3);
        assert_eq!(
            read_bytes(&file("|u1", false, "(2,)", &[1, 2]), &expected),
            Ok(vec![1, 2])
        );
        assert!(read_bytes(&file("|u1", false, "(4,)", &[1, 2, 3, 4]), &expected).is_err());
    }
}
