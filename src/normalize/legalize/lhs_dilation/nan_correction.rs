//! Zero times what phases leave out.

use super::{HloBuilder, Parts, PhasedDim};
use mapwright_mlir::{ElementType, TensorType, Val};

impl<'c> Parts<'c> {
    /// Zero times the elements of the window that each phase leaves out, added up:
    /// `[phases of each dimension that has several…, feature]`. Nothing for integers, and where
    /// nothing is left out.
    pub(super) fn nan_correction(
        &self,
        make: &HloBuilder<'c>,
        numbers: &[Vec<i64>],
    ) -> Option<Val<'c>> {
        if !matches!(self.known.sum, ElementType::Float(_)) {
            return None;
        }
        let window = &self.known.conv.window;
        let elements: i64 = window.size.iter().product();
        let mut mask = Vec::new();
        for at in numbers {
            for element in 0..elements {
                mask.push(!self.counts(at, element));
            }
        }
        if !mask.contains(&true) {
            return None;
        }
        let dims = &self.known.conv.dims;
        // Zero times the kernel, `[window…, feature]`: added up as it is in memory.
        let kernel = make.convert(self.op.operand(1), &self.known.sum);
        let nothing = make.binary("multiply", kernel, make.splat(0.0, kernel));
        let nothing = make.sum(nothing, &[dims.kernel_input_feature]);
        let order = dims
            .kernel_spatial
            .iter()
            .chain([&dims.kernel_output_feature]);
        let order: Vec<usize> = order
            .map(|d| if *d > dims.kernel_input_feature { d - 1 } else { *d } as usize)
            .collect();
        let nothing = make.transpose(nothing, &order);
        let n = window.size.len();
        // Of those that are left out, for each phase.
        let mut shape: Vec<i64> = (self.phased_dims.iter().map(PhasedDim::phases))
            .filter(|phases| *phases > 1)
            .collect();
        let turns = shape.len();
        shape.extend(&window.size);
        let bits: Vec<&str> = mask
            .iter()
            .map(|out| if *out { "1" } else { "0" })
            .collect();
        let flat = TensorType::new(ElementType::Bool, &[bits.len() as i64]);
        let mask = make.constant(&format!("[{}]", bits.join(", ")), &flat);
        let mask = make.reshape(mask, &TensorType::new(ElementType::Bool, &shape));
        let features = self.known.kernel[dims.kernel_output_feature as usize];
        shape.push(features);
        let all: Vec<i64> = (0..shape.len() as i64).collect();
        let whole = TensorType::new(self.known.sum.clone(), &shape);
        let chosen = TensorType::new(ElementType::Bool, &shape);
        let chosen = make.broadcast(mask, &chosen, &all[..all.len() - 1]);
        let nothing = make.broadcast(nothing, &whole, &all[turns..]);
        let zero = make.broadcast(make.zero(&self.known.sum), &whole, &[]);
        let terms = make.choose(chosen, nothing, zero);
        let sum = make.sum(terms, &all[turns..turns + n]);
        Some(make.convert(sum, &self.known.result.element))
    }

    /// Tells whether an element of the kernel, by its number in the window, meets elements of the
    /// operand in the phase `at`.
    fn counts(&self, at: &[i64], element: i64) -> bool {
        let mut rest = element;
        let digits = self.phased_dims.iter().enumerate().rev().map(|(i, line)| {
            let digit = rest % line.window;
            rest /= line.window;
            let k = if self.known.conv.window.reversal[i] {
                line.window - 1 - digit
            } else {
                digit
            };
            (line.phase(at[i]), k)
        });
        digits.into_iter().all(|(phase, k)| {
            phase.is_some_and(|phase| k >= phase.first && (k - phase.first) % phase.step == 0)
        })
    }
}
