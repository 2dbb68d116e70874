//! The page of `mapwright shards --html`, clicked through in a headless Chromium over the WebDriver
//! protocol.
//!
//! Needs `chromedriver` and `chromium` (Debian: chromium, chromium-driver; `make test` installs
//! them); says so when it skips.

use mapwright_sharding::command::Request;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A browser with one page; the processes end with it.
struct Browser {
    driver: Child,
    base: String,
}

/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

fn call(method: &str, url: &str, body: &Value) -> Value {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let request = match method {
        "GET" => agent.get(url).call(),
        "DELETE" => agent.delete(url).call(),
        _ => agent
            .post(url)
            .content_type("application/json")
            .send(body.to_string()),
    };
    let text = request.unwrap().body_mut().read_to_string().unwrap();
    let mut answer: Value = serde_json::from_str(&text).unwrap();
    assert!(answer["value"].get("error").is_none(), "{url}: {answer}");
    answer["value"].take()
}

impl Browser {
    fn open(page: &std::path::Path) -> Option<Browser> {
        let started = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = started else { return None };
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|l| {
                l.strip_prefix("ChromeDriver was started successfully on port ")
                    .map(|p| p.trim_end_matches('.').to_owned())
            })
            .expect("chromedriver says its port");
        let options = json!({"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900"]});
        let mut browser = Browser {
            driver,
            base: format!("http://127.0.0.1:{port}/session"),
        };
        let session = call(
            "POST",
            &browser.base,
            &json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}),
        );
        browser.base = format!(
            "{}/{}",
            browser.base,
            session["sessionId"].as_str().unwrap()
        );
        browser.post("url", json!({"url": format!("file://{}", page.display())}));
        Some(browser)
    }

    fn post(&self, path: &str, body: Value) -> Value {
        call("POST", &format!("{}/{path}", self.base), &body)
    }

    fn find(&self, selector: &str) -> Vec<String> {
        let list = self.post(
            "elements",
            json!({"using": "css selector", "value": selector}),
        );
        list.as_array()
            .unwrap()
            .iter()
            .map(|e| e[ELEMENT].as_str().unwrap().to_owned())
            .collect()
    }

    fn text(&self, selector: &str) -> String {
        let element = &self.find(selector)[0];
        call(
            "GET",
            &format!("{}/element/{element}/text", self.base),
            &Value::Null,
        )
        .as_str()
        .unwrap()
        .to_owned()
    }

    fn hover(&self, element: &str) {
        let origin = json!({ ELEMENT: element });
        let moves =
            json!([{"type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0}]);
        self.post(
            "actions",
            json!({"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]}),
        );
    }

    fn click(&self, element: &str) {
        self.post(&format!("element/{element}/click"), json!({}));
    }

    fn key(&self, key: &str) {
        let keys = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        self.post(
            "actions",
            json!({"actions": [{"type": "key", "id": "keyboard", "actions": keys}]}),
        );
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            call("DELETE", &self.base, &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn clicked_through(name: &str, request: &Request, test: impl FnOnce(&Browser)) {
    let path =
        std::env::temp_dir().join(format!("mapwright-page-{}-{name}.html", std::process::id()));
    std::fs::write(&path, request.run().unwrap().html().unwrap()).unwrap();
    match Browser::open(&path) {
        Some(browser) => test(&browser),
        None => {
            eprintln!("skipped: chromedriver is not installed (Debian: chromium, chromium-driver)")
        }
    }
    std::fs::remove_file(&path).unwrap();
}

fn request(sizes: &str, alias: &str, map: &str, shape: &str) -> Request {
    Request {
        device_matrix: Some(sizes.into()),
        alias: Some(alias.into()),
        tensor_map: Some(map.into()),
        shape: shape.into(),
        element_bytes: 4,
        ..Request::default()
    }
}

#[test]
fn every_element_shows_its_rank_and_digits() {
    let request = request("2,1,2,2,1", "a,b,c,d,e", "b,d,e,c,a", "1,2,1,2,2");
    clicked_through("example", &request, |browser| {
        assert_eq!(
            browser.text("#title"),
            "(a=2, b=1, c=2, d=2, e=1)(b, d, e, c, a)"
        );
        let cells = browser.find(".cell");
        assert_eq!(cells.len(), 8);
        assert_eq!(browser.find(".panel").len(), 2);
        // The elements in row-major order, and who holds them.
        for (element, rank) in [0, 4, 2, 6, 1, 5, 3, 7].into_iter().enumerate() {
            browser.hover(&cells[element]);
            let index = [0, element / 4, 0, element / 2 % 2, element % 2];
            let digits = format!("a={} b=0 c={} d={} e=0", rank / 4, rank / 2 % 2, rank % 2);
            let text = browser.text("#tip");
            assert!(
                text.starts_with(&format!("element {index:?}, slice {element}: ")),
                "{text}"
            );
            assert!(
                text.ends_with(&format!("\nrank {rank}: {digits}")),
                "{text}"
            );
            assert_eq!(
                (
                    browser.find(".cell.on").len(),
                    browser.find(".rank.on").len()
                ),
                (1, 1)
            );
        }
    });
}

#[test]
fn clicking_keeps_and_ranks_show_their_cells() {
    // Two by four devices, the rows split by y: every slice is on two ranks, of 2 x 3 elements
    // each.
    clicked_through(
        "replicas",
        &request("2,4", "x,y", "y,None", "8,3"),
        |browser| {
            let (cells, ranks) = (browser.find(".cell"), browser.find(".rank"));
            assert_eq!((cells.len(), ranks.len()), (24, 8));
            browser.hover(&cells[7]);
            assert_eq!(
                browser.text("#tip"),
                "element [2, 1], slice 1: [2, 3] × [0, 2]\nrank 1: x=0 y=1\nrank 5: x=1 y=1"
            );
            assert_eq!(
                (
                    browser.find(".cell.on").len(),
                    browser.find(".rank.on").len()
                ),
                (6, 2)
            );
            // A rank that is clicked stays, whatever is pointed at, until it is clicked again.
            browser.click(&ranks[6]);
            assert_eq!(
                browser.text("#tip"),
                "slice 2: [4, 5] × [0, 2]\nrank 6: x=1 y=2"
            );
            browser.hover(&cells[0]);
            assert_eq!(
                browser.text("#tip"),
                "slice 2: [4, 5] × [0, 2]\nrank 6: x=1 y=2"
            );
            assert_eq!(
                (
                    browser.find(".cell.on").len(),
                    browser.find(".rank.on").len()
                ),
                (6, 1)
            );
            browser.click(&ranks[6]);
            browser.hover(&cells[0]);
            assert!(
                browser
                    .text("#tip")
                    .starts_with("element [0, 0], slice 0: ")
            );
            // By keyboard: the focus shows, Enter keeps, Escape lets go.
            browser.click(&cells[23]);
            browser.key("\u{E004}");
            assert!(
                browser
                    .text("#tip")
                    .starts_with("element [7, 2], slice 3: "),
                "kept"
            );
            browser.key("\u{E00C}");
            assert_eq!(
                browser.text("#tip"),
                "Point at a cell or at a rank; click to keep it."
            );
            assert_eq!(browser.find(".on").len(), 0);
        },
    );
}

#[test]
fn four_dimensions_are_a_grid_of_panels_and_large_tensors_show_slices() {
    clicked_through(
        "grid",
        &request("2,2", "x,y", "x,None,None,y", "2,3,2,2"),
        |browser| {
            assert_eq!(
                (
                    browser.find(".panel").len(),
                    browser.find("#tensor > tbody > tr").len(),
                    browser.find(".cell").len()
                ),
                (6, 2, 24)
            );
        },
    );
    clicked_through(
        "large",
        &request("2,4", "x,y", "x,y", "4096,4096"),
        |browser| {
            let cells = browser.find(".cell");
            assert_eq!(cells.len(), 8);
            browser.hover(&cells[6]);
            assert_eq!(
                browser.text("#tip"),
                "slice 6: [2048, 4095] × [2048, 3071]\nrank 6: x=1 y=2"
            );
        },
    );
}
