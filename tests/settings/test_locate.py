"""Lines of settings, over every way TOML has of writing them."""

import tomllib
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.settings.locate import lines

TEXT = dedent(
    '''\
    # a comment with [brackets] and "quotes
    top = 1

    [server]  # listening
    listen = "127.0.0.1:8080"
    "quoted" = 'a # no comment'
    cors_origins = [
      "https://a.example",  # first
      "https://b.example",
    ]

    [[channels]]
    name = "one"
    timeouts.connect = 5
    [channels.timeouts2]
    idle = 7

    [[channels]]
    name = """
    two [[channels]]
    name = "no"
    """
    headers = { x-a = "1", "x b" = { c = 2 } }

    [[ models ]]
    [[models.bindings]]
    channel = "one"
    [[models.bindings]]
    channel = "two"
    [[models]]
    bindings = [{ channel = "one" },
      { channel = "two", weight = 0 }]
    when = 1979-05-27 07:32:00
    last = \'\'\'
    a = 1\'\'\'\'
    end = true
    '''
)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("server",), 4),
        (("server", "listen"), 5),
        (("server", "quoted"), 6),
        (("server", "cors_origins"), 7),
        (("server", "cors_origins", 0), 8),
        (("server", "cors_origins", 1), 9),
        (("channels", 0), 12),
        (("channels", 0, "name"), 13),
        (("channels", 0, "timeouts", "connect"), 14),
        (("channels", 0, "timeouts2"), 15),
        (("channels", 0, "timeouts2", "idle"), 16),
        (("channels", 1), 18),
        (("channels", 1, "name"), 19),
        (("channels", 1, "headers", "x-a"), 23),
        (("channels", 1, "headers", "x b", "c"), 23),
        (("models", 0), 25),
        (("models", 0, "bindings", 0, "channel"), 27),
        (("models", 0, "bindings", 1), 28),
        (("models", 0, "bindings", 1, "channel"), 29),
        (("models", 1), 30),
        (("models", 1, "bindings", 0, "channel"), 31),
        (("models", 1, "bindings", 1, "weight"), 32),
        (("models", 1, "when"), 33),
        (("models", 1, "last"), 34),
        (("models", 1, "end"), 36),
    ],
)
def test_every_setting_has_the_line_it_was_written_on(path, line):
    """Tables, lists of tables, dotted and quoted keys, inline tables and long strings."""
    tomllib.loads(TEXT)

    assert line == lines(TEXT)[path]


def test_text_inside_strings_and_comments_is_no_setting():
    """Brackets in a string do not begin a table."""
    assert 2 == len([path for path in lines(TEXT) if path[0] == "channels" and len(path) == 2])


_SCALAR = st.one_of(
    st.integers(0, 9).map(str),
    st.booleans().map(lambda flag: str(flag).lower()),
    st.text("ab#[]{}=,.'", max_size=6).map(lambda text: f'"{text}"'),
    st.text('ab#[]{}=,."', max_size=6).map(lambda text: f"'{text}'"),
    st.just('"""\n[x]\n"""'),
    st.just(r'"a\"b"'),
)
_VALUE = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=3).map(
        lambda items: "[" + ", # ]\n".join([*items, ""]) + "]"
    ),
    max_leaves=6,
)


@given(values=st.lists(_VALUE, min_size=1, max_size=8))
def test_a_key_is_found_whatever_stands_before_it(values):
    """No value, however it is written, makes the scanner lose count."""
    text = ""
    expected = {}
    for i, value in enumerate(values):
        expected[f"key{i}",] = text.count("\n") + 1
        text += f"key{i} = {value}\n"
    tomllib.loads(text)

    found = lines(text)

    assert expected == {path: line for path, line in found.items() if len(path) == 1}
