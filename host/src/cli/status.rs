//! `status`: how the daemon is, at a glance.

use super::approve::moment;
use super::link::Link;
use super::{Exit, client_runtime, home, output, show};
use crate::plist;
use crate::sexp::{Form, kw, visible};
use crate::signal::SessionId;

/// What `status` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host status --json
  passepartout-host status --sessions
      the ids that `--session` of chat, send and repl takes")]
pub(super) struct Args {
    /// List the sessions instead, those in use first and then the last ones used
    #[arg(long)]
    sessions: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn status(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let action = if args.sessions { "SESSIONS" } else { "STATUS" };
    let answer = client_runtime()?
        .block_on(async { Link::open(&home, None).await?.ask(plist!("ACTION" => kw(action))).await })?;
    if args.json {
        output::json(&show::json(&answer));
        return Ok(Exit::Ok);
    }
    if args.sessions {
        sessions(answer.get("SESSIONS").and_then(Form::items).unwrap_or_default());
        and_more(&answer, "SESSIONS");
        return Ok(Exit::Ok);
    }
    let text = |form: &Form, path: &str| {
        form.at(path)
            .and_then(Form::designator)
            .map(visible)
            .unwrap_or_default()
    };
    let items = |path: &str| answer.at(path).and_then(Form::items).unwrap_or_default();
    let number = |path: &str| answer.at(path).and_then(Form::as_int).unwrap_or(0);
    outln!("health     {}", text(&answer, "health").to_lowercase());
    outln!("version    {}, process {}", text(&answer, "version"), number("pid"));
    outln!("workspace  {}", text(&answer, "workspace"));
    outln!(
        "skills     {}",
        items("skills")
            .iter()
            .filter_map(Form::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    );
    for own in items("providers") {
        outln!("provider   {}", provider(own));
    }
    for own in items("budgets") {
        outln!("budget     {}", budget(own));
    }
    outln!("sessions   {} in use; --sessions lists all", number("sessions"));
    for own in items("running") {
        outln!(
            "running    {} (in session {})",
            text(own, "text"),
            text(own, "session-id")
        );
    }
    match number("unheard") {
        0 => {}
        1 => outln!("unheard    1 message arrived while nobody was attached; `passepartout-host chat` shows it"),
        count => outln!(
            "unheard    {count} messages arrived while nobody was attached; `passepartout-host chat` shows them"
        ),
    }
    let scheduled = items("scheduled");
    for own in scheduled.iter().take(SCHEDULED) {
        outln!("scheduled  {}", entry(own));
    }
    let more = scheduled.len().saturating_sub(SCHEDULED) as i64 + show::left_out(&answer, "SCHEDULED");
    if more > 0 {
        outln!("scheduled  and {more} more; --json has as many as one answer has room for");
    }
    for check in items("checks") {
        let label = format!("{:<10} {}: ", text(check, "level").to_lowercase(), text(check, "check"));
        // Of what is well, `doctor` says it piece by piece.
        let shown = match check.get("LEVEL").is_some_and(|level| level.is_kw("GOOD")) {
            true => show::check_in_short(check, &label),
            false => show::check(check, &label),
        };
        outln!("{shown}");
    }
    let plans = items("plans");
    match plans.len() as i64 + show::left_out(&answer, "PLANS") {
        0 => outln!("plans      none wait for you"),
        1 => outln!("plans      1 waits for you"),
        count => outln!("plans      {count} wait for you"),
    }
    for plan in plans {
        outln!("{}", show::plan(plan, show::Place::Shell));
        outln!("  in session {}", text(plan, "session-id"));
    }
    and_more(&answer, "PLANS");
    Ok(Exit::Ok)
}

/// Says how many of the list `key` one answer has no room for, if there are such.
fn and_more(answer: &Form, key: &str) {
    match show::left_out(answer, key) {
        0 => {}
        count => outln!("and {count} more, for which one answer has no room"),
    }
}

/// One line a session. Only of those in use is known what was said in them.
fn sessions(all: &[Form]) {
    if all.is_empty() {
        outln!("there is no session yet; `chat` and `send` begin one");
        return;
    }
    let mut all: Vec<&Form> = all.iter().collect();
    all.sort_by_key(|own| std::cmp::Reverse(own.get("LAST-USED").and_then(Form::as_int)));
    let (in_use, kept): (Vec<&Form>, Vec<&Form>) = all.into_iter().partition(|own| own.get("LINES").is_some());
    outln!("{:<34} {:<21} STATE", "SESSION", "LAST USED");
    for own in in_use.into_iter().chain(kept) {
        let state = match (own.get("LINES").and_then(Form::as_int), own.get("RUNNING")) {
            (Some(lines), Some(running)) if running.is_true() => format!("in use, {lines} lines, answering now"),
            (Some(lines), _) => format!("in use, {lines} lines"),
            _ if own.text_at("session-id") == Some(&SessionId::HEARTBEAT.to_string()) => {
                "the heartbeat's, which nobody can join".to_owned()
            }
            (None, _) => "kept".to_owned(),
        };
        outln!(
            "{:<34} {:<21} {state}",
            own.text_at("session-id").map(visible).unwrap_or_default(),
            moment(own, "LAST-USED")
        );
    }
}

/// How many scheduled entries are shown.
const SCHEDULED: usize = 10;

/// One line about what a skill has scheduled.
fn entry(form: &Form) -> String {
    let text = |key: &str| form.text_at(key).map(visible).unwrap_or_default().replace('\n', " ");
    let how = match (text("every"), text("cron")) {
        (every, _) if !every.is_empty() => format!(", every {every}"),
        (_, cron) if !cron.is_empty() => format!(", by \"{cron}\""),
        _ => String::new(),
    };
    let said: String = text("text").chars().take(60).collect();
    let held = match text("held") {
        why if why.is_empty() => why,
        why => format!(
            "held, since {why} (`passepartout-host skill unschedule {}` ends it): ",
            text("skill")
        ),
    };
    format!("{held}{} {}{how}: {said}", text("next"), text("skill"))
}

/// How a budget stands: what was spent, and what is left where it is bounded.
fn budget(form: &Form) -> String {
    let text = |key: &str| visible(form.text_at(key).unwrap_or_default());
    let tokens = |key: &str| {
        form.get(key)
            .and_then(Form::as_int)
            .map(|count| format!("{count} tokens"))
    };
    let left: Vec<String> = tokens("TOKENS-LEFT")
        .into_iter()
        .chain(form.text_at("money-left").map(visible))
        .collect();
    let left = match left[..] {
        [] => String::new(),
        _ => format!("; left: {}", left.join(", ")),
    };
    let spent = tokens("TOKENS").unwrap_or_default();
    format!("{}: {spent}, {}{left}", text("of"), text("money"))
}

/// One line about a provider.
fn provider(form: &Form) -> String {
    let text = |key: &str| form.text_at(key).map(visible).unwrap_or_default();
    let number = |key: &str| form.at(key).and_then(Form::as_int).unwrap_or(0);
    let model = match text("model") {
        model if model.is_empty() => model,
        model => format!(" ({model})"),
    };
    let mut line = format!("{}{model}: {}", text("name"), text("state"));
    let (answers, failures) = (number("answers"), number("failures"));
    if answers > 0 || failures > 0 {
        line.push_str(&format!("; {answers} answered, {failures} failed"));
    }
    let (input, output) = (number("input-tokens"), number("output-tokens"));
    if input > 0 || output > 0 {
        line.push_str(&format!("; {input} tokens asked, {output} answered"));
    }
    let failure = text("last-failure");
    if !failure.is_empty() {
        let ago = number("last-failure-seconds-ago");
        line.push_str(&format!("; last failure {ago} s ago: {failure}"));
    }
    let passed_over = text("last-passed-over");
    if !passed_over.is_empty() {
        let (times, ago) = (number("passed-over"), number("last-passed-over-seconds-ago"));
        line.push_str(&format!("; passed over {times}, last {ago} s ago: {passed_over}"));
    }
    line
}
