"""A whole completion for the caller."""

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Reasoning, Text, TokenLogprob
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext
from trivium.wire.completions.write_answer import write

ASKED = Conversation(shape="completions", model="m", turns=(Turn(Role.USER, (Text(text="Once"),)),))


def _written(answer, **members):
    context = WriteContext(
        request=ASKED,
        members={name: msgspec.Raw(raw) for name, raw in members.items()},
        id="7",
        created=5,
        model="m",
        request_id="req_7",
    )
    return msgspec.json.decode(write(answer, context))


def test_every_candidate_is_a_choice():
    """With its text, its reason, and the usage of all."""
    answer = Answer(
        candidates=(
            Candidate(
                parts=(Reasoning(text="hm"), Text(text=" upon"), Text(text=" a time")),
                finish=Finish(Unified.STOP),
            ),
            Candidate(parts=(), finish=Finish(Unified.LENGTH)),
        ),
        usage=Usage(fresh=3, output=4),
    )

    found = _written(answer)

    assert ("cmpl-7", "text_completion", 5, "m") == (
        found["id"], found["object"], found["created"], found["model"],
    )  # fmt: skip
    assert [
        {"text": " upon a time", "index": 0, "logprobs": None, "finish_reason": "stop"},
        {"text": "", "index": 1, "logprobs": None, "finish_reason": "length"},
    ] == found["choices"]
    assert (3, 4, 7) == tuple(
        found["usage"][name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )


def test_usage_that_nobody_reported_is_not_invented():
    """The member is left out."""
    assert "usage" not in _written(Answer(candidates=(Candidate(parts=()),)))


def test_an_echo_precedes_the_text():
    """Of every choice."""
    answer = Answer(candidates=(Candidate(parts=(Text(text=" upon"),)),) * 2)

    found = _written(answer, echo=b"true")

    assert ["Once upon"] * 2 == [choice["text"] for choice in found["choices"]]


def test_probabilities_come_in_the_shape_s_own_form():
    """Over all texts of the choice."""
    tokens = (TokenLogprob("a", -1.0), TokenLogprob("b", -2.0))
    parts = tuple(Text(text=one.token, logprobs=(one,)) for one in tokens)

    (choice,) = _written(Answer(candidates=(Candidate(parts=parts),)))["choices"]

    assert (["a", "b"], [0, 1]) == (
        choice["logprobs"]["tokens"], choice["logprobs"]["text_offset"],
    )  # fmt: skip
