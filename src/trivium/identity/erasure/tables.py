"""Every table that names people, in the order in which they are erased, and why others do not.

What others are found by goes last, so that an erasure which was cut short finds the rest when it is
repeated. ``tests/identity/erasure/test_tables.py`` walks the schema: a new table without a row here
fails, and so does a text that neither ends nor has a reason.
"""

from collections.abc import Mapping
from typing import Any, Final

from trivium.identity.erasure.model import NOTHING, Ending, OwnerLink, PersonalTable

_LARGE: Final = 50
"""Rows a transaction where one may have a quarter of a megabyte or more."""
_GATEWAYS: Final = "a word of the gateway's or of its settings"
_VENDORS: Final = "a vendor's name for a payment, which the books must keep"
_CATALOGUE: Final = "of channels and models, and no person"
_INVOICES: Final = "invoices are kept for as long as books must be, with the address on them"
_BOOKS: Final = "entries are append-only, for the books: they name an id, which nobody has now"


def _gone(name: str, *by: tuple[str, OwnerLink | str], **more: Any) -> PersonalTable:
    return PersonalTable(name=name, by=by, ending=Ending.DELETED, **more)


def _blanked(
    name: str,
    *by: tuple[str, OwnerLink | str],
    blank: Mapping[str, Any],
    kept: Mapping[str, str] = NOTHING,
    order: tuple[str, ...] = (),
) -> PersonalTable:
    return PersonalTable(
        name=name, by=by, ending=Ending.BLANKED, blank=blank, kept=kept, order=order
    )


def _stays(name: str, *by: tuple[str, OwnerLink | str], **more: Any) -> PersonalTable:
    return PersonalTable(name=name, by=by, ending=Ending.KEPT, **more)


def _why(reason: str, *columns: str) -> dict[str, str]:
    return dict.fromkeys(columns, reason)


_USER: Final = ("user_id", OwnerLink.USER)
_OWNER: Final = ("user_id", OwnerLink.OWNER)
_GRANT: Final = ("grant_id", OwnerLink.GRANT)
_FAMILY: Final = ("family_id", "oauth_families.id")

PERSONAL: Final = (
    # ways in
    _gone("sessions", _USER),
    _gone("tickets", _USER, ("email", OwnerLink.EMAIL)),
    _gone("totp_secrets", _USER),
    _gone("recovery_codes", _USER),
    _gone("passkeys", _USER),
    _gone("outside_logins", _USER),
    _gone("scim_users", _USER),
    _gone("team_members", _USER),
    _gone("dismissals", _USER),
    _gone("team_invitations", ("email", OwnerLink.EMAIL)),
    # what is kept of answers
    _gone("answer_pieces", _OWNER, slice=_LARGE, unlisted="parts of `kept_answers`, sealed"),
    _gone("kept_answers", _OWNER, withheld=frozenset({"digest", "body_digest"})),
    _gone("stored_items", _OWNER),
    _gone("stored_responses", _OWNER, slice=_LARGE),
    _gone("traces", _OWNER, slice=_LARGE),
    _gone("jobs", _OWNER),
    # the sweeper deletes the object with its row; until then nobody is given it
    _blanked(
        "assets",
        _OWNER,
        blank={"expires_at": 0},
        kept=_why("deleted with its object, by the next sweep", "id", "kind", "content_type"),
    ),
    # what requests said
    _blanked(
        "records",
        _USER,
        blank={"end_user": "", "session": None, "tags": None, "dropped": None, "repaired": None},
        kept=_why(
            _GATEWAYS,
            *("request_id", "operation", "model", "channel", "upstream_model", "fault"),
            *("asked_model", "failed"),
        ),
        order=("at_ms", "request_id"),
    ),
    _gone("spend_attributed", _USER, ("payer_id", OwnerLink.USER)),
    _gone(
        "attribution_tags",
        ("attribution_id", "attributions.id"),
        unlisted="in `attributions`",
        with_parent=True,
    ),
    # deleted where nobody else's sums are left of it: teams share what their members say alike
    _gone(
        "attributions",
        ("payer_id", OwnerLink.USER),
        ("id", "spend_attributed.attribution_id"),
        unless_in="spend_attributed.attribution_id",
    ),
    # what applications were let do
    _gone("developer_tokens", _USER),
    _gone("admin_tokens", _USER),
    _gone("oauth_requests", _USER),
    _gone("oauth_access_tokens", _FAMILY),
    _gone("oauth_refresh_tokens", _FAMILY),
    _gone("oauth_codes", _GRANT),
    _gone("oauth_families", _GRANT),
    _gone("oauth_caps", _GRANT),
    _gone("oauth_grants", _USER),
    # what stays, with the person's number
    _stays(
        "holds",
        _USER,
        ("request_id", "jobs.request_id"),
        kept=_why("nothing is erased while one is open", "request_id", "bill", "counters", "who"),
    ),
    _stays(
        "oauth_secrets",
        ("app_id", "oauth_apps.id"),
        kept=_why("of an application, see there", "digest", "hint"),
    ),
    _stays(
        "oauth_apps",
        _USER,
        kept=_why(
            "nothing is erased while applications are theirs",
            *("name", "description", "client_id", "redirect_uri", "status", "scopes", "grants"),
        ),
    ),
    _stays("entries", _USER, kept=_why(_BOOKS, "kind", "note", "request_id", "detail")),
    _stays("accounts", _USER),
    _stays("leases", _USER, kept=_why("the name of a worker; gone within a minute", "worker")),
    _stays("usage_days", _USER),
    _stays("traffic_keys", _USER),
    _stays(
        "spend_days", _USER, ("payer_id", OwnerLink.USER), kept=_why(_GATEWAYS, "model", "channel")
    ),
    # the same sums once more; what names nobody but a payer that was paid for late goes in minutes
    _stays(
        "spend_rollups",
        _USER,
        ("payer_id", OwnerLink.USER),
        kept=_why(_GATEWAYS, "model", "channel"),
    ),
    _stays("spend_late", ("payer_id", OwnerLink.USER)),
    _stays(
        "invoices",
        ("account_id", OwnerLink.USER),
        kept=_why(_INVOICES, "seller", "name", "document", "void_note"),
    ),
    _stays("codes", _USER, kept=_why("of a code that is used; random", "digest", "hint")),
    _stays(
        "payment_events",
        ("payment_id", "payments.id"),
        kept=_why(_VENDORS, "provider", "event_id", "event"),
    ),
    _stays(
        "payments",
        _USER,
        kept=_why(_VENDORS, "reference", "provider", "session_id", "charge", "currency", "state"),
    ),
    # what administrators did to the catalogue: like acts, without where from
    _stays(
        "catalogue_entries",
        ("updated_by", OwnerLink.USER),
        withheld=frozenset({"sealed"}),
        kept=_why(_CATALOGUE, "kind", "name", "document", "sealed", "marks"),
    ),
    _blanked(
        "catalogue_changes",
        ("actor_id", OwnerLink.USER),
        blank={"address": "", "agent": ""},
        kept=_why("what happened, by ids: a history must tell it", "mark", "actor", "reason"),
    ),
    _stays(
        "price_proposals",
        ("decided_by", OwnerLink.USER),
        kept=_why(
            _CATALOGUE,
            *("model", "open_for", "state", "channel", "source", "day", "place", "digest"),
            *("suggestion", "differences"),
        ),
    ),
    # from here on what the person is found by
    _blanked(
        "keys",
        _USER,
        blank={
            "name": "erased",
            "hint": "",
            "networks": "[]",
            "disabled": True,
        },
        kept={
            **_why("of random bits; by it a revoked key is refused", "digest", "former_digest"),
            **_why("a limit", "models", "budgets", "end_user_budgets"),
        },
    ),
    PersonalTable(
        name="users",
        by=(("id", OwnerLink.USER),),
        ending=Ending.BLANKED,
        blank={
            "name": "",  # by the id, see ``erased_name``
            "email": None,
            "password_hash": None,
            "role": "user",
            "disabled": True,
            "kind": "erased",
            "price_group": "",
            "email_verified_at": None,
            "language": None,
            "theme": None,
            "budget_letters": False,
        },
        withheld=frozenset({"password_hash"}),
    ),
    PersonalTable(
        name="acts",
        by=(("actor_id", OwnerLink.USER), ("subject_id", OwnerLink.USER)),
        ending=Ending.BLANKED,
        blank={"address": "", "agent": "", "detail": ""},
        kept=_why("what happened, by ids: a log of security must tell it", "kind", "what"),
    ),
)

NOBODYS: Final = {
    "spend_closed": "days",
    "revision": "a number",
    "secret_mark": "of the gateway's own key",
    "catalogue_revision": "a number",
    "catalogue_change_entries": "of channels and models, before and after",
    "price_lists": "of vendors' models, and no person",
    "price_looks": "numbers",
    "code_batches": "made for nobody in particular; the note is an operator's",
    "tries": "digests of what was typed or of addresses, forgotten within days",
    "breakers": "of vendors",
    "traffic": "sums of requests by model, channel and outcome",
    "announcements": "the operator's own words",
    "teams": "of organisations: titles, and no person",
    "invoice_sellers": "the operator's own",
    "scim_tokens": "of a directory",
    "scim_groups": "of a directory: names of groups",
    "budgets": "scopes are ids and tags",
    "budget_counters": "scopes are ids, tags, and hashes of end users that last for their day",
    "budget_spans": "amounts",
    "budget_leases": "amounts, and names of workers",
}
"""Tables that name no person, and what they are of."""
