"""The one column type that differs between the engines."""

from typing import Final

import sqlalchemy as sa

BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""64 bits. SQLite numbers rows by itself only for a primary key that is declared INTEGER."""
