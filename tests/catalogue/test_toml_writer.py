"""Entries as TOML: what is read again is what was written."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue.generated import Generator
from trivium.catalogue.model import EntryName
from trivium.catalogue.toml_writer import value, written

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_any_value_comes_back(said):
    """With its kind: 1 is neither 1.0 nor true."""
    again = tomllib.loads(f"x = {value(said)}")["x"]
    assert repr(again) == repr(said)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_any_document_comes_back(document):
    """Whatever its members are called, in whichever order TOML wants them."""
    model = {**document, "name": "m"}
    text = written([(EntryName("model", "m"), model), (EntryName("routing", "routing"), document)])
    assert {"models": [model], "routing": document} == tomllib.loads(text)


@pytest.mark.parametrize("seed", range(20))
def test_whole_catalogues_come_back(seed):
    """Each entry in its table."""
    documents = Generator(seed).catalogue()
    data = tomllib.loads(written(documents.items()))
    found = {EntryName("group", name): factor for name, factor in data.get("groups", {}).items()}
    for table, kind in (("channels", "channel"), ("models", "model")):
        found |= {EntryName(kind, each["name"]): each for each in data.get(table, ())}
    if "routing" in data:
        found[EntryName("routing", "routing")] = data["routing"]
    assert documents == found


def test_it_reads_like_a_settings_file():
    """Bindings are tables of their own; what says nothing is left out."""
    model = {
        "name": "m", "bindings": [{"channel": "a"}, {"channel": "b", "weight": 2}], "title": None,
        "price": {"input": "1", "a b": "2"}, "fallbacks": [],
    }  # fmt: skip
    assert """\
[groups]
staff = "0.8"

[[models]]
name = "m"
price = { input = "1", "a b" = "2" }
fallbacks = []
[[models.bindings]]
channel = "a"
[[models.bindings]]
channel = "b"
weight = 2
""" == written([(EntryName("model", "m"), model), (EntryName("group", "staff"), "0.8")])
    assert "" == written([])
