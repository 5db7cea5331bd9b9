"""A history is fitted the same whether its plain parts are looked at or passed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.opaque import SIGNATURE, THOUGHT_SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.target import target

HERE = StateOrigin("messages", "anthropic", "main")
OWN = Opaque(SIGNATURE, b"own", HERE)
FOREIGN = Opaque(THOUGHT_SIGNATURE, b"theirs", StateOrigin("generate", "google", "main"))
ASK = Turn(Role.USER, (Text("hello"),))


WORDS = st.builds(
    Text, st.sampled_from(["a", "", " "]), opaque=st.sampled_from([(), (OWN,), (FOREIGN,)])
)
SPOKEN = st.one_of(
    WORDS,
    st.builds(
        ToolCall,
        st.sampled_from(["c", "d", ""]),
        st.sampled_from(["f", "g"]),
        opaque=st.sampled_from([(), (OWN,), (FOREIGN,)]),
    ),
)
HEARD = st.one_of(
    WORDS,
    st.builds(
        ToolResult,
        st.sampled_from(["c", "d", "e", ""]),
        st.lists(WORDS, max_size=2).map(tuple),
        name=st.sampled_from(["", "f", "g"]),
        opaque=st.sampled_from([(), (FOREIGN,)]),
    ),
)
HISTORIES = st.lists(
    st.one_of(
        st.builds(Turn, st.just(Role.ASSISTANT), st.lists(SPOKEN, max_size=4).map(tuple)),
        st.builds(Turn, st.just(Role.USER), st.lists(HEARD, max_size=4).map(tuple)),
    ),
    max_size=4,
).map(lambda turns: (ASK, *turns, ASK))


@given(HISTORIES, st.booleans())
def test_a_plain_part_is_fitted_as_any_other(turns, blank):
    """What is passed over is what the long look leaves as it is."""
    goal = target(HERE, "main", blank_text=blank)
    said = Conversation(model="m", turns=turns, shape="chat")

    def found():
        report = Report("x")
        return fitted(said, goal, report), report.repairs

    short = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trivium.conversation.fit._is_plain_part", lambda part, target: False)
        assert found() == short
