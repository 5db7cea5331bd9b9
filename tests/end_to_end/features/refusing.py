"""What rules are said with: a broken one, members, addresses, calls and their results."""

import re

CALL_ID = re.compile(r"[A-Za-z0-9_-]+")
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


class Broken(Exception):
    """A rule is broken; says which."""


def must(holds, what):
    """Raise ``Broken`` unless it holds."""
    if not holds:
        raise Broken(what)


def only(row, where, *names):
    """No other members than these; null is absent."""
    said = {name for name, value in row.items() if value is not None}
    extra = sorted(said - {name.rstrip("*") for name in names})
    must(not extra, f"{where}: unknown members {extra}")
    lacking = [name for name in names if name.endswith("*") and name.rstrip("*") not in row]
    must(not lacking, f"{where}: lacks {lacking}")


def data_url(text, where):
    """A URL, or bytes that decode."""
    if text.startswith("data:"):
        head, _, data = text.partition(",")
        must(head.endswith(";base64") and BASE64.fullmatch(data), f"{where}: a broken data URL")
    else:
        must(text.startswith("https://"), f"{where}: no URL")


def answered(asked, given, where):
    """Every call has one result and every result its call."""
    must(sorted(asked) == sorted(given), f"{where}: calls {asked} have results {given}")
