"""Letters about budgets go to whoever answers for the team and wants them, on both engines."""

import asyncio

import msgspec
import pytest
from structlog.testing import capture_logs

from trivium.identity.accounts import store as logins
from trivium.identity.accounts.throttle_policy import KEY_LETTERS
from trivium.identity.service import Identity
from trivium.identity.teams.letters import BudgetLetters
from trivium.identity.teams.model import TeamRole, team_scope
from trivium.identity.teams.service import Teams
from trivium.mail.outbox import MailError, Outbox
from trivium.settings.budget import Budget, Period
from trivium.storage.errors import StorageDown

pytestmark = pytest.mark.asyncio
LINK = "https://gateway.example/account/profile"


class Post:
    """Letters as they are written."""

    def __init__(self):
        self.writers = []
        self.is_full = False

    def put(self, write):
        if not self.is_full:
            self.writers.append(write)
        return not self.is_full

    async def sent(self):
        written = [await write() for write in self.writers]
        self.writers = []
        return [letter for letter in written if letter is not None]


async def company(database, clock):
    """A team with people of every role, below an organisation with an owner."""
    identity, teams = Identity(database, clock), Teams(database, clock)
    acme = await teams.create("acme")
    lab = await teams.create("lab", acme.id)
    ids = {}
    for name in ("top", "owner", "manager", "member", "billing"):
        who = await identity.create_user(name, f"{name}@example.com")
        ids[name] = who.id
        async with database.write() as conn:
            await logins.verify_email(conn, who.id, who.email, 1)
        team, role = (acme, TeamRole.OWNER) if name == "top" else (lab, TeamRole(name))
        await teams.put_member(team.id, who.id, role)
    return teams, lab, ids


def budget(scope, amount=300):
    return Budget(amount_nanos=amount * 10**9, period=Period.MONTH, scope=scope)


async def test_owners_and_readers_of_bills_are_told(database, clock):
    """In their language, with the team and the budget; nobody else, and nobody who wants none."""
    _, lab, ids = await company(database, clock)
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    async with database.write() as conn:
        await logins.set_preferences(conn, ids["billing"], {"language": "zh-Hans"})
    await letters.tell(budget(team_scope(lab.id)), 80)
    sent = await post.sent()
    assert [
        ("owner@example.com", "A budget is nearly spent"),
        ("billing@example.com", "预算即将用完"),
    ] == [(letter.to, letter.subject) for letter in sent]
    assert all("acme/lab: 300.00 USD/month" in letter.text for letter in sent)
    assert all(LINK in letter.text for letter in sent)
    async with database.write() as conn:
        await logins.set_preferences(conn, ids["owner"], {"budget_letters": False})
    await letters.tell(budget(team_scope(lab.id)), 100)
    assert ["billing@example.com"] == [letter.to for letter in await post.sent()]


async def test_a_team_without_any_is_the_business_of_those_above(database, clock):
    """The nearest that has some; other scopes are nobody's."""
    teams, lab, ids = await company(database, clock)
    for name in ("owner", "billing"):
        await teams.remove_member(lab.id, ids[name])
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    await letters.tell(budget(team_scope(lab.id)), 100)
    assert [("top@example.com", "A budget is spent")] == [
        (letter.to, letter.subject) for letter in await post.sent()
    ]
    for scope in (f"member:{lab.id}:1", "key:3", "key:3/end_user:a", "team:x", "team:999"):
        await letters.tell(budget(scope), 100)
    assert [] == await post.sent()


async def test_a_window_fills_no_mailbox(database, clock):
    """However often it is spent and free again."""
    _, lab, _ = await company(database, clock)
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    for _ in range(30):
        await letters.tell(budget(team_scope(lab.id)), 80)
    assert 0 < len(await post.sent()) < 20


async def test_what_cannot_be_sent_is_said(database, clock):
    """A full queue, or a database that is away."""
    _, lab, _ = await company(database, clock)
    post = Post()
    post.is_full = True

    class Down:
        def read(self):
            raise StorageDown("away")

    with capture_logs() as lines:
        await BudgetLetters(database, clock, post, LINK).tell(budget(team_scope(lab.id)), 80)
        await BudgetLetters(Down(), clock, post, LINK).tell(budget(team_scope(lab.id)), 80)
    assert ["budget_letter_dropped"] * 2 + ["budget_letters_not_written"] == [
        line["event"] for line in lines
    ]


async def test_no_letter_reads_all_teams(database, clock, monkeypatch):
    """At a month's end each of ten thousand teams may have one."""
    teams, lab, _ = await company(database, clock)
    parent = await teams.create("deep", lab.id)

    async def never(conn):
        raise AssertionError

    monkeypatch.setattr("trivium.identity.teams.store.find_teams", never)
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    budget = Budget(amount_nanos=10**9, period=Period.DAY, scope=team_scope(parent.id))
    await letters.tell(budget, 80)
    assert ["billing@example.com", "owner@example.com"] == sorted(
        letter.to for letter in await post.sent()
    )
    await letters.tell(msgspec.structs.replace(budget, scope="team:404"), 80)
    await letters.tell(msgspec.structs.replace(budget, scope="all/tag:a"), 80)
    assert [] == await post.sent()


async def test_a_low_balance_is_told_to_whoever_it_is_of(database, clock):
    """A person with a confirmed address; of a team its owners; nobody who spends without one."""
    _, lab, ids = await company(database, clock)
    identity = Identity(database, clock)
    unread = await identity.create_user("unread", "unread@example.com")
    endless = await identity.create_user("endless", "endless@example.com", unlimited=True)
    async with database.write() as conn:
        await logins.verify_email(conn, endless.id, endless.email, 1)
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    await letters.tell_low(ids["member"])
    (letter,) = await post.sent()
    assert ("member@example.com", "Your balance is low") == (letter.to, letter.subject)
    assert "member" in letter.text
    assert LINK in letter.text
    await letters.tell_low(lab.id)
    assert ["owner@example.com", "billing@example.com"] == [each.to for each in await post.sent()]
    for nobody in (unread.id, endless.id, 999_999):
        await letters.tell_low(nobody)
    assert [] == await post.sent()


async def made(database, clock, owner, name="notebook", team=None):
    """A key and its budget."""
    key, _ = await Identity(database, clock).create_key(owner, name, team=team)
    return key, budget(f"key:{key.id}", 2)


async def test_the_budget_of_a_key_is_told_to_its_owner(database, clock):
    """In their language, with its name and last characters; also where it spends for a team, and
    nobody who wants none or whose address nobody confirmed.
    """
    _, lab, ids = await company(database, clock)
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    key, of_key = await made(database, clock, "member", team=lab.name)
    await letters.tell(of_key, 80)
    (letter,) = await post.sent()
    assert ("member@example.com", "The budget of a key is nearly spent") == (
        letter.to,
        letter.subject,
    )
    assert f"\n{key.name} (…{key.hint}): 2.00 USD/month\n" in letter.text
    assert LINK in letter.text
    async with database.write() as conn:
        await logins.set_preferences(conn, ids["member"], {"language": "zh-Hans"})
    await letters.tell(msgspec.structs.replace(of_key, amount_nanos=150_000), 100)
    (letter,) = await post.sent()
    assert "密钥预算已用完" == letter.subject
    assert "0.00015 USD/month" in letter.text
    async with database.write() as conn:
        await logins.set_preferences(conn, ids["member"], {"budget_letters": False})
    await Identity(database, clock).create_user("unread", "unread@example.com")
    _, of_unread = await made(database, clock, "unread")
    for nobodys in (of_key, of_unread):
        await letters.tell(nobodys, 100)
    assert [] == await post.sent()


async def test_the_key_of_a_service_account_is_the_business_of_its_team(database, clock):
    """Of those who are told of the team's budgets; a revoked key is nobody's."""
    teams, lab, _ = await company(database, clock)
    service = await teams.create_service(lab.id, "nightly")
    key, of_key = await made(database, clock, service.name, "batch")
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    await letters.tell(of_key, 100)
    sent = await post.sent()
    assert ["owner@example.com", "billing@example.com"] == [letter.to for letter in sent]
    assert all(f"acme/lab/nightly: batch (…{key.hint}): 2.00 USD" in each.text for each in sent)
    await Identity(database, clock).revoke_key(f"id:{key.id}")
    await letters.tell(of_key, 100)
    assert [] == await post.sent()


async def test_many_keys_fill_no_mailbox(database, clock):
    """However many somebody makes, and the log says what was held back."""
    await company(database, clock)
    post = Post()
    letters = BudgetLetters(database, clock, post, LINK)
    for number in range(KEY_LETTERS.free + 5):
        _, of_key = await made(database, clock, "member", f"k{number}")
        await letters.tell(of_key, 80)
    with capture_logs() as lines:
        assert KEY_LETTERS.free == len(await post.sent())
    assert ["budget_letter_held_back"] * 5 == [line["event"] for line in lines]


async def test_a_mail_server_that_is_away_is_asked_again(database, clock):
    """One letter comes once it is back."""
    await company(database, clock)
    _, of_key = await made(database, clock, "member")
    sent, tries = [], []

    async def send(letter):
        tries.append(letter)
        if len(tries) < 3:
            raise MailError("connection refused")
        sent.append(letter.to)

    post = Outbox(send, 10, pauses_s=(0.01, 0.01, 0.01))
    post.start()
    await BudgetLetters(database, clock, post, LINK).tell(of_key, 80)
    async with asyncio.timeout(10):
        await post.empty()
    await post.close()
    assert ["member@example.com"] == sent
    assert 3 == len(tries)
