"""What callers may wish, and that a wish only moves and removes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.faults import Fault, Kind
from trivium.routing.choice import Wishes
from trivium.routing.model import Plan, Step
from trivium.routing.wishes import read, too_dear, wished
from trivium.wire.operation import Operation


@pytest.fixture(scope="module")
def plan(bind):
    """Channels a, b and c, in this order."""
    steps = [Step(binding=bind(n), operation=Operation.CHAT, why="priority 0") for n in "abc"]
    return Plan(steps=tuple(steps))


def names(found):
    return "".join(step.binding.channel.name for step in found.steps)


@pytest.mark.parametrize(
    ("headers", "member", "expected"),
    [
        ({}, None, Wishes()),
        ({}, b"{}", Wishes()),
        ({b"trivium-channel": b"a"}, None, Wishes(only=("a",))),
        ({b"trivium-only": b"a, b,"}, None, Wishes(only=("a", "b"))),
        ({b"trivium-order": b"b,a"}, None, Wishes(order=("b", "a"))),
        ({b"trivium-max-cost": b"0.05"}, None, Wishes(max_cost_nanos=50_000_000)),
        ({b"trivium-max-cost": b"0"}, None, Wishes(max_cost_nanos=0)),
        ({}, b'{"channel":"a"}', Wishes(only=("a",))),
        ({}, b'{"only":["a","b"],"order":["b"],"max_cost":"1"}',
         Wishes(only=("a", "b"), order=("b",), max_cost_nanos=1_000_000_000)),
        ({b"trivium-channel": b"c"}, b'{"channel":"a"}', Wishes(only=("c",))),
        ({b"trivium-order": b"c"}, b'{"order":["a"]}', Wishes(order=("c",))),
        ({b"trivium-max-cost": b"2"}, b'{"max_cost":"1"}', Wishes(max_cost_nanos=2_000_000_000)),
    ],
)  # fmt: skip
def test_wishes_are_read(headers, member, expected):
    """From headers, from the member, and from the header where both speak."""
    assert read(headers.get, member) == expected


@pytest.mark.parametrize(
    ("headers", "member", "param"),
    [
        ({b"trivium-max-cost": b"cheap"}, None, "trivium-max-cost"),
        ({b"trivium-max-cost": b"-1"}, None, "trivium-max-cost"),
        ({b"trivium-max-cost": b"NaN"}, None, "trivium-max-cost"),
        ({b"trivium-max-cost": b"1e99"}, None, "trivium-max-cost"),
        ({b"trivium-only": b"".join(b"c%d," % n for n in range(60))}, None, "trivium"),
        ({}, b"5", "trivium"),
        ({}, b'{"chanel":"a"}', "trivium"),
        ({}, b'{"order":"a"}', "trivium"),
        ({}, b'{"max_cost":1.5}', "trivium"),
    ],
)
def test_a_wish_that_cannot_be_read_is_refused_by_name(headers, member, param):
    """With what would be right."""
    with pytest.raises(Fault) as caught:
        read(headers.get, member)
    assert (caught.value.kind, caught.value.param) == (Kind.INVALID_VALUE, param)
    assert "Example: " in caught.value.message


@pytest.mark.parametrize(
    ("wishes", "expected"),
    [
        (Wishes(), "abc"),
        (Wishes(only=("b",)), "b"),
        (Wishes(only=("c", "a")), "ac"),
        (Wishes(order=("c",)), "cab"),
        (Wishes(order=("c", "b")), "cba"),
        (Wishes(order=("x", "b")), "bac"),
        (Wishes(order=("b", "c", "b")), "bca"),
        (Wishes(only=("a", "b"), order=("b",)), "ba"),
    ],
)
def test_a_plan_goes_by_the_wishes(plan, wishes, expected):
    """Order by ``order``, members by ``only``; the rest of it stays as it was."""
    assert names(wished(plan, wishes)) == expected


def test_what_was_not_asked_for_is_passed_over_with_the_reason(plan):
    """And what was is told as that."""
    found = wished(plan, Wishes(only=("b",), order=("b",)))
    assert {"not among the channels the caller asked for"} == {s.why for s in found.skipped}
    assert found.steps[0].why == "priority 0, asked for"


def test_channels_that_do_not_serve_the_request_are_refused(plan):
    """Naming them."""
    with pytest.raises(Fault) as caught:
        wished(plan, Wishes(only=("x", "y")))
    assert (caught.value.status, caught.value.param) == (400, "trivium-only")
    assert "x, y" in caught.value.message


NAMES = st.lists(st.sampled_from("abcxy"), max_size=5).map(tuple)


@given(only=NAMES, order=NAMES)
def test_a_wish_never_adds_a_channel_and_loses_none(plan, only, order):
    """Each is either tried once or passed over once."""
    try:
        found = wished(plan, Wishes(only=only, order=order))
    except Fault:
        found = None
    if found is None:
        assert not set(only) & set("abc")
        return
    passed = "".join(skip.binding.channel.name for skip in found.skipped)
    assert sorted(names(found) + passed) == ["a", "b", "c"]


@pytest.mark.parametrize(("most", "nanos", "refused"), [(None, 9, 0), (9, 9, 0), (9, 10, 1)])
def test_a_request_that_may_cost_too_much_is_refused(most, nanos, refused):
    """Before anything is held or called."""
    fault = too_dear(Wishes(max_cost_nanos=most), nanos)
    assert bool(fault) == bool(refused)
    assert fault is None or fault.param == "trivium-max-cost"
