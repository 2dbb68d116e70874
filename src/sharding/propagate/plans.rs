//! Plans between layouts of digits, each looked for once, and what they cost.

use super::Sharding;
use crate::digits::Digit;
use crate::error::LayoutError;
use crate::layout::DeviceMatrix;
use crate::reshard::{Plan, Reshard};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Shape, bytes of an element, digits that are apart, layout before and after.
type Change = (Vec<i64>, i64, Vec<Digit>, Sharding, Sharding);

/// Plans of collectives for changes of layout on one matrix of devices.
#[derive(Debug)]
pub struct Plans {
    devices: DeviceMatrix,
    /// Digits along which devices have nothing of each other, as in [`Reshard::collectives`].
    pub apart: Vec<Digit>,
    found: FxHashMap<Change, Option<Rc<Plan>>>,
}

impl Plans {
    /// No plans yet.
    pub fn new(devices: DeviceMatrix) -> Plans {
        Plans {
            devices,
            apart: Vec::new(),
            found: FxHashMap::default(),
        }
    }

    /// The plans, one after the other, that bring a tensor from one layout to another.
    ///
    /// # Errors
    /// Layouts that do not fit the shape, partial results that exist only afterwards, and changes
    /// that no collectives were found for.
    pub fn between(
        &mut self,
        shape: &[i64],
        element_bytes: i64,
        from: &Sharding,
        to: &Sharding,
    ) -> Result<Vec<Rc<Plan>>, LayoutError> {
        if let Some(direct) = self.plan(shape, element_bytes, from, to)? {
            return Ok(vec![direct]);
        }
        // By way of the whole, which every device has, there is always one.
        let whole = Sharding::replicated(shape.len());
        let gather = self.plan(shape, element_bytes, from, &whole)?;
        let slice = self.plan(shape, element_bytes, &whole, to)?;
        let all: Option<Vec<Rc<Plan>>> = [gather, slice].into_iter().collect();
        all.ok_or_else(|| LayoutError::NoLayout("no collectives were found".to_owned()))
    }

    /// The most bytes that a device sends or receives for the change; `None` where collectives do
    /// not make it.
    pub fn bytes(
        &mut self,
        shape: &[i64],
        element_bytes: i64,
        from: &Sharding,
        to: &Sharding,
    ) -> Option<i64> {
        let plans = self.between(shape, element_bytes, from, to).ok()?;
        plans
            .iter()
            .map(|plan| plan.cost())
            .reduce(i64::saturating_add)
    }

    fn plan(
        &mut self,
        shape: &[i64],
        element_bytes: i64,
        from: &Sharding,
        to: &Sharding,
    ) -> Result<Option<Rc<Plan>>, LayoutError> {
        let apart = self.apart.clone();
        let key = (
            shape.to_vec(),
            element_bytes,
            apart,
            from.clone(),
            to.clone(),
        );
        if let Some(known) = self.found.get(&key) {
            return Ok(known.clone());
        }
        let place = |sharding: &Sharding| sharding.to_layout(&self.devices)?.of_shape(shape);
        let change = Reshard::new(place(from)?, place(to)?)?;
        let plan = change.collectives(element_bytes, &self.apart).ok();
        let plan = plan.map(Rc::new);
        self.found.insert(key, plan.clone());
        Ok(plan)
    }
}
