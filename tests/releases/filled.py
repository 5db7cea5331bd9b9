"""Rows for every table of a released schema: what a gateway that has run for a while leaves behind.

Two of each, as the tables themselves say they are, so that a released schema is filled as it was:
the first has a value in every column, of the second only what must be there. What rows say of each
other (balances and entries, holds and jobs, codes and payments) adds up, so that `trivium ledger
verify` is content. A new column that the words below do not give a time, a number or a truth gets a
text; a table that they do not know is filled all the same.
"""

import hashlib
import time

from sqlalchemy import MetaData, inspect
from sqlalchemy.types import Boolean, Integer, LargeBinary

NOW = int(time.time())
LATER = NOW + 10 * 365 * 86_400
OF_THE_GATEWAY = {"alembic_version", "revision", "secret_mark", "catalogue_revision"}
"""Rows that are there as soon as there are tables, or a gateway has been there."""
USD = 1_000_000_000
BILL = (
    '{"model":"m","key":1,"prices":{"input":"1","output":"2"},'
    '"usage":{"fresh":900,"output":200,"estimated":false}}'
)
COST = 1_300_000
"""What the bill comes to in nano-dollars."""

WORDS = {
    "announcements.level": "info",
    "users.role": "user", "users.language": "de", "users.theme": "dark", "users.price_group": "",
    "users.email": ("first@example.org", "second@example.org"), "users.disabled": False,
    "keys.models": '["m"]', "keys.budgets": "[]", "keys.networks": '["127.0.0.0/8"]', "keys.disabled": False,
    "accounts.balance_nanos": (7 * USD - COST, 0), "accounts.used_nanos": (COST, 0),
    "accounts.leased_nanos": (3 * USD, 0), "accounts.overdraft_nanos": (USD, 0),
    "leases.amount_nanos": (2 * USD, 0), "holds.amount_nanos": (USD, 0),
    "leases.called": 0, "leases.answered": 0,
    "holds.request_id": ("request-1", "request-2"), "jobs.request_id": ("request-1", "request-2"),
    "holds.bill": '{"model":"m"}',
    "jobs.status": "in_progress", "jobs.kept": "", "jobs.assets": "{}", "jobs.operation": "videos",
    "jobs.claimed_until": 0, "jobs.seconds": 4, "jobs.size": "1280x720",
    "code_batches.amount_nanos": 5 * USD,
    "codes.redeemed_at": (NOW, None), "codes.user_id": (1, None), "codes.revoked_at": (None, NOW),
    "payments.provider": "stripe", "payments.session_id": ("session-1", None), "payments.currency": "usd",
    "payments.state": ("paid", "open"), "payments.amount_nanos": 3 * USD, "payments.refunded_nanos": (USD, 0),
    "stored_responses.status": "completed", "sessions.way": "password",
    "tickets.data": "{}", "tickets.purpose": "verify", "passkeys.transports": "[]",
    "oauth_apps.status": "approved", "oauth_apps.scopes": "profile", "oauth_grants.language": "en",
    "oauth_grants.revoked_at": (None, NOW),
    "admin_tokens.scopes": ("read money", "users"),
    "acts.kind": "login", "acts.detail": "{}",
    "teams.parent_id": (None, 1), "teams.models": '["m"]',
    "team_members.role": ("owner", "member"), "team_members.source": "manual",
    "budgets.scope": ("team:1", "team:2"), "budgets.period": ("month", "day"), "budgets.zone": "UTC",
    "budgets.amount_nanos": 100 * USD, "budgets.instead": "",
    "budget_counters.scope": ("team:1", "team:2"), "budget_counters.period": "total",
    "budget_counters.starts_at": 0, "budget_counters.leased_nanos": (1, 2),
    "kept_answers.state": "done",
    "keys.end_user_budgets": "[]", "holds.counters": "[]", "holds.who": "",
    "spend_days.day": NOW // 86_400, "spend_days.nanos": (COST, 0),
    "spend_rollups.shape": (2, 3), "spend_rollups.span": 1, "spend_rollups.day": NOW // 86_400,
    "spend_closed.day": (0, 1), "spend_late.day": NOW // 86_400,
    "spend_attributed.day": NOW // 86_400, "spend_attributed.nanos": (COST, 0),
    "catalogue_entries.kind": "group", "catalogue_entries.name": ("first", "second"),
    "catalogue_entries.document": '"0.8"', "catalogue_entries.marks": "[]",
    "catalogue_changes.undoes": (None, 1), "catalogue_changes.undone_by": (2, None),
    "catalogue_change_entries.kind": "group", "catalogue_change_entries.name": ("first", "second"),
    "catalogue_change_entries.before": '"0.8"', "catalogue_change_entries.before_marks": "[]",
    "catalogue_change_entries.after": '"0.9"', "catalogue_change_entries.after_marks": "[]",
    "price_proposals.state": ("open", "dismissed"), "price_proposals.open_for": ("first", None),
    "price_proposals.source": "bundled", "price_proposals.differences": "[]",
    "price_proposals.suggestion": '{"lists":[{"price":{"input":"1"}}]}', "price_proposals.by_hand": False,
    "price_lists.document": '{"at":1}',
    "attributions.tags": '["a"]', "attributions.last_day": NOW // 86_400, "records.tags": '["a"]',
    "traffic.span_s": 300, "traffic_keys.span_s": 300, "traffic.status": 2, "traffic.fault": ("", "rate_limited"),
    "records.failed": '[["c","timeout"]]',
}  # fmt: skip
"""What a column holds where chance would contradict another: one value, or one a row."""
ENTRIES = (
    {"kind": "redemption", "amount_nanos": 5 * USD, "request_id": "code:1", "detail": ""},
    {"kind": "top_up", "amount_nanos": 3 * USD, "request_id": "stripe:session-1", "detail": ""},
    {
        "kind": "refund",
        "amount_nanos": -USD,
        "request_id": "stripe:session-1:refund:1",
        "detail": "",
    },
    {"kind": "usage", "amount_nanos": -COST, "request_id": "request-0", "detail": BILL},
)
"""Of the first account; its balance is their sum."""
PAST = ("_at", "since")
FUTURE = ("expires_at", "forget_at", "look_at", "until_at", "until")


def value(table, column, number):
    """What the row with this number has there; numbers begin with one."""
    name = f"{table.name}.{column.name}"
    if name in WORDS:
        found = WORDS[name]
        return found[number - 1] if isinstance(found, tuple) else found
    if column.foreign_keys and not isinstance(column.type, LargeBinary):
        (key,) = column.foreign_keys
        if isinstance(key.column.type, Integer):
            return number
        return value(key.column.table, key.column, number)
    if column.nullable and number > 1:
        return None
    if isinstance(column.type, Boolean):
        return number == 1
    if isinstance(column.type, Integer):
        if column.name.endswith(FUTURE):
            return LATER
        if column.name.endswith(PAST):
            return NOW
        return NOW * 1000 if column.name.endswith("at_ms") else number
    if isinstance(column.type, LargeBinary):
        return hashlib.sha256(f"{name} {number}".encode()).digest()
    return f"{name} {number}"


def is_numbered(table, column):
    """Whether the database numbers rows by itself, in the order in which they come."""
    return (
        column.name == "id"
        and column.primary_key
        and len(table.primary_key.columns) == 1
        and isinstance(column.type, Integer)
        and not column.foreign_keys
    )


def tables(connection):
    """The tables that there are, parents before their children."""
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name not in OF_THE_GATEWAY]


def fill(connection):
    """Fill every table; the rows must not be there yet."""
    for table in tables(connection):
        numbered = {column.name for column in table.columns if is_numbered(table, column)}
        special = ENTRIES if table.name == "entries" else ({}, {})
        for number, more in enumerate(special, 1):
            row = {
                column.name: value(table, column, 1 if special is ENTRIES else number)
                for column in table.columns
                if column.name not in numbered
            }
            connection.execute(table.insert().values(**(row | more)))


def rows(connection):
    """Every row of every table by its key, as tuples of the columns that there are."""
    found = {}
    for table in tables(connection):
        keys = inspect(connection).get_pk_constraint(table.name)["constrained_columns"]
        found[table.name] = {
            tuple(row._mapping[key] for key in keys): dict(row._mapping)
            for row in connection.execute(table.select())
        }
    return found
