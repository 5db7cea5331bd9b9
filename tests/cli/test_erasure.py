"""What is known of a person is printed, and erased."""

import msgspec
import pytest

pytestmark = pytest.mark.usefixtures("migrated")


@pytest.fixture(autouse=True)
def ada(migrated, trivium):
    """A user with a key and money."""
    trivium("user", "create", "ada", "--email", "ada@example.com", "--credit", "10.00")
    trivium("key", "create", "--user", "ada", "--name", "adas-laptop")


def test_an_export_is_lines_of_json(trivium):
    """The last has their number; no secret is in it."""
    done = trivium("user", "export", "ada")
    *rows, end = [msgspec.json.decode(line) for line in done.out.splitlines()]
    assert (0, {"rows": len(rows)}) == (done.code, end)
    by = {row["table"]: row for row in rows}
    assert {"users", "keys", "accounts", "entries", "acts"} <= set(by)
    assert ("ada@example.com", "adas-laptop") == (by["users"]["email"], by["keys"]["name"])
    assert not {"digest", "former_digest", "password_hash"} & {name for row in rows for name in row}


def test_an_export_goes_into_a_file_of_its_own(trivium, folder):
    """That only its owner reads, and never over another."""
    done = trivium("user", "export", "1", "--output", "ada.jsonl")
    assert (0, "") == (done.code, done.out)
    assert "of ada to ada.jsonl" in done.err
    assert 0o600 == (folder / "ada.jsonl").stat().st_mode & 0o777
    assert trivium("user", "export", "ada").out.count("\n") > 3
    again = trivium("user", "export", "ada", "--output", "ada.jsonl")
    assert (1, True) == (again.code, "cannot make ada.jsonl: File exists" in again.err)


def test_somebody_is_erased(trivium):
    """By --yes, where nobody can be asked; a repetition has nothing left to do."""
    asked = trivium("user", "erase", "ada")
    assert (2, True) == (asked.code, "use --yes" in asked.err)
    done = trivium("user", "erase", "ada", "--yes")
    assert 0 == done.code, done.err
    assert ["keys", "1"] in [line.split() for line in done.out.splitlines()]
    assert "erased ada (id 1): the account is erased:1 now" in done.err
    assert {"id": 1, "name": "erased:1", "rows": {}} == trivium(
        "user", "erase", "id:1", "--yes", "--json"
    ).data
    assert [] == trivium("user", "list", "--json").data
    out = trivium("user", "export", "1").out
    assert '"amount_nanos":10000000000' in out
    assert "ada" not in out
    assert 1 == trivium("user", "enable", "erased:1").code
    assert "user_erased" in trivium("audit", "list").out
    assert 0 == trivium("ledger", "verify").code


def test_the_last_administrator_stays(trivium):
    """And is told why."""
    trivium("user", "create", "root", "--email", "root@example.com", "--admin")
    done = trivium("user", "erase", "root", "--yes")
    assert (1, True) == (done.code, "last administrator" in done.err)
    assert 1 == trivium("user", "erase", "nobody", "--yes").code
