//! The schemas of JSON documents (`docs/schemas`), and their validation. Of JSON Schema 2020-12
//! there is what the schemas use; another keyword is an error, so that none is ignored.

use serde_json::Value;
use std::fs;

/// A schema of the documentation.
pub struct Schema(Value);

impl Schema {
    /// Reads the schema of a command.
    pub fn of(name: &str) -> Self {
        let path = crate::support::root().join(format!("docs/schemas/{name}.json"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self(serde_json::from_str(&text).unwrap())
    }

    /// Fails where the document is not what the schema says.
    #[track_caller]
    pub fn check(&self, document: &Value) {
        if let Err(wrong) = self.valid(&self.0, document, "$") {
            panic!("{wrong}\nin {document}");
        }
    }

    /// Decides whether the document is what the schema says.
    pub fn accepts(&self, document: &Value) -> bool {
        self.valid(&self.0, document, "$").is_ok()
    }

    fn valid(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let members = schema.as_object().ok_or("a schema is an object")?;
        let wrong = |what: String| Err(format!("{at}: {what}"));
        for (keyword, rule) in members {
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" => {}
                "$ref" => {
                    let name = rule.as_str().and_then(|text| text.strip_prefix("#/"));
                    let pointer = format!("/{}", name.unwrap());
                    self.valid(self.0.pointer(&pointer).unwrap(), value, at)?;
                }
                "type" => {
                    let one = std::slice::from_ref(rule);
                    let types = rule.as_array().map_or(one, Vec::as_slice);
                    if !types.iter().any(|name| is(name.as_str().unwrap(), value)) {
                        return wrong(format!("{value} is no {rule}"));
                    }
                }
                "const" if rule != value => return wrong(format!("{value} is not {rule}")),
                "const" => {}
                "enum" => {
                    if !rule.as_array().unwrap().contains(value) {
                        return wrong(format!("{value} is none of {rule}"));
                    }
                }
                "anyOf" => {
                    let all = rule.as_array().unwrap().iter();
                    let tried = all.map(|schema| self.valid(schema, value, at));
                    let failed: Result<Vec<String>, ()> =
                        tried.map(|outcome| outcome.err().ok_or(())).collect();
                    if let Ok(reasons) = failed {
                        return wrong(format!("none of these holds: {}", reasons.join("; ")));
                    }
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.valid(rule, item, &format!("{at}[{i}]"))?;
                    }
                }
                "required" => {
                    for name in rule.as_array().unwrap() {
                        if value
                            .as_object()
                            .is_some_and(|o| !o.contains_key(name.as_str().unwrap()))
                        {
                            return wrong(format!("{name} is missing"));
                        }
                    }
                }
                "properties" => {
                    for (name, schema) in rule.as_object().unwrap() {
                        if let Some(member) = value.get(name) {
                            self.valid(schema, member, &format!("{at}.{name}"))?;
                        }
                    }
                }
                "additionalProperties" => {
                    let known = members.get("properties").and_then(Value::as_object);
                    for (name, member) in value.as_object().into_iter().flatten() {
                        if known.is_some_and(|known| known.contains_key(name)) {
                            continue;
                        }
                        if *rule == Value::Bool(false) {
                            return wrong(format!("nothing is said of the member {name}"));
                        }
                        self.valid(rule, member, &format!("{at}.{name}"))?;
                    }
                }
                other => panic!("the validator does not know {other}"),
            }
        }
        Ok(())
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}
