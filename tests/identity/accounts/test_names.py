"""Names and addresses that people choose look like what they are."""

import pytest

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.names import email, name, typed


@pytest.mark.parametrize("text", ["ada", " ada ", "ada.l", "a_b-c", "李四", "Ada99", "жанна"])
def test_names_of_any_script_are_names(text):
    """Letters, digits and a few signs inside."""
    assert text.strip() == name(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a" * 65,
        "ada lovelace",
        "ada@example.com",
        ".ada",
        "ada-",
        "a/b",
        "a\u202eb",
        "\u3164\u3164",
        "root\u1160",
        "ro\uffa0ot",
        "<b>",
        "Admin",
        "root",
        "a\nb",
    ],
)
def test_other_texts_are_not(text):
    """Nothing that looks like an address, markup or an authority, or turns the line round."""
    with pytest.raises(AccountError) as caught:
        name(text)
    assert AccountRefusal.NAME_BAD is caught.value.why


def test_names_that_look_the_same_are_the_same():
    """Full-width letters are letters."""
    assert "ada" == name("ａｄａ")  # noqa: RUF001 - full width on purpose


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (" Ada@Example.COM ", "ada@example.com"),
        ("a+tag@mail.test", "a+tag@mail.test"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
    ],
)
def test_an_address_has_one_spelling(text, stored):
    """Lower case, and the domain as it is looked up."""
    assert stored == email(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "@example.com",
        "a@b@c.example",
        "ada@example.com\nbcc: x@example.com",
        "a b@example.com",
        "ädä@example.com",
        "x" * 65 + "@example.com",
        f"a@{'b' * 250}.example",
        '"a b"@example.com',
    ],
)
def test_other_texts_are_no_address(text):
    """No header can be smuggled into a letter, and no look-alike beside another's address."""
    with pytest.raises(AccountError) as caught:
        email(text)
    assert AccountRefusal.EMAIL_BAD is caught.value.why


@pytest.mark.parametrize("text", ["ada\0", "\ud800", "x" * 10**5, "", " \n"])
def test_whatever_is_typed_can_be_looked_up(text):
    """No database chokes on it."""
    found = typed(text)
    assert len(found) <= 254
    assert "\0" not in found
    found.encode()
