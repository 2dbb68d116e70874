//! Sizes along which windows slide.

use super::sizes::{Sizes, tensor, within};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::Op;
use mapwright_ops::attrs::{self, Convolution, Window};

impl<'c> Sizes<'_, 'c> {
    /// A size of a convolution's result.
    pub(super) fn convolved(&mut self, made: Op<'c>, k: usize) -> Option<Sum> {
        let rank = tensor(made.operand(1))?.rank();
        let decoded = Convolution::decode(made, &vec![1; rank]).ok()?;
        let dims = (decoded.batch_groups == 1).then_some(&decoded.dims)?;
        match k as i64 {
            d if d == dims.output_batch => self.size(made.operand(0), dims.input_batch as usize),
            d if d == dims.output_feature => {
                self.size(made.operand(1), dims.kernel_output_feature as usize)
            }
            _ => self.slid_along(made, &decoded, k),
        }
    }

    /// A size of a result of a reduction of windows.
    pub(super) fn in_windows(&mut self, made: Op<'c>, r: usize, k: usize) -> Option<Sum> {
        let rank = tensor(made.result(r))?.rank();
        let window = Window::reduce_window(made, rank).ok()?;
        let plain = (
            window.stride[k],
            window.base_dilation[k],
            window.window_dilation[k],
        );
        (plain == (1, 1, 1)).then_some(())?;
        let own = self.size(made.operand(r), k)?;
        let (low, high) = window.padding[k];
        let numbers = [window.size[k], low, high].map(Sum::constant);
        Self::windows(&own, &numbers[0], &numbers[1], &numbers[2])
    }

    /// How many windows there are over `elements` elements, where neighbours are neighbours and each begins one behind the other.
    fn windows(elements: &Sum, size: &Sum, low: &Sum, high: &Sum) -> Option<Sum> {
        within(elements.plus(low).plus(high).minus(size).offset(1))
    }

    /// A spatial size of a convolution's result.
    fn slid_along(&mut self, made: Op<'c>, decoded: &Convolution, k: usize) -> Option<Sum> {
        let dims = &decoded.dims;
        let i = (dims.output_spatial.iter()).position(|d| *d == k as i64)?;
        let window = &decoded.window;
        let plain = (
            window.stride[i],
            window.base_dilation[i],
            window.window_dilation[i],
        );
        (plain == (1, 1, 1)).then_some(())?;
        let own = self.size(made.operand(0), dims.input_spatial[i] as usize)?;
        let size = self.size(made.operand(1), dims.kernel_spatial[i] as usize)?;
        let (low, high) = match made.operands().get(2) {
            Some(padding) => (
                self.element(*padding, 2 * i)?,
                self.element(*padding, 2 * i + 1)?,
            ),
            None => {
                let (low, high) = *window.padding.get(i)?;
                (Sum::constant(low), Sum::constant(high))
            }
        };
        Self::windows(&own, &size, &low, &high)
    }

    /// A size of a result of a reduction of windows whose numbers are operands.
    pub(super) fn windows_of_operands(&mut self, made: Op<'c>, r: usize, k: usize) -> Option<Sum> {
        let n = attrs::window_inputs(made).ok()?;
        for steps in 1..4 {
            let step = self.element(made.operand(2 * n + steps), k)?;
            (step == Sum::constant(1)).then_some(())?;
        }
        let own = self.size(made.operand(r), k)?;
        let size = self.element(made.operand(2 * n), k)?;
        let padding = made.operand(2 * n + 4);
        let (low, high) = (
            self.element(padding, 2 * k)?,
            self.element(padding, 2 * k + 1)?,
        );
        Self::windows(&own, &size, &low, &high)
    }
}
