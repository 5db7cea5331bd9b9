"""When an application may be used."""

import pytest

from trivium.oauth.apps.model import App, AppStatus


@pytest.mark.parametrize("owner_disabled", [False, True])
@pytest.mark.parametrize("status", AppStatus)
def test_an_application_works_while_it_is_active_and_somebody_answers_for_it(
    status, owner_disabled
):
    """Both."""
    app = App(
        id=1,
        user_id=1,
        name="Shop",
        description="",
        client_id="gwc_x",
        redirect_uri="https://shop.example/",
        status=status,
        owner_disabled=owner_disabled,
    )
    assert (status is AppStatus.ACTIVE and not owner_disabled) is app.works
