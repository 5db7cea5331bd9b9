"""What callers may wish, and that a wish only moves and removes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.faults import Fault, Kind
from trivium.routing.candidates import RoutingPreferences
from trivium.routing.model import Plan, Step
from trivium.routing.routing_preferences import prefer, read, too_dear
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
        ({}, None, RoutingPreferences()),
        ({}, b"{}", RoutingPreferences()),
        ({b"trivium-channel": b"a"}, None, RoutingPreferences(only=("a",))),
        ({b"trivium-only": b"a, b,"}, None, RoutingPreferences(only=("a", "b"))),
        ({b"trivium-order": b"b,a"}, None, RoutingPreferences(order=("b", "a"))),
        ({b"trivium-max-cost": b"0.05"}, None, RoutingPreferences(max_cost_nanos=50_000_000)),
        ({b"trivium-max-cost": b"0"}, None, RoutingPreferences(max_cost_nanos=0)),
        ({}, b'{"channel":"a"}', RoutingPreferences(only=("a",))),
        ({}, b'{"only":["a","b"],"order":["b"],"max_cost":"1"}',
         RoutingPreferences(only=("a", "b"), order=("b",), max_cost_nanos=1_000_000_000)),
        ({b"trivium-channel": b"c"}, b'{"channel":"a"}', RoutingPreferences(only=("c",))),
        ({b"trivium-order": b"c"}, b'{"order":["a"]}', RoutingPreferences(order=("c",))),
        ({b"trivium-max-cost": b"2"}, b'{"max_cost":"1"}', RoutingPreferences(max_cost_nanos=2_000_000_000)),
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
        (RoutingPreferences(), "abc"),
        (RoutingPreferences(only=("b",)), "b"),
        (RoutingPreferences(only=("c", "a")), "ac"),
        (RoutingPreferences(order=("c",)), "cab"),
        (RoutingPreferences(order=("c", "b")), "cba"),
        (RoutingPreferences(order=("x", "b")), "bac"),
        (RoutingPreferences(order=("b", "c", "b")), "bca"),
        (RoutingPreferences(only=("a", "b"), order=("b",)), "ba"),
    ],
)
def test_a_plan_goes_by_the_wishes(plan, wishes, expected):
    """Order by ``order``, members by ``only``; the rest of it stays as it was."""
    assert names(prefer(plan, wishes)) == expected


def test_what_was_not_asked_for_is_passed_over_with_the_reason(plan):
    """And what was is told as that."""
    found = prefer(plan, RoutingPreferences(only=("b",), order=("b",)))
    assert {"not among the channels the caller asked for"} == {s.why for s in found.skipped}
    assert found.steps[0].why == "priority 0, asked for"


def test_channels_that_do_not_serve_the_request_are_refused(plan):
    """Naming them."""
    with pytest.raises(Fault) as caught:
        prefer(plan, RoutingPreferences(only=("x", "y")))
    assert (caught.value.status, caught.value.param) == (400, "trivium-only")
    assert "x, y" in caught.value.message


NAMES = st.lists(st.sampled_from("abcxy"), max_size=5).map(tuple)


@given(only=NAMES, order=NAMES)
def test_a_wish_never_adds_a_channel_and_loses_none(plan, only, order):
    """Each is either tried once or passed over once."""
    try:
        found = prefer(plan, RoutingPreferences(only=only, order=order))
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
    fault = too_dear(RoutingPreferences(max_cost_nanos=most), nanos)
    assert bool(fault) == bool(refused)
    assert fault is None or fault.param == "trivium-max-cost"
