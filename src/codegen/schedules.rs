//! Schedules beside regions: the attribute `schedule` of `indexing.fusion`.

use crate::Declined;
use mapwright_mlir::{Attr, Builder, Op};
use mapwright_schedule::Schedule;

/// The attribute's name.
pub(crate) const SCHEDULE: &str = "schedule";

/// The schedule that is stated for a region, if one is.
///
/// # Errors
/// One with a step that no emitter knows.
pub(crate) fn stated(fusion: Op<'_>) -> Result<Option<Schedule>, Declined> {
    let Some(attribute) = fusion.attribute(SCHEDULE) else {
        return Ok(None);
    };
    let text = attribute.to_string();
    let text = (text.strip_prefix("#indexing.schedule<")).and_then(|text| text.strip_suffix('>'));
    match text.map(str::parse) {
        Some(Ok(schedule)) => Ok(Some(schedule)),
        Some(Err(why)) => Err(Declined::new(format!("in its schedule, {why}"))),
        None => Err(Declined::new("its attribute 'schedule' is no schedule")),
    }
}

/// The attribute `#indexing.schedule<…>`.
pub(crate) fn attribute<'c>(b: &Builder<'c>, schedule: &Schedule) -> Attr<'c> {
    b.parse_attr(&format!("#indexing.schedule<{schedule}>"))
}
