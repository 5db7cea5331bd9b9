"""A shop whose customers come with their account at the gateway: Authlib on Starlette."""

import os
import secrets

import httpx
from authlib.integrations.starlette_client import OAuth, OAuthError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route

tokens = {}  # by user; a real shop keeps them in its database


async def store_refreshed(_name, token, refresh_token=None, **_others):
    """Keep the new refresh token: each is good for one use, and an old one counts as stolen."""
    for user, held in tokens.items():
        if held["refresh_token"] == refresh_token:
            tokens[user] = token


gateway = OAuth(update_token=store_refreshed).register(
    "gateway",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=os.environ["GATEWAY"] + "/.well-known/oauth-authorization-server",
    client_kwargs={"scope": "profile balance", "code_challenge_method": "S256"},
)


async def userinfo(token):
    """What the gateway says of a customer. Authlib refreshes a token that has run out."""
    await gateway.load_server_metadata()
    answer = await gateway.get(gateway.server_metadata["userinfo_endpoint"], token=token)
    if answer.status_code == 401:
        raise OAuthError("invalid_token", "access was taken back")
    return answer.raise_for_status().json()


async def home(request):
    """Show what the gateway says of the customer, asked afresh with each visit."""
    user = request.session.get("user")
    if user not in tokens:
        return RedirectResponse("/login")
    try:
        return JSONResponse(await userinfo(tokens[user]))
    except OAuthError:  # revoked, or not used for so long that it cannot be refreshed
        tokens.pop(user, None)
        return page(
            "You have been logged out: the shop has no access to your account any more.", 401
        )


async def login(request):
    """Off to the gateway; it sends the customer back to /callback."""
    return await gateway.authorize_redirect(request, os.environ["REDIRECT_URI"])


async def callback(request):
    """Authlib compares the state, sends the verifier, exchanges the code."""
    try:
        token = await gateway.authorize_access_token(request)
        user = str((await userinfo(token))["id"])
    except OAuthError as error:  # "Do not allow" is access_denied
        denied = error.error == "access_denied"
        return page("You did not allow it." if denied else "That did not work.", 403)
    tokens[user], request.session["user"] = token, user
    return RedirectResponse("/")


async def unreachable(_request, _error):
    """The gateway cannot be asked at the moment; nobody is logged out for that."""
    return page("The gateway cannot be reached. Try again in a moment.", 502)


def page(text, status):
    """Say something, and offer to log in."""
    return HTMLResponse(f'<p>{text} <a href="/login">Log in</a></p>', status)


app = Starlette(
    routes=[Route("/", home), Route("/login", login), Route("/callback", callback)],
    middleware=[Middleware(SessionMiddleware, secret_key=secrets.token_hex())],
    exception_handlers={httpx.HTTPError: unreachable},
)
