"""The members of a team: found, added, invited by letter, given another role, removed."""

from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.forms import row
from trivium.console.language import N_, LazyText
from trivium.console.login.team_invitation import ROLES
from trivium.console.refusals import refuse
from trivium.console.teams import access
from trivium.console.teams.access import HOME, PAGE, OpenedTeam, acting, opened
from trivium.identity.accounts.errors import AccountError
from trivium.identity.errors import IdentityError
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.rights import TeamAction

Role = Literal["owner", "manager", "member", "billing"]


class AddMemberForm(forms.Form, frozen=True, kw_only=True):
    """Who becomes a member, as what, and whether a letter asks them first."""

    who: forms.Line
    role: Role = "member"
    invite: bool = False


class MemberForm(forms.Form, frozen=True, kw_only=True):
    """What becomes of a member: another role, or nothing more."""

    user: forms.Id
    role: Role | None = None


class TeamInvitationIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one invitation, by its id."""

    invitation: forms.Id


@session.signed_in
async def show(request: Request) -> Response:
    """Show the members of a team, or those that match the search."""
    return await _page(request, await opened(request), forms.empty(AddMemberForm, role="member"))


@acting
async def add(request: Request) -> Response:
    """Make somebody a member, or invite an address by letter."""
    view = await opened(request, TeamAction.MANAGE_MEMBERS)
    form = forms.filled(request, AddMemberForm)
    wanted = form.value
    if wanted is None:
        return await _page(request, view, form, 422)
    role = TeamRole(wanted.role)
    if not view.may_appoint(role):
        form.fail("role", N_("Your role does not let you give this one."))
        return await _page(request, view, form, 422)
    if wanted.invite:
        return await _invite(request, view, form, wanted.who, role)
    console = context.of(request)
    try:
        who = await access.person(request, wanted.who)
        if await _is_member(request, view, who.id):
            form.fail("who", N_("This is a member already: give another role in the list."))
            return await _page(request, view, form, 422)
        await console.teams.put_member(view.team.id, who.id, role, session.act_logger(request))
    except IdentityError as error:
        form.fail("who" if error.field == "user" else "", access.said(error))
        return await _page(request, view, form, 422)
    said = N_("%(name)s is a member of %(team)s now.")
    return render.redirect(
        request, f"{view.path}/members", said, name=who.name, team=view.team.name
    )


async def _invite(
    request: Request,
    view: OpenedTeam,
    form: forms.Filled[AddMemberForm],
    email: str,
    role: TeamRole,
) -> Response:
    visitor = session.visitor(request)
    try:
        await context.of(request).accounts.team_invitations.invite(
            view.team.id,
            email,
            role,
            session.user_of(request).id,
            language=visitor.language,
            log_act=session.act_logger(request),
        )
    except AccountError as error:
        status = refuse(form, error, email="who")
        return await _page(request, view, form, status)
    said = N_("The invitation is on its way to %(email)s.")
    return render.redirect(request, f"{view.path}/members", said, email=email)


@acting
async def change(request: Request) -> Response:
    """Give a member another role, or end the membership."""
    view = await opened(request, TeamAction.MANAGE_MEMBERS)
    back = f"{view.path}/members"
    wanted = forms.filled(request, MemberForm).value
    if wanted is None:
        return access.refused(request, back, IdentityError("user", "is not named"))
    console = context.of(request)
    role = TeamRole(wanted.role) if wanted.role else None
    log_act = session.act_logger(request)
    try:
        member, who = await console.team_lists.member(view.team.id, wanted.user)
        if not view.may_appoint(member.role) or (role and not view.may_appoint(role)):
            said = N_("Nothing was changed: your role does not let you give or take this one.")
            return render.redirect(request, back, said, tone="bad")
        if role is None:
            await console.teams.remove_member(view.team.id, who.id, log_act)
            said = N_("%(name)s is out of %(team)s. Their keys for it are revoked.")
        else:
            await console.teams.put_member(view.team.id, who.id, role, log_act)
            said = N_("%(name)s has another role in %(team)s now.")
    except IdentityError as error:
        return access.refused(request, back, error)
    return render.redirect(request, back, said, name=who.name, team=view.team.name)


@acting
async def withdraw(request: Request) -> Response:
    """Void an invitation, so that its link no longer works."""
    view = await opened(request, TeamAction.MANAGE_MEMBERS)
    form = forms.filled(request, TeamInvitationIdForm).value
    invitations = context.of(request).accounts.team_invitations
    log_act = session.act_logger(request)
    back = f"{view.path}/members"
    if form is None or not await invitations.withdraw(view.team.id, form.invitation, log_act):
        said = N_("There is no such invitation any more: it was used, withdrawn, or has expired.")
        return render.redirect(request, back, said, tone="bad")
    said = N_("The invitation is withdrawn: its link leads nowhere.")
    return render.redirect(request, back, said)


async def _is_member(request: Request, view: OpenedTeam, user_id: int) -> bool:
    try:
        await context.of(request).team_lists.member(view.team.id, user_id)
    except IdentityError:
        return False
    return True


async def _page(
    request: Request, view: OpenedTeam, form: forms.Filled[AddMemberForm], status: int = 200
) -> Response:
    console = context.of(request)
    search = request.query_params.get("search", "").strip()[:254]
    after = access.number(request, "after")
    listed, more = await console.team_lists.members(view.team.id, search, after, PAGE)
    invitations = console.accounts.team_invitations
    may_manage = view.may("manage_members")
    path = f"{view.path}/members"
    return render.page(
        request,
        "team/members.html",
        status=status,
        view=view,
        form=form,
        listed=listed,
        search=search,
        roles={role.value: LazyText(name) for role, name in ROLES.items()},
        givable=[(role.value, ROLES[role]) for role in view.roles],
        invitations=await invitations.all(view.team.id) if may_manage else [],
        has_mail=console.accounts.emails.is_open,
        **render.paging(path, {"search": search} if search else {}, "after", after, more),
    )


_MEMBERS: Final = f"{HOME}/{row('team')}/members"
PAGES: Final = (
    Route(_MEMBERS, show),
    Route(_MEMBERS, add, methods=["POST"]),
    Route(f"{_MEMBERS}/change", change, methods=["POST"]),
    Route(f"{_MEMBERS}/withdraw", withdraw, methods=["POST"]),
)
