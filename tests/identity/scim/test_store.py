"""Rows of directories, on both engines."""

import pytest

from trivium.identity import store as accounts
from trivium.identity.model import User, UserRole
from trivium.identity.scim import store
from trivium.identity.scim.model import ScimProfile
from trivium.identity.teams import store as teams_store
from trivium.identity.teams.model import Member, MemberSource, Team, TeamRole


@pytest.mark.asyncio
async def test_people_and_groups_come_back_as_they_were_stored(database):
    """Those of one directory, and no administrator."""
    async with database.write() as conn:
        acme = await teams_store.insert_team(conn, Team(id=0, name="acme", title="acme"), 1)
        lab = await teams_store.insert_team(
            conn, Team(id=0, name="acme/lab", title="lab", parent_id=acme), 1
        )
        ids = []
        for i in range(3):
            role = UserRole.ADMIN if i == 2 else UserRole.USER
            user = User(id=0, name=f"u{i}", email=f"u{i}@x.org", role=role)
            ids.append(await accounts.insert_user(conn, user, 1))
            values = store.profile_columns(ScimProfile(user_name=f"U{i}", email=f"u{i}@x.org"))
            values |= {"directory_id": acme, "created_at": 1, "changed_at": 2}
            await store.put_user(conn, ids[-1], values, is_new=True)
            member = Member(
                team_id=lab, user_id=ids[-1], role=TeamRole.MEMBER, source=MemberSource.SCIM, via=str(acme)
            )  # fmt: skip
            await teams_store.put_member(conn, member)
        values = {
            "directory_id": acme, "display_name": "Lab", "display_key": "lab", "external_id": None,
            "created_at": 1, "changed_at": 2,
        }  # fmt: skip
        await store.put_group(conn, lab, values, is_new=True)
        found, total = await store.page_users(conn, acme, None, 1, 10)
        assert (ids[:2], 2) == ([user.id for user in found], total)
        assert {((lab, "Lab"),)} == {user.groups for user in found}
        assert set(ids[:2]) == await store.known(conn, acme, [*ids, 999])
        assert [(ids[0], "U0"), (ids[1], "U1")] == (await store.members(conn, acme, [lab]))[lab]
        assert {lab: 3} == await store.member_counts(conn, acme, [lab])
        assert lab == await store.group_named(conn, acme, "lab")
        assert (acme, False) == await store.directory_of_group(conn, lab)
        assert None is await store.directory_of_group(conn, acme)
        assert ids[0] == (await store.row_of(conn, key=(acme, "u0"))).user_id
        await store.set_address(conn, ids[0], "new@x.org", None)
        assert "new@x.org" == (await store.find_user(conn, acme, ids[0])).profile.email
        assert None is await store.find_user(conn, lab, ids[0])
        assert ([], 1) == await store.page_groups(conn, acme, None, 2, 10)
        assert "Lab" == (await store.find_group(conn, acme, lab)).display_name
