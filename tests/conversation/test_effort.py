"""Steps of effort and budgets of thinking tokens, both ways."""

import pytest

from trivium.conversation.effort import (
    BUDGETS,
    UNSAID,
    budget_of,
    effort_alone,
    effort_of,
    inexact,
    nearest,
    room,
    wished,
)
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.request import Effort, ReasoningSettings, Thinking
from trivium.conversation.target import target


def facts(**more):
    """A target with bounds."""
    return target(StateOrigin("messages", "anthropic", "main"), "m", **more)


@pytest.mark.parametrize("step", BUDGETS)
def test_a_step_survives_the_way_to_a_budget_and_back(step):
    """The numbers are the same both ways."""
    assert step is effort_of(budget_of(ReasoningSettings(effort=step), facts()))


def test_steps_rise():
    """More effort never means fewer tokens."""
    assert list(BUDGETS.values()) == sorted(BUDGETS.values())
    assert [*BUDGETS] == [step for step in Effort if step is not Effort.NONE]


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (0, Effort.NONE),
        (-1, Effort.NONE),
        (1, Effort.MINIMAL),
        (1536, Effort.MINIMAL),
        (1537, Effort.LOW),
        (5120, Effort.LOW),
        (5121, Effort.MEDIUM),
        (10**6, Effort.MAX),
    ],
)
def test_a_budget_is_the_nearest_step(budget, expected):
    """The lower of two that are equally near."""
    assert expected is effort_of(budget)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, None),
        (ReasoningSettings(), None),
        (ReasoningSettings(switch=Thinking.ADAPTIVE), None),
        (ReasoningSettings(switch=Thinking.OFF, effort=Effort.HIGH), Effort.NONE),
        (ReasoningSettings(effort=Effort.LOW, budget=60000), Effort.LOW),
        (ReasoningSettings(switch=Thinking.ON, budget=9000), Effort.MEDIUM),
    ],
)
def test_what_a_wish_amounts_to(wanted, expected):
    """Off counts most, then the step, then the budget."""
    assert expected is wished(wanted)


@pytest.mark.parametrize(
    ("step", "known", "expected"),
    [
        (Effort.HIGH, (), None),
        (Effort.HIGH, (Effort.LOW, Effort.HIGH), Effort.HIGH),
        (Effort.MAX, (Effort.LOW, Effort.HIGH), Effort.HIGH),
        (Effort.MEDIUM, (Effort.LOW, Effort.HIGH), Effort.LOW),
        (Effort.NONE, (Effort.LOW, Effort.HIGH), Effort.LOW),
    ],
)
def test_the_nearest_step_a_model_knows(step, known, expected):
    """The lower of two that are equally near."""
    assert expected is nearest(step, known)


@pytest.mark.parametrize(
    ("wanted", "bounds", "expected"),
    [
        (ReasoningSettings(switch=Thinking.OFF, budget=5000), {}, 0),
        (ReasoningSettings(effort=Effort.NONE), {}, 0),
        (ReasoningSettings(switch=Thinking.ADAPTIVE), {}, UNSAID),
        (ReasoningSettings(budget=5000), {}, 5000),
        (ReasoningSettings(budget=100), {}, 1024),
        (ReasoningSettings(budget=100), {"budget_min": 0}, 100),
        (ReasoningSettings(effort=Effort.MAX), {"budget_max": 24576}, 24576),
    ],
)
def test_a_budget_stays_within_the_models_bounds(wanted, bounds, expected):
    """A wish below or above them means the bound."""
    assert expected == budget_of(wanted, facts(**bounds))


@pytest.mark.parametrize(
    ("budget", "output_max", "bounds", "expected"),
    [
        pytest.param(2048, 4096, {}, (2048, 4096), id="fits"),
        pytest.param(8192, 4096, {}, (2048, 4096), id="the caller's limit stands"),
        pytest.param(8192, 1500, {}, (1024, 1500), id="down to the least budget"),
        pytest.param(8192, 1024, {}, (0, 1024), id="no room: off"),
        pytest.param(2048, None, {}, (2048, 8192), id="below our default"),
        pytest.param(8192, None, {}, (8192, 16384), id="our default is raised"),
        pytest.param(
            32768, None, {"output_cap": 32000}, (16000, 32000), id="up to the model's own limit"
        ),
        pytest.param(8192, None, {"output_default": None}, (8192, None), id="no limit at all"),
    ],
)
def test_budget_and_limit_fit_together(budget, output_max, bounds, expected):
    """The budget is below the limit, or the vendor refuses both."""
    assert expected == room(budget, output_max, facts(**bounds))


@pytest.mark.parametrize(
    ("wanted", "changed"),
    [
        (None, False),
        (ReasoningSettings(effort=Effort.LOW), False),
        (ReasoningSettings(effort=Effort.LOW, budget=5), False),
        (ReasoningSettings(budget=8192), False),
        (ReasoningSettings(budget=8191), True),
        (ReasoningSettings(budget=0), False),
    ],
)
def test_a_step_that_is_not_the_budget_is_known_as_such(wanted, changed):
    """The nearest is sent, and told."""
    assert changed is inexact(wanted)


@pytest.mark.parametrize(
    ("members", "alone"),
    [
        ({"effort": Effort.HIGH}, True),
        ({"effort": Effort.HIGH, "shown": True}, False),
        ({"effort": Effort.HIGH, "switch": Thinking.ON}, False),
        ({"effort": Effort.HIGH, "style": "concise"}, False),
        ({"budget": 2048}, False),
        ({}, False),
    ],
)
def test_an_effort_alone(members, alone):
    """It stands in a member of its own in some shapes."""
    assert alone is effort_alone(ReasoningSettings(**members))
