"""Sums of what was spent: one row for what is told apart, and what callers said in one place."""

from trivium.storage.schema.spending import (
    attribution_tags,
    attributions,
    spend_attributed,
    spend_days,
)


def test_the_finer_sums_have_one_column_more():
    """Else the rest, which nobody said anything of, could not be reckoned."""
    main = [column.name for column in spend_days.primary_key]
    finer = [column.name for column in spend_attributed.primary_key]
    assert [*main, "attribution_id"] == finer
    assert "day" == main[0]


def test_a_name_stands_in_one_table():
    """So it can be forgotten: nothing else of these has a text that a caller said."""
    said = {"end_user", "session", "tags", "tag"}
    assert said - {"tag"} <= set(attributions.c.keys())
    assert said.isdisjoint(spend_days.c.keys())
    assert said.isdisjoint(spend_attributed.c.keys())
    assert {"attribution_id", "tag"} == set(attribution_tags.c.keys())
