#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::config::Price;
use crate::model::Sent;

/// A moment of some day.
const NOW: u64 = 20_000 * 86_400 + 3_600;

fn now() -> u64 {
    NOW
}

struct House {
    folder: tempfile::TempDir,
    config: BudgetConfig,
}

impl House {
    /// Without bounds; a token asked costs a millionth of a dollar, one answered two.
    fn new() -> House {
        House {
            folder: tempfile::tempdir().unwrap(),
            config: BudgetConfig {
                session_tokens: None,
                session_cents: None,
                day_tokens: None,
                day_cents: None,
                unknown_price: Price {
                    input: 1_000_000,
                    output: 2_000_000,
                },
                prices: [("free".to_owned(), Price::default())].into(),
            },
        }
    }

    fn with(change: impl FnOnce(&mut BudgetConfig)) -> House {
        let mut house = House::new();
        change(&mut house.config);
        house
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("budget.log")
    }

    fn open(&self) -> Budget {
        self.open_at(now)
    }

    fn open_at(&self, now: fn() -> u64) -> Budget {
        Budget::open(&self.file(), &self.config, now, &Writes::default())
            .unwrap()
            .0
    }
}

fn payer(account: &str) -> Payer {
    Payer {
        account: Some(account.to_owned()),
    }
}

/// What a server told of an answer of so many bytes.
fn consumed(bytes: usize, told: Option<(u64, u64)>) -> Consumed {
    Consumed {
        input_tokens: told.map(|(input, _)| input),
        output_tokens: told.map(|(_, output)| output),
        is_final: told.is_some(),
        bytes,
        ..Consumed::default()
    }
}

/// A question of so many bytes to `model`, whose answer has 100 tokens at most.
fn asking(model: &str, input_bytes: usize) -> Estimate<'_> {
    Estimate {
        model,
        input_bytes,
        answer_tokens: 100,
    }
}

/// Tokens and millionths of a dollar that were spent: of the account, and of the day.
fn spent(budget: &Budget, account: &str) -> [(u64, u64); 2] {
    let balances = budget.balances(&payer(account));
    let of = |at: usize| (balances[at].spent.tokens, balances[at].spent.money.0 / 1_000_000);
    [of(0), of(1)]
}

#[test]
fn what_was_put_aside_counts_until_the_answer_says_what_it_cost() {
    let house = House::new();
    let budget = house.open();
    let hold = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    assert_eq!(spent(&budget, "a"), [(200, 300); 2]);
    budget.settle(hold, consumed(5, Some((90, 7))));
    assert_eq!(spent(&budget, "a"), [(97, 104); 2]);
    assert_eq!(
        spent(&budget, "b"),
        [(0, 0), (97, 104)],
        "another session has spent nothing"
    );
    assert_eq!(
        spent(&house.open(), "a"),
        [(97, 104); 2],
        "nor does opening the books again change it"
    );
}

#[test]
fn where_nobody_tells_what_it_cost_four_bytes_are_a_token() {
    let house = House::new();
    let budget = house.open();
    let hold = budget.reserve(&payer("a"), &asking("m", 401)).unwrap();
    budget.settle(hold, consumed(9, None));
    assert_eq!(spent(&budget, "a")[0], (101 + 3, 101 + 6));
    // One that failed may have been read, and was not answered.
    let hold = budget.reserve(&payer("b"), &asking("m", 40)).unwrap();
    budget.settle(hold, consumed(0, None));
    assert_eq!(spent(&budget, "b")[0], (10, 10));
    // One that reached nobody cost nothing, and opening the books again does not change that.
    let hold = budget.reserve(&payer("c"), &asking("m", 40)).unwrap();
    budget.give_back(hold);
    assert_eq!(spent(&budget, "c")[0], (0, 0));
    drop(budget);
    assert_eq!(spent(&house.open(), "c")[0], (0, 0));
}

#[test]
fn a_server_is_not_believed_that_something_was_nothing_or_that_nothing_was_more_than_can_be() {
    let house = House::with(|config| config.day_tokens = Some(1_000));
    let budget = house.open();
    for (told, expected) in [
        (Some((0, 0)), 102),
        (Some((7, 0)), 9),
        (Some((1 << 63, u64::MAX)), 200),
        (Some((10_000_001, 3)), 103),
    ] {
        let account = format!("{told:?}");
        let hold = budget.reserve(&payer(&account), &asking("m", 400)).unwrap();
        budget.settle(hold, consumed(8, told));
        assert_eq!(spent(&budget, &account)[0].0, expected, "{account}");
    }
}

#[test]
fn what_is_told_counts_up_to_what_can_be_and_beyond_that_what_was_put_aside_or_came() {
    let budget = House::new().open();
    // 400 bytes in a request of 1,000, whose answer has 100 tokens at most where its server was told so.
    let cost = |bytes: usize, told: (u64, u64), limit: Option<u64>, is_final: bool| {
        let hold = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
        let before = spent(&budget, "a")[0].0 - 200;
        let known = Consumed {
            is_final,
            sent: Sent {
                bytes: Some(1_000),
                limit,
            },
            ..consumed(bytes, Some(told))
        };
        budget.settle(hold, known);
        spent(&budget, "a")[0].0 - before
    };
    let limit = Some(100);
    for (bytes, told, expected) in [
        // A question has a token for each byte that was sent, at most, and for what the server put around it.
        (4, (5_096, 1), 5_097),
        (4, (5_097, 1), 101),
        // Thoughts that nobody sees may use up all of the limit, and nothing more.
        (4, (1, 100), 101),
        (4, (1, 101), 101),
        (4, (1, 10_000_000), 101),
        // Whoever answers more than the limit allows is believed as much as came, and no less counts.
        (4_000, (1, 1_000), 1_001),
        (4_000, (1, 900), 901),
        (4_000, (1, 1_001), 1_001),
        (4_000, (1, u64::MAX), 1_001),
    ] {
        assert_eq!(cost(bytes, told, limit, true), expected, "{bytes} bytes, {told:?}");
    }
    // Before the answer's end the count is the least, and one that can't be true is none.
    assert_eq!(cost(4_000, (1, 90), limit, false), 1_001);
    assert_eq!(cost(4, (1, 101), limit, false), 101);
    // A server that takes no limit may have thought for long.
    assert_eq!(cost(4, (1, 9_000), None, true), 9_001);
    assert_eq!(cost(4, (1, 10_000_001), None, true), 101);
}

#[test]
fn what_may_cost_more_than_is_left_is_refused_and_says_what_to_do() {
    let house = House::with(|config| config.session_tokens = Some(250));
    let budget = house.open();
    let hold = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    let error = budget.reserve(&payer("a"), &asking("m", 400)).unwrap_err().to_string();
    for said in [
        "this session",
        "200 tokens may be needed",
        "what is left is 50 tokens",
        "budget.session_tokens",
    ] {
        assert!(error.contains(said), "{error}");
    }
    budget.reserve(&payer("b"), &asking("m", 400)).unwrap();
    budget.settle(hold, consumed(1, Some((40, 10))));
    budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    assert_eq!(budget.balances(&payer("a"))[0].tokens_left, Some(0));
    assert!(budget.balances(&payer("a"))[0].is_used_up());
    // Nobody's session is behind it: only the day counts.
    budget.reserve(&Payer::default(), &asking("m", 4_000)).unwrap();
}

#[test]
fn money_is_bounded_by_the_models_price_and_what_is_free_costs_tokens_alone() {
    let house = House::with(|config| {
        // One cent is ten thousand tokens asked.
        config.day_cents = Some(1);
        config.day_tokens = Some(1_000_000);
    });
    let budget = house.open();
    let hold = budget.reserve(&payer("a"), &asking("m", 4)).unwrap();
    budget.settle(hold, consumed(0, Some((9_900, 0))));
    let error = budget.reserve(&payer("b"), &asking("m", 4)).unwrap_err();
    assert_eq!(error.of, "this day (UTC)");
    assert!(error.remedy.contains("budget.day_cents"), "{error}");
    assert!(
        error
            .to_string()
            .contains("$0.0003 may be needed, and what is left is $0.0001"),
        "{error}"
    );
    let hold = budget.reserve(&payer("b"), &asking("free", 4)).unwrap();
    budget.settle(hold, consumed(0, Some((500_000, 0))));
    assert_eq!(spent(&budget, "b"), [(500_000, 0), (509_900, 9_900)]);
}

#[test]
fn what_was_never_settled_stays_spent_whoever_opens_the_books_again() {
    let house = House::with(|config| config.day_tokens = Some(300));
    let hold = house.open().reserve(&payer("a"), &asking("m", 400)).unwrap();
    let budget = house.open();
    assert_eq!(spent(&budget, "a"), [(200, 300); 2]);
    assert!(budget.reserve(&payer("b"), &asking("m", 400)).is_err());
    // Its number means nothing any more.
    budget.settle(hold, consumed(0, None));
    assert_eq!(spent(&budget, "a"), [(200, 300); 2]);
}

#[test]
fn a_new_day_has_all_of_it_and_a_session_goes_on_with_what_it_has() {
    static CLOCK: AtomicU64 = AtomicU64::new(NOW);
    fn clock() -> u64 {
        CLOCK.load(Ordering::Relaxed)
    }
    let house = House::with(|config| {
        config.day_tokens = Some(250);
        config.session_tokens = Some(450);
    });
    let budget = house.open_at(clock);
    let late = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    assert!(budget.reserve(&payer("a"), &asking("m", 400)).is_err());
    CLOCK.fetch_add(86_400, Ordering::Relaxed);
    let hold = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    // What began yesterday is yesterday's.
    budget.settle(late, consumed(1, Some((1, 1))));
    assert_eq!(spent(&budget, "a"), [(202, 303), (200, 300)]);
    budget.settle(hold, consumed(0, None));
    assert_eq!(spent(&budget, "a"), [(102, 103), (100, 100)]);
    // A clock that is set back finds what was spent then.
    CLOCK.fetch_sub(86_400, Ordering::Relaxed);
    assert_eq!(spent(&house.open_at(clock), "a"), [(102, 103), (2, 3)]);
}

#[test]
fn a_clock_that_was_wrong_gives_nothing_back_of_any_day_and_today_goes_on_counting() {
    static CLOCK: AtomicU64 = AtomicU64::new(NOW);
    fn clock() -> u64 {
        CLOCK.load(Ordering::Relaxed)
    }
    let at = |day: i64| CLOCK.store(NOW.saturating_add_signed(day * 86_400), Ordering::Relaxed);
    // From today into the future, and from today into the past.
    for days in [41, 1_000, -41, -1_000_i64] {
        let house = House::with(|config| config.day_tokens = Some(1_000));
        at(0);
        // A name so long that the books are summed up when they are opened.
        let account = "a".repeat(1_500);
        let mut budget = house.open_at(clock);
        let spend = |budget: &Budget, tokens: u64| {
            let hold = budget.reserve(&payer(&account), &asking("m", 400))?;
            budget.settle(hold, consumed(1, Some((tokens - 1, 1))));
            Ok::<(), BudgetError>(())
        };
        spend(&budget, 700).unwrap();
        let late = budget.reserve(&payer("late"), &asking("m", 400)).unwrap();
        let mut all = 700;
        for day in 1..=days.abs() {
            at(day * days.signum());
            spend(&budget, 100).unwrap();
            all += 100;
        }
        budget.settle(late, consumed(1, Some((9, 1))));
        for opened_again in [false, true, true] {
            if opened_again {
                drop(budget);
                budget = house.open_at(clock);
            }
            at(days);
            assert_eq!(spent(&budget, "b")[1].0, 100, "{days}: the last day");
            at(0);
            assert_eq!(spent(&budget, "b")[1].0, 710, "{days}: the clock was set right");
            at(days / 2);
            assert_eq!(spent(&budget, "b")[1].0, 100, "{days}: a day between");
            assert_eq!(spent(&budget, &account)[0].0, all, "{days}: the session");
        }
        at(0);
        spend(&budget, 50).unwrap();
        assert_eq!(spent(&budget, "b")[1].0, 760, "{days}");
        spend(&budget, 50).unwrap();
        let error = spend(&budget, 1).unwrap_err();
        assert_eq!(error.of, "this day (UTC)", "{days}");
        let before = spent(&budget, &account);
        assert_eq!(spent(&house.open_at(clock), &account), before, "{days}");
    }
}

#[test]
fn a_file_that_is_cut_anywhere_still_has_what_was_written_whole() {
    let house = House::new();
    let budget = house.open();
    let hold = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    let first = fs::metadata(house.file()).unwrap().len();
    budget.settle(hold, consumed(1, Some((90, 7))));
    let second = fs::metadata(house.file()).unwrap().len();
    budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
    let whole = fs::read(house.file()).unwrap();
    for end in 0..=whole.len() {
        fs::write(house.file(), &whole[..end]).unwrap();
        let tokens = spent(&house.open(), "a")[0].0;
        let expected = match end as u64 {
            end if end < first => 0,
            end if end < second => 200,
            _ if end < whole.len() => 97,
            _ => 297,
        };
        assert_eq!(tokens, expected, "cut after {end} bytes");
    }
}

#[test]
fn long_books_are_summed_up_when_they_are_opened_and_lose_nothing() {
    let house = House::new();
    let budget = house.open();
    while fs::metadata(house.file()).unwrap().len() <= 1 << 20 {
        let hold = budget.reserve(&payer("a"), &asking("m", 400)).unwrap();
        budget.settle(hold, consumed(1, Some((2, 1))));
    }
    let open = budget.reserve(&payer("b"), &asking("m", 400)).unwrap();
    let before = [spent(&budget, "a"), spent(&budget, "b")];
    drop(budget);
    let budget = house.open();
    assert!(fs::metadata(house.file()).unwrap().len() < 1_000);
    assert_eq!([spent(&budget, "a"), spent(&budget, "b")], before);
    let next = budget.reserve(&payer("b"), &asking("m", 400)).unwrap();
    assert!(next.0 > open.0, "a number means one thing only");
    budget.settle(next, consumed(1, Some((1, 1))));
    assert_eq!(spent(&house.open(), "b")[0].0, before[1][0].0 + 2);
}

#[test]
fn books_that_cannot_be_read_are_not_taken_for_empty_ones() {
    let house = House::new();
    fs::create_dir(house.file()).unwrap();
    assert!(Budget::open(&house.file(), &house.config, now, &Writes::default()).is_err());
}
