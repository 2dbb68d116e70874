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
