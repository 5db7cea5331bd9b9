"""Every page is shown in the documentation, light and dark."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "src" / "trivium" / "console" / "templates"
DOCS = ROOT / "docs"
KIB_MAX = 150
LAYOUTS = {"centre.html", "narrow.html"}
"""What pages extend, and which extend something themselves."""

PICTURES = {
    "account/entry.html": "entry",
    "account/key_edit.html": "key-edit",
    "account/key_made.html": "key-made",
    "account/key_new.html": "key-new",
    "account/key_secret.html": "key-rotated",
    "account/keys.html": "keys",
    "account/model.html": "model",
    "account/models.html": "models",
    "account/overview.html": "overview",
    "account/playground.html": "playground",
    "account/profile.html": "profile",
    "account/request.html": "request",
    "account/spending.html": "spending",
    "account/statement.html": "statement",
    "account/usage.html": "requests",
    "account/videos.html": "videos",
    "admin/channels.html": "channels",
    "admin/start.html": "start",
    "catalogue/changes.html": "changes",
    "catalogue/channel.html": "channel-edit",
    "catalogue/group.html": "group-edit",
    "catalogue/groups.html": "groups",
    "catalogue/model.html": "model-edit",
    "catalogue/models.html": "models-all",
    "catalogue/question.html": "channel-pause",
    "catalogue/routing.html": "routing",
    "catalogue/vendors.html": "vendors",
    "admin/directories.html": "directories",
    "admin/explain.html": "explain",
    "admin/keys.html": "keys-all",
    "admin/ledger.html": "ledger",
    "admin/growing.html": "ledger-proof",
    "admin/statement.html": "spending-all",
    "admin/gateway.html": "gateway",
    "admin/prices.html": "prices",
    "admin/requests.html": "all-requests",
    "admin/videos.html": "all-videos",
    "admin/announcements.html": "announcements",
    "admin/token_made.html": "machine-token-made",
    "admin/tokens.html": "machine-tokens",
    "admin/user_data.html": "user-data",
    "admin/user_new.html": "user-new",
    "admin/user_terms.html": "user-terms",
    "admin/applications.html": "applications-all",
    "admin/batch.html": "batch",
    "admin/codes.html": "codes",
    "admin/codes_made.html": "codes-made",
    "admin/invitations.html": "invitations",
    "admin/invoices.html": "invoices",
    "admin/payment.html": "payment-one",
    "admin/payments.html": "payments-all",
    "admin/settings.html": "settings",
    "admin/person.html": "user",
    "admin/users.html": "users",
    "audit/everybody.html": "audit-log",
    "audit/mine.html": "security-log",
    "consent/authorized.html": "applications",
    "consent/question.html": "consent",
    "consent/refused.html": "application-refused",
    "developer/app.html": "app",
    "developer/app_new.html": "app-new",
    "developer/developer.html": "developer",
    "developer/secret.html": "secret-replace",
    "developer/secret_made.html": "secret-made",
    "developer/token_made.html": "token-made",
    "developer/token_new.html": "token-new",
    "login/code.html": "login-code",
    "login/confirm.html": "confirm",
    "login/email.html": "email-confirm",
    "login/finish.html": "sign-up-finish",
    "login/forgot.html": "password-forgot",
    "login/gone.html": "link-gone",
    "login/leaving.html": "leaving",
    "login/login.html": "login",
    "login/reset.html": "password-reset",
    "login/sent.html": "letter-sent",
    "login/signup.html": "sign-up",
    "error.html": "not-found",
    "security/codes.html": "recovery-codes",
    "security/enrol.html": "second-factor",
    "security/overview.html": "security",
    "security/passkey.html": "passkey-new",
    "team/all.html": "teams-all",
    "team/budgets.html": "team-budgets",
    "team/edit.html": "team-settings",
    "team/keys.html": "team-keys",
    "team/members.html": "team-members",
    "team/mine.html": "teams",
    "team/new.html": "team-new",
    "team/overview.html": "team",
    "team/service.html": "team-service",
    "topup/credit.html": "credit",
    "topup/payment.html": "payment",
    "topup/topup.html": "topup",
}
"""Page to the name of its picture; ``scripts/screenshots.py`` takes it."""


def test_every_page_has_a_picture():
    """A page is a template that extends a layout; parts and macros extend nothing."""
    pages = {
        path.relative_to(TEMPLATES).as_posix()
        for path in TEMPLATES.rglob("*.html")
        if "{% extends" in path.read_text(encoding="utf-8")
    }
    assert pages - LAYOUTS == set(PICTURES)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PICTURES.values())
def test_a_picture_is_there_and_shown(name, theme):
    """The file is small enough to be kept, and a page of the documentation shows it."""
    file = f"screenshots/{name}-{theme}.png"
    assert 0 < (DOCS / file).stat().st_size < KIB_MAX * 1024
    assert any(f"({file})" in page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
