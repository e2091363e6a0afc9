//! Writing a parsed command line in one form: what is the same command is the same text, and the text is that command.

use std::fmt::Write;

use brush_parser::ast::{
    AndOr, AndOrList, CaseItemPostAction, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    FunctionBody, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Pipeline, ProcessSubstitutionKind, Program,
    RedirectList, SeparatorOperator, SimpleCommand, SubshellCommand,
};

/// The one form of a script. `None` if a here-document is in it, which has no place in one line, or what is not
/// followed either.
pub(super) fn program(program: &Program) -> Option<String> {
    let mut out = String::new();
    for complete in &program.complete_commands {
        separate(&mut out);
        list(&mut out, complete)?;
    }
    Some(out)
}

fn separate(out: &mut String) {
    if !out.is_empty() && !out.ends_with("& ") {
        out.push_str("; ");
    }
}

fn list(out: &mut String, items: &CompoundList) -> Option<()> {
    for (at, item) in items.0.iter().enumerate() {
        and_or(out, &item.0)?;
        if matches!(item.1, SeparatorOperator::Async) {
            out.push_str(" & ");
        } else if at + 1 < items.0.len() {
            out.push_str("; ");
        }
    }
    Some(())
}

/// A list, and what ends it before a reserved word.
fn block(out: &mut String, items: &CompoundList) -> Option<()> {
    list(out, items)?;
    out.push_str(if out.ends_with("& ") { "" } else { "; " });
    Some(())
}

fn and_or(out: &mut String, commands: &AndOrList) -> Option<()> {
    pipeline(out, &commands.first)?;
    for next in &commands.additional {
        let (sign, next) = match next {
            AndOr::And(next) => (" && ", next),
            AndOr::Or(next) => (" || ", next),
        };
        out.push_str(sign);
        pipeline(out, next)?;
    }
    Some(())
}

fn pipeline(out: &mut String, pipeline: &Pipeline) -> Option<()> {
    if let Some(timed) = &pipeline.timed {
        out.push_str(if timed.is_posix_output() { "time -p " } else { "time " });
    }
    if pipeline.bang {
        out.push_str("! ");
    }
    for (at, one) in pipeline.seq.iter().enumerate() {
        if at > 0 {
            out.push_str(" | ");
        }
        command(out, one)?;
    }
    Some(())
}

fn command(out: &mut String, command: &Command) -> Option<()> {
    match command {
        Command::Simple(one) => simple(out, one),
        Command::Compound(one, redirects) => {
            compound(out, one)?;
            redirect_list(out, redirects.as_ref())
        }
        Command::Function(definition) => {
            write!(out, "{}() ", definition.fname.value).ok()?;
            body(out, &definition.body)
        }
        Command::ExtendedTest(test, redirects) => {
            write!(out, "[[ {} ]]", test.expr).ok()?;
            redirect_list(out, redirects.as_ref())
        }
    }
}

pub(super) fn function(body: &FunctionBody) -> Option<String> {
    let mut out = String::new();
    self::body(&mut out, body)?;
    Some(out)
}

fn body(out: &mut String, body: &FunctionBody) -> Option<()> {
    compound(out, &body.0)?;
    redirect_list(out, body.1.as_ref())
}

fn compound(out: &mut String, compound: &CompoundCommand) -> Option<()> {
    match compound {
        CompoundCommand::BraceGroup(group) => {
            out.push_str("{ ");
            block(out, &group.list)?;
            out.push('}');
        }
        CompoundCommand::Subshell(group) => shell(out, group)?,
        CompoundCommand::Arithmetic(arithmetic) => write!(out, "(({}))", arithmetic.expr.value).ok()?,
        CompoundCommand::ForClause(clause) => {
            write!(out, "for {}", clause.variable_name).ok()?;
            if let Some(values) = &clause.values {
                out.push_str(" in");
                values.iter().try_for_each(|word| write!(out, " {}", word.value)).ok()?;
            }
            out.push_str("; do ");
            block(out, &clause.body.list)?;
            out.push_str("done");
        }
        CompoundCommand::ArithmeticForClause(clause) => {
            let text = |part: &Option<brush_parser::ast::UnexpandedArithmeticExpr>| {
                part.as_ref().map(|part| part.value.clone()).unwrap_or_default()
            };
            let (first, condition, last) = (
                text(&clause.initializer),
                text(&clause.condition),
                text(&clause.updater),
            );
            write!(out, "for (({first}; {condition}; {last})); do ").ok()?;
            block(out, &clause.body.list)?;
            out.push_str("done");
        }
        CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
            out.push_str(if matches!(compound, CompoundCommand::WhileClause(_)) {
                "while "
            } else {
                "until "
            });
            block(out, &clause.0)?;
            out.push_str("do ");
            block(out, &clause.1.list)?;
            out.push_str("done");
        }
        CompoundCommand::IfClause(clause) => {
            out.push_str("if ");
            block(out, &clause.condition)?;
            out.push_str("then ");
            block(out, &clause.then)?;
            for branch in clause.elses.iter().flatten() {
                match &branch.condition {
                    Some(condition) => {
                        out.push_str("elif ");
                        block(out, condition)?;
                        out.push_str("then ");
                    }
                    None => out.push_str("else "),
                }
                block(out, &branch.body)?;
            }
            out.push_str("fi");
        }
        CompoundCommand::CaseClause(clause) => {
            write!(out, "case {} in ", clause.value.value).ok()?;
            for case in &clause.cases {
                let patterns: Vec<&str> = case.patterns.iter().map(|pattern| pattern.value.as_str()).collect();
                write!(out, "({}) ", patterns.join("|")).ok()?;
                if let Some(commands) = &case.cmd {
                    list(out, commands)?;
                }
                out.push_str(match case.post_action {
                    CaseItemPostAction::ExitCase => " ;; ",
                    CaseItemPostAction::UnconditionallyExecuteNextCaseItem => " ;& ",
                    CaseItemPostAction::ContinueEvaluatingCases => " ;;& ",
                });
            }
            out.push_str("esac");
        }
        CompoundCommand::Coprocess(_) => return None,
    }
    Some(())
}

fn shell(out: &mut String, group: &SubshellCommand) -> Option<()> {
    // Two brackets beside each other would hold arithmetic.
    out.push_str(if out.ends_with('(') { " ( " } else { "( " });
    list(out, &group.list)?;
    out.push_str(" )");
    Some(())
}

fn simple(out: &mut String, simple: &SimpleCommand) -> Option<()> {
    let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    let mut first = true;
    let mut blank = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.push(' ');
        }
    };
    for one in prefix {
        blank(out);
        item(out, one)?;
    }
    if let Some(word) = &simple.word_or_name {
        blank(out);
        out.push_str(&word.value);
    }
    for one in suffix {
        blank(out);
        item(out, one)?;
    }
    Some(())
}

fn item(out: &mut String, item: &CommandPrefixOrSuffixItem) -> Option<()> {
    match item {
        CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
            out.push_str(&word.value);
            Some(())
        }
        CommandPrefixOrSuffixItem::IoRedirect(one) => redirect(out, one),
        CommandPrefixOrSuffixItem::ProcessSubstitution(kind, group) => process(out, kind, group),
    }
}

fn process(out: &mut String, kind: &ProcessSubstitutionKind, group: &SubshellCommand) -> Option<()> {
    out.push(if matches!(kind, ProcessSubstitutionKind::Read) {
        '<'
    } else {
        '>'
    });
    out.push('(');
    list(out, &group.list)?;
    out.push(')');
    Some(())
}

fn redirect_list(out: &mut String, redirects: Option<&RedirectList>) -> Option<()> {
    for one in redirects.iter().flat_map(|list| &list.0) {
        out.push(' ');
        redirect(out, one)?;
    }
    Some(())
}

fn redirect(out: &mut String, redirect: &IoRedirect) -> Option<()> {
    match redirect {
        IoRedirect::File(number, kind, target) => {
            if let Some(number) = number {
                write!(out, "{number}").ok()?;
            }
            out.push_str(match kind {
                IoFileRedirectKind::Read => "<",
                IoFileRedirectKind::Write => ">",
                IoFileRedirectKind::Append => ">>",
                IoFileRedirectKind::ReadAndWrite => "<>",
                IoFileRedirectKind::Clobber => ">|",
                IoFileRedirectKind::DuplicateInput => "<&",
                IoFileRedirectKind::DuplicateOutput => ">&",
            });
            match target {
                IoFileRedirectTarget::Filename(word) => write!(out, " {}", word.value).ok(),
                IoFileRedirectTarget::Duplicate(word) => write!(out, "{}", word.value).ok(),
                IoFileRedirectTarget::Fd(number) => write!(out, "{number}").ok(),
                IoFileRedirectTarget::ProcessSubstitution(kind, group) => {
                    out.push(' ');
                    process(out, kind, group)
                }
            }
        }
        IoRedirect::OutputAndError(word, append) => {
            write!(out, "&>{} {}", if *append { ">" } else { "" }, word.value).ok()
        }
        IoRedirect::HereString(number, word) => {
            if let Some(number) = number {
                write!(out, "{number}").ok()?;
            }
            write!(out, "<<< {}", word.value).ok()
        }
        IoRedirect::HereDocument(..) => None,
    }
}
