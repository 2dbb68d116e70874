//! Pages that commands write, in a browser.

use super::{browser, file, json_of, mapwright};
use crate::support::folder;
use serde_json::Value;
use std::fs;

/// What is shown of a part that is clicked on is what the report says of it, and each product is a
/// point below the roofline.
#[test]
fn parts_are_chosen_on_the_page_of_a_profile() {
    let folder = folder("command-profile");
    let program = file(&folder, "f.mlir", PROGRAM);
    let page = folder.join("profile.html");
    let path = page.display().to_string();
    let told = json_of(mapwright(&[
        "run",
        &program,
        "--profile",
        "--bench=0.01",
        "--json",
        "--html",
        &path,
    ]));
    let page = fs::read_to_string(&page).unwrap();
    let script = "
        const text=id=>document.getElementById(id)?.textContent;
        const rows=[...document.querySelectorAll('tr.part')];
        answer.push(rows.length, document.querySelectorAll('#roofline circle').length);
        for (const row of rows) {
          row.dispatchEvent(new MouseEvent('click',{bubbles:true}));
          answer.push(text('name'), text('memory'), [...document.querySelectorAll('#operations li')].map(l=>l.textContent).join('|'));
        }";
    let Some(answer) = browser::open("profile", &page, script) else {
        return;
    };
    let parts = told["profile"]["parts"].as_array().unwrap();
    assert_eq!(answer[..2], ["2", "1"]);
    assert_eq!(answer.len(), 2 + 3 * parts.len(), "{answer:?}");
    for (part, shown) in parts.iter().zip(answer[2..].chunks(3)) {
        assert_eq!(shown[0], part["name"].as_str().unwrap());
        assert!(
            shown[1].starts_with(&format!("{} bytes a call", part["bytes"])),
            "{shown:?}"
        );
        let operations = part["operations"].as_array().unwrap().iter();
        let place = |op: &Value| format!("{} at {}", op["op"], op["location"]).replace('"', "");
        assert_eq!(
            shown[2],
            operations.map(place).collect::<Vec<_>>().join("|")
        );
    }
    let product = &parts[0]["operations"].as_array().unwrap();
    let product: Vec<&str> = product
        .iter()
        .map(|op| op["op"].as_str().unwrap())
        .collect();
    assert_eq!(product, ["stablehlo.dot_general"]);
}

/// A product whose result is summed up: two regions, since only what uses a product in place is
/// fused with it.
const PROGRAM: &str = "func.func @main(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x64xf32>, tensor<f32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
";

/// What is shown of a region that is clicked on is what the command says of it.
#[test]
fn regions_are_chosen_on_their_page() {
    let folder = folder("command-pages");
    let program = file(&folder, "f.mlir", PROGRAM);
    let page = folder.join("regions.html");
    let path = page.display().to_string();
    let told = json_of(mapwright(&["fusion", &program, "--json", "--html", &path]));
    let page = fs::read_to_string(&page).unwrap();
    let script = "
        const text=id=>document.getElementById(id)?.textContent;
        const lines=id=>[...document.querySelectorAll('#'+id+' li')].map(l=>l.textContent).join('|');
        const boxes=[...document.querySelectorAll('g.region')];
        answer.push(boxes.length);
        for (const box of boxes) {
          box.querySelector('rect').dispatchEvent(new MouseEvent('click',{bubbles:true}));
          answer.push(text('name'), text('schedule'), lines('inputs'), lines('members'), lines('reasons'),
            [...document.querySelectorAll('.bytes')].map(p=>p.textContent).join('|'));
        }";
    let Some(answer) = browser::open("regions", &page, script) else {
        return;
    };
    let function = &told["functions"][0];
    let regions = function["regions"].as_array().unwrap();
    assert_eq!(answer[0], "2");
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let place = |value: &Value| format!("{} at {}", word(&value["op"]), word(&value["location"]));
    for (i, region) in regions.iter().enumerate() {
        let shown = &answer[1 + 6 * i..7 + 6 * i];
        let kind = word(&region["kind"]);
        assert_eq!(shown[0], format!("@main, region {i}: {kind}"));
        assert_eq!(shown[1], word(&region["schedule"]));
        let inputs = region["inputs"].as_array().unwrap().iter().map(|value| {
            let (name, own) = (word(&value["name"]), word(&value["value"]));
            format!("{name} = {own} : {}", word(&value["type"]))
        });
        assert_eq!(shown[2], inputs.collect::<Vec<_>>().join("|"));
        let members = region["members"].as_array().unwrap().iter();
        let members = members.map(|own| format!("{} {}", word(&own["name"]), place(own)));
        assert_eq!(shown[3], members.collect::<Vec<_>>().join("|"));
        // The product is on one side of its edge, the sum on the other.
        assert!(shown[4].contains("stablehlo.dot_general at"), "{shown:?}");
        assert_eq!(
            shown[5],
            format!(
                "reads {} bytes|writes {} bytes",
                region["bytes_read"], region["bytes_written"]
            )
        );
    }
}

/// What a script of a page begins with: cells, ranks, and what is said of the one that is chosen.
const LAYOUT: &str = "
        const all=selector=>[...document.querySelectorAll(selector)];
        const send=(node,kind,more)=>node.dispatchEvent(new MouseEvent(kind,{bubbles:true,...more}));
        const key=(node,key)=>node.dispatchEvent(new KeyboardEvent('keydown',{bubbles:true,key}));
        const tip=()=>document.getElementById('tip').textContent;
        const on=()=>all('.cell.on').length+' '+all('.rank.on').length+' '+all('.source').length;";

/// Opens the page of `mapwright shards` with some options.
fn layout(name: &str, options: &[&str], script: &str) -> Option<Vec<String>> {
    let page = folder(&format!("command-pages-{name}")).join("layout.html");
    let path = page.display().to_string();
    mapwright(&[&["shards", "--html", path.as_str()][..], options].concat()).ok();
    let page = fs::read_to_string(&page).unwrap();
    browser::open(name, &page, &format!("{LAYOUT}{script}"))
}

#[test]
fn every_element_shows_its_rank_and_digits() {
    let options = [
        "--device-matrix=2,1,2,2,1",
        "--tensor-map=b,d,e,c,a",
        "--shape=1,2,1,2,2",
    ];
    let script = "
        answer.push(document.getElementById('title').textContent, all('.panel').length);
        for (const cell of all('.cell')) { send(cell,'mouseover'); answer.push(tip(), on()); send(cell,'mouseout'); }";
    let Some(answer) = layout("layout", &options, script) else {
        return;
    };
    assert_eq!(
        answer[..2],
        ["(a=2, b=1, c=2, d=2, e=1)(b, d, e, c, a)", "2"]
    );
    assert_eq!(answer.len(), 2 + 2 * 8);
    // The elements in row-major order, and who holds them.
    let ranks = [0, 4, 2, 6, 1, 5, 3, 7].into_iter().enumerate();
    for ((element, rank), shown) in ranks.zip(answer[2..].chunks(2)) {
        let index = [0, element / 4, 0, element / 2 % 2, element % 2];
        let digits = format!("a={} b=0 c={} d={} e=0", rank / 4, rank / 2 % 2, rank % 2);
        let (start, end) = shown[0].split_once('\n').unwrap();
        let head = format!("element {index:?}, slice {element}: ");
        assert!(start.starts_with(&head), "{start}");
        assert_eq!(end, format!("rank {rank}: {digits}"));
        assert_eq!(shown[1], "1 1 0");
    }
}

#[test]
fn clicking_keeps_and_ranks_show_their_cells() {
    // Two by four devices, the rows split by y: every slice is on two ranks, of 2 x 3 elements
    // each.
    let options = [
        "--device-matrix=2,4",
        "--alias=x,y",
        "--tensor-map=y,None",
        "--shape=8,3",
    ];
    let script = "
        const cells=all('.cell'), ranks=all('.rank');
        answer.push(cells.length+' '+ranks.length);
        const say=()=>answer.push(tip(), on());
        send(cells[7],'mouseover'); say(); send(cells[7],'mouseout');
        send(ranks[6],'click'); say();
        send(cells[0],'mouseover'); say();
        send(ranks[6],'click'); send(cells[0],'mouseover'); say(); send(cells[0],'mouseout');
        key(cells[23],'Enter'); say();
        key(cells[23],'Escape'); say();";
    let Some(answer) = layout("replicas", &options, script) else {
        return;
    };
    let element = "element [2, 1], slice 1: [2, 3] × [0, 2]\nrank 1: x=0 y=1\nrank 5: x=1 y=1";
    let kept = "slice 2: [4, 5] × [0, 2]\nrank 6: x=1 y=2";
    // A rank that is clicked stays, whatever is pointed at, until it is clicked again.
    let begin = ["24 8", element, "6 2 0", kept, "6 1 0", kept, "6 1 0"];
    assert_eq!(answer[..7], begin);
    assert!(answer[7].starts_with("element [0, 0], slice 0: "));
    // By keyboard: Enter keeps, Escape lets go.
    assert!(answer[9].starts_with("element [7, 2], slice 3: "));
    let hint = "Point at a cell or at a rank; click to keep it.";
    assert_eq!(answer[11..], [hint, "0 0 0"]);
}

/// Rows that become columns, on two by two devices: both layouts, and what each rank gets from whom.
#[test]
fn a_change_of_layout_is_shown_beside_it() {
    let options = [
        "--device-matrix=2,2",
        "--shape=4,4",
        "--from=(a,b),None",
        "--to=None,(a,b)",
    ];
    let script = "
        answer.push(document.getElementById('title').textContent, all('section').length, all('.step').map(s=>s.textContent).join('|'));
        const cells=all('.cell'), ranks=all('.rank');
        for (const chosen of [ranks[1], cells[2], cells[16+6]]) { send(chosen,'click'); answer.push(tip(), on()); send(chosen,'click'); }";
    let Some(answer) = layout("change", &options, script) else {
        return;
    };
    assert_eq!(
        answer[..3],
        [
            "(a=2, b=2)((a, b), None) to (a=2, b=2)(None, (a, b))",
            "2",
            "all-to-all along a*b, dimension 0 to 1: 12 bytes"
        ]
    );
    // A rank: the row that it has, the column that it gets, and from whom.
    let (rank, marked) = (&answer[3], &answer[4]);
    let lines: Vec<&str> = rank.lines().collect();
    assert_eq!(
        lines,
        [
            "slice 1 before: [1, 1] × [0, 3]",
            "slice 1 after: [0, 3] × [1, 1]",
            "rank 1: a=0 b=1",
            "rank 1 receives [0, 0] × [1, 1] from rank 0",
            "rank 1 keeps [1, 1] × [1, 1]",
            "rank 1 receives [2, 2] × [1, 1] from rank 2",
            "rank 1 receives [3, 3] × [1, 1] from rank 3",
        ]
    );
    assert_eq!(marked, "8 1 4");
    // An element of the layout before goes to the rank of its column.
    assert_eq!(
        answer[5].lines().collect::<Vec<_>>(),
        [
            "element [0, 2], slice 0 before: [0, 0] × [0, 3]",
            "rank 0: a=0 b=0",
            "rank 2 receives [0, 0] × [2, 2] from rank 0",
        ]
    );
    // One of the layout after comes from the rank of its row.
    assert_eq!(
        answer[7].lines().collect::<Vec<_>>(),
        [
            "element [1, 2], slice 2 after: [0, 3] × [2, 2]",
            "rank 2: a=1 b=0",
            "rank 2 receives [1, 1] × [2, 2] from rank 1",
        ]
    );
    assert_eq!(answer[8], "4 1 1");
}

/// On the page of a plan devices, tensors and collectives are chosen: it says what the command does.
#[test]
fn a_plan_is_chosen_from_on_its_page() {
    let folder = folder("command-plan");
    let program = file(&folder, "f.mlir", PLANNED);
    let page = folder.join("plan.html");
    let path = page.display().to_string();
    let told = json_of(mapwright(&[
        "shards", "--plan", &program, "--json", "--html", &path,
    ]));
    let page = fs::read_to_string(&page).unwrap();
    let script = "
        const all=selector=>[...document.querySelectorAll(selector)];
        const about=()=>document.getElementById('about').textContent;
        const colours=()=>all('.device').map(d=>d.style.background).filter(b=>b);
        const choose=node=>{node.dispatchEvent(new MouseEvent('click',{bubbles:true}));answer.push(about(), new Set(colours()).size+' of '+colours().length)};
        answer.push(all('.device').length+' '+all('.tensor').length+' '+all('.collective').length);
        choose(all('.device')[3]); choose(all('.tensor')[0]); all('.collective').forEach(choose);";
    let Some(answer) = browser::open("plan", &page, script) else {
        return;
    };
    let collectives = told["collectives"].as_array().unwrap();
    assert_eq!(answer[0], format!("4 3 {}", collectives.len()));
    let device: Vec<&str> = answer[1].lines().collect();
    let has = [
        "device 3",
        "argument 0: [4, 7] × [8, 15]",
        "argument 1: [8, 15] × [0, 3]",
        "result 0: [4, 7] × [0, 3]",
    ];
    assert_eq!(device[..4], has);
    assert!(device[4].starts_with("all-reduce with 2 at "), "{device:?}");
    // Four parts of the first argument, each on one device.
    assert_eq!(answer[4], "4 of 4");
    let tensor: Vec<&str> = answer[3].lines().collect();
    assert_eq!(tensor[1], "[0, 3] × [0, 7] on 0");
    assert_eq!(tensor.len(), 5);
    for (told, shown) in collectives.iter().zip(answer[5..].chunks(2)) {
        let lines: Vec<&str> = shown[0].lines().collect();
        assert_eq!(lines[0], told["reason"].as_str().unwrap());
        assert_eq!(lines[3..], ["devices 0, 1", "devices 2, 3"]);
        assert_eq!(shown[1], "2 of 4");
    }
}

/// A product whose contracted dimension is split, and its rows.
const PLANNED: &str = "sdy.mesh @mesh = <[\"rows\"=2, \"sum\"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"rows\"}, {\"sum\"}]>},
    %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"sum\"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"rows\"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
";
