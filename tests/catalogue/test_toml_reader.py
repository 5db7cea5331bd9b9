"""Entries out of a file, and what is none."""

import time
import tomllib

import pytest

from catalogue.generated import Generator
from trivium.catalogue.model import EntryName, UnfitError
from trivium.catalogue.toml_reader import line_of, read
from trivium.catalogue.toml_writer import written
from trivium.settings.locate import lines
from trivium.settings.memory import ParsedFile

TEXT = """\
[routing]
repeats = 2
[groups]
staff = "0.8"
[[channels]]
name = "a"
[[models]]
name = "vendor/m"
[[models.bindings]]
channel = "a"
weight = 1
"""


def found(text):
    return read(ParsedFile(text, tomllib.loads(text), lines(text)), "c.toml")


def test_entries_have_their_kind():
    """And what they say, their own table alone."""
    assert {
        EntryName("channel", "a"): {"name": "a"},
        EntryName("model", "vendor/m"): {
            "name": "vendor/m", "bindings": [{"channel": "a", "weight": 1}]
        },
        EntryName("group", "staff"): "0.8",
        EntryName("routing", "routing"): {"repeats": 2},
    } == {each.at: each.document for each in found(TEXT).entries}  # fmt: skip
    assert () == found("").entries
    assert [{}] == [each.document for each in found("[routing]").entries]


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ('database: channels["a"].provider is missing', 'c.toml:5: channels["a"].provider is'),
        ('database: models["vendor/m"].bindings[0].weight must', "c.toml:11: models"),
        ('database: models["vendor/m"].bindings[0] is', "c.toml:9: models"),
        ("database: groups.staff must be", "c.toml:4: groups.staff"),
        ("database: routing.repeats must be", "c.toml:2: routing.repeats"),
        ('channels["a"]: proxy: cannot', 'c.toml:5: channels["a"]: proxy: cannot'),
        ('database: models["other"].name is', 'database: models["other"].name is'),
        ("t.toml:3: server.listen is", "t.toml:3: server.listen is"),
    ],
)
def test_problems_are_said_with_their_line(problem, said):
    """Of what the file has; others as they are."""
    assert found(TEXT).said(problem).startswith(said)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "[server]\nlisten = 1",
            "c.toml:1: server is no part of the catalogue: there are channels",
        ),
        ("channels = 5", "c.toml:1: channels must be a list of tables: [[channels]]"),
        ("models = [5]", "c.toml:1: models[0] must be a table, not 5"),
        ("groups = 5", "c.toml:1: groups must be a table, not 5"),
        ("routing = 5", "c.toml:1: routing must be a table, not 5"),
        ("[[channels]]", "c.toml:1: channels[0].name is missing"),
        ("[[channels]]\nname = 5", "c.toml:2: channels[0].name must be text"),
        (
            '[[models]]\nname = "m"\n[[models]]\nname = "m"',
            'c.toml:4: models[1].name is that of line 1, too: the text "m"',
        ),
        (
            '[[models]]\nname = "m"\nprice_changes = [{ since = 2027-01-01 }]',
            'c.toml:3: models[0].price_changes[0].since is a day or a time: put it in quotes, "2027',
        ),
        ("[groups]\na = 10:00:00", "c.toml:2: groups.a is a day or a time"),
        ("[routing]\nslow_s = inf", "c.toml:2: routing.slow_s must be a number, not inf"),
        ("[routing]\nslow_s = 9223372036854775808", "c.toml:2: routing.slow_s must be a smaller"),
    ],
)
def test_what_is_no_entry_is_told(text, why):
    """With its line, and what would be right."""
    with pytest.raises(UnfitError) as refused:
        found(text)
    assert [True] == [line.startswith(why) for line in refused.value.lines], refused.value.lines


def test_all_slips_are_told_at_once():
    """Not one after the other."""
    with pytest.raises(UnfitError) as refused:
        found("mail = 1\n[[channels]]\n[[models]]\n[groups]\na = 10:00:00")
    assert 4 == len(refused.value.lines)


def test_a_deep_value_takes_no_longer_than_a_wide_one():
    """Nothing of the file is walked by calling oneself."""
    took = []
    for text in ("x = " + "[" * 300 + "]" * 300, "x = [" + "[]," * 300 + "]"):
        began = time.perf_counter()
        found(f"[routing]\n{text}")
        took.append(time.perf_counter() - began)
    assert took[0] < 100 * took[1] + 0.1


def test_lines_of_what_has_none():
    """Those of what it is in."""
    assert (3, 0) == (line_of({("a",): 3}, ("a", "b", 0)), line_of({}, ("a",)))


@pytest.mark.parametrize("seed", range(5))
def test_what_was_written_is_read(seed):
    """In the order of kinds."""
    documents = Generator(seed).catalogue()
    assert documents == {
        each.at: each.document for each in found(written(documents.items())).entries
    }
