"""What a request refers to, put in its place."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.response_store import policy
from trivium.response_store.model import StoredResponse
from trivium.response_store.policy import recollect, told
from trivium.settings.model import ResponsesSettings
from trivium.wire import peek


def kept(name, *, channel="c", native=False, text="yes"):
    response = None
    if not native:
        item = {"type": "message", "id": f"msg_{name}", "status": "completed", "text": text}
        response = msgspec.json.encode({"id": name, "status": "completed", "output": [item]})
    return StoredResponse(
        user_id=3, id=name, key_id=7, model="m", channel=channel, status="completed",
        created_at=1, expires_at=2, response=response,
        input=() if native else (b'{"id":"in_%b","role":"user"}' % name.encode(),),
    )  # fmt: skip


class Memory:
    """Two responses of ours, two of upstreams."""

    limits = ResponsesSettings()

    def __init__(self):
        self.all = {
            "ours": kept("ours"),
            "other": kept("other"),
            "native": kept("native", native=True, channel="a"),
            "native_b": kept("native_b", native=True, channel="b"),
        }

    async def find(self, user_id, response_id):
        return self.all.get(response_id) if user_id == 3 else None

    async def homes(self, user_id, item_ids):
        return {"rs_native": "a"} if user_id == 3 and "rs_native" in item_ids else {}

    async def holder(self, user_id, item_id):
        return await self.find(user_id, item_id.removeprefix("msg_").removeprefix("in_"))


async def recalled(user=3, memory=None, **body):
    raw = msgspec.json.encode({"model": "m"} | body)
    return await recollect(memory or Memory(), user, peek.members(raw), raw)


def thought(name):
    return {"type": "reasoning", "id": f"rs_{name}", "summary": []}


def reference(name):
    return {"type": "item_reference", "id": f"msg_{name}"}


@pytest.mark.asyncio
@pytest.mark.parametrize("store", [None, True])
async def test_a_request_that_refers_to_nothing_is_left_alone(store):
    """The vendor's default is to keep the answer."""
    found = await recalled(input="Hi", store=store)
    assert (True, False, None) == (found.stored, found.spelled, found.channel)
    assert msgspec.json.encode({"model": "m", "input": "Hi", "store": store}) == found.body


@pytest.mark.asyncio
async def test_without_store_and_references_there_is_nothing_to_do():
    """Nothing is built for a request that wants none of this."""
    assert None is await recalled(input="Hi", store=False)


@pytest.mark.asyncio
async def test_the_history_comes_before_the_input():
    """What was given, what was answered, what is new; the reference itself is gone."""
    found = await recalled(input="Hi", previous_response_id="ours", instructions="New.")
    body = msgspec.json.decode(found.body)
    assert ["in_ours", "msg_ours", None] == [one.get("id") for one in body["input"]]
    assert (2, True, None) == (found.recalled, found.spelled, found.channel)
    assert body["store"] is False
    assert "New." == body["instructions"]
    assert "previous_response_id" not in body


@pytest.mark.asyncio
async def test_the_next_turn_may_have_no_input_of_its_own():
    """The history alone can be gone on from."""
    found = await recalled(previous_response_id="ours")
    assert 2 == len(msgspec.json.decode(found.body)["input"])


@pytest.mark.asyncio
async def test_a_reference_is_replaced_by_its_item_in_place():
    """Whether it was given or answered."""
    found = await recalled(
        input=[{"role": "user"}, reference("ours"), {"id": "in_other"}, {"role": "user"}]
    )
    items = msgspec.json.decode(found.body)["input"]
    assert [None, "msg_ours", "in_other", None] == [one.get("id") for one in items]
    assert found.spelled


@pytest.mark.asyncio
async def test_a_conversation_of_references_takes_one_look():
    """Its newest response has all items; what upstreams keep is asked for together."""
    memory = Memory()
    looks = []

    async def holder(user_id, item_id):
        looks.append(item_id)
        return await Memory.holder(memory, user_id, item_id)

    memory.holder = holder
    await recalled(memory=memory, input=[{"id": "in_ours"}, reference("ours")] * 3)
    assert ["msg_ours"] == looks


@pytest.mark.asyncio
async def test_a_small_request_does_not_become_a_huge_one():
    """An item that is named often counts as often."""
    memory = Memory()
    memory.limits = ResponsesSettings(response_bytes_max=300)
    await recalled(memory=memory, input=[reference("ours")])
    with pytest.raises(Fault) as caught:
        await recalled(memory=memory, input=[reference("ours")] * 10)
    assert (Kind.BODY_TOO_LARGE, 413) == (caught.value.kind, caught.value.status)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "body", "param"),
    [
        ("REFERENCES_MAX", [{"id": "in_ours"}] * 2, "input"),
        ("REFERENCES_MAX", [{"type": "reasoning", "id": "rs_1"}] * 2, "input"),
        ("LOOKUPS_MAX", [reference("ours"), reference("other")], "input[0].id"),
    ],
)
async def test_references_are_bounded(monkeypatch, name, body, param):
    """Each is a look into the database that this one request would wait for."""
    monkeypatch.setattr(policy, name, 1)
    with pytest.raises(Fault) as caught:
        await recalled(input=body)
    assert (400, param) == (caught.value.status, caught.value.param)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"input": "Hi", "previous_response_id": "native"}, "previous_response_id"),
        ({"input": [reference("native")]}, "input[0].id"),
        (
            {"input": [reference("native")], "previous_response_id": "native"},
            "previous_response_id",
        ),
    ],
)
async def test_what_an_upstream_keeps_ties_the_request_to_it(body, param):
    """The body stays byte for byte."""
    found = await recalled(**body)
    assert ("a", param, False) == (found.channel, found.param, found.spelled)
    assert msgspec.json.encode({"model": "m"} | body) == found.body


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body",
    [
        {"input": [reference("native"), reference("native_b")]},
        {"input": [reference("native")], "previous_response_id": "ours"},
        {"input": [reference("ours")], "previous_response_id": "native"},
    ],
)
async def test_a_history_in_two_places_is_refused(body):
    """No channel could see both halves."""
    with pytest.raises(Fault) as caught:
        await recalled(**body)
    assert Kind.UNREPRESENTABLE is caught.value.kind
    assert caught.value.param


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("user", "body", "param", "code"),
    [
        (3, {"previous_response_id": "none"}, "previous_response_id", "previous_response_not_found"),
        (4, {"previous_response_id": "ours"}, "previous_response_id", "previous_response_not_found"),
        (3, {"input": [reference("none")]}, "input[0].id", "not_found"),
        (4, {"input": [reference("ours")]}, "input[0].id", "not_found"),
        (4, {"input": [reference("native")]}, "input[0].id", "not_found"),
        (3, {"input": [{"id": "msg_missing_ours"}]}, "input[0].id", "not_found"),
    ],
)  # fmt: skip
async def test_what_is_not_this_users_is_unknown(user, body, param, code):
    """Without a word on whether anybody has it."""
    with pytest.raises(Fault) as caught:
        await recalled(user=user, **body)
    fault = caught.value
    assert (404, param, code) == (fault.status, fault.param, fault.code)


@pytest.mark.asyncio
async def test_an_operator_who_keeps_nothing_says_so_upstream():
    """A vendor would keep the answer unless told."""
    memory = Memory()
    memory.limits = ResponsesSettings(store=False)
    found = await recalled(memory=memory, input="Hi")
    assert found.stored is False
    assert msgspec.json.decode(found.body)["store"] is False


@pytest.mark.parametrize("stored", [True, False])
def test_what_is_echoed_says_whether_it_is_kept(stored):
    """Everything else is the caller's own."""
    said = told(peek.members(b'{"store":null,"user":"u"}'), stored=stored)
    assert {"store": stored, "user": "u"} == {
        name: msgspec.json.decode(raw) for name, raw in said.items()
    }


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"store": "yes"}, "store"),
        ({"previous_response_id": 7}, "previous_response_id"),
        ({"previous_response_id": "ours", "conversation": "c"}, "previous_response_id"),
    ],
)
async def test_a_wrong_member_is_named(body, param):
    """Before anything is looked up."""
    with pytest.raises(Fault) as caught:
        await recalled(input="Hi", **body)
    assert (400, param) == (caught.value.status, caught.value.param)


@pytest.mark.asyncio
@pytest.mark.parametrize("store", [True, False])
async def test_reasoning_named_by_its_id_is_looked_up(store):
    """Whether its answer is to be kept or not: which channel keeps it for this user, if any."""
    found = await recalled(input=[thought("native"), thought("else")], store=store)
    assert {"input[0].id": "a", "input[1].id": None} == found.thoughts
