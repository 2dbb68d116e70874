//! Targets for code generation outside of this crate.

use crate::{CompileOptions, llvm::Target, options::code_options};
use mapwright_codegen::Options;
use mapwright_mlir::codegen::check_machine;

/// A target, as code generation outside of this crate asks for it.
#[derive(Clone, Debug)]
pub struct TargetOptions {
    /// Options of emitters.
    pub options: Options,
    /// Attributes of LLVM's functions: names of attributes and their values.
    pub attributes: Vec<(String, String)>,
    /// Attributes of modules: names of attributes of MLIR's dialect `llvm` and their values.
    pub module: [(&'static str, String); 2],
}

impl TargetOptions {
    /// For a triple (`""`: this machine's), a CPU (`native`, or LLVM's name of one) and features
    /// (`+avx2,-fma`) beside those of the CPU.
    ///
    /// # Errors
    /// A triple that LLVM was not built for, or a feature that it does not know or that has no
    /// sign.
    pub fn new(triple: &str, cpu: &str, features: &str) -> std::result::Result<Self, String> {
        let compile = CompileOptions {
            triple: triple.into(),
            cpu: cpu.into(),
            threads: 1,
            ..CompileOptions::default()
        };
        let mut target = Target::new(&compile);
        let added: Vec<&str> = features.split(',').filter(|f| !f.is_empty()).collect();
        if let Some(wrong) = added.iter().find(|f| !f.starts_with(['+', '-'])) {
            return Err(format!("the feature '{wrong}' begins with neither + nor -"));
        }
        for feature in &added {
            check_machine(&target.triple, "", &feature[1..])?;
        }
        target.add(&added);
        target.check()?;
        let machine = target.machine().map_err(|e| e.to_string())?;
        let layout = machine.get_target_data().get_data_layout();
        let layout = layout.as_str().to_string_lossy().into_owned();
        let attributes = [
            ("target-cpu", &target.cpu),
            ("target-features", &target.features),
        ];
        let attributes = attributes
            .into_iter()
            .filter(|(_, value)| !value.is_empty());
        Ok(Self {
            options: code_options(&compile, &target),
            attributes: attributes
                .map(|(name, value)| (name.to_string(), value.clone()))
                .collect(),
            module: [
                ("llvm.target_triple", target.triple.clone()),
                ("llvm.data_layout", layout),
            ],
        })
    }
}
