//! `$x`, `${x:-y}` and the like.

use brush_parser::word::{Parameter, ParameterExpr, ParameterTestType, ParameterTransformOp, SpecialParameter};

use super::state::State;
use super::{Doubt, NAME, NUMBER, Proof, Prover, UNKNOWN, is_open};

impl Prover<'_> {
    /// The values of an expansion: one, but for `"$@"` and its like.
    pub(super) fn parameter(
        &mut self,
        expression: &ParameterExpr,
        quoted: bool,
        state: &mut State,
    ) -> Proof<Vec<String>> {
        let unknown = || vec![UNKNOWN.to_string()];
        if twice(expression) {
            return Err(Doubt::new("it expands a value twice", ""));
        }
        if spreads(expression) {
            return Err(Doubt::new("it spreads a list in a way that can't be followed", ""));
        }
        match expression {
            ParameterExpr::Parameter { parameter, .. } => {
                let values = self.held(parameter, state)?;
                Ok(match values {
                    None => Vec::new(),
                    Some(values) if quoted && joins(parameter) => vec![values.join(" ")],
                    Some(values) => values,
                })
            }
            ParameterExpr::UseDefaultValues {
                parameter,
                test_type,
                default_value,
                ..
            }
            | ParameterExpr::AssignDefaultValues {
                parameter,
                test_type,
                default_value,
                ..
            } => {
                let held = self.held(parameter, state)?;
                let text = self.perhaps(default_value.as_deref(), quoted, state)?;
                let value = match presence(held.as_deref(), test_type) {
                    Presence::Held(value) => value,
                    Presence::Absent => text,
                    Presence::Unclear => UNKNOWN.to_string(),
                };
                if let (ParameterExpr::AssignDefaultValues { .. }, Parameter::Named(name)) = (expression, parameter) {
                    self.settable(name)?;
                    state.set(name, value.clone());
                }
                Ok(vec![value])
            }
            ParameterExpr::IndicateErrorIfNullOrUnset {
                parameter,
                error_message,
                ..
            } => {
                self.perhaps(error_message.as_deref(), quoted, state)?;
                Ok(self.held(parameter, state)?.unwrap_or_default())
            }
            ParameterExpr::UseAlternativeValue {
                parameter,
                test_type,
                alternative_value,
                ..
            } => {
                let held = self.held(parameter, state)?;
                let text = self.perhaps(alternative_value.as_deref(), quoted, state)?;
                Ok(vec![match presence(held.as_deref(), test_type) {
                    Presence::Held(_) => text,
                    Presence::Absent => String::new(),
                    Presence::Unclear => UNKNOWN.to_string(),
                }])
            }
            ParameterExpr::ParameterLength { parameter, .. } => {
                self.held(parameter, state)?;
                Ok(vec![NUMBER.to_string()])
            }
            ParameterExpr::RemoveSmallestSuffixPattern { parameter, pattern, .. }
            | ParameterExpr::RemoveLargestSuffixPattern { parameter, pattern, .. } => {
                self.pattern(pattern.as_deref(), state)?;
                self.held(parameter, state)?;
                // What is left of a name may be a part of its folder.
                Ok(unknown())
            }
            ParameterExpr::RemoveLargestPrefixPattern { parameter, pattern, .. } => {
                self.pattern(pattern.as_deref(), state)?;
                let held = self.held(parameter, state)?;
                let last = pattern.as_deref() == Some("*/");
                Ok(if last {
                    vec![name_or_unknown(held.as_deref())]
                } else {
                    unknown()
                })
            }
            ParameterExpr::RemoveSmallestPrefixPattern { parameter, pattern, .. } => {
                self.pattern(pattern.as_deref(), state)?;
                self.held(parameter, state)?;
                Ok(unknown())
            }
            ParameterExpr::Substring {
                parameter,
                offset,
                length,
                ..
            } => {
                self.arithmetic(&offset.value, state)?;
                if let Some(length) = length {
                    self.arithmetic(&length.value, state)?;
                }
                self.held(parameter, state)?;
                Ok(unknown())
            }
            ParameterExpr::UppercaseFirstChar { parameter, pattern, .. }
            | ParameterExpr::UppercasePattern { parameter, pattern, .. }
            | ParameterExpr::LowercaseFirstChar { parameter, pattern, .. }
            | ParameterExpr::LowercasePattern { parameter, pattern, .. } => {
                self.pattern(pattern.as_deref(), state)?;
                let held = self.held(parameter, state)?;
                Ok(vec![name_or_unknown(held.as_deref())])
            }
            ParameterExpr::ReplaceSubstring {
                parameter,
                pattern,
                replacement,
                ..
            } => {
                self.pattern(Some(pattern), state)?;
                self.pattern(replacement.as_deref(), state)?;
                self.held(parameter, state)?;
                Ok(unknown())
            }
            ParameterExpr::Transform { parameter, .. } => {
                self.held(parameter, state)?;
                Ok(unknown())
            }
            ParameterExpr::VariableNames { .. } | ParameterExpr::MemberKeys { .. } => Ok(unknown()),
        }
    }

    /// A text that may not be looked at, and then assigns nothing.
    fn perhaps(&mut self, text: Option<&str>, quoted: bool, state: &mut State) -> Proof<String> {
        let Some(text) = text else { return Ok(String::new()) };
        // Inside double quotes a single one quotes nothing.
        if quoted && text.contains('\'') {
            return Err(Doubt::new("it has quotes inside quotes", text));
        }
        let mut inside = state.clone();
        let value = self.text(text, &mut inside)?.text;
        state.join(inside);
        Ok(value)
    }

    /// A pattern may hold substitutions.
    fn pattern(&mut self, pattern: Option<&str>, state: &mut State) -> Proof<()> {
        match pattern {
            Some(pattern) => self.text(pattern, state).map(drop),
            None => Ok(()),
        }
    }

    /// What a parameter holds. `None` if surely nothing.
    fn held(&mut self, parameter: &Parameter, state: &mut State) -> Proof<Option<Vec<String>>> {
        let number = || Some(vec![NUMBER.to_string()]);
        let unknown = || Some(vec![UNKNOWN.to_string()]);
        Ok(match parameter {
            Parameter::Positional(0) | Parameter::Special(SpecialParameter::ShellName) => {
                Some(vec![state.zero.to_string()])
            }
            Parameter::Positional(at) => match &state.arguments {
                None => unknown(),
                Some(arguments) => usize::try_from(*at)
                    .ok()
                    .and_then(|at| arguments.get(at - 1))
                    .map(|value| vec![value.clone()]),
            },
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => match &state.arguments {
                None => unknown(),
                Some(arguments) if arguments.is_empty() => None,
                Some(arguments) => Some(arguments.clone()),
            },
            Parameter::Special(SpecialParameter::CurrentOptionFlags) => unknown(),
            Parameter::Special(_) => number(),
            Parameter::Named(name) => {
                // Of an array, the first element.
                self.variable(name, state)
                    .map(|values| values.into_iter().take(1).collect())
            }
            Parameter::NamedWithIndex { name, .. } if name == "BASH_SOURCE" => self.variable(name, state),
            Parameter::NamedWithIndex { index, .. } => {
                self.arithmetic(index, state)?;
                unknown()
            }
            Parameter::NamedWithAllIndices { name, .. } => self.variable(name, state),
        })
    }
}

/// Whether the value is expanded again, so that what is in it may run.
fn twice(expression: &ParameterExpr) -> bool {
    use ParameterExpr::{
        AssignDefaultValues, IndicateErrorIfNullOrUnset, LowercaseFirstChar, LowercasePattern, Parameter,
        ParameterLength, RemoveLargestPrefixPattern, RemoveLargestSuffixPattern, RemoveSmallestPrefixPattern,
        RemoveSmallestSuffixPattern, ReplaceSubstring, Substring, Transform, UppercaseFirstChar, UppercasePattern,
        UseAlternativeValue, UseDefaultValues,
    };
    match expression {
        Transform {
            op: ParameterTransformOp::PromptExpand,
            ..
        } => true,
        Parameter { indirect, .. }
        | UseDefaultValues { indirect, .. }
        | AssignDefaultValues { indirect, .. }
        | IndicateErrorIfNullOrUnset { indirect, .. }
        | UseAlternativeValue { indirect, .. }
        | ParameterLength { indirect, .. }
        | RemoveSmallestSuffixPattern { indirect, .. }
        | RemoveLargestSuffixPattern { indirect, .. }
        | RemoveSmallestPrefixPattern { indirect, .. }
        | RemoveLargestPrefixPattern { indirect, .. }
        | Substring { indirect, .. }
        | Transform { indirect, .. }
        | UppercaseFirstChar { indirect, .. }
        | UppercasePattern { indirect, .. }
        | LowercaseFirstChar { indirect, .. }
        | LowercasePattern { indirect, .. }
        | ReplaceSubstring { indirect, .. } => *indirect,
        ParameterExpr::VariableNames { .. } | ParameterExpr::MemberKeys { .. } => false,
    }
}

/// Whether an expression is a list that makes an argument of each of its elements.
pub(super) fn is_list(expression: &ParameterExpr) -> bool {
    matches!(
        expression,
        ParameterExpr::Parameter {
            parameter: Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
                | Parameter::NamedWithAllIndices { concatenate: false, .. },
            ..
        }
    )
}

/// Whether an expression that is more than the plain list makes several arguments of it.
fn spreads(expression: &ParameterExpr) -> bool {
    use ParameterExpr::{
        AssignDefaultValues, IndicateErrorIfNullOrUnset, LowercaseFirstChar, LowercasePattern,
        RemoveLargestPrefixPattern, RemoveLargestSuffixPattern, RemoveSmallestPrefixPattern,
        RemoveSmallestSuffixPattern, ReplaceSubstring, Substring, Transform, UppercaseFirstChar, UppercasePattern,
        UseAlternativeValue, UseDefaultValues,
    };
    match expression {
        UseDefaultValues { parameter, .. }
        | AssignDefaultValues { parameter, .. }
        | IndicateErrorIfNullOrUnset { parameter, .. }
        | UseAlternativeValue { parameter, .. }
        | RemoveSmallestSuffixPattern { parameter, .. }
        | RemoveLargestSuffixPattern { parameter, .. }
        | RemoveSmallestPrefixPattern { parameter, .. }
        | RemoveLargestPrefixPattern { parameter, .. }
        | Substring { parameter, .. }
        | Transform { parameter, .. }
        | UppercaseFirstChar { parameter, .. }
        | UppercasePattern { parameter, .. }
        | LowercaseFirstChar { parameter, .. }
        | LowercasePattern { parameter, .. }
        | ReplaceSubstring { parameter, .. } => matches!(
            parameter,
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. })
                | Parameter::NamedWithAllIndices { .. }
        ),
        ParameterExpr::VariableNames { .. } | ParameterExpr::MemberKeys { .. } => true,
        ParameterExpr::Parameter { .. } | ParameterExpr::ParameterLength { .. } => false,
    }
}

/// Whether all values become one text inside double quotes: `"$*"`.
fn joins(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: true })
            | Parameter::NamedWithAllIndices { concatenate: true, .. }
    )
}

enum Presence {
    Held(String),
    Absent,
    Unclear,
}

fn presence(held: Option<&[String]>, test: &ParameterTestType) -> Presence {
    let Some(values) = held else {
        return Presence::Absent;
    };
    let value = values.join(" ");
    match test {
        ParameterTestType::UnsetOrNull if value.is_empty() => Presence::Absent,
        _ if value.contains(UNKNOWN) => Presence::Unclear,
        _ => Presence::Held(value),
    }
}

/// A name stays one where a part of it is taken.
fn name_or_unknown(held: Option<&[String]>) -> String {
    match held {
        None => String::new(),
        Some([value]) if value.trim_start_matches("./").chars().eq([NAME]) => NAME.to_string(),
        Some([value]) if value.is_empty() || (!is_open(value) && value.is_empty()) => String::new(),
        Some(_) => UNKNOWN.to_string(),
    }
}
