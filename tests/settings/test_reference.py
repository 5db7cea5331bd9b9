"""The documentation of settings is the settings' own."""

import re
from pathlib import Path

import msgspec
import pytest

from trivium.settings import model
from trivium.settings.load import load
from trivium.settings.reference import BEGIN, END, meanings, reference, renew, renewed

PAGE = Path(__file__).parents[2] / "docs" / "operate" / "settings.md"


def _structs():
    found = [getattr(model, name) for name in dir(model)]
    return [
        kind
        for kind in found
        if isinstance(kind, type)
        and issubclass(kind, msgspec.Struct)
        and kind.__module__ == model.__name__
        and not kind.__name__.startswith("_")
    ]


def test_the_page_is_up_to_date():
    """``python -m trivium.settings.reference docs/operate/settings.md`` renews it."""
    text = PAGE.read_text("utf-8")

    assert renewed(text) == text


@pytest.mark.parametrize(
    "name",
    [
        f"{kind.__name__}.{field}"
        for kind in _structs()
        if kind.__name__ != "Settings"
        for field in kind.__struct_fields__
    ],
)
def test_every_setting_says_what_it_means(name):
    """A setting without a docstring would be an empty cell."""
    assert meanings().get(tuple(name.split(".")))


def test_every_table_is_listed():
    """A new section does not stay undocumented."""
    text = reference()

    for kind in _structs():
        if kind.__name__ != "Settings":
            for field in kind.__struct_fields__:
                assert f"| `{field}` |" in text


def test_a_page_is_rewritten_in_place(tmp_path):
    """Only what stands between the marks."""
    page = tmp_path / "settings.md"
    page.write_text(f"before {BEGIN} old {END} after")

    renew(page)

    assert f"before {reference()} after" == page.read_text()


def test_a_page_without_marks_is_refused():
    """Nothing is overwritten that was not made here."""
    with pytest.raises(ValueError, match="marks"):
        renewed("# A page\n")
    assert f"a{reference()}b" == renewed(f"a{BEGIN}old{END}b")


def test_the_example_on_the_page_can_be_loaded(tmp_path):
    """Readers start from it."""
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    path = tmp_path / "trivium.toml"
    path.write_text(example)

    assert ["gpt-5", "local-llama"] == [entry.name for entry in load(path, {}).models]
