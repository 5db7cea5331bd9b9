"""Which pages there are pictures of, who looks at them, and what they do there."""

from urllib.parse import urlencode

from sample_gateway import CALLBACK, CLIENT, EMAIL, PAID, PASSWORD, RESET, SIGN_UP, WAITING

SUBMIT = "main form button.primary"


def authorize(scope: str, redirect_uri: str = CALLBACK) -> str:
    """Where the application sends somebody."""
    asked = {"client_id": CLIENT, "redirect_uri": redirect_uri, "scope": scope, "state": "s"}
    return f"/api/oauth2/authorize?{urlencode(asked | {'response_type': 'code'})}"


AUTHORIZE = authorize("profile balance")

PAGES = {
    "login": ("", "/login"),
    "sign-up": ("", "/sign-up"),
    "password-forgot": ("", "/password/forgot"),
    "not-found": ("", "/account/elsewhere"),
    "overview": ("ada", "/account"),
    "keys": ("ada", "/account/keys"),
    "key-new": ("ada", "/account/keys/new"),
    "key-edit": ("ada", "/account/keys/2"),
    "models": ("ada", "/account/models"),
    "model": ("ada", "/account/models/claude-sonnet-4-5"),
    "playground": ("ada", "/account/playground"),
    "requests": ("ada", "/account/usage"),
    "request": ("ada", "/account/usage/req_sample_0003"),
    "spending": ("ada", "/account/spending"),
    "statement": ("ada", "/account/statement"),
    "profile": ("ada", "/account/profile"),
    "security": ("ada", "/account/security"),
    "second-factor": ("ada", "/account/security/factor"),
    "passkey-new": ("ada", "/account/security/passkeys/new"),
    "security-log": ("ada", "/account/log"),
    "topup": ("ada", "/topup"),
    "teams": ("ada", "/account/teams"),
    "team": ("ada", "/account/teams/8"),
    "team-members": ("ada", "/account/teams/9/members"),
    "team-budgets": ("ada", "/account/teams/9/budgets"),
    "team-keys": ("ada", "/account/teams/9/keys"),
    "team-settings": ("ada", "/account/teams/9/settings"),
    "team-new": ("ada", "/account/teams/8/new"),
    "team-service": ("ada", "/account/teams/9/services/10"),
    "key-rotated": ("ada", "/account/keys/1"),
    "applications": ("ada", "/account/applications"),
    "consent": ("bob", AUTHORIZE),
    "consent-cap": ("bob", authorize("profile balance spend")),
    "login-for-app": ("", AUTHORIZE),
    "application-refused": ("", authorize("profile", "https://elsewhere.example/callback")),
    "developer": ("grace", "/account/developer"),
    "app": ("grace", "/account/developer/apps/1"),
    "app-new": ("grace", "/account/developer/apps/new"),
    "token-new": ("grace", "/account/developer/tokens/new"),
    "newcomer": ("bob", "/account"),
    "keys-none": ("bob", "/account/keys"),
    "gateway": ("eve", "/admin?period=week"),
    "channels": ("eve", "/admin/channels"),
    "vendors": ("eve", "/admin/channels/new"),
    "channel-edit": ("eve", "/admin/channels/edit?name=rack-7"),
    "models-all": ("eve", "/admin/models"),
    "model-edit": ("eve", "/admin/models/edit?name=gpt-oss-120b"),
    "groups": ("eve", "/admin/groups"),
    "group-edit": ("eve", "/admin/groups/edit?name=partners"),
    "routing": ("eve", "/admin/routing"),
    "changes": ("eve", "/admin/changes"),
    "channel-pause": ("eve", "/admin/catalogue/ask?act=pause&kind=channel&name=rack-7"),
    "start": ("eve", "/admin/start"),
    "prices": ("eve", "/admin/prices"),
    "all-requests": ("eve", "/admin/requests"),
    "users": ("eve", "/admin/users"),
    "user": ("eve", "/admin/users/1"),
    "user-new": ("eve", "/admin/users/new"),
    "user-terms": ("eve", "/admin/users/1/terms"),
    "user-data": ("eve", "/admin/users/1/data"),
    "machine-token-made": ("eve", "/admin/tokens"),
    "machine-tokens": ("eve", "/admin/tokens"),
    "announcements": ("eve", "/admin/announcements"),
    "invoices": ("eve", "/admin/invoices"),
    "teams-all": ("eve", "/admin/teams"),
    "invitations": ("eve", "/admin/invitations"),
    "credit": ("eve", "/admin/credit"),
    "codes-made": ("eve", "/admin/codes"),
    "codes": ("eve", "/admin/codes"),
    "batch": ("eve", "/admin/codes/1"),
    "payments-all": ("eve", "/admin/payments"),
    "payment-one": ("eve", "/admin/payments/1"),
    "applications-all": ("eve", "/admin/applications"),
    "settings": ("eve", "/admin/settings?given=1"),
    "audit-log": ("eve", "/admin/log"),
    "key-made": ("edsger", "/account/keys/new"),
    "confirm": ("edsger", "/login/confirm"),
    "recovery-codes": ("edsger", "/account/security/factor"),
    "letter-sent": ("", "/sign-up"),
    "link-gone": ("", "/sign-up/elsewhere"),
    "sign-up-finish": ("", f"/sign-up/{SIGN_UP}"),
    "password-reset": ("", f"/password/reset/{RESET}"),
    "email-confirm": ("", f"/email/{EMAIL}"),
    "login-code": ("", "/login"),
    "leaving": ("", "/login"),
    "entry": ("ada", "/account/statement/300"),
    "payment": ("ada", f"/topup/{PAID}"),
    "payment-waiting": ("ada", f"/topup/{WAITING}"),
    "secret-replace": ("grace", "/account/developer/apps/1/secret"),
    "secret-made": ("grace", "/account/developer/apps/1/secret"),
    "token-made": ("grace", "/account/developer/tokens/new"),
}
"""Name of the picture: who looks, and where."""
ACTS: dict[str, tuple[dict[str, str], str]] = {
    "key-made": ({"#name": "Notebook", "#models": "gpt-5"}, SUBMIT),
    "machine-token-made": (
        {"main form #name": "Nightly export"},
        "main form button.primary:not([popovertarget])",
    ),
    "announcements": (
        {"#text": "On Sunday the gateway is moved; requests may fail.", "#since": "2099-01-04"},
        SUBMIT,
    ),
    "key-rotated": ({}, "main form[action$='/rotate'] button"),
    "invitations": ({"#email": "ruth@example.com"}, SUBMIT),
    "recovery-codes": ({"#code": "#secret"}, SUBMIT),
    "letter-sent": ({"#email": "ruth@example.com"}, SUBMIT),
    "login-code": ({"#name": "barbara", "#password": PASSWORD}, SUBMIT),
    "leaving": ({}, "form[action='/login/outside/example'] button"),
    "codes-made": ({"#amount": "25", "#count": "3"}, SUBMIT),
    "secret-made": ({}, SUBMIT),
    "token-made": ({"#name": "Build server"}, SUBMIT),
    "channel-edit": ({"#requests_per_minute": "900"}, "button[value=try]"),
}
"""What is filled in and pressed before the picture; ``#code`` is reckoned from the secret in the
element named. Each is done once for both colours: what is made is shown only once.
"""
