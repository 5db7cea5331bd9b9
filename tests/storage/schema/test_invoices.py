"""Invoices: one number a seller, and all that is printed in the row."""

from sqlalchemy import UniqueConstraint

from trivium.storage.schema.invoices import invoices


def test_a_number_is_used_once():
    """Of each seller, as a number and as it is printed."""
    unique = {
        frozenset(column.name for column in each.columns)
        for each in invoices.constraints
        if isinstance(each, UniqueConstraint)
    }
    assert {frozenset({"seller", "number"}), frozenset({"seller", "name"})} == unique


def test_what_is_printed_refers_to_nothing():
    """Whoever is billed may be renamed or erased: there is no key to their row."""
    assert {"invoice_sellers"} == {key.column.table.name for key in invoices.foreign_keys}
    assert not invoices.c.document.nullable
