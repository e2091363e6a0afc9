//! The books: what was put aside and what was spent, in a file that is only appended to, and summed up when it is opened.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use super::{Money, Spent};
use crate::audit::{AppendLog, Durability, LogError, Recovery, Writes};
use crate::config::Price;
use crate::plist;
use crate::sexp::{Form, kw};

/// A file that is longer than this, in bytes, is summed up when it is opened.
const LONG: u64 = 1 << 20;

/// What was put aside and is not settled yet.
#[derive(Clone, Debug)]
pub(super) struct Held {
    day: u64,
    account: Option<String>,
    put_aside: Spent,
    /// Tokens of the question.
    pub(super) input: u64,
    /// Tokens of the longest answer.
    pub(super) output: u64,
    /// What the model costs.
    pub(super) price: Price,
}

/// The books, open for writing.
#[derive(Debug)]
pub(super) struct Books {
    log: AppendLog,
    sums: Sums,
    held: HashMap<u64, Held>,
    /// The number that the next hold gets.
    next: u64,
}

/// What was spent, with all that is put aside.
///
/// Every day and every account on which something was spent is kept, some fifty bytes each: which of them the clock will
/// come back to nobody knows, and one that was dropped would have all of its budget again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sums {
    days: BTreeMap<u64, Spent>,
    accounts: BTreeMap<String, Spent>,
}

impl Sums {
    fn add(&mut self, day: u64, account: Option<&str>, spent: Spent) {
        *self.days.entry(day).or_default() += spent;
        if let Some(account) = account {
            *self.accounts.entry(account.to_owned()).or_default() += spent;
        }
    }

    /// What was put aside is no longer, and this was spent in its place.
    fn exchange(&mut self, held: &Held, spent: Spent) {
        if let Some(day) = self.days.get_mut(&held.day) {
            *day = day.without(held.put_aside);
            *day += spent;
        }
        if let Some(account) = held.account.as_ref().and_then(|account| self.accounts.get_mut(account)) {
            *account = account.without(held.put_aside);
            *account += spent;
        }
    }
}

impl Books {
    /// Opens the books in `file`. What was put aside and never settled is spent.
    ///
    /// # Errors
    /// When the file can't be read or written.
    pub(super) fn open(file: &Path, writes: &Writes) -> Result<(Books, Recovery), LogError> {
        let (log, entries, recovery) = AppendLog::open(file, writes)?;
        let mut books = Books {
            log,
            sums: Sums::default(),
            held: HashMap::new(),
            next: 1,
        };
        for entry in &entries {
            books.read(entry);
        }
        books.held.clear();
        if fs::metadata(file).is_ok_and(|status| status.len() > LONG) {
            match books.summed_up(file, writes) {
                Ok(log) => books.log = log,
                // It is as good as before, and longer than it needs to be.
                Err(error) => tracing::warn!("the books on what models cost can't be summed up: {error}"),
            }
        }
        Ok((books, recovery))
    }

    fn read(&mut self, entry: &Form) {
        let number = |key: &str| {
            let number = entry.get(key).and_then(Form::as_int);
            number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
        };
        let spent = Spent {
            tokens: number("TOKENS"),
            money: Money(number("MONEY")),
        };
        let account = entry.text_at("account").map(str::to_owned);
        match entry.get("KIND").and_then(Form::keyword) {
            Some("HELD") => {
                let id = number("HOLD");
                self.next = self.next.max(id.saturating_add(1));
                self.sums.add(number("DAY"), account.as_deref(), spent);
                let held = Held {
                    day: number("DAY"),
                    account,
                    put_aside: spent,
                    input: 0,
                    output: 0,
                    price: Price::default(),
                };
                self.held.insert(id, held);
            }
            Some("SETTLED") => {
                if let Some(held) = self.held.remove(&number("HOLD")) {
                    self.sums.exchange(&held, spent);
                }
            }
            Some("DAY") => *self.sums.days.entry(number("DAY")).or_default() += spent,
            Some("ACCOUNT") => {
                if let Some(account) = account {
                    *self.sums.accounts.entry(account).or_default() += spent;
                }
            }
            Some("NEXT") => self.next = self.next.max(number("HOLD")),
            _ => {}
        }
    }

    /// A new file in the place of `file`, with the sums alone. Whoever is killed meanwhile leaves the one or the other.
    fn summed_up(&self, file: &Path, writes: &Writes) -> Result<AppendLog, LogError> {
        let amounts = |entry: Form, spent: &Spent| entry.with("TOKENS", spent.tokens).with("MONEY", spent.money.0);
        let day = |(day, spent): (&u64, &Spent)| amounts(plist!("KIND" => kw("DAY"), "DAY" => *day), spent);
        let account = |(account, spent): (&String, &Spent)| {
            amounts(plist!("KIND" => kw("ACCOUNT"), "ACCOUNT" => account), spent)
        };
        let days = self.sums.days.iter().map(day);
        let accounts = self.sums.accounts.iter().map(account);
        let next = plist!("KIND" => kw("NEXT"), "HOLD" => self.next);
        let entries: Vec<Form> = days.chain(accounts).chain([next]).collect();
        AppendLog::anew(file, &entries, writes)
    }

    /// Puts `wanted` aside, for a question and an answer of so many tokens, and returns the number of that.
    ///
    /// # Errors
    /// When it can't be written; then nothing was put aside.
    pub(super) fn hold(
        &mut self,
        day: u64,
        account: Option<&str>,
        model: &str,
        price: Price,
        (input, output): (u64, u64),
        wanted: Spent,
    ) -> Result<u64, LogError> {
        let id = self.next;
        let entry = plist!(
            "KIND" => kw("HELD"), "HOLD" => id, "DAY" => day, "ACCOUNT" => account, "MODEL" => model,
            "TOKENS" => wanted.tokens, "MONEY" => wanted.money.0,
        );
        self.log.append(&entry, Durability::Written)?;
        self.next = id.saturating_add(1);
        self.sums.add(day, account, wanted);
        let held = Held {
            day,
            account: account.map(str::to_owned),
            put_aside: wanted,
            input,
            output,
            price,
        };
        self.held.insert(id, held);
        Ok(id)
    }

    /// What was put aside under this number, until it is settled.
    pub(super) fn held(&self, id: u64) -> Option<Held> {
        self.held.get(&id).cloned()
    }

    /// Spends `cost` in the place of what was put aside.
    ///
    /// # Errors
    /// When it can't be written; then all that was put aside is spent.
    pub(super) fn settle(&mut self, id: u64, cost: Spent) -> Result<(), LogError> {
        let Some(held) = self.held.remove(&id) else {
            return Ok(());
        };
        let entry = plist!(
            "KIND" => kw("SETTLED"), "HOLD" => id, "TOKENS" => cost.tokens, "MONEY" => cost.money.0,
        );
        self.log.append(&entry, Durability::Written)?;
        self.sums.exchange(&held, cost);
        Ok(())
    }

    pub(super) fn of_day(&self, day: u64) -> Spent {
        self.sums.days.get(&day).copied().unwrap_or_default()
    }

    pub(super) fn of_account(&self, account: &str) -> Spent {
        self.sums.accounts.get(account).copied().unwrap_or_default()
    }
}
