//! How deep a file nests, looked at before anything reads it by calling itself: types of components within each other end
//! the whole process when the stack is used up, and blocks of code within each other are compiled in quadratic time.

use wasmparser::{Operator, Parser, Payload};

use super::FileFault;

/// Types of components and instances within one section. A component of the SDK has two at most, one of JavaScript or
/// Python as well; reading one takes some kilobytes of a stack that has two megabytes.
pub(super) const TYPES: usize = 200;

/// Blocks within each other in one function. A `match` with so many arms is compiled into as many.
pub(super) const BLOCKS: usize = 4_000;

/// The bytes that begin the type of a component, and of an instance.
const BEGINS: [u8; 2] = [0x41, 0x42];

/// Looks through the whole file without calling itself. What can't be read is left to whoever reads it in earnest.
///
/// # Errors
/// When something nests too deep.
pub(super) fn check(bytes: &[u8]) -> Result<(), FileFault> {
    for payload in Parser::new(0).parse_all(bytes) {
        match payload {
            Ok(Payload::ComponentTypeSection(section)) => {
                let section = bytes.get(section.range()).unwrap_or_default();
                // No deeper than there are such bytes, whatever else some of them mean.
                let asked = section.iter().filter(|byte| BEGINS.contains(byte)).count();
                bound("types", asked, TYPES)?;
            }
            Ok(Payload::CodeSectionEntry(body)) => {
                let Ok(operators) = body.get_operators_reader() else {
                    continue;
                };
                let (mut depth, mut deepest) = (0_usize, 0);
                for operator in operators.into_iter().map_while(Result::ok) {
                    match operator {
                        Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
                        Operator::Try { .. } | Operator::TryTable { .. } => depth += 1,
                        Operator::End => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    deepest = deepest.max(depth);
                }
                bound("blocks of code", deepest, BLOCKS)?;
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Ok(())
}

fn bound(what: &'static str, asked: usize, allowed: usize) -> Result<(), FileFault> {
    if asked > allowed {
        return Err(FileFault::Nested {
            what: what.into(),
            asked,
            allowed,
        });
    }
    Ok(())
}
