"""Why something about an account was not done, in words, and beside which field."""

from typing import Any, Final

from trivium.console.forms import Filled
from trivium.console.language import N_, LazyText
from trivium.identity.accounts.errors import AccountError, AccountRefusal

_GONE: Final = N_("This link has been used, has expired, or was never one of ours.")
WORDS: Final = {
    AccountRefusal.WRONG_LOGIN: N_("Name or password is wrong."),
    AccountRefusal.TOO_MANY_TRIES: N_("That was tried too often. Please wait %(minutes)s minutes."),
    AccountRefusal.BUSY: N_("Too many people are at this at once. Please try again in a moment."),
    AccountRefusal.PASSWORD_SHORT: N_("Please use at least 8 characters."),
    AccountRefusal.PASSWORD_LONG: N_("Please use at most 256 characters."),
    AccountRefusal.PASSWORD_COMMON: N_(
        "This is easy to guess. Please choose one that is neither common nor your own name."
    ),
    AccountRefusal.PASSWORD_WRONG: N_("This is not your password."),
    AccountRefusal.TICKET_GONE: _GONE,
    AccountRefusal.CODE_WRONG: N_("This code is wrong or was used before."),
    AccountRefusal.NAME_BAD: N_(
        "A name has 2 to 64 letters, digits, dots, dashes or underscores, and no @."
    ),
    AccountRefusal.NAME_TAKEN: N_("Somebody has this name already."),
    AccountRefusal.EMAIL_BAD: N_("This is not an e-mail address."),
    AccountRefusal.EMAIL_TAKEN: N_("This address belongs to an account already."),
    AccountRefusal.SIGN_UP_CLOSED: N_("New accounts are created by the operator here."),
    AccountRefusal.MAIL_OFF: N_("This gateway does not send e-mail. Please ask its operator."),
    AccountRefusal.SESSION_GONE: N_("You have been logged out. Please log in again."),
    AccountRefusal.CONFIRM_FIRST: N_("Please prove once more who you are."),
    AccountRefusal.LAST_WAY_IN: N_("This is your last way in. Add another one first."),
    AccountRefusal.FACTOR_ON: N_("A second factor is on already."),
    AccountRefusal.FACTOR_OFF: N_("There is no second factor."),
    AccountRefusal.PASSKEY_BAD: N_("This passkey could not be recognised."),
    AccountRefusal.PASSKEY_MANY: N_("You have as many passkeys as there can be."),
    AccountRefusal.OUTSIDE_FAILED: N_("The login there did not work. Please try again."),
    AccountRefusal.OUTSIDE_UNKNOWN: N_(
        "That login belongs to no account here. Log in another way and link it in your settings."
    ),
    AccountRefusal.OUTSIDE_TAKEN: N_("That login belongs to another account."),
}
FIELDS: Final = {
    AccountRefusal.PASSWORD_SHORT: "password",
    AccountRefusal.PASSWORD_LONG: "password",
    AccountRefusal.PASSWORD_COMMON: "password",
    AccountRefusal.PASSWORD_WRONG: "current",
    AccountRefusal.CODE_WRONG: "code",
    AccountRefusal.NAME_BAD: "name",
    AccountRefusal.NAME_TAKEN: "name",
    AccountRefusal.EMAIL_BAD: "email",
    AccountRefusal.EMAIL_TAKEN: "email",
}
"""Where it is said; what is not here concerns the whole form."""


def words(error: AccountError) -> LazyText:
    """Return the reason of a refusal as a sentence."""
    return LazyText(WORDS[error.why], {"minutes": max(1, -(-error.retry_after_s // 60))}
                if error.why is AccountRefusal.TOO_MANY_TRIES else {})  # fmt: skip


def refuse(form: Filled[Any], error: AccountError, **fields: str) -> int:
    """Say it in a form, under another name of the field in ``fields``; the page's status."""
    field = FIELDS.get(error.why, "")
    form.fail(fields.get(field, field), words(error))
    return 429 if error.retry_after_s else 422
