//! Hash tables.

use super::equality::{Depth, eql, eql_hash, equal, equal_hash};
use super::{Builtin, argument, multiple, plain};
use crate::fault::{Fault, Outcome};
use crate::table::{Table, TableTest};
use crate::value::{NIL, Object, ObjectId, T, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("MAKE-HASH-TABLE", 0, None, make),
    multiple("GETHASH", 2, Some(3), |world, arguments| {
        let id = table(world, arguments[1])?;
        let (_, place) = find(world, id, arguments[0])?;
        let value = place.and_then(|place| contents(world, id).and_then(|table| table.at(place)));
        Ok(vec![
            value.unwrap_or(argument(arguments, 2)),
            Value::truth(value.is_some()),
        ])
    }),
    plain("%PUTHASH", 3, Some(3), |world, arguments| {
        let id = table(world, arguments[1])?;
        let (hash, place) = find(world, id, arguments[0])?;
        if place.is_none() {
            world.heap.grown(Table::ENTRY_BYTES)?;
        }
        if let Object::Table(table) = world.heap.get_mut(id) {
            match place {
                Some(place) => table.replace(place, arguments[2]),
                None => table.insert(hash, arguments[0], arguments[2]),
            }
        }
        Ok(arguments[2])
    }),
    plain("REMHASH", 2, Some(2), |world, arguments| {
        let id = table(world, arguments[1])?;
        let (_, place) = find(world, id, arguments[0])?;
        if let (Some(place), Object::Table(table)) = (place, world.heap.get_mut(id)) {
            table.remove(place);
        }
        Ok(Value::truth(place.is_some()))
    }),
    plain("CLRHASH", 1, Some(1), |world, arguments| {
        let id = table(world, arguments[0])?;
        if let Object::Table(table) = world.heap.get_mut(id) {
            table.clear();
        }
        Ok(arguments[0])
    }),
    plain("HASH-TABLE-COUNT", 1, Some(1), |world, arguments| {
        let id = table(world, arguments[0])?;
        Ok(Value::Integer(contents(world, id).map_or(0, Table::count) as i64))
    }),
    plain("%HASH-PAIRS", 1, Some(1), |world, arguments| {
        let id = table(world, arguments[0])?;
        let pairs: Vec<(Value, Value)> = contents(world, id)
            .map(|table| table.pairs().collect())
            .unwrap_or_default();
        let mut list = NIL;
        for (key, value) in pairs.into_iter().rev() {
            world.heap.charge(1)?;
            let pair = world.heap.cons(key, value)?;
            list = world.heap.cons(pair, list)?;
        }
        Ok(list)
    }),
];

fn make(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let test = match world.key(arguments, "TEST")? {
        None => TableTest::Eql,
        Some(test) => {
            let name = match test {
                Value::Native(place) => super::name(place).to_owned(),
                Value::Symbol(id) => world.symbols.get(id).name.clone(),
                _ => String::new(),
            };
            match name.as_str() {
                "EQ" | "EQL" => TableTest::Eql,
                "EQUAL" => TableTest::Equal,
                _ => {
                    let shown = world.shown(test);
                    return Err(Fault::unsupported(format!(
                        "A hash table with the test {shown} is not supported here; use EQ, EQL or EQUAL."
                    )));
                }
            }
        }
    };
    world
        .heap
        .keep(Object::Table(Box::new(Table::new(test))))
        .map(Value::Object)
}

fn table(world: &World, value: Value) -> Outcome<ObjectId> {
    match value {
        Value::Object(id) if matches!(world.heap.get(id), Object::Table(_)) => Ok(id),
        T | NIL => Err(world.wrong_type(value, "HASH-TABLE")),
        _ => Err(world.wrong_type(value, "HASH-TABLE")),
    }
}

fn contents(world: &World, id: ObjectId) -> Option<&Table> {
    match world.heap.get(id) {
        Object::Table(table) => Some(table),
        _ => None,
    }
}

/// The hash of a key, and its place in the table if it is there.
fn find(world: &mut World, id: ObjectId, key: Value) -> Outcome<(u64, Option<usize>)> {
    let Some(test) = contents(world, id).map(|table| table.test) else {
        return Ok((0, None));
    };
    let hash = match test {
        TableTest::Eql => eql_hash(world, key),
        TableTest::Equal => equal_hash(world, key)?,
    };
    let candidates: Vec<(usize, Value)> = contents(world, id)
        .map(|table| table.candidates(hash))
        .unwrap_or_default();
    world.heap.charge(1 + candidates.len())?;
    for (place, candidate) in candidates {
        let same = match test {
            TableTest::Eql => eql(world, candidate, key),
            TableTest::Equal => equal(world, candidate, key, Depth::Equal)?,
        };
        if same {
            return Ok((hash, Some(place)));
        }
    }
    Ok((hash, None))
}
