"""Money is booked exactly, as entries."""

import pytest


@pytest.fixture(autouse=True)
def ada(migrated, trivium):
    """Whose balance it is."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0


def test_a_top_up_adds(trivium):
    """The new balance is shown."""
    trivium("credit", "ada", "10.00")
    done = trivium("credit", "ada", "0.01", "--note", "March")
    assert done.code == 0
    assert "booked 0.01 USD for ada, whose balance is 10.01 USD" in done.err


def test_money_taken_back_is_an_adjustment(trivium):
    """Only what comes in is a top-up."""
    assert trivium("credit", "ada", "5", "--json").data == {
        "user": "ada",
        "entry": 1,
        "kind": "top_up",
        "amount": "5.00",
        "balance": "5.00",
    }
    back = trivium("credit", "--json", "ada", "--", "-7.5").data
    assert ("adjustment", "-7.50", "-2.50") == (back["kind"], back["amount"], back["balance"])


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("0", "changes nothing"),
        ("1e3", "no amount"),
        ("0.0000000001", "no amount"),
        ("99999999999", "no amount"),
    ],
)
def test_what_is_no_amount_is_refused(trivium, amount, said):
    """Nothing is rounded and nothing is guessed."""
    done = trivium("credit", "ada", amount)
    assert done.code in (1, 2)
    assert said in done.err


def test_nobody_gets_nothing(trivium):
    """An unknown user is told."""
    assert "no user of the name" in trivium("credit", "bob", "1").err
