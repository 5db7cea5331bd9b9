"""Every table of the gateway is in one metadata."""

from trivium.storage.schema import metadata
from trivium.storage.schema.core import table


def test_a_table_is_one_of_the_gateways():
    """What makes the database finds it there, with its columns."""
    made = table("of_a_test")
    try:
        assert metadata.tables["of_a_test"] is made
    finally:
        metadata.remove(made)
