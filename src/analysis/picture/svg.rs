//! Drawings as scalable vector graphics.

use std::fmt::Write as _;

/// The height of a line of text.
pub const LINE: f64 = 18.0;

/// The colours of what is marked, one after the other.
pub const COLOURS: [&str; 4] = ["#d9480f", "#1864ab", "#2b8a3e", "#862e9c"];

/// A drawing that grows with what is put into it.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// Text with the characters that mean something in a document written as entities.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

impl Svg {
    fn covers(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// Begins a group of what is drawn up to [`Svg::end`], with these attributes.
    pub fn begin(&mut self, attributes: &str) {
        let _ = writeln!(self.body, "<g {attributes}>");
    }

    /// Ends a group.
    pub fn end(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// Draws a box.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        self.covers(x + width, y + height);
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
        );
    }

    /// Draws cells, all of one side, in rows and columns with lines between them.
    pub fn cells(&mut self, (x, y): (f64, f64), (rows, columns): (i64, i64), side: f64) {
        let (width, height) = (side * columns as f64, side * rows as f64);
        self.rect((x, y), (width, height), "#e9ecef");
        let mut lines = String::new();
        for row in 1..=rows {
            let _ = write!(lines, "M{x} {} h{width}", y + side * row as f64 - 0.5);
        }
        for column in 1..=columns {
            let _ = write!(lines, "M{} {y} v{height}", x + side * column as f64 - 0.5);
        }
        let _ = writeln!(self.body, "<path d=\"{lines}\" stroke=\"#fff\"/>");
    }

    /// Writes a line, its left end at the place; lines that are too long for a screen are cut.
    pub fn text(&mut self, (x, y): (f64, f64), text: &str, style: &str) {
        const LONGEST: usize = 110;
        let mut shown: String = text.chars().take(LONGEST).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        self.covers(x + 7.3 * shown.chars().count() as f64, y + 4.0);
        let shown = escaped(&shown);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" {style}>{shown}</text>"
        );
    }

    /// Draws an arrow: from where, the two points that it bends towards, and to where.
    pub fn arrow(&mut self, points: [(f64, f64); 4], colour: &str) {
        for (x, y) in points {
            self.covers(x, y);
        }
        let [from, a, b, to] = points.map(|(x, y)| format!("{x} {y}"));
        let _ = writeln!(
            self.body,
            "<path d=\"M{from} C{a} {b} {to}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"1.5\" marker-end=\"url(#tip)\"/>"
        );
    }

    /// The document.
    pub fn finish(self) -> String {
        let (width, height) = (self.width.ceil() + 16.0, self.height.ceil() + 16.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"context-stroke\"/>\
             </marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{}</svg>\n",
            self.body
        )
    }
}
