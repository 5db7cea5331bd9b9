"""What a team may do: its balance, models, limits and price group, and whether its keys work."""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account.key_terms import Count, Lines
from trivium.console.admin import user_terms
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.console.teams import access
from trivium.console.teams.access import HOME, OpenedTeam, acting, opened
from trivium.identity.errors import IdentityError
from trivium.identity.teams.model import Team
from trivium.identity.teams.rights import TeamAction
from trivium.ledger.amounts import format_usd
from trivium.settings.limits import RateLimits, limits


class TeamForm(forms.Form, frozen=True, kw_only=True):
    """All that can be changed of a team; what somebody may not change is not looked at."""

    models: Lines = ""
    requests: Count | None = None
    tokens: Count | None = None
    concurrency: Count | None = None
    has_wallet: bool = False
    unlimited: bool = False
    group: str = ""
    claim: str = ""
    overdraft: str = ""
    disabled: bool = False


@session.signed_in
async def show(request: Request) -> Response:
    """Show the form of a team as it is."""
    view = await opened(request, TeamAction.MANAGE_TEAM)
    overdraft = 0
    if view.actor.is_admin and view.team.has_wallet:
        overdraft = await context.of(request).entries.overdraft(view.team.id)
    return _page(request, view, _filled(view.team, overdraft))


@acting
async def save(request: Request) -> Response:
    """Put in force what the form says."""
    view = await opened(request, TeamAction.MANAGE_TEAM)
    form = forms.filled(request, TeamForm)
    decides = view.actor.is_admin and view.team.has_wallet
    overdraft = user_terms.overdraft(form) if decides else None
    wanted = form.value
    if wanted is None:
        return _page(request, view, form, 422)
    is_known = not wanted.group or wanted.group in context.of(request).settings.groups
    if view.actor.is_admin and not is_known and wanted.group != view.team.group:
        form.fail("group", N_("The settings have no such price group."))
        return _page(request, view, form, 422)
    changes = _changes(view, wanted)
    if changes:
        try:
            log_act = session.act_logger(request)
            await context.of(request).teams.change(view.team.id, changes, log_act)
        except IdentityError as error:
            field = {"models": "models", "limits": "requests", "wallet": "has_wallet"}
            form.fail(field.get(error.field, ""), access.said(error))
            return _page(request, view, form, 422)
    if overdraft is not None:
        await user_terms.set_overdraft(request, view.team.id, overdraft)
    said = N_("The team %(team)s is saved. What has changed holds everywhere within two seconds.")
    return render.redirect(request, f"{view.path}/settings", said, team=view.team.name)


def _changes(view: OpenedTeam, wanted: TeamForm) -> dict[str, object]:
    """What differs from the team as it is, of what whoever asks decides about."""
    team = view.team
    asked: dict[str, object] = {"disabled": wanted.disabled}
    if view.may("fund"):
        asked |= {
            "models": tuple(wanted.models.replace(",", " ").split()),
            "limits": limits(wanted.requests, wanted.tokens, wanted.concurrency),
            "has_wallet": wanted.has_wallet or team.parent_id is None,
        }
    if view.actor.is_admin:
        asked |= {
            "unlimited": wanted.unlimited,
            "group": wanted.group,
            "claim": wanted.claim or None,
        }
    return {name: value for name, value in asked.items() if getattr(team, name) != value}


def _filled(team: Team, overdraft: int) -> forms.Filled[TeamForm]:
    rates = team.limits or RateLimits()
    given = {
        "models": "\n".join(team.models),
        "group": team.group,
        "claim": team.claim or "",
        "overdraft": format_usd(overdraft) if overdraft else "",
        **{
            name: "" if value is None else str(value)
            for name, value in msgspec.structs.asdict(rates).items()
        },
        **{
            name: "1" if getattr(team, name) else ""
            for name in ("has_wallet", "unlimited", "disabled")
        },
    }
    return forms.empty(TeamForm, **given)


def _page(
    request: Request, view: OpenedTeam, form: forms.Filled[TeamForm], status: int = 200
) -> Response:
    groups = list(context.of(request).settings.groups)
    if view.team.group and view.team.group not in groups:
        groups.append(view.team.group)
    return render.page(
        request,
        "team/edit.html",
        status=status,
        view=view,
        form=form,
        groups=[("", N_("As above"))] + [(each, each) for each in groups],
    )


_SETTINGS: Final = f"{HOME}/{row('team')}/settings"
PAGES: Final = (
    Route(_SETTINGS, show),
    Route(_SETTINGS, save, methods=["POST"]),
)
