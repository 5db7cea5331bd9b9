"""Arguments between text and object, and the words of results."""

import pytest

from trivium.conversation.arguments import argument_object, compact, unwrapped_arguments


@pytest.mark.parametrize(
    ("arguments", "expected", "whole"),
    [
        ("", b"{}", True),
        (" \n", b"{}", True),
        ('{"b": 1, "a": 1.0}', b'{"b":1,"a":1.0}', True),
        ('{"a": "größe \\u00e4"}', '{"a":"größe \\u00e4"}'.encode(), True),
        ("[1]", b'{"_raw":"[1]"}', False),
        ('{"a":', b'{"_raw":"{\\"a\\":"}', False),
        (" null", b"{}", True),
        ("nul", b'{"_raw":"nul"}', False),
        ("[" * 5000, b'{"_raw":"' + b"[" * 5000 + b'"}', False),
    ],
)
def test_arguments_become_an_object(arguments, expected, whole):
    """Order and spelling of numbers stay; what is no object is kept word for word."""
    assert (expected, whole) == argument_object(arguments)


@pytest.mark.parametrize("arguments", ["[1]", '{"a":', "free text", '"_raw"'])
def test_wrapped_arguments_come_out_as_they_went_in(arguments):
    """The model sees its own broken JSON again."""
    assert arguments == unwrapped_arguments(argument_object(arguments)[0])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{ "b": 1, "a": 2 }', '{"b":1,"a":2}'),
        (b'{"_raw": 1}', '{"_raw":1}'),
        (b'{"_raw": "x", "a": 1}', '{"_raw":"x","a":1}'),
    ],
)
def test_objects_that_are_not_our_wrapping_stay(raw, expected):
    """A tool may well have a parameter of that name."""
    assert expected == unwrapped_arguments(raw)


def test_what_is_no_json_is_no_argument_object():
    """The reader of the shape says so to the caller."""
    with pytest.raises(ValueError, match="truncated"):
        compact(b'{"a":')


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (rb'{"a": "\u6674\ud83d\ude00 \u00e9"}', '{"a":"晴😀 é"}'),
        (rb'{"\u6674": 1.10, "b": 1e400, "c": -0.0}', '{"晴":1.10,"b":1e400,"c":-0.0}'),
        (rb'{"a": "\u0001\u0022\u005c\\u6674"}', r'{"a":"\u0001\"\\\\u6674"}'),
        (b'{"a": "' + b"\\u6674" * 3 + b'", "n": 1' + b"0" * 400 + b"}", '{"a":"晴晴晴","n":1' + "0" * 400 + "}"),
        (rb'{"a": "x", "n": [1, 2.50]}', '{"a":"x","n":[1,2.50]}'),
    ],
)  # fmt: skip
def test_letters_that_were_written_as_numbers_are_letters(raw, expected):
    """As clients write them that send ASCII alone; numbers keep their spelling."""
    assert expected == compact(raw)
