"""A database of so many records for ``pages.py``: who asked, for what, how it went, what it cost, and
whatever else pages of administrators list.

Thirty days, of 5,000 users with two keys each, 100 teams in 10 organisations, 40 models and 8 channels;
3 in 100 requests failed.
"""

import datetime as dt

from sqlalchemy import text

from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.console.context import Console
from trivium.ledger.spending.rollups.sweep import RollupSweeper
from trivium.observe.traffic.model import BOUNDS_US, BUCKETS
from trivium.providers.registry import PROVIDERS
from trivium.routing.catalogue import build
from trivium.routing.model import Catalogue
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
from trivium.storage.database import Database

DAYS = 30
CHANGES = 60
"""Of the catalogue: each is a transaction."""
USERS, KEYS, TEAMS, MODELS, CHANNELS = 5_000, 10_000, 100, 40, 8
TEAM = 10_000
"""The id before that of the first team, whose account is a row of ``users``."""
NUMBERS = {
    "sqlite": "(WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < {rows} - 1) "
    "SELECT i FROM s) AS numbers",
    "postgresql": "(SELECT i::bigint AS i FROM generate_series(0, {rows} - 1) AS i) AS numbers",
}
PEOPLE = """INSERT INTO users (id, name, email, role, disabled, unlimited, created_at, revision, kind)
SELECT 10 + i, 'user-' || i, 'user-' || i || '@example.com', 'user', {false}, {false}, 1, 0, 'person'
FROM {numbers}"""
OWNED = """INSERT INTO keys (id, user_id, digest, name, hint, models, created_at, revision, team_id)
SELECT 10 + i, 10 + i % {users}, {digest}, 'key-' || i, 'h' || i, '[]', 1, 0,
  CASE WHEN i % 2 = 0 THEN {team} + 1 + i % {teams} END FROM {numbers}"""
# primes, so that who asked, for what and how it went have nothing to do with each other
RECORDS = """INSERT INTO records (request_id, at_ms, key_id, user_id, operation, model, channel,
  upstream_model, status, fault, stream, attempts, first_byte_us, total_us, bytes_in, bytes_out,
  end_user, fresh, cache_read, cache_write_short, cache_write_long, output, reasoning, audio_input,
  audio_output, image_input, image_output, requests, estimated)
SELECT 'req_' || i, {since} + i * {step}, 10 + i * 7919 % {keys}, 10 + i * 7919 % {keys} % {users},
  'chat', 'model-' || (i * 7919 % {keys} + i % 2) % {models},
  'channel-' || ((i * 7919 % {keys} + i % 2) % {models} + i * 1299709 % 29 / 28) % {channels}, 'm',
  CASE i % 100 WHEN 17 THEN 429 WHEN 42 THEN 502 WHEN 77 THEN 499 ELSE 200 END,
  CASE i % 100 WHEN 17 THEN 'rate_limited' WHEN 42 THEN 'upstream_broke' WHEN 77 THEN 'caller_left'
    ELSE '' END,
  {false}, 1, 20000 + i * 15485863 % 3000000, 40000 + i * 32452843 % 9000000, 1000, 1000, '', 900, 0,
  0, 0, 100, 0, 0, 0, 0, 0, 1, {false} FROM {numbers}"""
ENTRIES = """INSERT INTO entries (user_id, kind, amount_nanos, note, request_id, created_at, detail)
SELECT user_id, 'usage', -1000000, '', request_id, at_ms / 1000, '' FROM records WHERE status = 200"""
SPENT = """INSERT INTO spend_days (day, payer_id, team_id, user_id, key_id, model, channel, nanos,
  requests, input_tokens, output_tokens)
SELECT day, coalesce(team_id, made.user_id), coalesce(team_id, 0), made.user_id, key_id, model, channel,
  n * 1000000, n, n * 900, n * 100 FROM
  (SELECT at_ms / 86400000 AS day, user_id, key_id, model, channel, count(*) AS n FROM records
   WHERE status = 200 GROUP BY 1, 2, 3, 4, 5) AS made JOIN keys ON keys.id = key_id"""
# as folding makes them: days from the third hour on, and hours for two days besides
ASKED = """INSERT INTO traffic_keys (span_s, began_at, key_id, user_id, requests, failed)
SELECT {span_s}, at_s - at_s % {span_s}, key_id, user_id, count(*), sum(failed) FROM
  (SELECT key_id, user_id, at_ms / 1000 AS at_s,
    CASE WHEN fault NOT IN ('', 'caller_left') THEN 1 ELSE 0 END AS failed FROM records
   WHERE at_ms >= {since} * 1000 AND at_ms < {until} * 1000) AS made
GROUP BY 1, 2, 3, 4"""
SUMMED = """INSERT INTO traffic
SELECT span_s, at_s - at_s % span_s, model, channel, status / 100, fault, count(*), sum(attempts),
  sum(first_byte_us), sum(total_us), {buckets} FROM
  (SELECT records.*, at_ms / 1000 AS at_s, {span} AS span_s FROM records) AS made
GROUP BY 1, 2, 3, 4, 5, 6"""
# what lists have that are no requests
ACCOUNTS = """INSERT INTO accounts (user_id, balance_nanos, used_nanos)
SELECT 10 + i, 5000000000, 1000000 FROM {numbers}"""
TEAM_ACCOUNTS = """INSERT INTO users (id, name, email, role, disabled, unlimited, created_at, revision, kind)
SELECT {team} + 1 + i, CASE WHEN i < 10 THEN '' ELSE 'team-' || i % 10 || '/' END || 'team-' || i,
  NULL, 'user', {false}, {false}, 1, 0, 'team' FROM {numbers}"""
TEAM_ROWS = """INSERT INTO teams (id, parent_id, title, has_wallet, created_at)
SELECT {team} + 1 + i, CASE WHEN i >= 10 THEN {team} + 1 + i % 10 END, 'team-' || i, i < 10, 1
FROM {numbers}"""
MEMBERS = """INSERT INTO team_members (team_id, user_id, role, created_at)
SELECT {team} + 1 + i % {teams}, 10 + i, 'member', 1 FROM {numbers}"""
BUDGETS = """INSERT INTO budgets (scope, period, amount_nanos, since)
SELECT CASE WHEN i < {teams} THEN 'team:' || ({team} + 1 + i)
  ELSE 'member:' || ({team} + 1 + i % {teams}) || ':' || (10 + i) END, 'month', 90000000000, 1
FROM {numbers}"""
COUNTERS = """INSERT INTO budget_counters (scope, period, starts_at, spent_nanos)
SELECT scope, period, {month}, 30000000000 FROM budgets"""
TOKENS = """INSERT INTO admin_tokens (digest, name, hint, scopes, created_at, expires_at)
SELECT {digest}, 'token-' || i, 'h', 'read', 1, 9000000000 FROM {numbers}"""
DIRECTORIES = """INSERT INTO scim_tokens (directory_id, digest, hint, name, created_at, expires_at)
SELECT {team} + 1 + i % 10, {digest}, 'h', 'directory-' || i, 1, 9000000000 FROM {numbers}"""
SELLERS = """INSERT INTO invoice_sellers (seller, last_number) SELECT 'us', 5000 FROM {numbers}"""
INVOICES = """INSERT INTO invoices (seller, number, name, account_id, since, until, issued_at,
  total_nanos, document)
SELECT 'us', 1 + i, 'INV-' || i, {team} + 1 + i % 10, 1 + i, 30 + i, 1, 1000000000, '{{}}'
FROM {numbers}"""
NOTES = """INSERT INTO announcements (text, level, starts_at, ends_at, created_at)
SELECT 'The gateway was moved.', 'info', 1, 2 + i, 1 FROM {numbers}"""
BATCHES = """INSERT INTO code_batches (amount_nanos, note, created_at)
SELECT 1000000000, 'batch-' || i, 1 FROM {numbers}"""
CODES = """INSERT INTO codes (batch_id, digest, hint)
SELECT 1 + i % 500, {digest}, 'h' FROM {numbers}"""
PAID = """INSERT INTO payments (reference, user_id, provider, session_id, amount_nanos, currency, state,
  created_at)
SELECT 'ref-' || i, 10 + i % {users}, 'stripe', 'cs-' || i, 10000000000, 'usd', 'paid', 1 + i
FROM {numbers}"""
ACTS = """INSERT INTO acts (at_ms, actor_id, subject_id, kind, what, address, agent, detail)
SELECT i * 1000, NULL, 10 + i % {users}, CASE i % 3 WHEN 0 THEN 'login' WHEN 1 THEN 'key_created'
  ELSE 'login_failed' END, 'key:' || i, '203.0.113.7', 'Mozilla/5.0', '' FROM {numbers}"""
LISTS = (
    (TEAM_ACCOUNTS, TEAMS), (TEAM_ROWS, TEAMS), (ACCOUNTS, USERS), (MEMBERS, USERS),
    (BUDGETS, 1_000), (COUNTERS, 1), (TOKENS, 1_000), (DIRECTORIES, 90), (SELLERS, 1), (INVOICES, 5_000),
    (NOTES, 100), (BATCHES, 500), (CODES, 50_000), (PAID, 20_000), (ACTS, 200_000),
)  # fmt: skip
"""What is filled in besides, and how many rows of it."""
TABLES = (
    *(
        "records",
        "entries",
        "spend_days",
        "spend_rollups",
        "traffic",
        "traffic_keys",
        "users",
        "keys",
        "teams",
    ),
    *("accounts", "team_members", "budgets", "budget_counters", "invoices", "codes", "payments"),
    "acts",
)


def buckets() -> str:
    """The columns of both histograms."""
    edges = (0, *BOUNDS_US, 2**62)
    return ", ".join(
        f"sum(CASE WHEN {of} >= {edges[n]} AND {of} < {edges[n + 1]} THEN 1 ELSE 0 END)"
        for of in ("first_byte_us", "total_us")
        for n in range(BUCKETS)
    )


def span(now: int, fine_s: int, hours_s: int) -> str:
    """How long the row is that a record of its age is in."""
    at = "at_ms / 1000"
    return (
        f"CASE WHEN {at} >= {(now - fine_s) // 3600 * 3600} THEN 300 "
        f"WHEN {at} >= {(now - hours_s) // 86400 * 86400} THEN 3600 ELSE 86400 END"
    )


def asked_spans(now: int) -> tuple[tuple[int, int, int], ...]:
    """Rows by key: how long each is, and of which records they are."""
    fine = (now - 2 * 3_600) // 3_600 * 3_600
    hours = (now - 2 * 86_400) // 86_400 * 86_400
    return (300, fine, 2**40), (3_600, hours, fine), (86_400, 0, fine)


async def never(_: float) -> None:
    """No pause."""


async def fill(database: Database, rows: int, now: int) -> None:
    """Fill an empty database with so many records and what is kept of them."""
    engine = "sqlite" if database.is_sqlite else "postgresql"
    false = "0" if database.is_sqlite else "false"
    digest = "CAST('d' || i AS BLOB)" if database.is_sqlite else "decode(md5('d' || i), 'hex')"
    month = int(
        dt.datetime.fromtimestamp(now, dt.UTC)
        .replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        .timestamp()
    )
    given = {"users": USERS, "keys": KEYS, "teams": TEAMS, "models": MODELS, "channels": CHANNELS}
    given |= {"team": TEAM, "false": false, "digest": digest, "month": month}

    def of(count: int) -> str:
        return NUMBERS[engine].format(rows=count)

    step = DAYS * 86_400_000 // rows
    since = now * 1000 - rows * step
    async with database.write(7_200.0) as conn:
        for statement in (
            PEOPLE.format(numbers=of(USERS), **given),
            *(statement.format(numbers=of(count), **given) for statement, count in LISTS[:2]),
            OWNED.format(numbers=of(KEYS), **given),
            RECORDS.format(since=since, step=step, numbers=of(rows), **given),
            ENTRIES,
            SPENT,
            *(
                ASKED.format(span_s=span_s, since=first, until=end)
                for span_s, first, end in asked_spans(now)
            ),
            SUMMED.format(span=span(now, 26 * 3_600, 9 * 86_400), buckets=buckets()),
            *(statement.format(numbers=of(count), **given) for statement, count in LISTS[2:]),
        ):
            await conn.execute(text(statement))
    sweeper = RollupSweeper(database, sleep=never)
    while not await sweeper.round(now):
        pass
    async with database.write(7_200.0) as conn:
        for table in TABLES:
            await conn.execute(text(f"ANALYZE {table}"))


async def furnish(console: Console, author: int) -> None:
    """Give the catalogue its channels, models and groups, and a history of changes."""
    made = [("channel", f"channel-{n}", {"provider": "openai", "api_key": f"sk-{n}"})
            for n in range(CHANNELS)]  # fmt: skip
    for n in range(MODELS):
        bindings = [{"channel": f"channel-{n % CHANNELS}", "cost": "1.5"}]
        document = {"price": {"input": "1.25", "output": "10"}, "bindings": bindings}
        made.append(("model", f"model-{n}", document))
    made.append(("group", "partners", "0.8"))
    by = ChangeAuthor(user_id=author)
    edits = [EntryEdit(at=EntryName(kind, name), document=said) for kind, name, said in made]
    await console.catalogue.change(edits, by, together=True)
    for n in range(CHANGES):
        at = EntryName("group", "partners")
        await console.catalogue.change([EntryEdit(at=at, document=f"0.{n % 8 + 1}")], by, together=True,
            read_at=(await console.catalogue.everything())[0].value)  # fmt: skip


def served() -> Catalogue:
    """The same models and channels, as a worker serves them."""
    channels = tuple(
        ChannelEntry(name=f"channel-{n}", provider="openai", api_key=f"sk-{n}")
        for n in range(CHANNELS)
    )
    models = tuple(
        ModelEntry(
            name=f"model-{n}",
            price={"input": "1.25", "output": "10"},
            bindings=(BindingEntry(channel=f"channel-{n % CHANNELS}", cost="1.5"),),
        )
        for n in range(MODELS)
    )
    return build(Settings(channels=channels, models=models), PROVIDERS)
