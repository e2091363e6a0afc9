//! Conses and lists.

use super::{Builtin, argument, plain};
use crate::fault::{Fault, Outcome};
use crate::value::{NIL, Object, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("CONS", 2, Some(2), |world, arguments| {
        world.heap.cons(arguments[0], arguments[1])
    }),
    plain("CAR", 1, Some(1), |world, arguments| world.car(arguments[0])),
    plain("CDR", 1, Some(1), |world, arguments| world.cdr(arguments[0])),
    plain("FIRST", 1, Some(1), |world, arguments| world.car(arguments[0])),
    plain("REST", 1, Some(1), |world, arguments| world.cdr(arguments[0])),
    plain("CAAR", 1, Some(1), |world, arguments| path(world, arguments[0], "aa")),
    plain("CADR", 1, Some(1), |world, arguments| path(world, arguments[0], "ad")),
    plain("CDAR", 1, Some(1), |world, arguments| path(world, arguments[0], "da")),
    plain("CDDR", 1, Some(1), |world, arguments| path(world, arguments[0], "dd")),
    plain("CADAR", 1, Some(1), |world, arguments| path(world, arguments[0], "ada")),
    plain("CAADR", 1, Some(1), |world, arguments| path(world, arguments[0], "aad")),
    plain("CDADR", 1, Some(1), |world, arguments| path(world, arguments[0], "dad")),
    plain("CADDR", 1, Some(1), |world, arguments| path(world, arguments[0], "add")),
    plain("CDDDR", 1, Some(1), |world, arguments| path(world, arguments[0], "ddd")),
    plain("CADDDR", 1, Some(1), |world, arguments| {
        path(world, arguments[0], "addd")
    }),
    plain("SECOND", 1, Some(1), |world, arguments| path(world, arguments[0], "ad")),
    plain("THIRD", 1, Some(1), |world, arguments| path(world, arguments[0], "add")),
    plain("FOURTH", 1, Some(1), |world, arguments| {
        path(world, arguments[0], "addd")
    }),
    plain("FIFTH", 1, Some(1), |world, arguments| {
        path(world, arguments[0], "adddd")
    }),
    plain("SIXTH", 1, Some(1), |world, arguments| {
        path(world, arguments[0], "addddd")
    }),
    plain("SEVENTH", 1, Some(1), |world, arguments| {
        path(world, arguments[0], "adddddd")
    }),
    plain("LIST", 0, None, |world, arguments| world.heap.list(arguments)),
    plain("LIST*", 1, None, |world, arguments| {
        let (last, first) = arguments.split_last().unwrap_or((&NIL, &[]));
        world.heap.list_with_tail(first, *last)
    }),
    plain("NTHCDR", 2, Some(2), |world, arguments| {
        nth_tail(world, arguments[0], arguments[1])
    }),
    plain("NTH", 2, Some(2), |world, arguments| {
        let tail = nth_tail(world, arguments[0], arguments[1])?;
        world.car(tail)
    }),
    plain("LAST", 1, Some(2), last),
    plain("BUTLAST", 1, Some(2), |world, arguments| {
        let items = world.heap.items(arguments[0])?;
        let dropped = match arguments.get(1) {
            Some(&count) => world.index(count)?,
            None => 1,
        };
        world.heap.list(&items[..items.len().saturating_sub(dropped)])
    }),
    plain("APPEND", 0, None, append),
    plain("NCONC", 0, None, nconc),
    plain("REVAPPEND", 2, Some(2), |world, arguments| {
        let mut items = world.heap.items(arguments[0])?;
        items.reverse();
        world.heap.list_with_tail(&items, arguments[1])
    }),
    plain("COPY-LIST", 1, Some(1), |world, arguments| {
        append(world, &[arguments[0], NIL])
    }),
    plain("ENDP", 1, Some(1), |world, arguments| match arguments[0] {
        NIL => Ok(Value::truth(true)),
        Value::Cons(_) => Ok(NIL),
        other => Err(world.wrong_type(other, "LIST")),
    }),
    plain("LIST-LENGTH", 1, Some(1), |world, arguments| {
        let items = world.heap.items(arguments[0])?;
        Ok(Value::Integer(items.len() as i64))
    }),
    plain("MAKE-LIST", 1, None, |world, arguments| {
        let count = world.index(arguments[0])?;
        crate::heap::check_length(count)?;
        let item = world.key(&arguments[1..], "INITIAL-ELEMENT")?.unwrap_or(NIL);
        world.heap.list(&vec![item; count])
    }),
    plain("ACONS", 3, Some(3), |world, arguments| {
        let pair = world.heap.cons(arguments[0], arguments[1])?;
        world.heap.cons(pair, arguments[2])
    }),
    plain("RPLACA", 2, Some(2), |world, arguments| {
        set_half(world, arguments[0], Half::Car, arguments[1])?;
        Ok(arguments[0])
    }),
    plain("RPLACD", 2, Some(2), |world, arguments| {
        set_half(world, arguments[0], Half::Cdr, arguments[1])?;
        Ok(arguments[0])
    }),
    plain("%SET-CAR", 2, Some(2), |world, arguments| {
        set_half(world, arguments[0], Half::Car, arguments[1])
    }),
    plain("%SET-CDR", 2, Some(2), |world, arguments| {
        set_half(world, arguments[0], Half::Cdr, arguments[1])
    }),
    plain("%SET-NTH", 3, Some(3), |world, arguments| {
        let tail = nth_tail(world, arguments[0], arguments[1])?;
        set_half(world, tail, Half::Car, arguments[2])
    }),
    plain("%MEMBER-EQL", 2, Some(2), |world, arguments| {
        let mut at = arguments[1];
        while at != NIL {
            world.heap.charge(1)?;
            let item = world.car(at)?;
            if super::eql(world, arguments[0], item) {
                break;
            }
            at = world.cdr(at)?;
        }
        Ok(at)
    }),
    plain("%ASSOC-EQL", 2, Some(2), |world, arguments| {
        let mut at = arguments[1];
        while at != NIL {
            world.heap.charge(1)?;
            let pair = world.car(at)?;
            let key = world.car(pair)?;
            if pair != NIL && super::eql(world, arguments[0], key) {
                return Ok(pair);
            }
            at = world.cdr(at)?;
        }
        Ok(NIL)
    }),
    plain("GETF", 2, Some(3), |world, arguments| {
        let found = find_property(world, arguments[0], arguments[1])?;
        match found {
            Some(rest) => world.car(rest),
            None => Ok(argument(arguments, 2)),
        }
    }),
    plain("%PUTF", 3, Some(3), |world, arguments| {
        if let Some(rest) = find_property(world, arguments[0], arguments[1])? {
            set_half(world, rest, Half::Car, arguments[2])?;
            return Ok(arguments[0]);
        }
        world.heap.list_with_tail(&[arguments[1], arguments[2]], arguments[0])
    }),
    plain("%REMF", 2, Some(2), |world, arguments| {
        let items = world.heap.items(arguments[0])?;
        let mut kept = Vec::new();
        let mut found = false;
        for pair in items.chunks(2) {
            if !found && pair[0] == arguments[1] {
                found = true;
            } else {
                kept.extend_from_slice(pair);
            }
        }
        world.heap.list(&kept)
    }),
];

/// Which half of a cons.
#[derive(Clone, Copy)]
enum Half {
    Car,
    Cdr,
}

/// Follows `steps` from the last letter to the first, as in the names of the functions.
fn path(world: &World, value: Value, steps: &str) -> Outcome<Value> {
    let mut at = value;
    for step in steps.bytes().rev() {
        at = if step == b'a' { world.car(at)? } else { world.cdr(at)? };
    }
    Ok(at)
}

fn nth_tail(world: &mut World, count: Value, list: Value) -> Outcome<Value> {
    let count = world.index(count)?;
    let mut at = list;
    for _ in 0..count {
        if at == NIL {
            break;
        }
        world.heap.charge(1)?;
        at = world.cdr(at)?;
    }
    Ok(at)
}

fn last(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let wanted = match arguments.get(1) {
        Some(&count) => world.index(count)?,
        None => 1,
    };
    let mut tails = std::collections::VecDeque::new();
    let mut at = arguments[0];
    while let Some((_, cdr)) = world.heap.parts(at) {
        world.heap.charge(1)?;
        tails.push_back(at);
        if tails.len() > wanted {
            tails.pop_front();
        }
        at = cdr;
    }
    Ok(tails.front().copied().unwrap_or(at))
}

fn append(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let Some((&last, lists)) = arguments.split_last() else {
        return Ok(NIL);
    };
    let mut result = last;
    for &list in lists.iter().rev() {
        let items = world.heap.items(list)?;
        result = world.heap.list_with_tail(&items, result)?;
    }
    Ok(result)
}

fn nconc(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let lists: Vec<Value> = arguments.iter().copied().filter(|list| list.is_true()).collect();
    for pair in lists.windows(2) {
        let end = last(world, &pair[..1])?;
        set_half(world, end, Half::Cdr, pair[1])?;
    }
    Ok(lists.first().copied().unwrap_or(NIL))
}

fn set_half(world: &mut World, cons: Value, half: Half, value: Value) -> Outcome<Value> {
    if let Value::Cons(id) = cons
        && let Object::Cons(car, cdr) = world.heap.get_mut(id)
    {
        match half {
            Half::Car => *car = value,
            Half::Cdr => *cdr = value,
        }
        return Ok(value);
    }
    Err(world.wrong_type(cons, "CONS"))
}

/// The tail of a property list that begins with the value of `key`.
fn find_property(world: &mut World, list: Value, key: Value) -> Outcome<Option<Value>> {
    let mut at = list;
    while let Some((name, rest)) = world.heap.parts(at) {
        world.heap.charge(1)?;
        let Some((_, next)) = world.heap.parts(rest) else {
            return Err(Fault::new(
                "TYPE-ERROR",
                format!("malformed property list: {}", world.shown(list)),
            ));
        };
        if name == key {
            return Ok(Some(rest));
        }
        at = next;
    }
    Ok(None)
}
