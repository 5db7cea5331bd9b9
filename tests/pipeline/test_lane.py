"""The pass-through lane: what it sends, and what it makes of an answer."""

import pytest

from trivium.faults import Fault, Kind
from trivium.pipeline.lane import PassThrough
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Binding, Channel, Step, TimeLimits
from trivium.wire import peek
from trivium.wire.operation import Operation
from trivium.wire.registry import PASSAGES

LIMITS = TimeLimits(connect=1, first_byte=1, idle=1, total=1)
BODY = b'{"model":"m","messages":[{"role":"user","content":"\\u0048i"}],"stream":%s}'


def lane(*, provider="openai", model="m", stream=b"false", operation=Operation.CHAT):
    """A lane to one channel of this provider."""
    channel = Channel(
        name="c",
        provider=PROVIDERS[provider],
        base_url="http://127.0.0.1:1/v1",
        credentials=(),
        headers={},
        limits=LIMITS,
    )
    step = Step(binding=Binding(channel=channel, model=model), operation=operation, why="")
    body = BODY % stream
    members = peek.members(body)
    passage = PASSAGES[operation]
    return PassThrough(step, passage, members, passage.facts(members), body, 0.0)


def test_nothing_to_change_sends_the_very_same_bytes():
    """Not even parsed and written again."""
    assert BODY % b"false" == lane().body


def test_the_channels_own_name_is_all_that_changes():
    """The escape in the text stays as it was written."""
    assert (BODY % b"false").replace(b'"m"', b'"own"') == lane(model="own").body


def test_a_stream_asks_for_usage_only_where_the_provider_can_report_it():
    """Azure's row does not say that it can, so it is not asked."""
    assert b'"include_usage":true' in lane(stream=b"true").body
    assert b"include_usage" not in lane(stream=b"true", provider="cohere").body


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html>", Kind.UPSTREAM_BROKE),
        (b'{"error":{"message":"busy","code":"server_is_overloaded"}}', Kind.UPSTREAM_OVERLOADED),
    ],
)
def test_a_page_or_an_error_with_status_200_is_a_fault(body, kind):
    """It is neither relayed nor billed."""
    with pytest.raises(Fault) as caught:
        lane().whole(body)
    assert kind is caught.value.kind


def test_a_whole_answer_to_a_request_for_a_stream_is_a_fault():
    """The caller's client waits for events."""
    with pytest.raises(Fault) as caught:
        lane(stream=b"true").whole(b'{"id":"c","choices":[]}')
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_operation_that_never_streams_has_no_watch():
    """Embeddings, for one; a chat has a fresh one each time."""
    one = lane(stream=b"true")
    assert one.watch() is not one.watch()
    assert PASSAGES[Operation.EMBEDDINGS].watch is None
