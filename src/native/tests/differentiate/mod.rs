//! Vector-Jacobian products against finite differences in double precision: for each function, in
//! random directions, the change of the results along the cotangent is that of the arguments along
//! its pullback.

mod factors;
mod forms;
mod functions;
mod more;
mod movement;
mod sizes;

use factors::FACTORS;
use forms::FORMS;
use functions::FUNCTIONS;
use mapwright_interpret::{Options, Scalar, Tensor, Value, run};
use mapwright_mlir::{ElementType, Op, TensorType, context::context, diagnostic::Diagnostics, op};
use mapwright_normalize::{
    chlo,
    differentiate::{Residuals, differentiate},
    tarray,
};
use more::MORE;
use sizes::SIZES;

fn random(rng: &mut fastrand::Rng, ty: &TensorType, low: f64, high: f64) -> Tensor {
    let shape = ty.static_shape().unwrap();
    Tensor::build(&ElementType::F64, &shape, |_| {
        Ok(Scalar::Real(low + (high - low) * rng.f64()))
    })
    .unwrap()
}

/// `x + by * way`.
fn moved(x: &Tensor, way: &Tensor, by: f64) -> Tensor {
    let pairs = x.data.iter().zip(&way.data);
    let data = pairs.map(|(x, d)| Scalar::Real(x.real().unwrap() + by * d.real().unwrap()));
    Tensor {
        data: data.collect(),
        ..x.clone()
    }
}

fn dot(x: &Tensor, y: &Tensor) -> f64 {
    let pairs = x.data.iter().zip(&y.data);
    pairs
        .map(|(x, y)| x.real().unwrap() * y.real().unwrap())
        .sum()
}

#[test]
fn pullbacks_are_those_of_finite_differences() {
    mapwright_ops::hooks::install();
    for residuals in [Residuals::Values, Residuals::States] {
        for function in (FUNCTIONS.iter())
            .chain(MORE)
            .chain(FACTORS)
            .chain(FORMS)
            .chain(SIZES)
        {
            check(function, residuals);
        }
    }
}

fn check((name, x, y, result, body): &(&str, &str, &str, &str, &str), residuals: Residuals) {
    let text = format!(
        "func.func @f(%x: {x}, %y: {y}) -> {result} {{\n{body}\nreturn %r : {result}\n}}
         func.func private @square(%a: tensor<3xf64>) -> tensor<3xf64> {{
           %0 = stablehlo.multiply %a, %a : tensor<3xf64>
           return %0 : tensor<3xf64>
         }}"
    );
    prepared(name, &text, &[0, 1], residuals, |root| compare(name, root));
}

/// Hands the program to `then` with the pullback of `f` in it, ready to be interpreted.
fn prepared(name: &str, text: &str, wrt: &[i64], residuals: Residuals, then: impl FnOnce(Op<'_>)) {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics
        .parse("f.mlir", text.as_bytes())
        .unwrap_or_else(|_| panic!("{name}: {}\n{text}", diagnostics.take()));
    let root = Op::new(module.as_operation());
    differentiate(root, "f", wrt, residuals)
        .unwrap_or_else(|e| panic!("{name}: {}\n{text}", e.message));
    assert!(root.verify(), "{name}: {}", diagnostics.take());
    tarray::legalize(root).unwrap();
    chlo::legalize(root, &[]).unwrap();
    then(root);
}

/// Compares both functions of a program.
fn compare(name: &str, root: Op<'_>) {
    let functions = root.body(0).map(op::ops).unwrap();
    let f = functions
        .iter()
        .find(|f| f.string("sym_name").as_deref() == Some("f"));
    let types: Vec<TensorType> = op::arguments(f.unwrap().body(0).unwrap())
        .iter()
        .map(|v| {
            use mapwright_mlir::melior::ir::ValueLike;
            let ty = TensorType::from_mlir(v.r#type()).unwrap();
            let sizes: Vec<i64> = ty.dims.iter().map(|d| d.fixed().unwrap_or(3)).collect();
            TensorType::new(ty.element, &sizes)
        })
        .collect();
    let mut rng = fastrand::Rng::with_seed(7);
    let inputs: Vec<Tensor> = types
        .iter()
        .map(|ty| random(&mut rng, ty, 0.5, 1.5))
        .collect();
    let call = |function: &str, arguments: &[&Tensor]| -> Vec<Tensor> {
        let values: Vec<Value> = arguments
            .iter()
            .map(|t| Value::Tensor((*t).clone()))
            .collect();
        let found = run(root, function, &values, &Options::default());
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        found.iter().map(|v| v.tensor().unwrap().clone()).collect()
    };
    let y0 = call("f", &[&inputs[0], &inputs[1]]).remove(0);
    let cotangent = random(&mut rng, &y0.ty(), -1.0, 1.0);
    let pulled = call("f_vjp", &[&inputs[0], &inputs[1], &cotangent]);
    for (k, ty) in types.iter().enumerate() {
        for _ in 0..4 {
            let way = random(&mut rng, ty, -1.0, 1.0);
            let step = 1e-5;
            let at = |by: f64| {
                let there = moved(&inputs[k], &way, by);
                let mut arguments = [&inputs[0], &inputs[1]];
                arguments[k] = &there;
                dot(&call("f", &arguments)[0], &cotangent)
            };
            // Of fourth order: near an end of a function's domain its third derivative is large.
            let apart = |by: f64| at(by) - at(-by);
            let slope = (8.0 * apart(step) - apart(2.0 * step)) / (12.0 * step);
            let found = dot(&pulled[k], &way);
            let scale = slope.abs().max(1.0);
            assert!(
                (slope - found).abs() < 1e-7 * scale,
                "{name}, argument {k}: {found} where finite differences give {slope}"
            );
        }
    }
}
