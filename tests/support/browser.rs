//! Pages of ours in a real browser: Chromium, without a window.

use std::{env, fs, process, process::Command};

fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            Command::new(name)
                .arg("--version")
                .output()
                .is_ok_and(|output| output.status.success())
        })
}

/// Opens a page whose first script has data, runs `script` when it is loaded, and gives what the
/// script put into the list `answer`; errors of the page are in it, too. `None` where there is no
/// browser.
pub fn open(name: &str, page: &str, script: &str) -> Option<Vec<String>> {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium");
        return None;
    };
    let report = "const out=document.createElement('pre');out.id='answer';out.textContent=answer.map(a=>a+'␞').join('');document.body.append(out);";
    let errors = "const answer=[];window.onerror=(m)=>{answer.push('error '+m)};";
    let page = page
        .replace(
            "<script type=\"application/json\"",
            &format!("<script>{errors}</script><script type=\"application/json\""),
        )
        .replace(
            "</body>",
            &format!(
                "<script>try{{{script}}}catch(e){{answer.push('error '+e)}}{report}</script></body>"
            ),
        );
    let folder = env::temp_dir().join(format!("mapwright-picture-{}-{name}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("page.html");
    fs::write(&path, page).unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1400,900",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let _ = fs::remove_dir_all(&folder);
    let answer = dom
        .split("id=\"answer\">")
        .nth(1)
        .unwrap_or_else(|| panic!("the script did not run: {dom}"));
    let answer = answer
        .split("</pre>")
        .next()
        .unwrap()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    Some(answer.split_terminator('␞').map(str::to_owned).collect())
}
