//! Several phases as one convolution.

use super::{Group, HloBuilder, Parts, Phase};
use mapwright_mlir::{Op, TensorType};

/// Meaning of a dimension of the kernel of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    /// The elements of the window in a dimension, and those that count of it for a phase.
    Window(usize),
    /// The phases of a dimension.
    Phase(usize),
    Input,
    /// Groups of features, and the features of one.
    Features,
    Feature,
}

impl<'c> Parts<'c> {
    /// The convolution of several phases: their windows are beside each other among the features.
    pub(super) fn merged_phases(
        &self,
        make: &HloBuilder<'c>,
        groups: &[&Group],
        phases: &[Phase],
    ) -> Op<'c> {
        let dims = &self.known.conv.dims;
        let element = &self.known.kernel_type.element;
        let mut kernel = self.op.operand(1);
        let mut sizes = self.known.kernel.clone();
        let mut axes: Vec<Axis> = (0..sizes.len() as i64)
            .map(|d| match dims.kernel_spatial.iter().position(|s| *s == d) {
                Some(i) => Axis::Window(i),
                None if d == dims.kernel_input_feature => Axis::Input,
                None => Axis::Feature,
            })
            .collect();
        // From the last dimension on: those before stay where they are.
        for d in (0..sizes.len()).rev() {
            let Axis::Window(i) = axes[d] else { continue };
            let (group, phase) = (groups[i], phases[i]);
            let last = self.known.conv.window.size[i] - 1;
            let places = group.firsts.iter().flat_map(|first| {
                (0..phase.count).map(move |t| {
                    if self.known.conv.window.reversal[i] {
                        last - (first + (phase.count - 1 - t) * phase.step)
                    } else {
                        first + t * phase.step
                    }
                })
            });
            let to = [group.firsts.len() as i64, phase.count];
            kernel = make.rows_at(kernel, &sizes, d, &places.collect::<Vec<i64>>(), to);
            sizes.splice(d..=d, to);
            axes.splice(d..=d, [Axis::Phase(i), Axis::Window(i)]);
        }
        let feature_groups = self.known.conv.feature_groups;
        if let Some(at) = axes.iter().position(|axis| *axis == Axis::Feature) {
            sizes.splice(at..=at, [feature_groups, sizes[at] / feature_groups]);
            axes.splice(at..=at, [Axis::Features, Axis::Feature]);
        }
        kernel = make.reshape(kernel, &TensorType::new(element.clone(), &sizes));
        let mut wanted = Vec::new();
        for axis in &axes {
            match axis {
                Axis::Features => {
                    wanted.push(Axis::Features);
                    wanted.extend((0..groups.len()).map(Axis::Phase));
                }
                Axis::Phase(_) => {}
                other => wanted.push(*other),
            }
        }
        let place = |axis: &Axis| axes.iter().position(|other| other == axis);
        let order: Vec<usize> = wanted.iter().filter_map(place).collect();
        kernel = make.transpose(kernel, &order);
        let times: i64 = groups.iter().map(|g| g.firsts.len() as i64).product();
        let mut merged = Vec::new();
        for axis in &wanted {
            match (axis, place(axis)) {
                (Axis::Features, _) => merged.push(times * feature_groups),
                (Axis::Phase(_), _) | (_, None) => {}
                (Axis::Feature, Some(at)) => {
                    if let Some(features) = merged.last_mut() {
                        *features *= sizes[at];
                    }
                }
                (_, Some(at)) => merged.push(sizes[at]),
            }
        }
        let kernel = make.reshape(kernel, &TensorType::new(element.clone(), &merged));
        self.convolution(make, phases, kernel, times)
    }
}
