"""What can be refused about people's accounts. Pages put each refusal into words of their
language.
"""

from enum import Enum, unique


@unique
class AccountRefusal(Enum):
    """Why something about an account was not done."""

    WRONG_LOGIN = "wrong_login"
    """No such user, a wrong password, a disabled user: nobody learns which."""
    TOO_MANY_TRIES = "too_many_tries"
    """``retry_after_s`` says when again."""
    BUSY = "busy"
    """More passwords wait to be checked than the machine can take."""
    PASSWORD_SHORT = "password_short"  # noqa: S105 - a reason, not a password
    PASSWORD_LONG = "password_long"  # noqa: S105 - as above
    PASSWORD_COMMON = "password_common"  # noqa: S105 - as above
    """Among the first that anybody would guess, or made of the account's own name or address."""
    PASSWORD_WRONG = "password_wrong"  # noqa: S105 - as above
    """The current one of somebody who is logged in."""
    TICKET_GONE = "ticket_gone"
    """A link or step that never was, has been used, or has expired."""
    CODE_WRONG = "code_wrong"
    """A second factor's code that is wrong, or was used before."""
    NAME_BAD = "name_bad"
    NAME_TAKEN = "name_taken"
    EMAIL_BAD = "email_bad"
    EMAIL_TAKEN = "email_taken"
    SIGN_UP_CLOSED = "sign_up_closed"
    MAIL_OFF = "mail_off"
    """The gateway cannot send letters."""
    SESSION_GONE = "session_gone"
    CONFIRM_FIRST = "confirm_first"
    """The last proof of who is logged in is older than ten minutes."""
    LAST_WAY_IN = "last_way_in"
    """Without it the user could not get in any more."""
    FACTOR_ON = "factor_on"
    FACTOR_OFF = "factor_off"
    PASSKEY_BAD = "passkey_bad"
    """What a browser brought does not prove a passkey of ours."""
    PASSKEY_MANY = "passkey_many"
    OUTSIDE_FAILED = "outside_failed"
    """The provider could not be reached, refused, or said something that does not hold."""
    OUTSIDE_UNKNOWN = "outside_unknown"
    """The login is linked to no account, and none may be made or found for it."""
    OUTSIDE_TAKEN = "outside_taken"
    """The login is linked to another account."""


class AccountError(Exception):
    """Something that was asked for is refused; ``why`` has the reason."""

    def __init__(self, why: AccountRefusal, retry_after_s: int = 0) -> None:
        super().__init__(why.value)
        self.why = why
        self.retry_after_s = retry_after_s
        """Whole seconds until it may be tried again; 0 where waiting does not help."""
