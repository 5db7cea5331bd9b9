"""A body of words alone is told from one that has to be looked into."""

import pytest

from trivium.wire.operation import Shape
from trivium.wire.plain_body import is_plain

WORDS = {
    Shape.CHAT: b'{"model":"m","messages":[{"role":"user","content":"a type of \\"type\\""}],"max_tokens":5}',
    Shape.RESPONSES: b'{"model":"m","input":[{"role":"user","content":"hi"}],"store":false}',
    Shape.MESSAGES: b'{"model":"m","messages":[{"role":"user","content":"hi"}],"system":"be brief"}',
}
PARTS = [
    (Shape.CHAT, b'{"messages":[{"content":[{"type":"file","file":{"file_id":"f"}}]}]}'),
    (Shape.CHAT, b'{"messages":[{"role":"tool","tool_call_id":"call_tvm0","content":"4"}]}'),
    (Shape.CHAT, b'{"messages":[{"tool_calls":[{"id":"call_tvm0"}]}]}'),
    (Shape.CHAT, b'{"messages":[{"extra_content":{"google":{"thought_signature":"x"}}}]}'),
    (Shape.RESPONSES, b'{"input":[{"type":"reasoning","encrypted_content":"x"}]}'),
    (Shape.RESPONSES, b'{"prompt":{"id":"p"}}'),
    (Shape.RESPONSES, b'{"tools":[{"type":"code_interpreter","container":"c"}]}'),
    (Shape.MESSAGES, b'{"messages":[{"content":[{"type":"thinking","signature":"x"}]}]}'),
    (Shape.MESSAGES, b'{"container":"c"}'),
    (Shape.MESSAGES, rb'{"messages":[{"content":[{"t\u0079pe":"thinking","signature":"x"}]}]}'),
    (Shape.CHAT, rb'{"messages":[{"content":[{"t\u0079pe":"file","file":{"file_id":"f"}}]}]}'),
    (Shape.GENERATE, b'{"contents":[{"parts":[{"text":"hi"}]}]}'),
    (Shape.EMBEDDINGS, b'{"input":"hi"}'),
]


@pytest.mark.parametrize("shape", WORDS)
def test_words_alone_are_plain(shape):
    """Whatever the words say."""
    assert is_plain(WORDS[shape], shape)


@pytest.mark.parametrize(("shape", "body"), PARTS)
def test_what_may_carry_or_refer_is_not(shape, body):
    """Parts, calls, results and members of their own; shapes of which nothing is known."""
    assert not is_plain(body, shape)
