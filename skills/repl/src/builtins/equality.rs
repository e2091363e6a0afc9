//! What makes two values the same, and hashes that agree with it.

use crate::arithmetic;
use crate::character::lower;
use crate::fault::Outcome;
use crate::number::Number;
use crate::value::{Object, Value};
use crate::world::World;

/// `eql`: the same object, or numbers of one kind and value.
pub(crate) fn eql(world: &World, left: Value, right: Value) -> bool {
    if left == right {
        return true;
    }
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => match (world.heap.get(left), world.heap.get(right)) {
            (Object::Exact(left), Object::Exact(right)) => left == right,
            _ => false,
        },
        _ => false,
    }
}

/// How deep `equal` and `equalp` look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Into conses and strings.
    Equal,
    /// Into vectors too; case and the kinds of numbers don't matter.
    Equalp,
}

/// `equal` or `equalp`, without recursion. A circular list ends in the bound on work.
pub(crate) fn equal(world: &mut World, left: Value, right: Value, depth: Depth) -> Outcome<bool> {
    let mut waiting = vec![(left, right)];
    while let Some((left, right)) = waiting.pop() {
        world.heap.charge(1)?;
        if eql(world, left, right) {
            continue;
        }
        if let (Some((left_car, left_cdr)), Some((right_car, right_cdr))) =
            (world.heap.parts(left), world.heap.parts(right))
        {
            // The car on top: a list is compared in order, and the stack stays short.
            waiting.push((left_cdr, right_cdr));
            waiting.push((left_car, right_car));
            continue;
        }
        if let (Some(left), Some(right)) = (world.text(left), world.text(right)) {
            let same = match depth {
                Depth::Equal => left == right,
                Depth::Equalp => {
                    left.len() == right.len()
                        && left
                            .iter()
                            .zip(right)
                            .all(|(left, right)| lower(*left) == lower(*right))
                }
            };
            let length = left.len();
            world.heap.charge(length / 16)?;
            if same {
                continue;
            }
            return Ok(false);
        }
        if depth == Depth::Equal || !equalp_atoms(world, left, right, &mut waiting) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equalp_atoms(world: &World, left: Value, right: Value, waiting: &mut Vec<(Value, Value)>) -> bool {
    if let (Value::Character(left), Value::Character(right)) = (left, right) {
        return lower(left) == lower(right);
    }
    if let (Some(left), Some(right)) = (Number::of(&world.heap, left), Number::of(&world.heap, right)) {
        return arithmetic::compare(&left, &right).is_eq();
    }
    if let (Value::Object(left), Value::Object(right)) = (left, right) {
        let pair = match (world.heap.get(left), world.heap.get(right)) {
            (Object::Vector(left), Object::Vector(right)) => (left, right),
            (Object::Record(one, left), Object::Record(other, right)) if one == other => (left, right),
            _ => return false,
        };
        if pair.0.len() == pair.1.len() {
            waiting.extend(pair.0.iter().copied().zip(pair.1.iter().copied()));
            return true;
        }
    }
    false
}

/// A hash that is the same for values that are `eql`.
pub(crate) fn eql_hash(world: &World, value: Value) -> u64 {
    let (kind, bits) = match value {
        Value::Symbol(id) => (1, u64::from(id.0)),
        Value::Integer(integer) => (2, integer as u64),
        Value::Single(float) => (3, u64::from((float + 0.0).to_bits())),
        Value::Double(float) => (4, (float + 0.0).to_bits()),
        Value::Character(character) => (5, u64::from(character as u32)),
        Value::Native(place) => (6, u64::from(place)),
        Value::Cons(id) => (7, u64::from(id.0)),
        Value::Object(id) => match world.heap.get(id) {
            Object::Exact(exact) => {
                let digits = exact.numerator.digits().iter().chain(exact.denominator.digits());
                (
                    8 + u64::from(exact.negative),
                    digits.fold(0, |hash, digit| mix(hash, u64::from(*digit))),
                )
            }
            _ => (10, u64::from(id.0)),
        },
    };
    mix(kind, bits)
}

/// A hash that is the same for values that are `equal`. It looks at the first parts of a list only.
pub(crate) fn equal_hash(world: &mut World, value: Value) -> Outcome<u64> {
    const PARTS: usize = 64;
    let mut hash = 0;
    let mut waiting = vec![value];
    for _ in 0..PARTS {
        let Some(value) = waiting.pop() else { break };
        if let Some((car, cdr)) = world.heap.parts(value) {
            hash = mix(hash, 11);
            waiting.extend([cdr, car]);
        } else if let Some(characters) = world.text(value) {
            let length = characters.len();
            hash = characters
                .iter()
                .fold(mix(hash, 12), |hash, character| mix(hash, u64::from(*character as u32)));
            world.heap.charge(length / 16)?;
        } else {
            hash = mix(hash, eql_hash(world, value));
        }
    }
    world.heap.charge(1)?;
    Ok(hash)
}

fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}
