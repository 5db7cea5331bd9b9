"""Lets a finder ask doubles in the thread that it runs in, without a gateway around it."""

import ssl
import time
import urllib.error
import urllib.request

from trivium.providers.credential import HttpReply, Surroundings


class Asked:
    """The requests that a finder made."""

    def _reached(self, url):
        for real, double in self.hosts.items():
            if url.startswith(real):
                return double + url.removeprefix(real)
        return url

    def __init__(self, ca_file=None, hosts=()):
        """``hosts``: addresses, and what stands in for them."""
        self.requests = []
        self.hosts = dict(hosts)
        self.context = ssl.create_default_context(cafile=ca_file)

    def ask(self, asked, limit_s):
        self.requests.append(asked)
        request = urllib.request.Request(
            self._reached(asked.url),
            data=asked.body or None,
            headers=dict(asked.headers),
            method=asked.method,
        )
        context = self.context if asked.url.startswith("https:") else None
        try:
            answer = urllib.request.urlopen(request, timeout=limit_s, context=context)
        except urllib.error.HTTPError as error:
            answer = error
        except urllib.error.URLError as error:
            raise ConnectionError(f"no answer: {error.reason}") from None
        headers = {name.lower(): value for name, value in answer.headers.items()}
        with answer:
            return HttpReply(status=answer.status, headers=headers, body=answer.read())


def around(asked, **more):
    """What a finder is told."""
    values = {"base_url": "http://127.0.0.1", "proxy": None, "ca_file": None, "limit_s": 20.0}
    return Surroundings(**values | more, ask=asked.ask, clock=time.time)
