"""The first line of a start tells of a Python that was built without optimisation."""

import sys
import sysconfig

import pytest

from trivium.cli.interpreter import SLOW, is_unoptimised, remark

OPTIMISED = "'--prefix=/opt/python' '--enable-optimizations' '--with-lto'"
PLAIN = "'--prefix=/opt/python' '--enable-shared'"


@pytest.mark.parametrize(
    ("arguments", "prefix", "expected"),
    [
        (PLAIN, "/opt/python", True),
        ("", "/opt/python", True),
        (OPTIMISED, "/opt/python", False),
        (PLAIN, "/usr", False),  # Debian's, which is optimised by a target of its Makefile
        (None, "/opt/python", False),  # nobody knows
    ],
)
def test_it_is_told_by_what_configure_was_given(arguments, prefix, expected):
    assert expected == is_unoptimised(arguments, prefix)


@pytest.mark.parametrize(
    ("arguments", "prefix", "expected"),
    [(PLAIN, "/opt/python", SLOW), (OPTIMISED, "/opt/python", ""), (PLAIN, "/usr", "")],
)
def test_the_line_says_it_or_nothing(monkeypatch, arguments, prefix, expected):
    monkeypatch.setattr(sys, "base_prefix", prefix)
    monkeypatch.setattr(sysconfig, "get_config_var", {"CONFIG_ARGS": arguments}.get)
    assert expected == remark()
