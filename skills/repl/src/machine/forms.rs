//! How each special form begins. What it does with the values it waits for is in `resume`.

use super::frame::Frame;
use super::{Machine, State};
use crate::fault::{Fault, Outcome};
use crate::special::SpecialForm;
use crate::symbols::{Home, Operator, known};
use crate::value::{BindingKind, Environment, NIL, SymbolId, Value};

impl Machine {
    /// Begins a special form with these arguments.
    pub(super) fn special_form(
        &mut self,
        form: SpecialForm,
        rest: Value,
        environment: Environment,
    ) -> Outcome<State> {
        match form {
            SpecialForm::Quote => {
                let value = self.first(rest, "QUOTE")?;
                self.give(value)
            }
            SpecialForm::Function => {
                let designator = self.first(rest, "FUNCTION")?;
                let function = self.function_of(designator, environment)?;
                self.give(function)
            }
            SpecialForm::Lambda => {
                let function = self.closure(NIL, rest, environment)?;
                self.give(function)
            }
            SpecialForm::Declare => self.give(NIL),
            SpecialForm::Progn => self.body(rest, environment),
            SpecialForm::If => {
                let (test, branches) = self.split(rest, "IF")?;
                self.push(Frame::If { branches, environment })?;
                Ok(State::Evaluate(test, environment))
            }
            SpecialForm::When | SpecialForm::Unless => {
                let (test, body) = self.split(rest, "WHEN")?;
                self.push(Frame::When {
                    wanted: form == SpecialForm::When,
                    body,
                    environment,
                })?;
                Ok(State::Evaluate(test, environment))
            }
            SpecialForm::Cond => self.cond(rest, environment),
            SpecialForm::And if rest == NIL => self.give(crate::value::T),
            SpecialForm::Or if rest == NIL => self.give(NIL),
            SpecialForm::And => self.and(rest, environment),
            SpecialForm::Or => self.or(rest, environment),
            SpecialForm::Let => self.begin_let(rest, environment),
            SpecialForm::LetStar => {
                let (bindings, body) = self.split(rest, "LET*")?;
                self.let_star(bindings, body, environment)
            }
            SpecialForm::Setq => self.setq(rest, NIL, environment),
            SpecialForm::Block => self.block(rest, environment),
            SpecialForm::ReturnFrom => self.return_from(rest, environment),
            SpecialForm::Tagbody => self.tagbody(rest, environment),
            SpecialForm::Go => self.go(rest, environment),
            SpecialForm::Catch => {
                let (tag, body) = self.split(rest, "CATCH")?;
                self.push(Frame::CatchTag { body, environment })?;
                Ok(State::Evaluate(tag, environment))
            }
            SpecialForm::Throw => {
                let (tag, rest) = self.split(rest, "THROW")?;
                let form = self.world.car(rest)?;
                self.push(Frame::ThrowTag { form, environment })?;
                Ok(State::Evaluate(tag, environment))
            }
            SpecialForm::UnwindProtect => {
                let (form, forms) = self.split(rest, "UNWIND-PROTECT")?;
                let base = self.base();
                self.push(Frame::Cleanup {
                    forms,
                    environment,
                    base,
                })?;
                Ok(State::Evaluate(form, environment))
            }
            SpecialForm::HandlerCase => {
                let (form, clauses) = self.split(rest, "HANDLER-CASE")?;
                let base = self.base();
                self.push(Frame::Handler {
                    clauses,
                    environment,
                    base,
                })?;
                Ok(State::Evaluate(form, environment))
            }
            SpecialForm::MultipleValueList => {
                let form = self.first(rest, "MULTIPLE-VALUE-LIST")?;
                self.push(Frame::MultipleValueList)?;
                Ok(State::Evaluate(form, environment))
            }
            SpecialForm::DestructuringBind => {
                let (pattern, rest) = self.split(rest, "DESTRUCTURING-BIND")?;
                let (form, body) = self.split(rest, "DESTRUCTURING-BIND")?;
                let form_of_body = self.world.heap.cons(pattern, body)?;
                self.push(Frame::Destructure {
                    form: form_of_body,
                    environment,
                })?;
                Ok(State::Evaluate(form, environment))
            }
            SpecialForm::Defun => self.defun(rest, environment),
            SpecialForm::Defmacro => self.defmacro(rest, environment),
            SpecialForm::Defvar => self.defvar(rest, false, environment),
            SpecialForm::Defparameter => self.defparameter(rest, false, environment),
            SpecialForm::Defconstant => self.defparameter(rest, true, environment),
            SpecialForm::Flet | SpecialForm::Labels => {
                self.local_functions(rest, form == SpecialForm::Labels, environment)
            }
            SpecialForm::Macrolet => self.local_macros(rest, environment),
        }
    }

    /// The first argument of a form that has one.
    fn first(&self, rest: Value, form: &str) -> Outcome<Value> {
        self.split(rest, form).map(|(first, _)| first)
    }

    /// The first argument of a form, and the others.
    pub(super) fn split(&self, rest: Value, form: &str) -> Outcome<(Value, Value)> {
        self.world
            .heap
            .parts(rest)
            .ok_or_else(|| Fault::program(format!("too few elements in a {form} form")))
    }

    /// The variable and the form of one binding of a `let`.
    pub(super) fn binding(&self, binding: Value) -> Outcome<(Value, Value)> {
        match self.world.heap.parts(binding) {
            Some((variable, rest)) => Ok((variable, self.world.car(rest)?)),
            None => Ok((binding, NIL)),
        }
    }

    pub(super) fn cond(&mut self, clauses: Value, environment: Environment) -> Outcome<State> {
        let Some((clause, _)) = self.world.heap.parts(clauses) else {
            return self.give(NIL);
        };
        let (test, _) = self.split(clause, "COND")?;
        self.push(Frame::Cond { clauses, environment })?;
        Ok(State::Evaluate(test, environment))
    }

    pub(super) fn and(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (first, rest) = self.split(rest, "AND")?;
        if rest != NIL {
            self.push(Frame::And { rest, environment })?;
        }
        Ok(State::Evaluate(first, environment))
    }

    pub(super) fn or(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (first, rest) = self.split(rest, "OR")?;
        if rest != NIL {
            self.push(Frame::Or { rest, environment })?;
        }
        Ok(State::Evaluate(first, environment))
    }

    fn begin_let(&mut self, form: Value, environment: Environment) -> Outcome<State> {
        let (bindings, body) = self.split(form, "LET")?;
        let Some((first, _)) = self.world.heap.parts(bindings) else {
            return self.body(body, environment);
        };
        let (_, init) = self.binding(first)?;
        let base = self.base();
        self.push(Frame::Let {
            rest: bindings,
            form,
            environment,
            base,
        })?;
        Ok(State::Evaluate(init, environment))
    }

    pub(super) fn let_star(&mut self, bindings: Value, body: Value, environment: Environment) -> Outcome<State> {
        let Some((first, _)) = self.world.heap.parts(bindings) else {
            return self.body(body, environment);
        };
        let (_, init) = self.binding(first)?;
        self.push(Frame::LetStar {
            rest: bindings,
            body,
            environment,
        })?;
        Ok(State::Evaluate(init, environment))
    }

    pub(super) fn setq(&mut self, rest: Value, last: Value, environment: Environment) -> Outcome<State> {
        let Some((_, values)) = self.world.heap.parts(rest) else {
            return self.give(last);
        };
        let (form, _) = self.split(values, "SETQ")?;
        self.push(Frame::Setq { rest, environment })?;
        Ok(State::Evaluate(form, environment))
    }

    fn block(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (name, body) = self.split(rest, "BLOCK")?;
        let name = self.world.symbol(name)?;
        let (mark, base) = (self.mark(), self.base());
        let environment = self.bind(BindingKind::Block, name, Value::Integer(mark), environment)?;
        self.push(Frame::Block { mark, base })?;
        self.body(body, environment)
    }

    fn return_from(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (name, rest) = self.split(rest, "RETURN-FROM")?;
        let id = self.world.symbol(name)?;
        let Some(block) = self.find(environment, BindingKind::Block, id) else {
            return Err(Fault::program(format!(
                "return for unknown block: {}",
                self.world.shown(name)
            )));
        };
        let Value::Integer(mark) = self.bound(block) else {
            return self.give(NIL);
        };
        let form = self.world.car(rest)?;
        self.push(Frame::ReturnFrom { mark })?;
        Ok(State::Evaluate(form, environment))
    }

    fn tagbody(&mut self, body: Value, environment: Environment) -> Outcome<State> {
        let (mark, base) = (self.mark(), self.base());
        let mut inner = environment;
        for item in self.world.heap.items(body)? {
            if let Value::Symbol(tag) = item {
                inner = self.bind(BindingKind::Tag, tag, Value::Integer(mark), inner)?;
            }
        }
        self.push(Frame::Tagbody {
            mark,
            body,
            rest: body,
            environment: inner,
            base,
        })?;
        self.give(NIL)
    }

    fn go(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let tag = self.first(rest, "GO")?;
        let name = self.world.symbol(tag)?;
        let Some(binding) = self.find(environment, BindingKind::Tag, name) else {
            return Err(Fault::program(format!(
                "attempt to GO to nonexistent tag: {}",
                self.world.shown(tag)
            )));
        };
        let Value::Integer(mark) = self.bound(binding) else {
            return self.give(NIL);
        };
        self.leave(super::Exit::Go { mark, tag: name })
    }

    /// Refuses to give a name of the language a new meaning.
    fn check_unlocked(&self, name: SymbolId, what: &str) -> Outcome<()> {
        if self.world.symbols.get(name).home != Home::Lisp {
            return Ok(());
        }
        Err(Fault::new(
            "PACKAGE-LOCK-VIOLATION",
            format!(
                "Lock on package COMMON-LISP violated when defining {} as a {what}; choose another name.",
                self.world.shown(Value::Symbol(name))
            ),
        ))
    }

    fn defun(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (name, lambda) = self.split(rest, "DEFUN")?;
        if let Value::Cons(_) = name {
            return Err(Fault::unsupported("(DEFUN (SETF …)) is not supported here."));
        }
        let id = self.world.symbol(name)?;
        self.check_unlocked(id, "function")?;
        let function = self.named_function(name, lambda, environment)?;
        // A macro of this name may have been expanded before.
        self.expansions.clear();
        self.world.symbols.get_mut(id).operator = Some(Operator::Function(function));
        self.give(name)
    }

    fn defmacro(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (name, lambda) = self.split(rest, "DEFMACRO")?;
        let id = self.world.symbol(name)?;
        self.check_unlocked(id, "macro")?;
        let expander = self.named_function(name, lambda, environment)?;
        self.expansions.clear();
        self.world.symbols.get_mut(id).operator = Some(Operator::Macro(expander));
        self.give(name)
    }

    /// A function whose body is a block of its name.
    fn named_function(&mut self, name: Value, lambda: Value, environment: Environment) -> Outcome<Value> {
        let (parameters, body) = self.split(lambda, "function definition")?;
        let body = if self.may_return(body)? {
            let block = self.world.heap.cons(name, body)?;
            let block = self.world.heap.cons(Value::Symbol(known::BLOCK), block)?;
            self.world.heap.list(&[block])?
        } else {
            body
        };
        let lambda = self.world.heap.cons(parameters, body)?;
        self.closure(name, lambda, environment)
    }

    /// Whether a body may leave its function's block: it mentions `return-from`, or a macro of the program. A function
    /// that can't has no block, so that its last call is a tail call.
    fn may_return(&mut self, body: Value) -> Outcome<bool> {
        let mut waiting = vec![body];
        while let Some(form) = waiting.pop() {
            self.world.heap.charge(1)?;
            match form {
                Value::Symbol(known::RETURN_FROM) => return Ok(true),
                Value::Symbol(id) if self.world.symbols.is_own_macro(id) => return Ok(true),
                _ => {
                    if let Some((car, cdr)) = self.world.heap.parts(form) {
                        waiting.extend([cdr, car]);
                    }
                }
            }
        }
        Ok(false)
    }

    fn defvar(&mut self, rest: Value, constant: bool, environment: Environment) -> Outcome<State> {
        let (name, values) = self.split(rest, "DEFVAR")?;
        let id = self.world.symbol(name)?;
        self.check_unlocked(id, "variable")?;
        self.world.symbols.get_mut(id).special = true;
        if values == NIL || self.world.symbols.get(id).value.is_some() {
            return self.give(name);
        }
        self.defparameter(rest, constant, environment)
    }

    fn defparameter(&mut self, rest: Value, constant: bool, environment: Environment) -> Outcome<State> {
        let (name, values) = self.split(rest, "DEFPARAMETER")?;
        let id = self.world.symbol(name)?;
        self.check_unlocked(id, "variable")?;
        let (form, _) = self.split(values, "DEFPARAMETER")?;
        self.push(Frame::Define { symbol: id, constant })?;
        Ok(State::Evaluate(form, environment))
    }

    fn local_functions(&mut self, rest: Value, recursive: bool, environment: Environment) -> Outcome<State> {
        let (definitions, body) = self.split(rest, "FLET")?;
        let mut inner = environment;
        let mut made = Vec::new();
        let definitions = self.world.heap.items(definitions)?;
        for &definition in &definitions {
            let (name, _) = self.split(definition, "FLET")?;
            let name = self.world.symbol(name)?;
            self.check_unlocked(name, "local function")?;
            // Bound first and filled in later, so that the functions see each other.
            inner = self.bind(BindingKind::Function, name, NIL, inner)?;
            made.extend(inner);
        }
        let seen = if recursive { inner } else { environment };
        for (definition, binding) in definitions.into_iter().zip(made) {
            let (name, lambda) = self.split(definition, "FLET")?;
            let function = self.named_function(name, lambda, seen)?;
            self.rebind(binding, function);
        }
        self.body(body, inner)
    }

    fn local_macros(&mut self, rest: Value, environment: Environment) -> Outcome<State> {
        let (definitions, body) = self.split(rest, "MACROLET")?;
        let mut inner = environment;
        for definition in self.world.heap.items(definitions)? {
            let (name, lambda) = self.split(definition, "MACROLET")?;
            let id = self.world.symbol(name)?;
            self.check_unlocked(id, "local macro")?;
            let expander = self.named_function(name, lambda, environment)?;
            inner = self.bind(BindingKind::Macro, id, expander, inner)?;
        }
        self.body(body, inner)
    }
}
