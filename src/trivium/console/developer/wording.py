"""The errors of a registration, in words for people."""

from typing import Any, Final

from trivium.console import forms
from trivium.console.language import N_
from trivium.oauth.errors import RegistrationError

_WRONG: Final = {
    "name": N_("Please use 1 to 64 characters that can be seen."),
    "description": N_("Please use at most 500 characters that can be seen."),
    "redirect_uri": N_(
        "This must be a whole address that begins with https://, without a fragment, a user name, "
        "a wildcard or dots for a path."
    ),
    "days": N_("Please choose one of what is offered."),
    "permission": N_("Only administrators make tokens for administration."),
    "limit": N_("You have as many applications as an account can have. Delete one first."),
    "rate": N_("You made many within an hour. Please wait a while."),
    "user": N_("This account is disabled."),
}


def refuse(form: forms.Filled[Any], error: RegistrationError) -> None:
    """Say it beside its field, or above the form."""
    said = _WRONG.get(error.field, N_("This is not written as it should be."))
    form.fail(error.field if error.field in form.given else "", said)
