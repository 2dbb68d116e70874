//! The picture in a real browser (Chromium, without a window): a script clicks on operations and
//! elements as a person would, and what is highlighted is compared with the maps, evaluated here.

use crate::browser;
use mapwright_analysis::picture;
use mapwright_mlir::{
    Op,
    melior::{self, ir::Module},
};

fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

/// Opens the page of a program, runs `script` when it is loaded, and gives its answer.
fn open(name: &str, program: &str, script: &str) -> Option<Vec<String>> {
    let context = context();
    let module = Module::parse(&context, program).expect("it parses");
    browser::open(name, &picture::html(Op::new(module.as_operation())), script)
}

/// A press and a release on element (row, column) of a canvas of `rows` by `columns` elements.
const CLICK: &str = "const press=(id,rows,columns,row,column,row2,column2)=>{
  const canvas=document.querySelector('#'+id+' canvas');
  canvas.scrollIntoView();
  const b=canvas.getBoundingClientRect();
  const at=(r,c)=>({clientX:b.left+(c+.5)*b.width/columns,clientY:b.top+(r+.5)*b.height/rows,bubbles:true});
  canvas.dispatchEvent(new MouseEvent('mousedown',at(row,column)));
  canvas.dispatchEvent(new MouseEvent('mouseup',at(row2??row,column2??column)));
};
const drawn=id=>document.querySelector('#'+id+' canvas').dataset.elements;
const choose_op=i=>document.getElementById('op'+i).dispatchEvent(new MouseEvent('click',{bubbles:true}));";

#[test]
fn clicks_highlight_what_is_read() {
    let program = "func.func @f(%arg0: tensor<4x6xf32>) -> tensor<6x4xf32> {
        %0 = \"stablehlo.transpose\"(%arg0) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
        %1 = \"stablehlo.slice\"(%0) {start_indices = array<i64: 0, 1>, limit_indices = array<i64: 6, 4>, strides = array<i64: 2, 2>} : (tensor<6x4xf32>) -> tensor<3x2xf32>
        %c = \"stablehlo.constant\"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
        %2 = \"stablehlo.reduce\"(%1, %c) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () }) {dimensions = array<i64: 1>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
        return %0 : tensor<6x4xf32> }";
    let script = format!(
        "{CLICK}
        choose_op(1); answer.push(document.getElementById('name').textContent);
        press('result0',6,4,5,2); answer.push(drawn('result0')); answer.push(drawn('operand0'));
        answer.push(document.querySelector('#operand0 .map').textContent);
        press('result0',6,4,1,1,2,2); answer.push(drawn('operand0'));
        press('operand0',4,6,3,1); answer.push(drawn('result0'));
        choose_op(2); press('result0',3,2,2,1); answer.push(drawn('operand0'));
        press('operand0',6,4,1,1); answer.push(drawn('result0'));
        choose_op(4); press('result0',1,3,0,2); answer.push(drawn('operand0'));
        const input=document.querySelector('#tile input'); input.value=0; input.dispatchEvent(new Event('change')); answer.push(drawn('operand0'));"
    );
    let Some(answer) = open("small", program, &script) else {
        return;
    };
    assert_eq!(
        answer,
        [
            "stablehlo.transpose",
            "5,2",
            "2,5",
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]",
            "1,1 1,2 2,1 2,2",
            "1,3",
            "4,3",
            // Element (1, 1) of the operand is between the elements that the slice takes.
            "",
            "2,0 2,1",
            "0,0 0,1 1,0 1,1 2,0 2,1",
        ]
    );
}

/// The function as one operation, arrows to what is read, and zoom.
#[test]
fn composed_maps_have_arrows_and_zoom() {
    let program = "func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3xf32>) -> tensor<6x4xf32> {
        %0 = \"stablehlo.reverse\"(%arg0) {dimensions = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %1 = \"stablehlo.transpose\"(%0) {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
        return %1 : tensor<6x4xf32> }";
    let script = format!(
        "{CLICK}
        document.getElementById('whole').click();
        answer.push(document.getElementById('name').textContent);
        press('result0',6,4,0,3); answer.push(drawn('operand0'));
        const lines=()=>[...document.querySelectorAll('#arrows path.line')];
        answer.push(lines().map(l=>l.dataset.to).join(' '));
        const ends=lines()[0].getAttribute('d').match(/[-0-9.]+/g).map(Number);
        const side=document.getElementById('side'), s=side.getBoundingClientRect();
        const b=document.querySelector('#operand0 canvas').getBoundingClientRect();
        const x=ends[2]+s.left-side.scrollLeft-b.left, y=ends[3]+s.top-side.scrollTop-b.top;
        answer.push([Math.floor(y/b.height*4),Math.floor(x/b.width*6)].join());
        press('operand0',4,6,2,1); answer.push(drawn('result0'));
        const width=()=>document.querySelector('#operand0 canvas').width, before=width();
        const zoom=document.getElementById('zoom'); zoom.value=3; zoom.dispatchEvent(new Event('change'));
        answer.push(width()/before); answer.push(drawn('result0'));"
    );
    let Some(answer) = open("composed", program, &script) else {
        return;
    };
    // result[i, j] = argument[j, 5 - i]
    assert_eq!(answer, ["@main", "3,5", "3,5", "3,5", "4,2", "3", "4,2"]);
}

#[test]
fn a_thousand_operations() {
    let ty = "tensor<16x16xf32>";
    let mut program = format!("func.func @f(%arg0: {ty}) -> {ty} {{\n");
    let mut last = "%arg0".to_owned();
    for i in 0..500 {
        program += &format!(
            "%t{i} = \"stablehlo.transpose\"({last}) {{permutation = array<i64: 1, 0>}} : ({ty}) -> {ty}\n"
        );
        program += &format!("%x{i} = \"stablehlo.add\"({last}, %t{i}) : ({ty}, {ty}) -> {ty}\n");
        last = format!("%x{i}");
    }
    program += &format!("return {last} : {ty} }}");
    let script = format!(
        "{CLICK} answer.push(document.querySelectorAll('.node').length);
        choose_op(501); answer.push(document.getElementById('name').textContent);
        press('result0',16,16,3,7); answer.push(drawn('operand0'));
        answer.push(new Set([...document.querySelectorAll('.node rect')].map(r=>r.getAttribute('x')+' '+r.getAttribute('y'))).size);"
    );
    let Some(answer) = open("large", &program, &script) else {
        return;
    };
    assert_eq!(answer[..3], ["1001", "stablehlo.transpose", "7,3"]);
    // No two nodes stand at the same place.
    assert_eq!(answer[3], "1001");
}

#[test]
fn values_have_the_names_that_mlir_prints_and_the_page_begins_with_main() {
    let ty = "tensor<4xf32>";
    let program = format!(
        "module {{
          func.func private @last(%a: {ty}) -> {ty} {{
            %0 = \"stablehlo.negate\"(%a) : ({ty}) -> {ty}
            return %0 : {ty} }}
          func.func @main(%x: {ty}, %y: {ty}) -> {ty} {{
            %0 = \"stablehlo.multiply\"(%x, %y) : ({ty}, {ty}) -> {ty}
            %1 = func.call @last(%0) : ({ty}) -> {ty}
            %2:2 = \"stablehlo.optimization_barrier\"(%1, %y) : ({ty}, {ty}) -> ({ty}, {ty})
            %3 = \"stablehlo.reverse\"(%2#1) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty}
            return %3 : {ty} }}
          func.func private @other(%a: {ty}) -> {ty} {{
            return %a : {ty} }} }}"
    );
    let context = context();
    let module = Module::parse(&context, &program).expect("it parses");
    let page = picture::html(Op::new(module.as_operation()));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: serde_json::Value =
        serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    let names = |function: usize, what: &str| -> Vec<Vec<String>> {
        let ops = data["functions"][function]["ops"].as_array().unwrap();
        ops.iter()
            .map(|op| {
                let values = op[what].as_array().unwrap();
                let names = values.iter().map(|value| value["value"].as_str().unwrap());
                names.map(str::to_owned).collect()
            })
            .collect()
    };
    assert_eq!(data["functions"].as_array().unwrap().len(), 3);
    assert_eq!(
        data["functions"][data["first"].as_u64().unwrap() as usize]["name"],
        "main"
    );
    assert_eq!(names(0, "results"), [["%arg0"], ["%0"]]);
    let results: Vec<String> = names(1, "results").concat();
    assert_eq!(
        results,
        ["%arg0", "%arg1", "%0", "%1", "%2#0", "%2#1", "%3"]
    );
    assert_eq!(
        names(1, "operands").concat(),
        ["%arg0", "%arg1", "%0", "%1", "%arg1", "%2#1"]
    );
    // The graph: a call uses what it is given, and arguments are nodes.
    let uses: Vec<&serde_json::Value> = data["functions"][1]["ops"]
        .as_array()
        .unwrap()
        .iter()
        .map(|op| &op["uses"])
        .collect();
    assert_eq!(
        uses,
        [
            &serde_json::json!([]),
            &serde_json::json!([]),
            &serde_json::json!([0, 1]),
            &serde_json::json!([2]),
            &serde_json::json!([1, 3]),
            &serde_json::json!([4])
        ]
    );
}
