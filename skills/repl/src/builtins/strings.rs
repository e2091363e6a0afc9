//! Strings.

use std::cmp::Ordering;

use super::{Builtin, argument, multiple, plain};
use crate::character::{lower, upper};
use crate::fault::{Fault, Outcome};
use crate::token;
use crate::value::{NIL, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("STRING", 1, Some(1), |world, arguments| {
        if world.text(arguments[0]).is_some() {
            return Ok(arguments[0]);
        }
        let text = world.designated_text(arguments[0])?;
        world.heap.text(text)
    }),
    plain("STRING-UPCASE", 1, Some(1), |world, arguments| {
        changed(world, arguments[0], upper)
    }),
    plain("STRING-DOWNCASE", 1, Some(1), |world, arguments| {
        changed(world, arguments[0], lower)
    }),
    plain("STRING-CAPITALIZE", 1, Some(1), |world, arguments| {
        let text = world.designated_text(arguments[0])?;
        world.heap.text(capitalized(&text))
    }),
    plain("STRING-TRIM", 2, Some(2), |world, arguments| {
        trimmed(world, arguments, true, true)
    }),
    plain("STRING-LEFT-TRIM", 2, Some(2), |world, arguments| {
        trimmed(world, arguments, true, false)
    }),
    plain("STRING-RIGHT-TRIM", 2, Some(2), |world, arguments| {
        trimmed(world, arguments, false, true)
    }),
    plain("MAKE-STRING", 1, None, |world, arguments| {
        let count = world.index(arguments[0])?;
        crate::heap::check_length(count)?;
        let element = world.key(&arguments[1..], "INITIAL-ELEMENT")?;
        match element {
            None => world.heap.text(vec![' '; count]),
            Some(Value::Character(character)) => world.heap.text(vec![character; count]),
            Some(other) => Err(world.wrong_type(other, "CHARACTER")),
        }
    }),
    plain("STRING=", 2, None, |world, arguments| {
        equality(world, arguments, Case::Matters, true)
    }),
    plain("STRING/=", 2, None, |world, arguments| {
        order(world, arguments, Case::Matters, Ordering::is_ne)
    }),
    plain("STRING<", 2, None, |world, arguments| {
        order(world, arguments, Case::Matters, Ordering::is_lt)
    }),
    plain("STRING>", 2, None, |world, arguments| {
        order(world, arguments, Case::Matters, Ordering::is_gt)
    }),
    plain("STRING<=", 2, None, |world, arguments| {
        order(world, arguments, Case::Matters, Ordering::is_le)
    }),
    plain("STRING>=", 2, None, |world, arguments| {
        order(world, arguments, Case::Matters, Ordering::is_ge)
    }),
    plain("STRING-EQUAL", 2, None, |world, arguments| {
        equality(world, arguments, Case::Folded, true)
    }),
    plain("STRING-NOT-EQUAL", 2, None, |world, arguments| {
        order(world, arguments, Case::Folded, Ordering::is_ne)
    }),
    plain("STRING-LESSP", 2, None, |world, arguments| {
        order(world, arguments, Case::Folded, Ordering::is_lt)
    }),
    plain("STRING-GREATERP", 2, None, |world, arguments| {
        order(world, arguments, Case::Folded, Ordering::is_gt)
    }),
    multiple("PARSE-INTEGER", 1, None, parse_integer),
];

/// Whether upper and lower case are different.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Matters,
    Folded,
}

/// The text with each word's first letter in upper case and the others in lower case.
pub(crate) fn capitalized(text: &[char]) -> Vec<char> {
    let mut inside_word = false;
    text.iter()
        .map(|&character| {
            let changed = if inside_word {
                lower(character)
            } else {
                upper(character)
            };
            inside_word = character.is_alphanumeric();
            changed
        })
        .collect()
}

fn changed(world: &mut World, value: Value, change: fn(char) -> char) -> Outcome<Value> {
    let text = world.designated_text(value)?;
    world.heap.text(text.into_iter().map(change).collect())
}

fn trimmed(world: &mut World, arguments: &[Value], left: bool, right: bool) -> Outcome<Value> {
    let bag = super::sequences::items(world, arguments[0])?;
    let text = world.designated_text(arguments[1])?;
    let in_bag = |character: &char| bag.contains(&Value::Character(*character));
    let begin = if left {
        text.iter().take_while(|character| in_bag(character)).count()
    } else {
        0
    };
    let kept = &text[begin..];
    let end = if right {
        kept.iter().rev().take_while(|character| in_bag(character)).count()
    } else {
        0
    };
    let kept = kept[..kept.len() - end].to_vec();
    world.heap.charge(text.len() / 16 * (1 + bag.len()))?;
    world.heap.text(kept)
}

/// The two strings that are compared, after `:start1` and its kind.
fn compared(world: &mut World, arguments: &[Value], case: Case) -> Outcome<(Vec<char>, Vec<char>, usize)> {
    let mut sides = Vec::new();
    let mut first_begin = 0;
    for (place, (start, end)) in [("START1", "END1"), ("START2", "END2")].into_iter().enumerate() {
        let mut text = world.designated_text(argument(arguments, place))?;
        let start = world.key(&arguments[2..], start)?.unwrap_or(NIL);
        let end = world.key(&arguments[2..], end)?.unwrap_or(NIL);
        let range = world.range(start, end, text.len())?;
        if place == 0 {
            first_begin = range.start;
        }
        text = text[range].to_vec();
        if case == Case::Folded {
            text = text.into_iter().map(lower).collect();
        }
        world.heap.charge(text.len() / 16)?;
        sides.push(text);
    }
    let second = sides.pop().unwrap_or_default();
    Ok((sides.pop().unwrap_or_default(), second, first_begin))
}

fn equality(world: &mut World, arguments: &[Value], case: Case, wanted: bool) -> Outcome<Value> {
    let (left, right, _) = compared(world, arguments, case)?;
    Ok(Value::truth((left == right) == wanted))
}

/// Where the strings first differ, if they are in this order.
fn order(world: &mut World, arguments: &[Value], case: Case, holds: fn(Ordering) -> bool) -> Outcome<Value> {
    let (left, right, begin) = compared(world, arguments, case)?;
    if !holds(left.cmp(&right)) {
        return Ok(NIL);
    }
    let same = left
        .iter()
        .zip(&right)
        .take_while(|(left, right)| left == right)
        .count();
    Ok(Value::Integer((begin + same) as i64))
}

/// Gives the integer, and where it ends.
fn parse_integer(world: &mut World, arguments: &[Value]) -> Outcome<Vec<Value>> {
    let Some(text) = world.text(arguments[0]).map(<[char]>::to_vec) else {
        return Err(world.wrong_type(arguments[0], "STRING"));
    };
    let keys = &arguments[1..];
    let start = world.key(keys, "START")?.unwrap_or(NIL);
    let end = world.key(keys, "END")?.unwrap_or(NIL);
    let range = world.range(start, end, text.len())?;
    let radix = match world.key(keys, "RADIX")? {
        Some(radix) => world.integer(radix)?,
        None => 10,
    };
    if !(2..=36).contains(&radix) {
        return Err(Fault::new(
            "TYPE-ERROR",
            format!("The value {radix} is not of type (INTEGER 2 36)"),
        ));
    }
    let junk_allowed = world.key(keys, "JUNK-ALLOWED")?.unwrap_or(NIL).is_true();
    let blank = text[range.clone()]
        .iter()
        .take_while(|character| character.is_whitespace())
        .count();
    let begin = range.start + blank;
    let sign = usize::from(matches!(text.get(begin), Some('+' | '-')) && begin < range.end);
    let digits = text[begin + sign..range.end]
        .iter()
        .take_while(|digit| digit.is_digit(radix as u32))
        .count();
    let stop = begin + sign + digits;
    let rest_is_blank = text[stop..range.end].iter().all(|character| character.is_whitespace());
    if digits == 0 || (!rest_is_blank && !junk_allowed) {
        if junk_allowed {
            return Ok(vec![NIL, Value::Integer(stop as i64)]);
        }
        let shown = world.shown(arguments[0]);
        let what = if digits == 0 { "no digits" } else { "junk" };
        return Err(Fault::new("PARSE-ERROR", format!("{what} in string {shown}")));
    }
    let digits: String = text[begin..stop].iter().collect();
    world.heap.charge(digits.len() / 16 + digits.len().pow(2) / 4096)?;
    let end = if junk_allowed { stop } else { range.end };
    match token::rational(&digits, radix as u32)? {
        Some(number) => Ok(vec![number.into_value(&mut world.heap)?, Value::Integer(end as i64)]),
        None => Ok(vec![NIL, Value::Integer(end as i64)]),
    }
}
