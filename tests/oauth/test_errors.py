"""What the service answers when it does not do what was asked."""

from trivium.oauth.errors import (
    AuthorizationRefused,
    OAuthError,
    Reason,
    RegistrationError,
    SentBack,
)


def test_an_error_carries_what_may_be_written_of_it():
    """Characters that no description may hold are gone."""
    error = OAuthError("invalid_request", 'no "quotes"', 400, retry_after=3)
    assert ("invalid_request", "no quotes", 400, 3) == (
        error.code,
        error.description,
        error.status,
        error.retry_after,
    )


def test_a_registration_error_names_the_field():
    """Both apart and in its text."""
    error = RegistrationError("name", "is missing")
    assert ("name", "name: is missing") == (error.field, str(error))


def test_the_two_answers_to_a_bad_request_are_told_apart():
    """One is a page, the other a redirect."""
    assert Reason.APP_UNKNOWN is AuthorizationRefused(Reason.APP_UNKNOWN).reason
    back = SentBack("https://a.example/?error=x", "x")
    assert ("https://a.example/?error=x", "x") == (back.location, back.code)
