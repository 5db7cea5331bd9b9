"""A month in the life of a gateway, for its pictures: users, requests, money, applications."""

import random
import time
from pathlib import Path
from secrets import token_bytes
from urllib.parse import parse_qs, urlsplit

import msgspec
from sample_videos import videos
from sqlalchemy import update

from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.identity.accounts import tickets
from trivium.identity.accounts.mfa import store as factors
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.accounts.passkeys.store import insert_passkey
from trivium.identity.accounts.service import Accounts
from trivium.identity.accounts.tickets import TicketPurpose, Tickets
from trivium.identity.model import Key, User, UserRole
from trivium.identity.scim.tokens import ScimTokens
from trivium.identity.service import Identity
from trivium.identity.teams.model import TeamRole, member_scope, tag_scope, team_scope
from trivium.identity.teams.service import Teams
from trivium.identity.user_keys import OwnKeys
from trivium.ledger import store as ledger
from trivium.ledger.budgets.store import locked
from trivium.ledger.entries import Entries
from trivium.ledger.model import NANOS, Entry, EntryKind
from trivium.ledger.payments import store as payments
from trivium.ledger.payments.model import CURRENCY, Payment, PaymentState
from trivium.ledger.verify import Detail, reckoned
from trivium.oauth.consent.model import AuthorizationRequest, Decision
from trivium.oauth.tokens.model import CodeGrant
from trivium.observe import store as records
from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import Audit
from trivium.observe.record import Record
from trivium.observe.traffic import store as traffic
from trivium.observe.traffic.model import TrafficBatch
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings as AccountSettings
from trivium.settings.budget import Budget, CounterId, Period, bounds
from trivium.settings.limits import RateLimits
from trivium.settings.model import Settings
from trivium.settings.section import OAuthSettings
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.root_key import RootKeys
from trivium.storage.schema.budgets import budget_counters
from trivium.storage.schema.oauth import oauth_apps
from trivium.storage.vault import Vault
from trivium.wiring.catalogue import parts_without_file
from trivium.wiring.console import oauth_of

PASSWORD = "a horse, a battery"  # noqa: S105 - of a database that is gone a minute later
CLIENT = "gwc_0123456789abcdefghijkl"
CALLBACK = "https://notes.example/callback"
PAID, WAITING = "tp_7Gq2mVx0cT9eLr4KsJ1wYb5u", "tp_h3NfZ8aPq6Dk0RtX2vMs9EoC"
"""References of payments."""
PROGRAMS = (
    ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "203.0.113.7", 8),
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
        "2001:db8::17",
        5,
    ),
)
"""Where else somebody is logged in: program, address, hours since."""
FAULTS = ((429, "upstream_rate_limited"), (502, "upstream_broke"), (502, "upstream_broke"))
MODELS = (("gpt-5", "1.25", "10"), ("claude-sonnet", "3", "15"), ("gemini-flash", "0.3", "2.5"))
DAY_S = 86_400


def sign_up_bytes(size: int) -> bytes:
    """Chance, for a link that paths can name beforehand."""
    return b"s" * size


def reset_bytes(size: int) -> bytes:
    """The same for another link."""
    return b"r" * size


def email_bytes(size: int) -> bytes:
    """And for a third."""
    return b"e" * size


SIGN_UP, RESET = tickets.issue(sign_up_bytes), tickets.issue(reset_bytes)
EMAIL = tickets.issue(email_bytes)
"""Tokens of the links in letters."""


async def sample(folder: Path) -> None:
    """A month in the life of a gateway, the same each time but for its end, which is now."""
    chance = random.Random(7)  # noqa: S311 - pictures are to look alike
    end = time.time()  # noqa: TID251 - pages say how long ago
    clock = FixedClock(end - 40 * DAY_S)
    database = Database(f"sqlite:///{folder}/trivium.db")
    await migrate.upgrade(database)
    identity, entries = Identity(database, clock), Entries(database, clock)
    accounts = Accounts(
        database,
        clock,
        AccountSettings(),
        origin="http://127.0.0.1",
        vault=Vault(Keyring(b"v" * 32)),
    )
    users = {}
    for name, role in (("ada", UserRole.USER), ("bob", UserRole.USER), ("eve", UserRole.ADMIN)):
        users[name] = await identity.create_user(name, f"{name}@example.com", role)
        await accounts.recovery.set_password(users[name], PASSWORD)
    for name in ("grace", "edsger", "barbara", "alan"):
        users[name] = await identity.create_user(name, f"{name}@example.com")
    for name in ("grace", "edsger", "barbara"):
        await accounts.recovery.set_password(users[name], PASSWORD)
    await identity.disable_user("alan")
    ada = users["ada"].id
    for agent, address, hours in PROGRAMS:
        clock.at = end - hours * 3600
        async with database.write() as conn:
            seen = Visitor(address=address, agent=agent)
            await accounts.sessions.begin(conn, ada, Way.PASSWORD, seen)
    await passkey(database, ada, int(end))
    clock.at = end - 40 * DAY_S
    accounts.close()
    await entries.book(ada, EntryKind.TOP_UP, 50 * NANOS, "Card", f"stripe:cs_{PAID}")
    month = Budget(amount_nanos=20 * NANOS, period=Period.MONTH)
    keys = [
        (await identity.create_key("ada", "Laptop", limits=RateLimits(requests=60)))[0],
        (await identity.create_key("ada", "Website", ("gpt-5", "gpt-5-*"), budgets=[month]))[0],
        (await identity.create_key("ada", "Coding agent", networks=["203.0.113.0/24"]))[0],
    ]
    old = (await identity.create_key("ada", "Old phone"))[0]
    await identity.revoke_key(f"id:{old.id}")
    await OwnKeys(database, clock).switch(ada, keys[2].id, paused=True)
    for kind, days, what in (
        (ActKind.LOGIN, 20, ""),
        (ActKind.KEY_CREATED, 19, f"key:{keys[0].id}"),
        (ActKind.LOGIN_FAILED, 3, ""),
        (ActKind.KEY_REVOKED, 2, f"key:{old.id}"),
    ):
        clock.at = end - days * DAY_S
        audit = Audit(database, clock)
        await audit.add(
            kind, actor=ada, subject=ada, what=what, address="203.0.113.7", agent="Mozilla/5.0"
        )
    times = sorted(end - 200 - chance.random() ** 1.4 * 16 * DAY_S for _ in range(420))
    for number, at in enumerate(times):
        await request(database, ada, keys, at, len(times) - number, chance)
    await catalogue(database, clock, users["eve"].id, end)
    clock.at = end - 6 * DAY_S
    await applications(database, clock, users["grace"].id, ada)
    clock.at = end - 2 * DAY_S
    await entries.book(ada, EntryKind.REDEMPTION, 10 * NANOS, note="…4KQX")
    await company(database, FixedClock(end - 30 * DAY_S), users, end)
    clock.at = end
    await links(database, clock, ada)
    await pay(database, ada, int(end))
    film = await identity.find_key("Evaluation")
    await entries.book(film.user_id, EntryKind.TOP_UP, 24 * NANOS // 10)
    await videos(database, film.user_id, film.id, end)
    async with database.write() as conn:
        await factors.begin(conn, users["barbara"].id, b"sealed", int(end))
        await factors.confirm(conn, users["barbara"].id, int(end))
    await database.close()


async def company(
    database: Database, clock: FixedClock, users: dict[str, User], end: float
) -> None:
    """An organisation with two teams, people in them, and what they have spent."""
    teams, identity = Teams(database, clock), Identity(database, clock)
    acme = await teams.create("acme", owner_id=users["ada"].id)
    research = await teams.create("research", acme.id)
    nightly = await teams.create_service(research.id, "nightly")
    await teams.create("support", acme.id)
    await teams.create_service(research.id, "evaluation")
    await ScimTokens(database, clock).create(acme.id, "okta", ("example.com",))
    for name, role in (
        ("grace", TeamRole.MANAGER),
        ("bob", TeamRole.MEMBER),
        ("barbara", TeamRole.BILLING),
        ("edsger", TeamRole.MEMBER),
    ):
        await teams.put_member(research.id, users[name].id, role)
    await Entries(database, clock).book(acme.id, EntryKind.TOP_UP, 500 * NANOS, note="Invoice 7")
    for scope, dollars, period, spent, more in (
        (team_scope(acme.id), 400, Period.MONTH, 141.2, {"zone": "Europe/Berlin"}),
        (team_scope(research.id), 150, Period.MONTH, 128.4, {"instead": "gpt-5-nano"}),
        (team_scope(research.id), 20, Period.FIVE_HOURS, 3.1, {}),
        (member_scope(research.id, users["bob"].id), 25, Period.WEEK, 25.3, {}),
        (member_scope(research.id, nightly.id), 5, Period.DAY, 1.7, {"soft": True}),
        (tag_scope(research.id, "paper"), 60, Period.TOTAL, 12.9, {}),
    ):
        budget = Budget(amount_nanos=dollars * NANOS, period=period, scope=scope, **more)
        await teams.set_budget(acme.id, budget)
        at, _ = bounds(period, end, budget.zone)
        async with database.write() as conn:
            (row,) = (await locked(conn, [CounterId(scope, period.value, at)])).values()
            change = update(budget_counters).where(budget_counters.c.id == row.id)
            await conn.execute(change.values(spent_nanos=int(spent * NANOS)))
    for who, name in (("bob", "Notebook"), ("grace", "Evaluation"), (nightly.name, "cron")):
        await identity.create_key(who, name, team="acme/research")


async def catalogue(database: Database, clock: FixedClock, editor: int, end: float) -> None:
    """A channel of the database with a model, and what was done to them."""
    service = parts_without_file(database, RootKeys(b"k" * 32)).service(clock)
    channel = {"provider": "vllm", "base_url": "http://10.0.0.5:8000/v1"}
    model = {"price": {"input": "0.10", "output": "0.40"}, "bindings": [{"channel": "rack-7"}]}
    dear = model | {"price": {"input": "0.12", "output": "0.50"}, "context_max": 131_072}
    at = EntryName("channel", "rack-7"), EntryName("model", "gpt-oss-120b")
    author = ChangeAuthor(user_id=editor, address="203.0.113.9")
    for days, reason, edits in (
        (5, "Our own machines", {at[0]: channel, at[1]: model}),
        (3, "", {EntryName("group", "partners"): "0.9"}),
        (2, "Electricity", {at[1]: dear}),
        (1, "So many fit", {at[0]: channel | {"requests_per_minute": 600}}),
    ):
        clock.at = end - days * DAY_S
        revision, _ = await service.everything()
        wanted = [EntryEdit(at=name, document=document) for name, document in edits.items()]
        await service.change(wanted, author, reason=reason, read_at=revision.value, together=True)


async def links(database: Database, clock: FixedClock, user: int) -> None:
    """What letters and invitations lead to."""
    for days, email, role in ((5, "linus@example.com", UserRole.USER), (1, None, UserRole.ADMIN)):
        then = FixedClock(clock.now() - days * DAY_S)
        async with database.write() as conn:
            await Tickets(then, token_bytes).issue(
                conn, TicketPurpose.INVITATION, email=email, data={"role": role.value}
            )
    async with database.write() as conn:
        await Tickets(clock, sign_up_bytes).issue(
            conn, TicketPurpose.SIGN_UP, email="ruth@example.com"
        )
        await Tickets(clock, reset_bytes).issue(
            conn, TicketPurpose.RESET, user_id=user, email="ada@example.com"
        )
        await Tickets(clock, email_bytes).issue(
            conn, TicketPurpose.CHANGE_EMAIL, user_id=user, email="lovelace@example.com"
        )


async def pay(database: Database, user: int, now: int) -> None:
    """The payment booked at first, and one that is begun."""
    then = now - 40 * DAY_S
    async with database.write() as conn:
        for reference, dollars, state, at, paid_at in (
            (PAID, 50, PaymentState.PAID, then, then + 41),
            (WAITING, 25, PaymentState.OPEN, now - 60, None),
        ):
            payment = Payment(
                id=0,
                reference=reference,
                user_id=user,
                app_id=None,
                provider="stripe",
                session_id=f"cs_{reference}",
                charge=None,
                amount_nanos=dollars * NANOS,
                currency=CURRENCY,
                state=state,
                refunded_nanos=0,
                disputed_at=None,
                created_at=at,
                paid_at=paid_at,
            )
            await payments.insert(conn, payment)


async def applications(database: Database, clock: FixedClock, owner: int, user: int) -> None:
    """Two applications, both let in, one to spend as well, and the tokens of their maker."""
    settings = Settings(oauth=OAuthSettings(spend=True))
    oauth = oauth_of(settings, database, clock, RootKeys(b"k" * 32))
    for name in ("Deployment", "Laptop"):
        await oauth.developer.create(owner, name)
    notes, _ = await oauth.apps.create(owner, "Notebook", "Notes that write themselves.", CALLBACK)
    galley, _ = await oauth.apps.create(
        owner, "Galley", "Proofs for books.", "https://galley.example/back"
    )
    await fixed_client(database, notes.client_id)
    notes = msgspec.structs.replace(notes, client_id=CLIENT)
    for app, scopes, cap_nanos in (
        (galley, {"profile", "balance", "spend"}, 10 * NANOS),
        (notes, {"profile"}, None),
    ):
        asked = AuthorizationRequest(
            app=app,
            redirect_uri=app.redirect_uri,
            scopes=frozenset(scopes),
            state=b"s",
            code_challenge=None,
            auto_authorize=False,
        )
        request_id = await oauth.consents.begin(asked)
        await oauth.consents.logged_in(request_id, user)
        where = await oauth.consents.approve(request_id, user, Decision.ASK, cap_nanos=cap_nanos)
        (code,) = parse_qs(urlsplit(where).query)["code"]
        grant = CodeGrant(code=code, redirect_uri=app.redirect_uri, verifier=None)
        issued = await oauth.tokens.exchange(app, grant)
        clock.advance(DAY_S // 30)
        await oauth.tokens.access(issued.access_token)


async def passkey(database: Database, user: int, now: int) -> None:
    """One that opens nothing: the pages show its name only."""
    values = {
        "user_id": user,
        "credential": b"c" * 32,
        "public_key": b"k",
        "handle": b"h" * 32,
        "sign_count": 0,
        "synced": True,
        "transports": "[]",
        "name": "Work laptop",
        "created_at": now - 30 * DAY_S,
        "used_at": now - 2 * DAY_S,
    }
    async with database.write() as conn:
        await insert_passkey(conn, values)


async def fixed_client(database: Database, client_id: str) -> None:
    """Give an application an id that paths can name beforehand."""
    change = update(oauth_apps).where(oauth_apps.c.client_id == client_id)
    async with database.write() as conn:
        await conn.execute(change.values(client_id=CLIENT))


async def request(
    database: Database, user: int, keys: list[Key], at: float, number: int, chance: random.Random
) -> None:
    """One request with its record and its entry."""
    model, low, high = chance.choice(MODELS)
    usage = Usage(
        fresh=chance.randint(300, 9_000),
        cache_read=chance.choice((0, 0, 12_000)),
        output=chance.randint(40, 2_500),
        reasoning=chance.choice((0, 800)),
    )
    failed = chance.random() < 0.04
    status, fault = chance.choice(FAULTS)
    name = f"req_sample_{number:04}"
    key = chance.choice(keys)
    took = chance.uniform(400, 9_000)
    record = Record(
        request_id=name,
        at=at,
        key_id=key.id,
        user_id=user,
        operation=chance.choice(("chat", "messages", "responses")),
        model=model,
        channel="main",
        upstream_model=model,
        status=status if failed else 200,
        fault=fault if failed else "",
        stream=chance.random() < 0.7,
        attempts=1,
        first_byte_ms=took / 5,
        total_ms=took,
        bytes_in=usage.fresh * 4,
        bytes_out=usage.output * 5,
        usage=None if failed else usage,
        dropped="logprobs, seed" if number == 3 else "",
    )
    detail = {
        "model": model,
        "prices": {"input": low, "cache_read": low, "output": high},
        "key": key.id,
        "channel": "main",
        "usage": usage,
    }
    raw = msgspec.json.encode(detail)
    cost = reckoned(msgspec.json.decode(raw, type=Detail)) or 0
    entry = Entry(
        id=0,
        user_id=user,
        kind=EntryKind.USAGE,
        amount_nanos=-cost,
        request_id=name,
        created_at=int(at),
        detail=raw.decode(),
    )
    async with database.write() as conn:
        row = records.row_of(record, int)
        await records.insert(conn, [row])
        sums = TrafficBatch(lambda _: True)
        sums.add([row], plain=records.PLAIN)
        await traffic.add(conn, sums)
        if not failed:
            await ledger.insert_entry(conn, entry)
            await ledger.add_to_account(conn, entry)
