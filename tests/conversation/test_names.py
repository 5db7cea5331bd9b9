"""Tool names within a target's limits."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.names import person, qualified, short


@pytest.mark.parametrize(
    ("name", "first", "pattern"),
    [
        ("get_size", False, "get_size"),
        ("get-size", True, "get-size"),
        ("_size", True, "_size"),
        ("1size", False, "1size"),
        ("1size", True, r"_1size_[0-9a-f]{8}"),
        ("get.size", False, r"get_size_[0-9a-f]{8}"),
        ("größe", False, r"gr__e_[0-9a-f]{8}"),
        ("ärger", True, r"_rger_[0-9a-f]{8}"),
        ("x" * 64, False, "x" * 64),
        ("x" * 65, False, r"x{55}_[0-9a-f]{8}"),
    ],
)
def test_a_name_changes_only_where_it_must(name, first, pattern):
    """Its beginning stays readable, a digest of the whole keeps it apart."""
    assert re.fullmatch(pattern, short(name, 64, first=first))


@given(st.text(min_size=1, max_size=80), st.sampled_from([40, 64, 128]), st.booleans())
def test_every_name_fits_and_stays_fitted(name, limit, first):
    """Fitting twice is fitting once."""
    found = short(name, limit, first=first)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", found)
    assert len(found) <= limit
    assert not (first and re.match(r"[0-9-]", found))
    assert found == short(found, limit, first=first)


@given(st.lists(st.text(alphabet="a.:-_1ß", min_size=1, max_size=5), unique=True, max_size=8))
def test_different_names_stay_different(names):
    """Also where they differ in refused characters only."""
    assert len(names) == len({short(name, 64) for name in names})


def test_a_namespace_becomes_part_of_the_name():
    """Only one shape has them."""
    assert "files__read" == qualified("read", "files")
    assert "read" == qualified("read", None)


def test_an_end_user_of_a_long_name_is_known_by_its_digest():
    """Two that begin alike stay two, and one stays one; what fits is sent as it is."""
    first, second = "user_" + "a" * 150 + "1", "user_" + "a" * 150 + "2"
    assert "u" * 64 == person("u" * 64)
    assert person(first) == person(first) != person(second)
    assert re.fullmatch("[0-9a-f]{64}", person(first))
