"""A shop whose customers come with their account at the gateway: Authlib on Starlette."""

import os
import secrets

from authlib.integrations.starlette_client import OAuth
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

gateway = OAuth().register(
    "gateway",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=os.environ["GATEWAY"] + "/.well-known/oauth-authorization-server",
    client_kwargs={"scope": "profile balance", "code_challenge_method": "S256"},
)
tokens = {}  # by user; a real shop keeps them in its database


async def home(request):
    """What the gateway says of the customer, asked afresh with each visit."""
    token = tokens.get(request.session.get("user"))
    if token is None:
        return RedirectResponse("/login")
    answer = await gateway.get(gateway.server_metadata["userinfo_endpoint"], token=token)
    return JSONResponse(answer.json(), answer.status_code)


async def login(request):
    """Off to the gateway; it sends the customer back to /callback."""
    return await gateway.authorize_redirect(request, os.environ["REDIRECT_URI"])


async def callback(request):
    """Authlib compares the state, sends the verifier, exchanges the code."""
    token = await gateway.authorize_access_token(request)
    await gateway.load_server_metadata()
    told = await gateway.get(gateway.server_metadata["userinfo_endpoint"], token=token)
    request.session["user"] = str(told.json()["id"])
    tokens[request.session["user"]] = token
    return RedirectResponse("/")


app = Starlette(
    routes=[Route("/", home), Route("/login", login), Route("/callback", callback)],
    middleware=[Middleware(SessionMiddleware, secret_key=secrets.token_hex())],
)
