"""The upstream's half of the converse shape."""

from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.wire.converse.codec import UPSTREAM
from trivium.wire.operation import Shape


def test_a_whole_answer_and_its_stream_say_the_same(converse):
    """For every fixture that there is of both."""
    assert Shape.CONVERSE is UPSTREAM.shape
    both = ("cached", "reasoning", "redacted", "silent-reasoning", "stop-sequence", "guardrail")
    for name in (*both, "tools"):
        body = (converse.fixtures / "answers" / f"{name}.json").read_bytes()
        whole = converse.answer(body)
        streamed = assembled(converse.events(converse.recorded(name)))
        kinds = [type(part) for part in whole.candidates[0].parts]
        assert kinds == [type(part) for part in streamed.candidates[0].parts]
        assert (whole.usage, whole.candidates[0].finish) == (
            streamed.usage,
            streamed.candidates[0].finish,
        )
        assert whole == assembled(replayed(whole))
