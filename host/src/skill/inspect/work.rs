//! What compiling a file may cost, told from its code before anything is compiled.
//!
//! A compilation can't be ended once it has begun, and its time and memory do not grow with the bytes of a file alone: what
//! a function keeps in its locals is followed over each of its branches, and each loop is looked at with each other. So
//! that is counted, and added up to *work*: one for what a plain instruction takes, about a microsecond. What
//! compilers make has two or three for each byte of the file, the interpreters of Python and JavaScript included.

use wasmparser::types::Types;
use wasmparser::{
    BinaryReaderError, FuncValidator, FuncValidatorAllocations, FunctionBody, Operator, OperatorsReader, Parser,
    Payload, ValidPayload, Validator, WasmModuleResources,
};

use super::FileFault;
use super::assembly::Assembly;
use super::beginning::{Beginning, Sizes};
use super::bulk::Bulk;

/// The most work for a file: so much, and so much more for each of its bytes that is compiled, beside one for each that is kept.
const FILE: u64 = 2_000_000;
const FOR_EACH_BYTE: u64 = 8;

/// The most work for one function, which is compiled by one thread. JavaScript's interpreter has one with half of it.
const FUNCTION: u64 = 3_000_000;

/// What compiling a function takes, even an empty one; and an instruction that has the host do something, as those on whole
/// ranges of memory and on tables do.
const EACH: u64 = 200;

/// Branches that an instruction on a table has within it.
const HIDDEN: u64 = 5;

/// What a call takes for each value: it is put where the other function looks for it.
const PASSED: u64 = 3;

/// From so many values on, an instruction passes them in memory.
const MANY: u64 = 16;
const IN_MEMORY: u64 = 16;

/// What an instruction on vectors takes: some are compiled into dozens. Each begins with this byte.
const VECTOR: u64 = 15;
const OF_VECTORS: u8 = 0xfd;

/// So many values that are kept at once, for each other, are one work: registers are found for them one by one.
const AT_ONCE: u64 = 20;

/// Locals that a function has without naming them: its fuel, its instance, and the like.
const UNNAMED: u64 = 48;

/// So many pairs of loops, for each local, are one work; and so many pairs of branches.
const PAIRS: u64 = 64;
const CROSSINGS: u64 = 1_000;

/// And so many pairs of branches that hand on values: each value is one over all of them.
const HANDINGS: u64 = 200;

/// And so many pairs of branches between which the same local is set: what comes from each is put in one place.
const SETTINGS: u64 = 50;

/// What a piece of data, or of a table, takes: it is copied by code that is compiled for that.
const SEGMENT: u64 = 400;

/// What a loop takes for each loop around it.
const WITHIN: u64 = 5;

/// Why a file does not pass.
pub(super) enum Fault {
    /// It is not valid.
    Invalid(BinaryReaderError),
    /// It is, and would take too much.
    Costly(FileFault),
}

impl From<BinaryReaderError> for Fault {
    fn from(error: BinaryReaderError) -> Fault {
        Fault::Invalid(error)
    }
}

/// Validates all of a file, and says what compiling it takes, what its modules begin with, and what of it is compiled.
///
/// # Errors
/// When it is not valid, or would take too much, or begins with more than `most`.
pub(super) fn validate(bytes: &[u8], most: &Sizes) -> Result<(Types, u64, Beginning, Bulk), Fault> {
    let mut validator = Validator::new();
    let (mut functions, mut types) = (Vec::new(), None);
    let (mut assembly, mut beginning, mut segments) = (Assembly::new(), Beginning::default(), 0_u64);
    let bulk = bulk_of(bytes)?;
    let allowed = FILE
        .saturating_add(FOR_EACH_BYTE.saturating_mul(bulk.compiled))
        .saturating_add(bulk.kept);
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        match validator.payload(&payload)? {
            ValidPayload::Func(function, body) => functions.push((function, body)),
            // The last one is that of the whole.
            ValidPayload::End(all) => types = Some(all),
            _ => {}
        }
        segments += match &payload {
            Payload::DataSection(section) => u64::from(section.count()),
            Payload::ElementSection(section) => u64::from(section.count()),
            _ => 0,
        };
        beginning.take(&payload, most)?;
        assembly.take(&payload, validator.types(0))?;
        // To find out whether the rest is valid would take as long.
        let asked = assembly.work();
        if asked > allowed {
            return Err(Fault::Costly(FileFault::Assembled { asked, allowed }));
        }
    }
    let mut work = assembly.work().saturating_add(bulk.whole());
    work = work.saturating_add(segments.saturating_mul(SEGMENT));
    let bounded = |what: &dyn Fn() -> String, asked: u64, allowed: u64| match asked > allowed {
        true => Err(Fault::Costly(FileFault::Costly {
            what: what(),
            asked,
            allowed,
        })),
        false => Ok(()),
    };
    let whole = || format!("the file, of which {} bytes are compiled,", bulk.compiled);
    bounded(&whole, work, allowed)?;
    let mut allocations = FuncValidatorAllocations::default();
    for (number, (function, body)) in functions.into_iter().enumerate() {
        let mut function = function.into_validator(allocations);
        let own = of_function(&mut function, &body)?;
        allocations = function.into_allocations();
        bounded(&|| format!("function {number} of its code"), own, FUNCTION)?;
        work = work.saturating_add(own);
        bounded(&whole, work, allowed)?;
    }
    match types {
        Some(types) => Ok((types, work, beginning, bulk)),
        None => Err(Fault::Costly(FileFault::Cut { size: bytes.len() })),
    }
}

/// What the modules of a file begin with, and what of it is compiled, where it is known to be valid.
///
/// # Errors
/// When it begins with more than `most`.
pub(super) fn measure(bytes: &[u8], most: &Sizes) -> Result<(Beginning, Bulk), Fault> {
    let mut beginning = Beginning::default();
    for payload in Parser::new(0).parse_all(bytes) {
        beginning.take(&payload?, most)?;
    }
    Ok((beginning, bulk_of(bytes)?))
}

/// What of a file is compiled, and what is kept.
fn bulk_of(bytes: &[u8]) -> Result<Bulk, BinaryReaderError> {
    let mut bulk = Bulk::default();
    for payload in Parser::new(0).parse_all(bytes) {
        bulk.take(&payload?);
    }
    Ok(bulk)
}

/// Validates a function, and says what compiling it takes.
fn of_function<T: WasmModuleResources>(
    function: &mut FuncValidator<T>,
    body: &FunctionBody<'_>,
) -> Result<u64, BinaryReaderError> {
    let mut reader = body.get_binary_reader();
    function.read_locals(&mut reader)?;
    let locals = u64::from(function.len_locals());
    let mut operators = OperatorsReader::new(reader);
    let (mut work, mut branches, mut loops) = (EACH.saturating_add(locals), 0_u64, 0_u64);
    work = work.saturating_add(locals.saturating_mul(locals) / AT_ONCE);
    let (mut hidden, mut handing) = (0_u64, 0_u64);
    // After which branch each local was set last, and after how many it was.
    let mut set: Vec<(u64, u64)> = vec![(u64::MAX, 0); usize::try_from(locals).unwrap_or(0)];
    // Whether each block that is open is a loop, and how many are.
    let (mut open, mut around) = (Vec::new(), 0_u64);
    while !operators.eof() {
        let (operator, at) = operators.read_with_offset()?;
        let (taken, given) = operator.operator_arity(function).unwrap_or_default();
        let values = u64::from(taken).saturating_add(u64::from(given));
        function.op(at, &operator)?;
        let passing = match &operator {
            _ if values > MANY => IN_MEMORY,
            Operator::Call { .. } | Operator::CallIndirect { .. } => PASSED,
            _ => 1,
        };
        work = work.saturating_add(1 + values.saturating_mul(passing));
        let height = u64::from(function.operand_stack_height());
        work = work.saturating_add(height / AT_ONCE);
        if divides(&operator) {
            // Everything that is kept is moved out of the way of the two registers which that takes.
            work = work.saturating_add(locals.saturating_add(height));
        } else if is_of_table(&operator) {
            work = work.saturating_add(EACH);
            hidden += HIDDEN;
        } else if is_of_range(&operator) {
            work = work.saturating_add(EACH);
        } else if body.as_bytes().get(at.saturating_sub(body.range().start)) == Some(&OF_VECTORS) {
            work = work.saturating_add(VECTOR);
        }
        if let Operator::LocalSet { local_index } | Operator::LocalTee { local_index } = &operator
            && let Some((last, times)) = set.get_mut(*local_index as usize)
            && *last != branches
        {
            (*last, *times) = (branches, *times + 1);
        }
        match &operator {
            Operator::Loop { .. } => {
                work = work.saturating_add(WITHIN.saturating_mul(around));
                loops += 1;
                around += 1;
                open.push(true);
            }
            Operator::Block { .. } | Operator::If { .. } | Operator::Try { .. } => open.push(false),
            Operator::TryTable { try_table } => {
                work = work.saturating_add(try_table.catches.len() as u64);
                open.push(false);
            }
            Operator::End => {
                let was_loop = open.pop() == Some(true);
                around = around.saturating_sub(u64::from(was_loop));
            }
            Operator::BrTable { targets } => {
                let each = 1 + u64::from(taken);
                work = work.saturating_add(u64::from(targets.len()).saturating_mul(each.saturating_mul(2)));
            }
            _ if !branches_off(&operator) => continue,
            _ => {}
        }
        branches += 1;
        // Beside the one by which it is chosen.
        if values > 1 {
            handing += if matches!(operator, Operator::BrIf { .. }) {
                2
            } else {
                1
            };
        }
        // What lies on the stack is followed as locals are.
        work = work.saturating_add(height);
    }
    operators.finish()?;
    let kept = branches.saturating_mul(locals);
    let pairs = loops.saturating_mul(loops);
    let looped = pairs.saturating_mul(locals.saturating_add(UNNAMED)) / PAIRS;
    let all = branches.saturating_add(hidden);
    let crossed = all.saturating_mul(all) / CROSSINGS;
    let handed = handing.saturating_mul(handing) / HANDINGS;
    let joined = set.iter().map(|(_, times)| times.saturating_mul(*times) / SETTINGS);
    let all = [kept, looped, crossed, handed].into_iter().chain(joined);
    Ok(all.fold(work, u64::saturating_add))
}

/// Whether code goes on elsewhere after `operator`, of those that open or close no block.
fn branches_off(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::Else
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrOnNull { .. }
            | Operator::BrOnNonNull { .. }
            | Operator::BrOnCast { .. }
            | Operator::BrOnCastFail { .. }
            | Operator::Return
            | Operator::Unreachable
            | Operator::Throw { .. }
    )
}

fn divides(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::I32DivS
            | Operator::I32DivU
            | Operator::I32RemS
            | Operator::I32RemU
            | Operator::I64DivS
            | Operator::I64DivU
            | Operator::I64RemS
            | Operator::I64RemU
    )
}

fn is_of_table(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::CallIndirect { .. }
            | Operator::ReturnCallIndirect { .. }
            | Operator::TableGet { .. }
            | Operator::TableSet { .. }
    )
}

fn is_of_range(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. }
            | Operator::MemoryGrow { .. }
            | Operator::DataDrop { .. }
            | Operator::TableCopy { .. }
            | Operator::TableFill { .. }
            | Operator::TableInit { .. }
            | Operator::TableGrow { .. }
            | Operator::ElemDrop { .. }
            | Operator::RefFunc { .. }
    )
}
