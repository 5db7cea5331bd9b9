"""Entries of the database beside those of the file: the same rules, the same words."""

import pytest

from trivium.settings.errors import Problem, SettingsError
from trivium.settings.load import load_with_source
from trivium.settings.stored import StoredEntry

FILE = """\
[routing]
repeats = 1
[groups]
students = "0.8"
[[channels]]
name = "main"
provider = "openai"
api_key = "sk"
[[models]]
name = "m"
free = true
bindings = [{ channel = "main" }]
"""


def entry(table, name, document, version=3, **more):
    return StoredEntry(table=table, name=name, version=version, document=document, **more)


def model(name="n", version=3, **members):
    bindings = [{"channel": "main"}]
    return entry(
        "models", name, {"name": name, "free": True, "bindings": bindings} | members, version
    )


@pytest.fixture
def load(tmp_path):
    """Settings of a file and entries; or the lines of what is wrong."""
    path = tmp_path / "t.toml"

    def loaded(*entries, text=FILE):
        path.write_text(text)
        try:
            return load_with_source(path, {}, stored=entries).settings
        except SettingsError as error:
            return [line.replace(f"{tmp_path}/", "") for line in error.lines]

    return loaded


def test_they_come_behind_those_of_the_file(load):
    """Lists in their order, groups and routing rules by their names."""
    found = load(
        model(),
        entry("channels", "other", {"name": "other", "provider": "openai", "api_key": "k"}),
        entry("groups", "staff", "1/2"),
        entry("routing", "routing", {"attempts_max": 2, "slow_s": 3.5}),
    )
    assert ["m", "n"] == [each.name for each in found.models]
    assert ["main", "other"] == [each.name for each in found.channels]
    assert {"students": "0.8", "staff": "1/2"} == found.groups
    assert (1, 2, 3.5) == (found.routing.repeats, found.routing.attempts_max, found.routing.slow_s)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (
            [model(price={"input": 1})],
            ('database, version 3: models["n"].price.input must be a decimal in quotes, not 1: a '
            'float cannot hold money. Example: price = { input = "1.25", output = "10" }'),
        ),
        (
            [model(wieght=1)],
            'database, version 3: models["n"].wieght is not a setting; there are ',
        ),
        (
            [model(bindings=[{"channel": "mian"}])],
            ('database, version 3: models["n"].bindings[0].channel names no channel: there is no '
            '"mian"; did you mean main. Example: channel = "main"'),
        ),
        (
            [model("m", version=0)],
            ('database: models["m"].name is taken: t.toml:9 has it; a name is in the file or in the '
            "database, not in both"),
        ),
        ([entry("groups", "students", "0.5")], "database, version 3: groups.students is taken: t.toml:4"),
        ([entry("routing", "routing", {"repeats": 2})], "database, version 3: routing.repeats is taken: t.toml:2"),
        (
            [entry("channels", "x", {"name": "x", "provider": "openai"},
                   problems=(Problem(("api_key",), "cannot be opened"),))],
            'database, version 3: channels["x"].api_key cannot be opened',
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_the_place(load, entries, said):
    """In one line, as of the file."""
    (line,) = load(*entries)
    assert line.startswith(said)


def test_the_file_is_told_first_and_has_to_be_right_alone(load):
    """It is read before the database: what only the database has would be missing at a start."""
    text = FILE.replace('channel = "main"', 'channel = "stored"')
    stored = entry("channels", "stored", {"name": "stored", "provider": "openai", "api_key": "k"})
    (line,) = load(stored, text=text)
    assert line.startswith('t.toml:12: models["m"].bindings[0].channel names no channel')


def test_a_variable_that_gives_a_routing_rule_is_named(tmp_path):
    """It is where the rule is already."""
    path = tmp_path / "t.toml"
    path.write_text(FILE)
    environ = {"TRIVIUM_ROUTING__SLOW_S": "5"}
    with pytest.raises(SettingsError, match="is taken: TRIVIUM_ROUTING__SLOW_S has it"):
        load_with_source(path, environ, stored=[entry("routing", "routing", {"slow_s": 2.0})])


def test_a_file_that_has_no_lists_is_told_as_such(load):
    """Not as a mistake of the database."""
    (line,) = load(model(), entry("groups", "a", "1"), text="models = 3\n")
    assert line.startswith("t.toml:1: models must be a list of tables")
