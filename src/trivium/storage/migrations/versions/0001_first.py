"""The tables of version 0.1.0, where the steps begin.

There is nothing to run: ``storage/create.py`` makes the tables of an empty database, which
is then at the last step. ``tests/fixtures/storage`` has these tables as they were released, from
which the steps behind this one lead on.
"""

revision: str = "r0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Change nothing: whoever is at this step has these tables."""
