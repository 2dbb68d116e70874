//! Boxes of tensors in `.npy` files: a device reads and writes its own one, and never the whole.

use super::{Head, in_file, read};
use crate::{
    mlir::{ElementType, TensorType},
    native::{Tensor, box_rows},
};
use anyhow::{Context as _, ensure};
use mapwright_sharding::IndexBox;
use npyz::Order;
use std::{
    fs::File,
    io::{self, BufReader},
    os::unix::fs::FileExt as _,
    path::Path,
};

/// Bytes that are read at once where rows are short.
const WINDOW: usize = 1 << 20;

/// Distance up to which rows are read at once, in bytes.
const NEAR: usize = 16 << 10;

/// Reads a box of a tensor that has to fit `expected`, as [`read`] does the whole.
pub(crate) fn read_part(
    path: &Path,
    expected: &TensorType,
    part: &IndexBox,
) -> anyhow::Result<Tensor> {
    let whole = expected.static_shape();
    let is_all = whole.is_some_and(|shape| {
        let mut sizes = part.iter().zip(shape);
        sizes.all(|(interval, size)| interval.len() == size as u128)
    });
    if is_all {
        return read(path, expected);
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    part_of(&file, expected, part).with_context(|| path.display().to_string())
}

fn part_of(file: &File, expected: &TensorType, part: &IndexBox) -> anyhow::Result<Tensor> {
    let (head, _) = Head::read(BufReader::new(file), expected)?;
    let width = head.found.num_bytes().context("elements without a size")?;
    let wanted = head.shape.iter().product::<i64>() as u64 * width as u64;
    let found = file.metadata()?.len().saturating_sub(head.at);
    ensure!(
        found >= wanted,
        "the data end after {found} of {wanted} bytes"
    );
    // In the file of a tensor by columns, dimensions come the other way around.
    let (mut shape, mut place) = (head.shape.clone(), part.clone());
    if head.order == Order::Fortran {
        shape.reverse();
        place.reverse();
    }
    let sizes: Vec<i64> = part.iter().map(|interval| interval.len() as i64).collect();
    let mut tensor = Tensor::zeros(&expected.element, &sizes)?;
    let bytes = tensor.bytes_mut();
    let apart = shape.last().map_or(0, |size| *size as usize * width);
    let (mut window, mut from) = (Vec::new(), 0);
    let mut outcome = Ok(());
    box_rows(&shape, &place, width, &mut |at, own, count| {
        if outcome.is_err() {
            return;
        }
        let row = &mut bytes[own..own + count];
        outcome = if count >= NEAR || apart >= count + NEAR {
            file.read_exact_at(row, head.at + at as u64)
        } else {
            let is_in = at >= from && at + count <= from + window.len();
            let filled = if is_in {
                Ok(())
            } else {
                from = at;
                window.resize(WINDOW.min(wanted as usize - at), 0);
                file.read_exact_at(&mut window, head.at + at as u64)
            };
            filled.map(|()| row.copy_from_slice(&window[at - from..at - from + count]))
        };
    });
    outcome.context("cannot read the data")?;
    head.arrange(&mut tensor)?;
    Ok(tensor)
}

/// Makes an empty file that of a tensor, whose elements come later. Says where they begin.
pub(crate) fn write_head(file: &File, element: &ElementType, shape: &[i64]) -> anyhow::Result<u64> {
    let head = super::head(element, shape)?;
    file.write_all_at(&head, 0)?;
    let width = element.byte_width().context("elements without a size")?;
    let count: i64 = shape.iter().product();
    file.set_len(head.len() as u64 + count as u64 * width as u64)?;
    Ok(head.len() as u64)
}

/// Writes a box of a tensor of `shape`, whose elements begin at `start`.
pub(crate) fn write_part(
    file: &File,
    start: u64,
    tensor: &Tensor,
    (shape, part): (&[i64], &IndexBox),
) -> io::Result<()> {
    let width = tensor.element().byte_width().unwrap_or(1);
    let bytes = tensor.bytes();
    let mut outcome = Ok(());
    box_rows(shape, part, width, &mut |at, own, count| {
        if outcome.is_err() {
            return;
        }
        let row = &bytes[own..own + count];
        let at = start + at as u64;
        let row = in_file(row, tensor.element());
        outcome = file.write_all_at(&row, at);
    });
    outcome
}

#[cfg(test)]
mod tests {
    use super::{super::head, *};
    use crate::mlir::FloatKind;
    use mapwright_indexing::Interval;
    use std::fs;

    /// All boxes of a tensor of two dimensions, read and written, in each order and byte order,
    /// against elements one by one.
    #[test]
    fn boxes_are_those_of_the_whole() {
        let folder = std::env::temp_dir().join(format!("mapwright-parts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (rows, columns) = (5i64, 4i64);
        let shape = [rows, columns];
        let element = ElementType::Float(FloatKind::F32);
        let ty = TensorType::new(element.clone(), &shape);
        let value = |i: i64, j: i64| (i * 10 + j) as f32;
        let mut files = Vec::new();
        for (name, order, descr) in [
            ("c", "False", "<f4"),
            ("f", "True", "<f4"),
            ("b", "False", ">f4"),
        ] {
            let head = String::from_utf8(head(&element, &shape).unwrap()[10..].to_vec()).unwrap();
            let text = head.replace(
                "'fortran_order': False",
                &format!("'fortran_order': {order}"),
            );
            let text = text.replace("<f4", descr);
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
            for k in 0..rows * columns {
                let (i, j) = match name {
                    "f" => (k % rows, k / rows),
                    _ => (k / columns, k % columns),
                };
                match descr {
                    ">f4" => bytes.extend(value(i, j).to_be_bytes()),
                    _ => bytes.extend(value(i, j).to_le_bytes()),
                }
            }
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            files.push(path);
        }
        let target = folder.join("target");
        for (i, m) in (0..rows).flat_map(|i| (i..rows).map(move |m| (i, m))) {
            for (j, n) in (0..columns).flat_map(|j| (j..columns).map(move |n| (j, n))) {
                let part: IndexBox = vec![Interval::new(i, m), Interval::new(j, n)];
                let each = (i..=m).flat_map(|i| (j..=n).map(move |j| (i, j)));
                let expected: Vec<u8> = each.flat_map(|(i, j)| value(i, j).to_le_bytes()).collect();
                for path in &files {
                    let read = read_part(path, &ty, &part).unwrap();
                    assert_eq!(read.bytes(), expected, "{path:?} {part:?}");
                }
                let read = read_part(&files[0], &ty, &part).unwrap();
                let file = File::create(&target).unwrap();
                let start = write_head(&file, &element, &shape).unwrap();
                write_part(&file, start, &read, (&shape, &part)).unwrap();
                let whole = super::read(&target, &ty).unwrap();
                for (at, found) in whole.bytes().chunks_exact(4).enumerate() {
                    let (a, b) = (at as i64 / columns, at as i64 % columns);
                    let is_in = (i..=m).contains(&a) && (j..=n).contains(&b);
                    let expected = if is_in { value(a, b) } else { 0.0 };
                    assert_eq!(found, expected.to_le_bytes());
                }
            }
        }
        fs::write(&target, &fs::read(&files[0]).unwrap()[..200]).unwrap();
        let part: IndexBox = vec![Interval::new(0, 1), Interval::new(0, 3)];
        let error = read_part(&target, &ty, &part).err().unwrap();
        assert!(
            format!("{error:#}").contains("the data end after 72 of 80 bytes"),
            "{error:#}"
        );
        fs::remove_dir_all(folder).unwrap();
    }
}
