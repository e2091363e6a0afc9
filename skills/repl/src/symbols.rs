//! The symbol table: names, and what each symbol stands for. Interned symbols live as long as the session and are
//! bounded in number; uninterned ones are collected with the heap.

use crate::bounds::{Bound, SYMBOL_BYTES, SYMBOLS};
use crate::fault::{Fault, Outcome};
use crate::special::SpecialForm;
use crate::value::{NIL, SymbolId, T, Value};

/// Where a symbol belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Part of the language: it can't be defined anew.
    Lisp,
    /// The program's.
    User,
    Keyword,
    /// Made by `gensym` or `#:`.
    Uninterned,
}

/// What a symbol names as an operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operator {
    Function(Value),
    Macro(Value),
    Special(SpecialForm),
}

/// A symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) home: Home,
    pub(crate) value: Option<Value>,
    pub(crate) operator: Option<Operator>,
    /// Bound dynamically (`defvar`).
    pub(crate) special: bool,
    /// Its value can't be changed.
    pub(crate) constant: bool,
    pub(crate) properties: Value,
    in_use: bool,
}

/// All symbols.
#[derive(Debug)]
pub(crate) struct Symbols {
    table: Vec<Symbol>,
    /// Interned symbols, sorted by name.
    interned: Vec<SymbolId>,
    /// Keywords, sorted by name.
    keywords: Vec<SymbolId>,
    free: Vec<SymbolId>,
    next_gensym: u64,
    /// Uninterned symbols made since the last sweep.
    recent: usize,
    /// Whether the language is complete, and what is defined from here on is the program's.
    sealed: bool,
}

macro_rules! well_known {
    ($($name:ident = $number:literal $text:literal),* $(,)?) => {
        $(pub(crate) const $name: SymbolId = SymbolId($number);)*
        const WELL_KNOWN: &[&str] = &[$($text),*];
    };
}

/// Symbols that the evaluator itself looks for.
pub(crate) mod known {
    use crate::value::SymbolId;

    well_known! {
        NIL_NAME = 0 "NIL",
        T_NAME = 1 "T",
        QUOTE = 2 "QUOTE",
        FUNCTION = 3 "FUNCTION",
        LAMBDA = 4 "LAMBDA",
        QUASIQUOTE = 5 "QUASIQUOTE",
        UNQUOTE = 6 "UNQUOTE",
        UNQUOTE_SPLICING = 7 "UNQUOTE-SPLICING",
        OPTIONAL = 8 "&OPTIONAL",
        REST = 9 "&REST",
        BODY = 10 "&BODY",
        KEY = 11 "&KEY",
        AUX = 12 "&AUX",
        ALLOW_OTHER_KEYS = 13 "&ALLOW-OTHER-KEYS",
        WHOLE = 14 "&WHOLE",
        ENVIRONMENT = 15 "&ENVIRONMENT",
        BLOCK = 16 "BLOCK",
        RETURN_FROM = 17 "RETURN-FROM",
        STANDARD_OUTPUT = 18 "*STANDARD-OUTPUT*",
    }

    /// Their names, by number.
    pub(super) fn names() -> &'static [&'static str] {
        WELL_KNOWN
    }
}

impl Symbols {
    /// A table that holds the well-known symbols.
    pub(crate) fn new() -> Symbols {
        let mut symbols = Symbols {
            table: Vec::new(),
            interned: Vec::new(),
            keywords: Vec::new(),
            free: Vec::new(),
            next_gensym: 1,
            recent: 0,
            sealed: false,
        };
        for (number, name) in known::names().iter().enumerate() {
            let id = SymbolId(number as u32);
            symbols.table.push(Symbol::new(name, Home::User));
            let place = symbols.place(&symbols.interned, name).unwrap_or_else(|place| place);
            symbols.interned.insert(place, id);
        }
        for (id, value) in [(known::NIL_NAME, NIL), (known::T_NAME, T)] {
            let symbol = symbols.get_mut(id);
            symbol.value = Some(value);
            symbol.constant = true;
        }
        symbols
    }

    /// The symbol with this number.
    pub(crate) fn get(&self, id: SymbolId) -> &Symbol {
        &self.table[id.0 as usize]
    }

    /// The symbol with this number, to change.
    pub(crate) fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.table[id.0 as usize]
    }

    /// How many places the table has.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The symbol of this name, made if there is none. The name is taken as it is.
    pub(crate) fn intern(&mut self, name: &str) -> Outcome<SymbolId> {
        match self.place(&self.interned, name) {
            Ok(place) => Ok(self.interned[place]),
            Err(place) => {
                let id = self.add(Symbol::new(name, Home::User))?;
                self.interned.insert(place, id);
                Ok(id)
            }
        }
    }

    /// The keyword of this name, made if there is none.
    pub(crate) fn keyword(&mut self, name: &str) -> Outcome<SymbolId> {
        let place = match self.place(&self.keywords, name) {
            Ok(place) => return Ok(self.keywords[place]),
            Err(place) => place,
        };
        let id = self.add(Symbol::new(name, Home::Keyword))?;
        let symbol = self.get_mut(id);
        symbol.value = Some(Value::Symbol(id));
        symbol.constant = true;
        self.keywords.insert(place, id);
        Ok(id)
    }

    /// Where a name is in a sorted list, or where it belongs.
    fn place(&self, sorted: &[SymbolId], name: &str) -> Result<usize, usize> {
        sorted.binary_search_by(|id| self.get(*id).name.as_str().cmp(name))
    }

    /// A new symbol that no name leads to.
    pub(crate) fn uninterned(&mut self, name: &str) -> Outcome<SymbolId> {
        self.recent += 1;
        self.add(Symbol::new(name, Home::Uninterned))
    }

    /// Whether so many uninterned symbols were made that it is time to look which are still needed.
    pub(crate) fn wants_sweep(&self) -> bool {
        self.recent > SYMBOLS / 4
    }

    /// A new symbol with a name that was not used before.
    pub(crate) fn gensym(&mut self, prefix: &str) -> Outcome<SymbolId> {
        let name = format!("{prefix}{}", self.next_gensym);
        self.next_gensym += 1;
        self.uninterned(&name)
    }

    /// From here on, everything that has a meaning is the language's: the program can't define it anew.
    pub(crate) fn seal(&mut self) {
        self.sealed = true;
        for symbol in &mut self.table {
            if symbol.home == Home::User && (symbol.operator.is_some() || symbol.value.is_some()) {
                symbol.home = Home::Lisp;
            }
        }
    }

    /// Whether this symbol names a macro of the program.
    pub(crate) fn is_own_macro(&self, id: SymbolId) -> bool {
        let symbol = self.get(id);
        self.sealed && symbol.home != Home::Lisp && matches!(symbol.operator, Some(Operator::Macro(_)))
    }

    /// Values that the symbols hold.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.table.iter().filter(|symbol| symbol.in_use).flat_map(|symbol| {
            let operator = match symbol.operator {
                Some(Operator::Function(value) | Operator::Macro(value)) => Some(value),
                Some(Operator::Special(_)) | None => None,
            };
            [symbol.value, operator, Some(symbol.properties)].into_iter().flatten()
        })
    }

    /// Frees the uninterned symbols that were not reached.
    pub(crate) fn sweep(&mut self, reached: &[bool]) {
        self.recent = 0;
        for (number, symbol) in self.table.iter_mut().enumerate() {
            let is_reached = reached.get(number).copied().unwrap_or(true);
            if symbol.in_use && symbol.home == Home::Uninterned && !is_reached {
                *symbol = Symbol::new("", Home::Uninterned);
                symbol.in_use = false;
                self.free.push(SymbolId(number as u32));
            }
        }
    }

    fn add(&mut self, symbol: Symbol) -> Outcome<SymbolId> {
        if symbol.name.len() > SYMBOL_BYTES {
            return Err(Fault::reader(format!(
                "The name of a symbol is longer than {SYMBOL_BYTES} bytes."
            )));
        }
        if let Some(id) = self.free.pop() {
            *self.get_mut(id) = symbol;
            return Ok(id);
        }
        if self.table.len() >= SYMBOLS {
            return Err(Bound::Symbols.into());
        }
        self.table.push(symbol);
        Ok(SymbolId((self.table.len() - 1) as u32))
    }
}

impl Symbol {
    fn new(name: &str, home: Home) -> Symbol {
        Symbol {
            name: name.to_owned(),
            home,
            value: None,
            operator: None,
            special: false,
            constant: false,
            properties: NIL,
            in_use: true,
        }
    }
}
