//! Programs for propagation, put together operation by operation.

use mapwright_indexing::IndexingMap;
use mapwright_sharding::propagate::{
    Edge, Operation, PartialRule, Plans, Program, Propagation, Sharding, Value, propagate,
};
use mapwright_sharding::{DeviceMatrix, LayoutError, Reduction};

/// A program under construction, on devices x=2, y=4 unless told otherwise.
pub struct Build {
    pub program: Program,
}

impl Build {
    pub fn new() -> Build {
        Build::on(DeviceMatrix::new(&[2, 4], &["x", "y"]).unwrap())
    }

    pub fn on(devices: DeviceMatrix) -> Build {
        Build {
            program: Program {
                devices,
                values: Vec::new(),
                operations: Vec::new(),
            },
        }
    }

    pub fn sharding(&self, map: &[&[&str]]) -> Sharding {
        Sharding::of_layout(&self.program.devices.layout(map).unwrap()).unwrap()
    }

    pub fn value(&mut self, name: &str, shape: &[i64], given: Option<&[&[&str]]>) -> usize {
        let given = given.map(|map| self.sharding(map));
        self.program.values.push(Value {
            name: name.into(),
            shape: shape.to_vec(),
            element_bytes: 4,
            given,
            also: Vec::new(),
            open: Vec::new(),
        });
        self.program.values.len() - 1
    }

    /// An operation with one result; for each operand its maps as text.
    pub fn op(
        &mut self,
        name: &str,
        operands: &[usize],
        shape: &[i64],
        maps: &[&[&str]],
        reduction: Option<Reduction>,
    ) -> usize {
        let maps: Vec<Vec<IndexingMap>> = maps
            .iter()
            .map(|l| l.iter().map(|m| m.parse().unwrap()).collect())
            .collect();
        self.op_maps(name, operands, shape, maps, reduction, PartialRule::Full)
    }

    pub fn op_maps(
        &mut self,
        name: &str,
        operands: &[usize],
        shape: &[i64],
        maps: Vec<Vec<IndexingMap>>,
        reduction: Option<Reduction>,
        partial: PartialRule,
    ) -> usize {
        let result = self.value(&format!("%{}", self.program.values.len()), shape, None);
        let edges = maps
            .into_iter()
            .enumerate()
            .map(|(operand, maps)| Edge {
                result: 0,
                operand,
                maps,
            })
            .collect();
        self.program.operations.push(Operation {
            name: name.into(),
            operands: operands.to_vec(),
            results: vec![result],
            edges,
            reduction,
            partial,
            data: operands.len(),
        });
        result
    }

    pub fn try_run(&self) -> Result<Propagation, LayoutError> {
        let mut plans = Plans::new(self.program.devices.clone());
        propagate(&self.program, &mut plans)
    }

    pub fn run(&self) -> Propagation {
        self.try_run().unwrap()
    }

    pub fn text(&self, found: &Propagation, value: usize) -> String {
        found.values[value]
            .as_ref()
            .map_or("nothing".into(), |p| p.sharding.text(&self.program.devices))
    }
}
