"""Channels as they stand, and a test of one, for administrators alone."""

from decimal import Decimal

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.clock import FixedClock
from trivium.console import channel_tests
from trivium.console.admin import channels
from trivium.console.gateway import ChannelTestError, ChannelTrial, GatewayState
from trivium.identity.model import UserRole
from trivium.observe.record import Record
from trivium.observe.recorder import Recorder
from trivium.observe.traffic.model import TrafficSums
from trivium.providers.registry import PROVIDERS
from trivium.routing import store
from trivium.routing.model import Binding, Channel, Model, TimeLimits
from trivium.routing.shared_breakers import accounts
from trivium.routing.store import Resting
from trivium.secret import Secret
from trivium.settings.model import RecordsSettings
from trivium.upstream.vendor_identity import VendorIdentity

LIMITS = TimeLimits(connect=1, first_byte=1, idle=1, total=1)


def channel(name, keys=1):
    return Channel(
        name=name,
        provider=PROVIDERS["openai"],
        base_url="https://vendor.example/v1",
        credentials=tuple(Secret(f"sk-{name}-{n}") for n in range(keys)),
        headers={},
        limits=LIMITS,
    )


MAIN, SPARE, IDLE = channel("main", 2), channel("spare"), channel("idle")
MODELS = (
    Model(
        name="wise",
        bindings=(
            Binding(channel=MAIN, model="wise-2", cost=Decimal("2.5")),
            Binding(channel=SPARE, model="wise"),
        ),
    ),
)


def resting(of, key, model="", **more):
    given = {"fault": "upstream_credential", "told": False, "openings": 3, "written_at": 0}
    given = {**given, "channel": of.name, "account": accounts(of)[key], "until_at": 0, **more}
    return Resting(model=model, **given)


class Trials:
    """Answers tests of channels, and remembers them."""

    def __init__(self):
        self.tested = []

    async def tried(self, name, _model):
        self.tested.append(name)
        if name == "idle":
            raise ChannelTestError("no model is bound to it")
        fault = {"fault": "upstream_credential", "message": "The key is wrong."}
        of = {"upstream_model": "wise-2", "total_ms": 40}
        return (
            ChannelTrial(key=1, status=200, first_byte_ms=30, fault="", message="", **of),
            ChannelTrial(key=2, status=401, first_byte_ms=31, **fault, **of),
        )


@pytest_asyncio.fixture
async def boss(database):
    """An administrator's browser over three channels."""
    channel_tests._tested_at.clear()
    clock, trials = FixedClock(), Trials()
    identity = VendorIdentity(
        channel="spare", source="", life_s=0, failures=2, why="no such file", is_missed=True
    )
    state = GatewayState(
        channels=lambda: (MAIN, SPARE, IDLE), identities=lambda: [identity], tried=trials.tried
    )
    console = console_over(database, clock, models=MODELS, gateway=state)
    async with visiting(database, console) as visitor:
        visitor.clock, visitor.trials = clock, trials
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        yield visitor


def tone(*rests, of=MAIN, models=MODELS, identities=()):
    [view] = channels.views([of], models, rests, identities, {})
    return view.tone


def test_how_a_channel_stands():
    """Well, partly resting, or with nothing left that could be asked."""
    assert "good" == tone()
    assert "good" == tone(resting(SPARE, 0))
    assert "warn" == tone(resting(MAIN, 0))
    assert "warn" == tone(resting(MAIN, 0, "wise-2"))
    assert "bad" == tone(resting(MAIN, 0), resting(MAIN, 1))
    assert "bad" == tone(resting(MAIN, 0), resting(MAIN, 1, "wise-2"))
    assert "warn" == tone(resting(IDLE, 0, "other"), of=IDLE)
    engine = Channel(
        name="local",
        provider=PROVIDERS["openai"],
        base_url="https://vendor.example/v1",
        credentials=(),
        headers={},
        limits=LIMITS,
    )
    model = Model(name="m", bindings=(Binding(channel=engine, model="m"),))
    assert "bad" == tone(resting(engine, 0, "m"), of=engine, models=(model,))


def test_a_rest_of_an_account_that_is_no_more_is_nobodys():
    """A key that was replaced."""
    [view] = channels.views([MAIN], MODELS, [resting(channel("main", 3), 2)], (), {})
    assert () == view.rests
    assert TrafficSums() == view.traffic


@pytest.mark.asyncio
async def test_channels_with_all_that_is_known(boss):
    """What rests and until when, how the last hour went, what they serve."""
    console, now = boss.console, boss.clock.now()
    async with console.database.write() as conn:
        await store.put(
            conn,
            [
                resting(MAIN, 1, until_at=int(now) + 90, told=True, written_at=int(now)),
                resting(SPARE, 0, "wise", fault="upstream_timeout", until_at=int(now) - 5),
            ],
        )
    recorder = Recorder(console.database, RecordsSettings())
    for number in range(4):
        fault = {"status": 502, "fault": "upstream_broke"} if number == 3 else {"status": 200}
        of = {"channel": "main", "model": "wise", "first_byte_ms": 90.0, **fault}
        recorder.add(Record(f"r{number}", now - 60, **of))
    assert await recorder.flush()
    answer = await boss.get("/admin/channels")
    said = Seen(answer.text).text
    for words in (
        "main partly resting",
        "vendor.example:443",
        "2 keys",
        "4 requests",
        "25% failed",
        "key 2",
        "upstream credential",
        "the vendor's word",
        "spare resting",
        "until a probe is answered",
        "no such file",
        "idle well",
        "wise-2",
        "costs $2.5 a million tokens",
        "none is bound to it",
    ):
        assert words in said, words
    assert "sk-main" not in answer.text


@pytest.mark.asyncio
async def test_a_channel_is_tested_now_and_then(boss):
    """With each key; another one at once, the same one not before ten seconds are over."""
    await boss.get("/admin/channels")
    words = Seen((await boss.post("/admin/channels", channel="main")).text).text
    assert "Test of main" in words
    assert "The key is wrong." in words
    assert 303 == (await boss.post("/admin/channels", channel="main")).status_code
    assert "tested a moment ago" in (await boss.get("/admin/channels")).text
    answer = await boss.post("/admin/channels", channel="idle")
    assert (422, True) == (answer.status_code, "no model is bound to it" in answer.text)
    boss.clock.advance(channel_tests.TEST_EVERY_S)
    assert 200 == (await boss.post("/admin/channels", channel="main")).status_code
    assert 404 == (await boss.post("/admin/channels", channel="elsewhere")).status_code
    assert 404 == (await boss.post("/admin/channels")).status_code
    assert ["main", "idle", "main"] == boss.trials.tested


@pytest.mark.asyncio
async def test_a_gateway_without_channels(database, clock):
    """Says how to come by one."""
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        assert "No channels" in (await visitor.get("/admin/channels")).text


@pytest.mark.asyncio
async def test_only_administrators_see_and_test_channels(boss):
    """And only with a form of ours."""
    console = boss.console
    assert 403 == (await boss.post("/admin/channels", channel="main", csrf="x")).status_code
    async with visiting(console.database, console) as visitor:
        assert 303 == (await visitor.get("/admin/channels")).status_code
        await visitor.log_in(await user_of(console, "ada"))
        assert 403 == (await visitor.get("/admin/channels")).status_code
        await visitor.get("/account/keys/new")
        assert 403 == (await visitor.post("/admin/channels", channel="main")).status_code
    assert [] == boss.trials.tested


@pytest.mark.asyncio
async def test_all_channels_are_tested_on_one_page(boss):
    """Each with what came of it, or why it was not asked; one tested a moment ago is told."""
    await boss.get("/admin/channels")
    await boss.post("/admin/channels", channel="spare")
    answer = await boss.post("/admin/channels/test")
    page = Seen(answer.text)
    assert (200, True) == (answer.status_code, answer.text.rstrip().endswith("</html>"))
    for words in ("key 1 · wise-2 · answered", "The key is wrong.", "no model is bound to it",
                  "It was tested a moment ago.", "3 channels were tested."):  # fmt: skip
        assert words in page.text, words
    assert ("spare", {"main", "idle"}) == (boss.trials.tested[0], set(boss.trials.tested[1:]))
