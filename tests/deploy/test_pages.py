"""Pages show the files of deploy/ as they are."""

import pytest

from deploy.pages import ROOT, pages, shown, written


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_what_a_page_shows_is_what_there_is(page):
    """`scripts/deployment_pages.py` writes it anew."""
    text = page.read_text(encoding="utf-8")
    assert written(text) == text


def test_a_change_is_written_once():
    """In place of what stood there, however often."""
    stale = "<!-- values: deploy/chart/values.yaml -->\n\n| value |\n|---|\n| `gone` |\n\nMore.\n"
    fresh = written(stale)
    assert (False, True) == ("gone" in fresh, "| `replicas` | `2` | Pods." in fresh)
    assert fresh.endswith("|\n\nMore.\n")
    assert written(fresh) == fresh


def test_every_proxys_settings_are_on_a_page():
    """None lies about unread."""
    there = {f"deploy/proxies/{path.name}" for path in (ROOT / "deploy" / "proxies").iterdir()}
    assert 4 == len(there)
    assert there <= shown()
