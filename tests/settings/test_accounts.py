"""Settings of people's accounts fit together, or it is said which does not."""

import pytest

from trivium.settings.errors import SettingsError
from trivium.settings.load import load

MAIL = '[mail]\nhost = "smtp.example.com"\nsender = "Trivium <t@example.com>"\n'
LOGIN = """
[[logins]]
name = "company"
issuer = "https://login.example.com"
client_id = "trivium"
client_secret = "env:LOGIN_SECRET"
"""


@pytest.fixture
def read(tmp_path):
    """Reads a settings file."""

    def one(text):
        file = tmp_path / "trivium.toml"
        file.write_text(text)
        return load(file, {"LOGIN_SECRET": "s3cret", "MAIL_PASSWORD": "p4ss"})

    return one


def test_nobody_makes_an_account_by_default(read):
    """An operator opens it."""
    settings = read("")
    assert ("closed", "") == (settings.accounts.signup, settings.mail.host)


def test_all_of_it_together(read):
    """Secrets are looked up and not printed."""
    settings = read(
        '[accounts]\nsignup = "open"\n'
        + MAIL
        + 'user = "trivium"\npassword = "env:MAIL_PASSWORD"\n'
        + LOGIN
        + "trust_email = true\nsignup = true\n"
    )
    assert "p4ss" == settings.mail.password
    assert "s3cret" == settings.logins[0].client_secret
    assert "s3cret" not in repr(settings)
    assert ("openid", "email", "profile") == settings.logins[0].scopes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[accounts]\nsignup = "open"\n', "accounts.signup.*mail.host"),
        ('[accounts]\nsignup = "maybe"\n', "accounts.signup.*invitation"),
        ('[mail]\nhost = "smtp.example.com"\n', "mail.sender.*missing"),
        (MAIL + 'user = "u"\nsecurity = "none"\n', "mail.security.*clear"),
        ('[mail]\nhost = "smtp.example.com:25"\n', "mail.host"),
        ('[mail]\nsender = "Trivium"\n', "mail.sender"),
        ('[mail]\nsender = "T <t@example.com>\\nBcc: x@example.com"\n', "mail.sender"),
        (LOGIN + LOGIN, "name.*taken"),
        (LOGIN + "signup = true\n", "trust_email"),
        (LOGIN + 'scopes = ["email"]\n', "scopes.*openid"),
        (LOGIN + 'scopes = ["openid", "two words"]\n', "scopes"),
        (LOGIN.replace("https:", "http:"), "issuer.*https"),
        (LOGIN.replace("company", "Our Company"), "name.*lower-case"),
        (LOGIN.replace("env:LOGIN_SECRET", "env:NOT_SET"), "client_secret.*NOT_SET"),
        ('[[logins]]\nname = "company"\n', "issuer.*missing"),
    ],
)
def test_what_does_not_fit_is_said(read, text, says):
    """With the setting's name."""
    with pytest.raises(SettingsError, match=says):
        read(text)


def test_a_provider_on_this_machine_needs_no_tls(read):
    """As in a test set-up."""
    assert read(LOGIN.replace("https://login.example.com", "http://127.0.0.1:9400"))
    assert read(MAIL.replace("smtp.example.com", "localhost") + 'user = "u"\nsecurity = "none"\n')
