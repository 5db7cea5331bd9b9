"""Which channels may answer, and in what order."""

import random
from collections import Counter
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.opaque import StateOrigin
from trivium.routing.model import Model, Plan, Step, Strategy
from trivium.routing.policy import candidates, order, origin_of, plan, sticking
from trivium.wire.operation import TITLES, Operation


def _names(steps):
    return [step.binding.channel.name for step in steps]


def _plan(bindings, operation=Operation.CHAT, draw=lambda: 0.5):
    return plan(Model(name="m", bindings=tuple(bindings)), operation, draw)


@pytest.mark.parametrize(
    ("provider", "shape", "operation", "why"),
    [
        ("openai", None, Operation.CHAT, None),
        ("openai", "chat", Operation.CHAT, None),
        ("openai", "chat", Operation.EMBEDDINGS, None),
        ("both", None, Operation.MESSAGES, None),
        ("gemini", "generate", Operation.GENERATE_STREAM, None),
        ("gemini", "generate", Operation.GENERATE_EMBED, None),
        ("openai", None, Operation.MESSAGES_COUNT, "Openai does not serve message token counts"),
        ("openai", "chat", Operation.MODERATIONS, "Openai does not serve moderations"),
        ("anthropic", None, Operation.EMBEDDINGS, "Anthropic does not serve embeddings"),
    ],
)  # fmt: skip
def test_a_binding_serves_what_it_speaks_natively(bind, provider, shape, operation, why):
    """Everything else is passed over, with the reason."""
    binding = bind(provider=provider, shape=shape)

    found = _plan([binding], operation)

    if why is None:
        assert [(binding, operation)] == [(step.binding, step.operation) for step in found.steps]
        assert () == found.skipped
    else:
        assert () == found.steps
        assert [(binding, why)] == [(skip.binding, skip.why) for skip in found.skipped]


@pytest.mark.parametrize(
    ("provider", "shape", "operation", "upstream"),
    [
        ("both", "chat", Operation.MESSAGES, Operation.CHAT),
        ("both", "messages", Operation.CHAT, Operation.MESSAGES),
        ("anthropic", "messages", Operation.CHAT, Operation.MESSAGES),
        ("openai", "chat", Operation.RESPONSES, Operation.CHAT),
        ("anthropic", None, Operation.CHAT, Operation.MESSAGES),
        ("gemini", None, Operation.RESPONSES, Operation.GENERATE),
        ("openai", None, Operation.GENERATE_STREAM, Operation.CHAT),
        ("openai", None, Operation.COMPLETIONS, Operation.CHAT),
        ("both", "messages", Operation.COMPLETIONS, Operation.MESSAGES),
        ("gemini", None, Operation.COMPLETIONS, Operation.GENERATE),
        ("openai", "chat", Operation.GENERATE_EMBED, Operation.EMBEDDINGS),
        ("openai", None, Operation.GENERATE_EMBED_BATCH, Operation.EMBEDDINGS),
        ("google", None, Operation.EMBEDDINGS, Operation.GENERATE_EMBED_BATCH),
        ("anthropic", None, Operation.GENERATE_COUNT, Operation.MESSAGES_COUNT),
        ("anthropic", None, Operation.RESPONSES_COUNT, Operation.MESSAGES_COUNT),
        ("google", None, Operation.MESSAGES_COUNT, Operation.GENERATE_COUNT),
    ],
)
def test_an_operation_in_another_shape_is_translated(bind, provider, shape, operation, upstream):
    """To the shape the binding names, else the first that the provider has."""
    (step,) = _plan([bind(provider=provider, shape=shape)], operation).steps

    assert upstream is step.operation
    assert step.why.endswith(f"translated to {TITLES[upstream]}")


def test_who_needs_no_translation_comes_first_within_a_priority(bind):
    """Whatever the weights; a lower priority still comes before both."""
    bindings = [
        bind("t", "anthropic", weight=9),
        bind("n", "openai"),
        bind("first", "anthropic", priority=-1),
    ]

    assert ["first", "n", "t"] == _names(_plan(bindings).steps)


def test_lower_priorities_come_first_whatever_the_weights(bind):
    """In the file they may stand in any order."""
    bindings = [
        bind("c", priority=5, weight=100),
        bind("a", priority=-1),
        bind("x", "anthropic", priority=-9),
        bind("b", priority=0, weight=50),
    ]

    found = _plan(bindings, Operation.EMBEDDINGS)

    assert ["a", "b", "c"] == _names(found.steps)
    assert ["x"] == [skip.binding.channel.name for skip in found.skipped]


def test_every_step_says_why(bind):
    """In words for ``trivium explain``."""
    bindings = [bind("a", weight=3), bind("b"), bind("c", weight=0), bind("d", priority=2)]

    assert {
        "a": "priority 0, weight 3 of 4",
        "b": "priority 0, weight 1 of 4",
        "c": "priority 0, weight 0: last resort",
        "d": "priority 2, weight 1 of 1",
    } == {step.binding.channel.name: step.why for step in _plan(bindings).steps}


@pytest.mark.parametrize("draw", [0.0, 0.5, 1.0 - 2**-53])
def test_weight_zero_is_the_last_resort_of_its_priority(bind, draw):
    """Never drawn first, but before the next priority."""
    bindings = [
        bind("z1", weight=0),
        bind("z2", weight=0),
        bind("a"),
        bind("later", priority=1),
    ]

    assert ["a", "z1", "z2", "later"] == _names(_plan(bindings, draw=lambda: draw).steps)


def test_nothing_is_drawn_where_there_is_no_choice(bind):
    """The common request costs no random number."""

    def never():
        raise AssertionError

    bindings = [bind("a"), bind("z", weight=0), bind("b", priority=1), bind("x", "anthropic")]

    assert ["a", "z", "x", "b"] == _names(_plan(bindings, draw=never).steps)


def test_first_places_follow_the_weights(bind):
    """Over many draws, within four standard deviations."""
    draws, weights = 4_000, {"a": 6, "b": 3, "c": 1}
    bindings = [bind(name, weight=weight) for name, weight in weights.items()]
    draw = random.Random(7).random

    plans = [_names(_plan(bindings, draw=draw).steps) for _ in range(draws)]

    firsts = Counter(names[0] for names in plans)
    for name, weight in weights.items():
        share = weight / 10
        assert abs(firsts[name] - share * draws) < 4 * (share * (1 - share) * draws) ** 0.5
    # what is left after `a` is spread by the weights that are left: 3 to 1
    seconds = Counter(names[1] for names in plans if names[0] == "a")
    total = sum(seconds.values())
    assert abs(seconds["b"] - 0.75 * total) < 4 * (0.75 * 0.25 * total) ** 0.5


@given(data=st.data())
def test_a_plan_has_every_usable_binding_once_and_in_order(bind, data):
    """Whatever the draws."""
    made = data.draw(
        st.lists(
            st.tuples(
                st.integers(-2, 2), st.integers(0, 3), st.sampled_from(["openai", "anthropic"])
            ),
            max_size=7,
        )
    )
    bindings = [
        bind(f"c{i}", provider, priority=priority, weight=weight)
        for i, (priority, weight, provider) in enumerate(made)
    ]
    draw = data.draw(st.randoms(use_true_random=False)).random

    found = _plan(bindings, Operation.EMBEDDINGS, draw=draw)

    usable = {b.channel.name for b in bindings if b.channel.provider.name == "openai"}
    assert sorted(usable) == sorted(_names(found.steps))
    assert len(bindings) == len(found.steps) + len(found.skipped)
    ranks = [(step.binding.priority, step.binding.weight == 0) for step in found.steps]
    assert sorted(ranks) == ranks


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ((3, 1), {"01": 3 / 4, "10": 1 / 4}),
        (
            (2, 1, 1),
            {"012": 1 / 4, "021": 1 / 4, "102": 1 / 6, "120": 1 / 12, "201": 1 / 6, "210": 1 / 12},
        ),
    ],
)
def test_every_order_has_the_share_that_weights_give_it(bind, weights, shares):
    """Each place by weight among those that are left; draws run evenly through all orders."""
    bindings = tuple(bind(str(i), weight=weight) for i, weight in enumerate(weights))
    model = Model(name="m", bindings=bindings)
    found = candidates(model, Operation.CHAT)
    drawn = Counter(
        "".join(_names(order(found, lambda at=at: (at + 0.5) / 1200).steps)) for at in range(1200)
    )
    assert {names: pytest.approx(1200 * share, abs=1) for names, share in shares.items()} == drawn


def test_five_channels_are_drawn_one_by_one(bind):
    """There are too many orders to keep; none is lost."""
    bindings = tuple(bind(str(i)) for i in range(5))
    found = candidates(Model(name="m", bindings=bindings), Operation.CHAT)
    assert () == found.ready
    assert list("01234") == sorted(_names(order(found, random.Random(1).random).steps))


def test_every_operation_has_a_title():
    """A message never shows an internal name."""
    assert set(Operation) == set(TITLES)


def _step(bind, name, provider="openai", operation=Operation.CHAT):
    return Step(binding=bind(name, provider), operation=operation, why="w")


@pytest.mark.parametrize(
    ("maker", "expected"),
    [
        (StateOrigin("chat", "openai", "b"), ["b", "a", "c"]),
        (StateOrigin("chat", "openai", "a"), ["a", "b", "c"]),
        (StateOrigin("chat", "openai", "gone"), ["a", "b", "c"]),
        (StateOrigin("responses", "openai", "b"), ["a", "b", "c"]),
        (StateOrigin("chat", "anthropic", "b"), ["a", "b", "c"]),
    ],
    ids=["moved up", "first already", "not in the plan", "another shape", "another provider"],
)
def test_a_conversation_goes_first_to_whoever_made_its_state(bind, maker, expected):
    """Shape, provider and channel together; the others keep their order."""
    made = Plan(steps=tuple(_step(bind, name) for name in "abc"))
    assert expected == _names(sticking(made, maker).steps)


def test_every_step_of_the_maker_comes_first(bind):
    """A channel may serve a model under several of its own names."""
    made = Plan(steps=tuple(_step(bind, name) for name in "abab"))
    assert ["b", "b", "a", "a"] == _names(sticking(made, StateOrigin("chat", "openai", "b")).steps)


def test_the_plan_says_why_a_step_comes_first(bind):
    """For whoever asks where a request goes."""
    made = Plan(steps=tuple(_step(bind, name) for name in "ab"))
    found = sticking(made, origin_of(made.steps[1]))
    assert ["w, made this conversation's state", "w"] == [step.why for step in found.steps]


def _found(bindings, strategy=Strategy.WEIGHT):
    model = Model(name="m", bindings=tuple(bindings), strategy=strategy)
    return candidates(model, Operation.CHAT)


def _first(found, **more):
    return order(found, random.Random(7).random, **more).steps[0].binding.channel.name


def test_requests_of_one_cache_key_meet_at_one_channel(bind):
    """Whatever chance says; other keys are spread by weight all the same."""
    found = _found([bind("a", weight=3), bind("b"), bind("c", weight=0)])
    firsts = Counter(_first(found, key=b"key-%d" % n) for n in range(2000))
    assert all({_first(found, key=b"x")} == {_first(found, key=b"x")} for _ in range(9))
    assert 0.70 < firsts["a"] / 2000 < 0.80
    assert 0 == firsts["c"]


def test_a_channel_that_comes_takes_only_its_own_share_of_the_keys(bind):
    """Prompt caches of the others stay warm."""
    before, after = _found([bind("a"), bind("b")]), _found([bind("c"), bind("a"), bind("b")])
    keys = [b"key-%d" % n for n in range(1000)]
    moved = [
        _first(after, key=key) for key in keys if _first(before, key=key) != _first(after, key=key)
    ]
    assert {"c"} == set(moved)
    assert 250 < len(moved) < 420


def test_of_two_drawn_the_quicker_comes_first(bind):
    """The slowest of three comes first only when it is not drawn against another: never."""
    found = _found([bind("a"), bind("b"), bind("c")], Strategy.LATENCY)
    seconds = {"a": 3.0, "b": 1.0, "c": 2.0}
    draw = random.Random(7).random
    firsts = Counter(
        order(found, draw, expected=lambda step: seconds[step.binding.channel.name])
        .steps[0].binding.channel.name
        for _ in range(3000)
    )  # fmt: skip
    assert 0 == firsts["a"]
    assert 0.6 < firsts["b"] / 3000 < 0.73


def test_the_cheapest_comes_first_and_what_says_no_price_last(bind):
    """Within a priority; the same price is shared by weight."""
    priced = [
        msgspec.structs.replace(bind(name), cost=cost and Decimal(cost))
        for name, cost in (("a", "2"), ("b", "0.5"), ("c", None), ("d", "0.50"))
    ]
    found = _found(priced, Strategy.PRICE)
    draw = random.Random(7).random
    orders = {"".join(_names(order(found, draw).steps)) for _ in range(99)}
    assert {"bdac", "dbac"} == orders


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=6),
    st.sampled_from(Strategy), st.binary(max_size=9), st.randoms(),
)  # fmt: skip
def test_no_strategy_loses_or_adds_a_channel(bind, weights, strategy, key, chance):
    """Weight 0 stays last, whatever is preferred."""
    bindings = [bind(str(n), weight=weight) for n, weight in enumerate(weights)]
    found = order(
        _found(bindings, strategy), chance.random, key=key, expected=lambda _: chance.random()
    )
    tried = [int(name) for name in _names(found.steps)]
    assert sorted(tried) == list(range(len(weights)))
    assert [weights[n] > 0 for n in tried] == sorted((w > 0 for w in weights), reverse=True)
