//! `[[ … ]]`.

use brush_parser::ast::{BinaryPredicate, ExtendedTestExpr, UnaryPredicate, Word};

use super::state::State;
use super::{Proof, Prover};

impl Prover<'_> {
    /// `[[ … ]]`. Comparing numbers evaluates what it is given, so that must be a number.
    pub(super) fn test(&mut self, test: &ExtendedTestExpr, state: &mut State) -> Proof<()> {
        match test {
            ExtendedTestExpr::And(a, b) | ExtendedTestExpr::Or(a, b) => {
                self.test(a, state)?;
                // The other side may not be looked at.
                let before = state.clone();
                self.test(b, state)?;
                state.join(before);
                Ok(())
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner, state),
            ExtendedTestExpr::UnaryTest(predicate, word) => {
                let text = self.text(&word.value, state)?;
                let names = matches!(
                    predicate,
                    UnaryPredicate::ShellVariableIsSetAndAssigned | UnaryPredicate::ShellVariableIsSetAndNameRef
                );
                if names {
                    return self.plain_name(&text.text);
                }
                Ok(())
            }
            ExtendedTestExpr::BinaryTest(predicate, a, b) => {
                let numeric = matches!(
                    predicate,
                    BinaryPredicate::ArithmeticEqualTo
                        | BinaryPredicate::ArithmeticNotEqualTo
                        | BinaryPredicate::ArithmeticLessThan
                        | BinaryPredicate::ArithmeticLessThanOrEqualTo
                        | BinaryPredicate::ArithmeticGreaterThan
                        | BinaryPredicate::ArithmeticGreaterThanOrEqualTo
                );
                for word in [a, b] {
                    self.operand(word, numeric, state)?;
                }
                Ok(())
            }
        }
    }

    fn operand(&mut self, word: &Word, numeric: bool, state: &mut State) -> Proof<()> {
        if numeric {
            self.arithmetic(&word.value, state)
        } else {
            self.text(&word.value, state).map(drop)
        }
    }
}
