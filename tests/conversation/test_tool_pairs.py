"""Calls and results, paired: every call answered once, at once, in order, by ids all shapes take."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.parts import Image, Inline, Text
from trivium.conversation.tool_pairs import MISSING, minted, paired
from trivium.conversation.turns import joined
from trivium.faults import Fault

LIMIT = 40
ASK = Turn(Role.USER, (Text("hello"),))
SIZES = ToolCall("size-1", "size", "{}")
WEATHER = ToolCall("weather-1", "weather", "{}")
PICTURE = Image(Inline("image/png", "AAAA"))


def spoken(*parts):
    """An assistant turn."""
    return Turn(Role.ASSISTANT, parts)


def heard(*parts):
    """A user turn."""
    return Turn(Role.USER, parts)


def result(call_id, text="ok", **more):
    """A result of words."""
    return ToolResult(call_id, (Text(text),), **more)


def answer(call, text="ok", **more):
    """The result of a call as it stands in a paired history."""
    return result(call.id, text, name=call.name, **more)


def pair(*turns, limit=LIMIT):
    """A history paired, and the repairs it took."""
    report = Report("the target")
    return paired(turns, limit, report), [(one.what, one.where) for one in report.repairs]


def test_minted_ids_fit_every_shape_and_depend_on_the_seed_alone():
    """They are hashes: same seed, same id; other seed, other id."""
    assert re.fullmatch(r"call_[a-z2-7]{24}", minted("a"))
    assert minted("a") == minted("a")
    assert minted("a") != minted("b")
    assert len(minted("\ud800")) == 29


def test_a_whole_history_stays_and_nothing_is_reported():
    """Results in the order of the calls, right behind them, with fitting ids."""
    turns = (
        ASK,
        spoken(Text("so"), SIZES, WEATHER),
        heard(answer(SIZES), answer(WEATHER), Text("and now?")),
        spoken(Text("done")),
    )
    assert (turns, []) == pair(*turns)


def test_calls_at_the_end_of_a_history_wait_for_their_results():
    """They may still come: nothing is invented."""
    turns = (ASK, spoken(SIZES))
    assert (turns, []) == pair(*turns)


@pytest.mark.parametrize(
    ("given_turns", "expected", "repairs"),
    [
        pytest.param(
            (heard(answer(WEATHER), answer(SIZES)),),
            (heard(answer(SIZES), answer(WEATHER)),),
            [(Mend.RESULT_ORDER, "turns[1]")],
            id="results in another order than the calls",
        ),
        pytest.param(
            (heard(Text("first"), answer(SIZES), answer(WEATHER)),),
            (heard(answer(SIZES), answer(WEATHER), Text("first")),),
            [(Mend.RESULT_ORDER, "turns[1]")],
            id="words before the results",
        ),
        pytest.param(
            (Turn(Role.SYSTEM, (Text("rule"),)), heard(answer(SIZES), answer(WEATHER))),
            (heard(answer(SIZES), answer(WEATHER)), Turn(Role.SYSTEM, (Text("rule"),))),
            [(Mend.RESULT_ORDER, "turns[1]")],
            id="instructions between calls and results",
        ),
        pytest.param(
            (heard(answer(WEATHER), Text("go on")),),
            (heard(answer(SIZES, MISSING, error=True), answer(WEATHER), Text("go on")),),
            [(Mend.MISSING_RESULT, "size-1")],
            id="one result is missing",
        ),
        pytest.param(
            (Turn(Role.SYSTEM, (Text("rule"),)),),
            (
                heard(answer(SIZES, MISSING, error=True), answer(WEATHER, MISSING, error=True)),
                Turn(Role.SYSTEM, (Text("rule"),)),
            ),
            [(Mend.MISSING_RESULT, "size-1"), (Mend.MISSING_RESULT, "weather-1")],
            id="no user turn to put results in",
        ),
        pytest.param(
            (heard(answer(SIZES), answer(WEATHER), answer(SIZES, "again")),),
            (
                heard(
                    answer(SIZES),
                    answer(WEATHER),
                    Text("[Result of a tool call that is not in this history: size]"),
                    Text("again"),
                ),
            ),
            [(Mend.ORPHAN_RESULT, "size-1")],
            id="a second result of one call",
        ),
    ],
)
def test_what_follows_the_calls_is_put_in_order(given_turns, expected, repairs):
    """Results stand first behind their calls; what is missing gets a placeholder."""
    head = (spoken(SIZES, WEATHER),)
    assert (head + expected, repairs) == pair(*head, *given_turns)


def test_results_are_looked_for_in_their_own_round_only():
    """A late result answers nothing: moving it would rewrite what the model has read."""
    late = heard(result("size-1", "9 m", error=True), Text("sorry"))
    found, repairs = pair(spoken(SIZES), ASK, spoken(Text("hm")), late)
    assert (
        spoken(SIZES),
        heard(answer(SIZES, MISSING, error=True), Text("hello")),
        spoken(Text("hm")),
        heard(
            Text("[Error of a tool call that is not in this history: size-1]"),
            Text("9 m"),
            Text("sorry"),
        ),
    ) == found
    assert [(Mend.MISSING_RESULT, "size-1"), (Mend.ORPHAN_RESULT, "size-1")] == repairs


def test_an_orphan_keeps_its_media():
    """Pictures of a result nobody asked for are still shown."""
    found, _ = pair(heard(ToolResult("x", (PICTURE,))))
    assert PICTURE == found[0].parts[1]


@pytest.mark.parametrize("call_id", ["x" * 41, "with blank", "functions.get:0", "größe"])
def test_ids_that_do_not_fit_are_rewritten_on_both_sides(call_id):
    """One id for call and result, made of the old one."""
    found, repairs = pair(spoken(ToolCall(call_id, "size")), heard(result(call_id)))
    (call,), (answered,) = found[0].parts, found[1].parts
    assert call.id == answered.call_id == minted(f"{call_id}\0{0}")
    assert [(Mend.CALL_ID, call_id)] == repairs


def test_ids_used_again_become_unique_and_pair_with_their_own_round():
    """Servers that count calls anew in each answer do this."""
    again = msgspec.structs.replace(SIZES, arguments='{"n":2}')
    found, repairs = pair(
        spoken(SIZES), heard(result("size-1", "one")), spoken(again), heard(result("size-1", "two"))
    )
    first, second = found[0].parts[0], found[2].parts[0]
    assert "size-1" == first.id
    assert second.id not in ("", first.id)
    assert [first.id, second.id] == [found[1].parts[0].call_id, found[3].parts[0].call_id]
    assert ["one", "two"] == [found[at].parts[0].parts[0].text for at in (1, 3)]
    assert [(Mend.CALL_ID, "size-1")] == repairs


def test_ids_used_twice_in_one_round_pair_in_order():
    """The first result is the first call's."""
    found, _ = pair(spoken(SIZES, SIZES), heard(result("size-1", "a"), result("size-1", "b")))
    calls, answers = found[0].parts, found[1].parts
    assert 2 == len({call.id for call in calls})
    assert [call.id for call in calls] == [one.call_id for one in answers]
    assert ["a", "b"] == [one.parts[0].text for one in answers]


def test_calls_without_ids_get_them_and_pair_by_name_then_order():
    """Generate has no ids; that needs no mention."""
    calls = [ToolCall("", name) for name in ("size", "weather", "size")]
    results = [
        result("", text, name=name)
        for name, text in (("size", "1"), ("weather", "2"), ("size", "3"))
    ]
    found, repairs = pair(spoken(*calls), heard(*results))
    assert 3 == len({call.id for call in found[0].parts})
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", call.id) for call in found[0].parts)
    assert [call.id for call in found[0].parts] == [one.call_id for one in found[1].parts]
    assert ["1", "2", "3"] == [one.parts[0].text for one in found[1].parts]
    assert [] == repairs


def test_a_result_that_lost_its_id_pairs_by_name_and_an_exact_id_comes_first():
    """Some clients send generate's calls back with ids and their results without."""
    other = ToolCall("size-2", "size")
    found, repairs = pair(
        spoken(SIZES, other), heard(result("size-2", "b"), result("", "a", name="size"))
    )
    assert ["a", "b"] == [one.parts[0].text for one in found[1].parts]
    assert [(Mend.RESULT_ORDER, "turns[1]")] == repairs


def test_a_result_takes_kind_and_name_of_its_call():
    """Writers need them and not every shape repeats them."""
    custom = ToolCall("c", "patch", "*** text", kind=CallKind.CUSTOM)
    found, _ = pair(spoken(custom), heard(result("c")))
    assert ("patch", CallKind.CUSTOM) == (found[1].parts[0].name, found[1].parts[0].kind)


def test_assistant_turns_in_a_row_are_one_round():
    """Responses tells phases apart, so they stay turns of their own."""
    turns = (
        Turn(Role.ASSISTANT, (SIZES,), phase="commentary"),
        spoken(Text("waiting")),
        heard(answer(SIZES)),
    )
    assert (turns, []) == pair(*turns)


@pytest.mark.parametrize(
    "turns", [(spoken(SIZES), ASK), (heard(result("x")),)], ids=["missing", "orphan"]
)
def test_strict_mode_invents_nothing(turns):
    """Placeholders and results as text are words that nobody said."""
    with pytest.raises(Fault, match="strict mode"):
        paired(turns, LIMIT, Report("the target", strict=True))


IDS = st.sampled_from(["", "a", "b", "a b", "x" * 50])
NAMES = st.sampled_from(["size", "weather"])
CALLS = st.builds(ToolCall, IDS, NAMES)
RESULTS = st.builds(ToolResult, IDS, name=NAMES)
TEXTS = st.builds(Text, st.sampled_from(["one", "two"]))
TURNS = st.one_of(
    st.builds(spoken, CALLS),
    st.builds(spoken, CALLS, CALLS),
    st.builds(spoken, TEXTS),
    st.builds(heard, RESULTS),
    st.builds(heard, RESULTS, TEXTS, RESULTS),
    st.builds(heard, TEXTS),
    st.just(Turn(Role.SYSTEM, (Text("rule"),))),
)
HISTORIES = st.lists(TURNS, max_size=8).map(tuple).map(joined)


@given(HISTORIES)
def test_paired_histories_are_whole(turns):
    """Ids unique and fitting, results first behind their calls and in order, nothing lost twice."""
    found, _ = pair(*turns)
    seen = set()
    for at, turn in enumerate(found):
        calls = [part.id for part in turn.parts if type(part) is ToolCall]
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", one) for one in calls)
        assert not seen & set(calls)
        seen |= set(calls)
        if calls and at + 1 < len(found):
            answers = [one.call_id for one in found[at + 1].parts if type(one) is ToolResult]
            assert calls == answers
            assert all(type(one) is ToolResult for one in found[at + 1].parts[: len(calls)])
    assert (found, []) == pair(*found)


@given(HISTORIES, HISTORIES)
def test_a_history_that_grows_keeps_what_it_had(begun, more):
    """Caches and signatures depend on it: what was sent once is sent again unchanged."""
    begun = (*begun, ASK)
    grown = (*begun, spoken(Text("an answer")), *more)
    had, _ = pair(*joined(begun))
    has, _ = pair(*joined(grown))
    assert had == has[: len(had)]


@pytest.mark.parametrize("call_id", ["size-1", "abcdefgh", "abcdefghij", "abc_efghi", "äbcdefghi"])
def test_ids_of_exactly_so_many_characters(call_id):
    """Mistral takes nine letters and digits and nothing else; both sides are rewritten alike."""
    call = msgspec.structs.replace(SIZES, id=call_id)
    fits = msgspec.structs.replace(WEATHER, id="abcDEF123")
    report = Report("the target")
    turns = (ASK, spoken(call, fits), heard(answer(call), answer(fits)))
    _, said, told = paired(turns, 9, report, exact=True)
    first, second = [part.id for part in said.parts]
    assert re.fullmatch(r"[a-z2-7]{9}", first)
    assert "abcDEF123" == second
    assert [first, second] == [part.call_id for part in told.parts]
    assert [Mend.CALL_ID] == [one.what for one in report.repairs]
