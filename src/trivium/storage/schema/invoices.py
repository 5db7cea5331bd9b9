"""Invoices that were made out, and the numbers of their sellers."""

from sqlalchemy import Column, ForeignKey, Index, Text, UniqueConstraint, text

from trivium.storage.schema.core import BIG, table

invoice_sellers = table(
    "invoice_sellers",
    Column("seller", Text, primary_key=True),  # its name, as the settings have it
    Column("last_number", BIG, nullable=False),
)
"""Whoever takes a number holds the row until the invoice is written: there are no gaps."""

invoices = table(
    "invoices",
    Column("id", BIG, primary_key=True),
    Column("seller", Text, ForeignKey("invoice_sellers.seller"), nullable=False),
    Column("number", BIG, nullable=False),
    Column("name", Text, nullable=False),  # the number as it is printed
    Column("account_id", BIG, nullable=False),  # whose spending it is: a user or a team
    Column("since", BIG, nullable=False),  # UTC, days since the epoch, both included
    Column("until", BIG, nullable=False),
    Column("issued_at", BIG, nullable=False),
    Column("total_nanos", BIG, nullable=False),
    Column("document", Text, nullable=False),  # JSON: all that is printed
    Column("voided_at", BIG),  # null: in force; the only change a row takes, with the next
    Column("void_note", Text, nullable=False, server_default=text("''")),
    UniqueConstraint("seller", "number"),
    UniqueConstraint("name", "seller"),
    Index("ix_invoices_account_id_since", "account_id", "since"),
)
"""Rows stay as they are, for the books; the database itself refuses anything but voiding one."""
