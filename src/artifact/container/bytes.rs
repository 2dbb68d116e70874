//! The numbers of which the bytes are made.

use crate::error::{Error, Result};

/// Reads from a part of an artifact, never beyond its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Offset in the artifact at which the part begins.
    base: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// The place in the artifact.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error::at(self.offset(), message))
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'b [u8]> {
        if length > self.left() {
            return self.error(format!(
                "{length} bytes are announced where {} are left",
                self.left()
            ));
        }
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    /// A part of that length as a reader of its own.
    pub(crate) fn part(&mut self, length: usize) -> Result<Self> {
        let base = self.offset();
        Ok(Self::new(self.take(length)?, base))
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number whose first byte says by its lowest bit that is set how many bytes it has; if none
    /// is, eight follow.
    pub(crate) fn unsigned(&mut self) -> Result<u64> {
        let first = self.byte()?;
        let more = match first.trailing_zeros() {
            8 => 8,
            zeros => zeros as usize,
        };
        let mut wide = [0; 8];
        if more == 8 {
            wide.copy_from_slice(self.take(8)?);
            return Ok(u64::from_le_bytes(wide));
        }
        wide[0] = first;
        wide[1..=more].copy_from_slice(self.take(more)?);
        Ok(u64::from_le_bytes(wide) >> (more + 1))
    }

    /// A number whose lowest bit is its sign.
    pub(crate) fn signed(&mut self) -> Result<i64> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A number and what its lowest bit says.
    pub(crate) fn flagged(&mut self) -> Result<(u64, bool)> {
        let value = self.unsigned()?;
        Ok((value >> 1, value & 1 == 1))
    }

    /// Reads the number of elements that follow, each of which takes a byte at least.
    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = self.unsigned()?;
        self.checked_count(count)
    }

    pub(crate) fn checked_count(&self, count: u64) -> Result<usize> {
        match usize::try_from(count) {
            Ok(count) if count <= self.left() => Ok(count),
            _ => self.error(format!(
                "{count} elements are announced where {} bytes are left",
                self.left()
            )),
        }
    }

    /// An index below `below`; `what` says of what.
    pub(crate) fn index(&mut self, below: usize, what: &str) -> Result<usize> {
        let index = self.unsigned()?;
        self.checked_index(index, below, what)
    }

    pub(crate) fn checked_index(&self, index: u64, below: usize, what: &str) -> Result<usize> {
        match usize::try_from(index) {
            Ok(index) if index < below => Ok(index),
            _ => self.error(format!("{what} {index} is meant where there are {below}")),
        }
    }

    /// Elements, as many as are announced.
    pub(crate) fn list<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| element(self)).collect()
    }

    /// Bytes, as many as are announced.
    pub(crate) fn blob(&mut self) -> Result<&'b [u8]> {
        let length = self.count()?;
        self.take(length)
    }

    /// A text up to a null byte.
    pub(crate) fn terminated(&mut self) -> Result<&'b str> {
        let rest = &self.bytes[self.at..];
        let Some(length) = rest.iter().position(|byte| *byte == 0) else {
            return self.error("a text does not end");
        };
        let text = self.text(length)?;
        self.take(1)?;
        Ok(text)
    }

    pub(crate) fn text(&mut self, length: usize) -> Result<&'b str> {
        let at = self.offset();
        std::str::from_utf8(self.take(length)?)
            .map_err(|_| Error::at(at, "a text is not valid UTF-8"))
    }

    /// A section: its number and its content.
    pub(crate) fn section(&mut self) -> Result<(u8, Self)> {
        let first = self.byte()?;
        let length = self.unsigned()?;
        if first & 0x80 != 0 {
            let alignment = self.unsigned()?;
            if !alignment.is_power_of_two() || alignment > 1 << 20 {
                return self.error(format!("{alignment} is not an alignment"));
            }
            let aligned = self.offset().next_multiple_of(alignment as usize);
            self.take(aligned - self.offset())?;
        }
        let length = self.checked_count(length)?;
        Ok((first & 0x7f, self.part(length)?))
    }

    /// Checks that no byte is left.
    pub(crate) fn done(&self, what: &str) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => self.error(format!("{left} bytes are left after {what}")),
        }
    }
}

/// Bytes that are being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn unsigned(&mut self, value: u64) {
        let bits = 64 - value.leading_zeros() as usize;
        let length = bits.div_ceil(7).max(1);
        if length > 8 {
            self.byte(0);
            self.0.extend(value.to_le_bytes());
        } else {
            let wide = (value << 1 | 1) << (length - 1);
            self.0.extend(&wide.to_le_bytes()[..length]);
        }
    }

    pub(crate) fn signed(&mut self, value: i64) {
        self.unsigned(((value << 1) ^ (value >> 63)) as u64);
    }

    pub(crate) fn flagged(&mut self, value: u64, flag: bool) {
        self.unsigned(value << 1 | u64::from(flag));
    }

    pub(crate) fn blob(&mut self, bytes: &[u8]) {
        self.unsigned(bytes.len() as u64);
        self.0.extend(bytes);
    }

    pub(crate) fn section(&mut self, number: u8, content: &Self) {
        self.byte(number);
        self.blob(&content.0);
    }

    pub(crate) fn list<T>(&mut self, elements: &[T], mut element: impl FnMut(&mut Self, &T)) {
        self.unsigned(elements.len() as u64);
        elements.iter().for_each(|one| element(self, one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let mut numbers = vec![0, 1, u64::MAX, i64::MAX as u64];
        numbers.extend((0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]));
        for number in numbers {
            let mut writer = Writer::default();
            writer.unsigned(number);
            writer.signed(number as i64);
            let mut reader = Reader::new(&writer.0, 0);
            assert_eq!(reader.unsigned(), Ok(number));
            assert_eq!(reader.signed(), Ok(number as i64));
            assert_eq!(reader.left(), 0);
        }
    }

    #[test]
    fn numbers_have_the_length_of_the_format() {
        let length = |number: u64| {
            let mut writer = Writer::default();
            writer.unsigned(number);
            writer.0
        };
        assert_eq!(length(3), [7]);
        assert_eq!(length(127), [255]);
        assert_eq!(length(128), [0x02, 0x02]);
        assert_eq!(length(1 << 55).len(), 8);
        assert_eq!(length(1 << 56).len(), 9);
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        for bytes in [&[][..], &[0], &[2], &[0, 1, 2, 3]] {
            assert!(Reader::new(bytes, 0).unsigned().is_err(), "{bytes:?}");
        }
        let mut short = Reader::new(&[9, 1, 1], 100);
        let error = short.blob().unwrap_err();
        assert_eq!(error.offset, Some(101));
        assert!(Reader::new(b"abc", 0).terminated().is_err());
        assert!(Reader::new(&[0xff, 0], 0).terminated().is_err());
        assert!(Reader::new(&[0x80, 1, 0xff, 0xff], 0).section().is_err());
    }
}
