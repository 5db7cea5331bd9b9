"""Builds what is stored: the database, the ledger's journal, the counts of limits.

Heavy packages are imported inside functions, because the port is open before they are needed.
"""

import asyncio
import contextlib
import functools
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trivium.admission.script import ScriptedWindows
from trivium.admission.service import Admission
from trivium.clock import SystemClock
from trivium.settings.model import Settings
from trivium.settings.prices import multiplier
from trivium.shared.state import SharedState
from trivium.wiring.accounts import budget_letters
from trivium.wiring.background import Work, background
from trivium.wiring.secret import keys_of

if TYPE_CHECKING:
    from trivium.idempotency.service import KeptAnswers
    from trivium.identity.key_refresher import KeyRefresher
    from trivium.identity.snapshot import Snapshot
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.recorder import Recorder
    from trivium.storage.database import Database


UNDO_DAYS: Final = 90
"""For so long a change of the catalogue can be undone if it concerned credentials."""


async def open_stores(
    settings: Settings, stack: contextlib.AsyncExitStack
) -> "tuple[Database, Snapshot, Recorder]":
    """Return the database, and the parts of it that are kept in memory. Importing them takes most
    of a second, so it happens here.
    """
    from trivium.identity.snapshot import Snapshot
    from trivium.observe.recorder import Recorder
    from trivium.storage import migrate
    from trivium.storage.database import Database

    database = Database(settings.storage.url, settings.storage.pool)
    stack.push_async_callback(database.close)
    await migrate.ensure(database)
    snapshot = Snapshot(database, SystemClock(), settings.storage.cached_keys)
    await snapshot.load()
    recorder = Recorder(database, settings.records)
    recorder.start()
    stack.push_async_callback(recorder.close)
    return database, snapshot, recorder


async def watched(
    snapshot: "Snapshot", poll_s: float, stack: contextlib.AsyncExitStack
) -> "KeyRefresher":
    """Follow changes of keys; returns what looks for changes before the next poll is due."""
    from trivium.identity.key_refresher import KeyRefresher

    key_refresher = KeyRefresher(snapshot, asyncio.get_running_loop().time)
    stack.push_async_callback(key_refresher.close)
    await background(stack, functools.partial(snapshot.watch, poll_s))
    return key_refresher


async def ledger_of(
    settings: Settings, database: "Database", stack: contextlib.AsyncExitStack
) -> "WorkerLedger":
    """Return this worker's ledger, after booking what dead workers left. Raises StorageDown."""
    from trivium.ledger.balance_notices import BalanceNotices
    from trivium.ledger.budgets.notices import BudgetNotices
    from trivium.ledger.journal import Journal
    from trivium.ledger.ledger_sync import LedgerSync, worker_name
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.audit.service import Audit
    from trivium.storage.errors import StorageDown

    folder = Path(settings.storage.journal)
    try:
        journal = Journal(folder, worker_name())
    except OSError as error:
        raise StorageDown(f"cannot write the journal in {folder}: {error.strerror}") from None
    ledger = WorkerLedger(
        journal,
        SystemClock(),
        groups=groups(settings),
        interrupted=settings.ledger.interrupted,
        ahead_s=settings.ledger.ahead_s,
    )
    letters = budget_letters(settings, database, stack)
    tell = None if letters is None else letters.tell
    notices = BudgetNotices(Audit(database, SystemClock()), tell)
    ledger.crossed = notices.put
    await background(stack, notices.run)
    balances = BalanceNotices(None if letters is None else letters.tell_low)
    ledger.ran_low = balances.put
    await background(stack, balances.run)
    turns = LedgerSync(database, ledger, folder, settings.ledger, SystemClock())
    stack.push_async_callback(turns.close)
    await turns.recover()
    turns.start()
    return ledger


async def admission_of(state: SharedState | None, stack: contextlib.AsyncExitStack) -> Admission:
    """Limits, counted in the shared state if there is one."""
    clock = SystemClock()
    if state is None:
        return Admission(clock)
    windows = ScriptedWindows(state)
    admission = Admission(clock, shared=windows)
    running = admission.running
    state.returned.append(admission.returned)
    await background(stack, functools.partial(windows.keep, running))
    return admission


def groups(settings: Settings) -> dict[str, Fraction]:
    """Return the multiplier of the price for each price group."""
    return {name: multiplier(text) for name, text in settings.groups.items()}


async def kept_answers_of(
    settings: Settings, database: "Database", worker: str, stack: contextlib.AsyncExitStack
) -> "KeptAnswers | None":
    """Answers by their ``Idempotency-Key``; ``None`` where the settings keep none. ``worker``: a
    name that no other worker has, nor had.
    """
    if not settings.idempotency.hours:
        return None
    from trivium.idempotency.service import KeptAnswers
    from trivium.storage.vault import Vault

    vault = Vault(keys_of(settings).ring("idempotency"))
    answers = KeptAnswers(database, vault, worker, settings.idempotency)
    answers.start()
    stack.push_async_callback(answers.close)
    await background(stack, answers.writer.run)
    return answers


def sweepers(database: "Database", settings: Settings) -> list[Work]:
    """Return the work that removes what is old or expired; none of it ever ends."""
    from trivium.catalogue.store import forget_credentials
    from trivium.idempotency.sweep import AnswerSweeper
    from trivium.ledger.budgets.sweep import CounterSweeper
    from trivium.ledger.spending.rollups.sweep import RollupSweeper
    from trivium.ledger.spending.store import delete_attributed
    from trivium.oauth.sweep import OAuthSweeper
    from trivium.observe.audit.store import delete_before
    from trivium.observe.sweep import RecordSweeper
    from trivium.observe.traffic.store import delete_before as delete_traffic
    from trivium.observe.traffic.sweep import TrafficFolder
    from trivium.response_store.sweep import ResponseSweeper
    from trivium.wiring.accounts import caretaker

    acts = RecordSweeper(database, settings.audit.retention_days, name="acts", delete=delete_before)
    kept_days = settings.records.attribution_days
    said = RecordSweeper(database, kept_days, name="attributions", delete=delete_attributed)
    former = RecordSweeper(
        database, UNDO_DAYS, name="former_credentials", delete=forget_credentials
    )
    sums_days = settings.records.traffic_days
    sums = RecordSweeper(database, sums_days, name="traffic", delete=delete_traffic)
    return [
        former.run,
        RecordSweeper(database, settings.records.retention_days).run,
        ResponseSweeper(database, settings.responses).run,
        AnswerSweeper(database, settings.idempotency).run,
        caretaker(settings, database).run,
        acts.run,
        said.run,
        sums.run,
        TrafficFolder(database).run,
        RollupSweeper(database).run,
        CounterSweeper(database).run,
        OAuthSweeper(database).run,
    ]
