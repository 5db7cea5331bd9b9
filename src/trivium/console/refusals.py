"""Why something about an account was not done, in words, and beside which field."""

from typing import Any, Final

from trivium.console.forms import Filled
from trivium.console.language import N_, Text
from trivium.identity.accounts.errors import AccountError, Refusal

_GONE: Final = N_("This link has been used, has expired, or was never one of ours.")
WORDS: Final = {
    Refusal.WRONG_LOGIN: N_("Name or password is wrong."),
    Refusal.TOO_MANY_TRIES: N_("That was tried too often. Please wait %(minutes)s minutes."),
    Refusal.BUSY: N_("Too many people are at this at once. Please try again in a moment."),
    Refusal.PASSWORD_SHORT: N_("Please use at least 8 characters."),
    Refusal.PASSWORD_LONG: N_("Please use at most 256 characters."),
    Refusal.PASSWORD_COMMON: N_(
        "This is easy to guess. Please choose one that is neither common nor your own name."
    ),
    Refusal.PASSWORD_WRONG: N_("This is not your password."),
    Refusal.TICKET_GONE: _GONE,
    Refusal.CODE_WRONG: N_("This code is wrong or was used before."),
    Refusal.NAME_BAD: N_(
        "A name has 2 to 64 letters, digits, dots, dashes or underscores, and no @."
    ),
    Refusal.NAME_TAKEN: N_("Somebody has this name already."),
    Refusal.EMAIL_BAD: N_("This is not an e-mail address."),
    Refusal.EMAIL_TAKEN: N_("This address belongs to an account already."),
    Refusal.SIGN_UP_CLOSED: N_("New accounts are created by the operator here."),
    Refusal.MAIL_OFF: N_("This gateway does not send e-mail. Please ask its operator."),
    Refusal.SESSION_GONE: N_("You have been logged out. Please log in again."),
    Refusal.CONFIRM_FIRST: N_("Please prove once more who you are."),
    Refusal.LAST_WAY_IN: N_("This is your last way in. Add another one first."),
    Refusal.FACTOR_ON: N_("A second factor is on already."),
    Refusal.FACTOR_OFF: N_("There is no second factor."),
    Refusal.PASSKEY_BAD: N_("This passkey could not be recognised."),
    Refusal.PASSKEY_MANY: N_("You have as many passkeys as there can be."),
    Refusal.OUTSIDE_FAILED: N_("The login there did not work. Please try again."),
    Refusal.OUTSIDE_UNKNOWN: N_(
        "That login belongs to no account here. Log in another way and link it in your settings."
    ),
    Refusal.OUTSIDE_TAKEN: N_("That login belongs to another account."),
}
FIELDS: Final = {
    Refusal.PASSWORD_SHORT: "password",
    Refusal.PASSWORD_LONG: "password",
    Refusal.PASSWORD_COMMON: "password",
    Refusal.PASSWORD_WRONG: "current",
    Refusal.CODE_WRONG: "code",
    Refusal.NAME_BAD: "name",
    Refusal.NAME_TAKEN: "name",
    Refusal.EMAIL_BAD: "email",
    Refusal.EMAIL_TAKEN: "email",
}
"""Where it is said; what is not here concerns the whole form."""


def words(error: AccountError) -> Text:
    """Return the reason of a refusal as a sentence."""
    return Text(WORDS[error.why], {"minutes": max(1, -(-error.retry_after_s // 60))}
                if error.why is Refusal.TOO_MANY_TRIES else {})  # fmt: skip


def refuse(form: Filled[Any], error: AccountError, **fields: str) -> int:
    """Say it in a form, beside its field if the form has one; returns the status of the page.
    ``fields``: other names for them.
    """
    field = FIELDS.get(error.why, "")
    form.fail(fields.get(field, field), words(error))
    return 429 if error.retry_after_s else 422
