"""llama.cpp's response objects, mended: what clients read is there, and a cut answer says so."""

from pathlib import Path

import msgspec
import pytest

from trivium.providers.repair.responses import answer, limit

LLAMACPP = Path(__file__).parents[2] / "fixtures" / "providers" / "llamacpp"


@pytest.mark.parametrize(
    ("name", "limit", "status"),
    [("responses", 6, "incomplete"), ("responses", None, "completed"),
     ("responses_tool", 40, "completed")],
)  # fmt: skip
def test_a_whole_answer_is_made_complete(name, limit, status):
    """The same members, the same honesty about being cut."""
    body = (LLAMACPP / f"{name}.json").read_bytes()
    before = msgspec.json.decode(body)
    after = msgspec.json.decode(answer(body, model="public", limit=limit, at=5))
    assert status == after["status"]
    assert status == after["output"][-1]["status"]
    assert before["id"] == after["id"]
    assert before["created_at"] == after["created_at"]
    assert before["completed_at"] == after["completed_at"]
    assert before["usage"]["output_tokens"] == after["usage"]["output_tokens"]
    assert after["error"] is None


@pytest.mark.parametrize("output", [None, "x", [7], [{"type": "message", "content": "x"}],
                                    [{"type": "message", "content": [7]}], [{"type": "other"}]])  # fmt: skip
@pytest.mark.parametrize("usage", [None, 7, {"output_tokens": None}, {"output_tokens": 9}])
def test_odd_answers_do_not_break_the_repair(output, usage):
    """An engine's next version may send what nobody foresaw."""
    body = msgspec.json.encode(
        {"object": "response", "status": "completed", "output": output, "usage": usage}
    )
    after = msgspec.json.decode(answer(body, model="m", limit=9, at=5))
    assert isinstance(after["output"], list)
    cut = usage == {"output_tokens": 9}
    assert after["status"] == ("incomplete" if cut else "completed")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"object":"list"}', b'{"error":{}}'])
def test_what_is_no_response_stays_as_it_is(body):
    """Errors inside a 200 are for the passage to read."""
    assert body is answer(body, model="m", limit=None, at=0)


@pytest.mark.parametrize(
    ("request_body", "expected"),
    [(b'{"max_output_tokens":16,"input":"x"}', 16), (b'{"max_output_tokens":null}', None),
     (b'{"input":"x"}', None)],
)  # fmt: skip
def test_the_limit_is_the_one_that_goes_upstream(request_body, expected):
    """A translated request may carry another one than its caller's."""
    assert expected == limit(request_body)
