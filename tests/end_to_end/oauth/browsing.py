"""A browser without a screen that logs in, answers the question and tells where it was sent."""

import re
from urllib.parse import parse_qs, urlsplit

import httpx

TOKEN = re.compile(r'name="csrf" value="([^"]+)"')
MOVES = re.compile(r"0; url=(.+)")
CALLBACK = "http://127.0.0.1:9/callback"
"""Nothing listens there: the browser stops where it is sent."""
AUTH_JS = "http://127.0.0.1:9/auth/callback/trivium"
"""Auth.js makes its address itself."""
NAME, PASSWORD = "ada", "correct horse battery staple"


class Browser:
    """One browser with its cookies, for one person."""

    def __init__(self, origin):
        self.client = httpx.Client(base_url=origin, headers={"accept": "text/html"}, timeout=20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def opened(self, url):
        """Follow our own redirects from there on; the last answer, and its path."""
        while True:
            answer = self.client.get(url)
            if answer.status_code != 303:
                return answer
            url = answer.headers["location"]
            if url.startswith(CALLBACK):
                return answer

    def sent(self, page, path, **fields):
        """Send the form of a page."""
        form = {"csrf": TOKEN.search(page.text)[1], **fields}
        return self.client.post(path, data=form, headers={"sec-fetch-site": "same-origin"})

    def authorized(self, url, answer="allow"):
        """Log in where that is asked for, answer the question; where the browser is sent."""
        page = self.opened(url)
        if page.url.path == "/login":
            place = parse_qs(urlsplit(str(page.url)).query)["for"][0]
            entered = self.sent(page, "/login", name=NAME, password=PASSWORD, place=place)
            onward = (
                entered.headers.get("location") or MOVES.fullmatch(entered.headers["refresh"])[1]
            )
            page = self.opened(onward)
        if page.status_code == 303:
            return page.headers["location"]
        assert page.url.path.startswith("/authorize/"), page.text
        sent = self.sent(page, page.url.path, answer=answer)
        assert 303 == sent.status_code, sent.text
        return sent.headers["location"]
