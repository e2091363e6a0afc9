//! Characters.

use super::{Builtin, plain};
use crate::character::{lower, upper};
use crate::fault::{Fault, Outcome};
use crate::value::{NIL, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("CHAR-CODE", 1, Some(1), |world, arguments| {
        Ok(Value::Integer(i64::from(character(world, arguments[0])? as u32)))
    }),
    plain("CODE-CHAR", 1, Some(1), |world, arguments| {
        let code = world.index(arguments[0])?;
        match u32::try_from(code).ok().and_then(char::from_u32) {
            Some(character) => Ok(Value::Character(character)),
            None => Err(Fault::simple(format!("{code} is not the code of a character"))),
        }
    }),
    plain("CHAR-UPCASE", 1, Some(1), |world, arguments| {
        Ok(Value::Character(upper(character(world, arguments[0])?)))
    }),
    plain("CHAR-DOWNCASE", 1, Some(1), |world, arguments| {
        Ok(Value::Character(lower(character(world, arguments[0])?)))
    }),
    plain("ALPHA-CHAR-P", 1, Some(1), |world, arguments| {
        Ok(Value::truth(character(world, arguments[0])?.is_alphabetic()))
    }),
    plain("ALPHANUMERICP", 1, Some(1), |world, arguments| {
        Ok(Value::truth(character(world, arguments[0])?.is_alphanumeric()))
    }),
    plain("UPPER-CASE-P", 1, Some(1), |world, arguments| {
        let character = character(world, arguments[0])?;
        Ok(Value::truth(lower(character) != character))
    }),
    plain("LOWER-CASE-P", 1, Some(1), |world, arguments| {
        let character = character(world, arguments[0])?;
        Ok(Value::truth(upper(character) != character))
    }),
    plain("DIGIT-CHAR-P", 1, Some(2), |world, arguments| {
        let radix = radix(world, arguments)?;
        let digit = character(world, arguments[0])?.to_digit(radix);
        Ok(digit.map_or(NIL, |digit| Value::Integer(i64::from(digit))))
    }),
    plain("DIGIT-CHAR", 1, Some(2), |world, arguments| {
        let radix = radix(world, arguments)?;
        let weight = u32::try_from(world.index(arguments[0])?).unwrap_or(u32::MAX);
        let digit = if weight < radix {
            char::from_digit(weight, radix)
        } else {
            None
        };
        Ok(digit.map_or(NIL, |digit| Value::Character(digit.to_ascii_uppercase())))
    }),
    plain("CHAR=", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| left == right)
    }),
    plain("CHAR/=", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| left != right)
    }),
    plain("CHAR<", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| left < right)
    }),
    plain("CHAR>", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| left > right)
    }),
    plain("CHAR<=", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| left <= right)
    }),
    plain("CHAR>=", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| left >= right)
    }),
    plain("CHAR-EQUAL", 1, None, |world, arguments| {
        ordered(world, arguments, |left, right| lower(left) == lower(right))
    }),
    plain("CHAR-NAME", 1, Some(1), |world, arguments| {
        let name = crate::character::name(character(world, arguments[0])?);
        if name.chars().count() == 1 {
            Ok(NIL)
        } else {
            world.new_text(&name)
        }
    }),
];

fn character(world: &World, value: Value) -> Outcome<char> {
    match value {
        Value::Character(character) => Ok(character),
        _ => Err(world.wrong_type(value, "CHARACTER")),
    }
}

fn radix(world: &World, arguments: &[Value]) -> Outcome<u32> {
    match arguments.get(1) {
        None => Ok(10),
        Some(Value::Integer(radix @ 2..=36)) => Ok(*radix as u32),
        Some(&other) => Err(world.wrong_type(other, "(INTEGER 2 36)")),
    }
}

fn ordered(world: &mut World, arguments: &[Value], holds: fn(char, char) -> bool) -> Outcome<Value> {
    let mut all = true;
    for pair in arguments.windows(2) {
        all = all && holds(character(world, pair[0])?, character(world, pair[1])?);
    }
    character(world, arguments[0])?;
    Ok(Value::truth(all))
}
