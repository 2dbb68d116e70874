//! Texts of schedules: those that are printed are parsed to the same, and others are refused at
//! their place.

use mapwright_schedule::{Operand, PRIMITIVES, Schedule, Step};

#[test]
fn every_primitive_is_printed_as_it_is_parsed() {
    let mut steps = Vec::new();
    for primitive in PRIMITIVES {
        for count in primitive.numbers.least..=primitive.numbers.names.len() {
            let numbers: Vec<i64> = (0..count as i64).map(|i| i * 7 + 1).collect();
            let named = primitive.operand != Operand::None;
            let plain = matches!(primitive.operand, Operand::None | Operand::OptionalLoop);
            if named {
                steps.push(Step::with_operand(primitive.name, "d0", &numbers));
            }
            if plain {
                steps.push(Step::plain(primitive.name, &numbers));
            }
        }
        let schedule = Schedule {
            emitter: "tiled".into(),
            steps: steps.clone(),
        };
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }
    assert!(steps.len() > PRIMITIVES.len());
}

#[test]
fn other_texts_are_refused_where_they_go_wrong() {
    let cases = [
        ("", 0, "expected the name of an emitter"),
        ("7 []", 0, "expected the name of an emitter"),
        ("tiled", 5, "expected '['"),
        ("tiled [tile(d0, 4)", 18, "expected ','"),
        (
            "tiled [tile(d0, 4),]",
            19,
            "expected the name of a primitive",
        ),
        ("tiled [] x", 9, "text behind the schedule"),
        (
            "chain [tiles(d0, 4)]",
            7,
            "there is no step 'tiles': the emitter 'chain' has tile",
        ),
        (
            "tiled [tile(4)]",
            7,
            "'tile' wants the name of a loop first",
        ),
        ("tiled [tile(d0)]", 7, "'tile' takes 1 number, not 0"),
        (
            "tiled [lanes(d0)]",
            7,
            "'lanes' takes 1 to 2 numbers, not 0",
        ),
        (
            "tiled [reciprocal(d0, 1)]",
            7,
            "'reciprocal' is about no loop and no value",
        ),
        (
            "tiled [keep()]",
            7,
            "'keep' wants the name of a value first",
        ),
        (
            "tiled [tile(d0, -4)]",
            7,
            "'tile' takes no negative number (-4)",
        ),
        ("tiled [tile(d0, d1)]", 16, "'d1' is no 64-bit number"),
        (
            "tiled [tile(d0, 99999999999999999999)]",
            16,
            "'99999999999999999999' is no 64-bit number",
        ),
        ("tiled [tile(d0, ä)]", 16, "expected a word or a number"),
    ];
    for (text, at, why) in cases {
        let error = text.parse::<Schedule>().expect_err(text);
        assert_eq!((error.at, error.why.as_str()), (at, why), "{text}");
    }
}

#[test]
fn primitives_have_names_of_their_own() {
    let mut names: Vec<_> = PRIMITIVES.iter().map(|primitive| primitive.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PRIMITIVES.len());
    assert!(PRIMITIVES.iter().all(|p| p.meaning.ends_with('.')));
}

#[test]
fn an_emitter_has_the_steps_that_the_table_says() {
    let check = |text: &str| text.parse::<Schedule>().expect(text).check();
    let why = |text: &str| check(text).expect_err(text).to_string();
    assert_eq!(check("chain [tile(m, 4)]"), Ok(()));
    assert_eq!(check("general []"), Ok(()));
    assert_eq!(
        why("tiled [tile(d0, 4), pack(n)]"),
        "'pack(n)' is no step of the emitter 'tiled'"
    );
    assert_eq!(
        why("general [tile(d0, 4)]"),
        "'tile(d0, 4)' is no step of the emitter 'general'"
    );
    assert!(PRIMITIVES.iter().all(|p| !p.emitters.is_empty()));
}

/// The table of `docs/schedules.md`; `MAPWRIGHT_UPDATE=1` writes it.
#[test]
fn the_documentation_has_all_primitives() {
    let head = "| step | emitters | meaning |";
    let mut table = format!("{head}\n|---|---|---|\n");
    for primitive in PRIMITIVES {
        let operand = match primitive.operand {
            Operand::None => None,
            Operand::Loop => Some("loop"),
            Operand::OptionalLoop => Some("[loop]"),
            Operand::Value => Some("value"),
        };
        let numbers = primitive.numbers.names.iter().enumerate();
        let numbers = numbers.map(|(i, name)| {
            if i < primitive.numbers.least {
                (*name).to_owned()
            } else {
                format!("[{name}]")
            }
        });
        let arguments: Vec<String> = operand
            .map(str::to_owned)
            .into_iter()
            .chain(numbers)
            .collect();
        let arguments = arguments.join(", ");
        let emitters: Vec<String> = (primitive.emitters.iter())
            .map(|emitter| format!("`{emitter}`"))
            .collect();
        table += &format!(
            "| `{}({arguments})` | {} | {} |\n",
            primitive.name,
            emitters.join(", "),
            primitive.meaning
        );
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schedules.md");
    let found = std::fs::read_to_string(path).expect("the page is there");
    let begin = found.find(head).unwrap_or(found.len());
    let expected = format!("{}{table}", &found[..begin]);
    if std::env::var_os("MAPWRIGHT_UPDATE").is_some() {
        std::fs::write(path, &expected).expect("it can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/schedules.md is out of date: MAPWRIGHT_UPDATE=1 writes it"
    );
}
