//! Schedules beside regions: the attribute `schedule` of `indexing.fusion`.

use mapwright_mlir::{Attr, Builder, Op};
use mapwright_schedule::{ParseError, Schedule};

/// The attribute's name.
pub const SCHEDULE: &str = "schedule";

/// The schedule that is stated for a region, if one is.
///
/// # Errors
/// A step that there is not.
pub fn stated(fusion: Op<'_>) -> Result<Option<Schedule>, ParseError> {
    let Some(attribute) = fusion.attribute(SCHEDULE) else {
        return Ok(None);
    };
    // ODS says that it is a schedule.
    let text = attribute.to_string();
    let text = text.trim_start_matches("#indexing.schedule<");
    text.trim_end_matches('>').parse().map(Some)
}

/// The attribute `#indexing.schedule<…>`.
pub fn attribute<'c>(b: &Builder<'c>, schedule: &Schedule) -> Attr<'c> {
    b.parse_attr(&format!("#indexing.schedule<{schedule}>"))
}

/// Checks that the region states no schedule, or one of steps that exist. If not, the error is
/// emitted.
pub(crate) fn verify(fusion: Op<'_>) -> bool {
    match stated(fusion) {
        Ok(_) => true,
        Err(why) => {
            fusion.emit_error(&format!("has no such schedule: {why}"));
            false
        }
    }
}
