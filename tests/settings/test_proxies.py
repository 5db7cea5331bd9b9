"""The environment's proxy, as curl and Go read it."""

import pytest

from trivium.settings.errors import SettingsError
from trivium.settings.proxies import proxy_for

P = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("https://api.example/v1", {}, None),
        ("https://api.example/v1", {"https_proxy": P}, P),
        ("https://api.example/v1", {"HTTPS_PROXY": P + "/"}, P),
        ("https://api.example/v1", {"https_proxy": P, "HTTPS_PROXY": "http://other:1"}, P),
        ("https://api.example/v1", {"https_proxy": "proxy.example:3128"}, P),
        ("https://api.example/v1", {"all_proxy": "socks5://p:1"}, "socks5://p:1"),
        ("https://api.example/v1", {"http_proxy": P}, None),
        ("http://api.example/v1", {"http_proxy": P}, P),
        ("http://api.example/v1", {"HTTP_PROXY": P}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "*"}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "x, .EXAMPLE"}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "api.example"}, None),
        ("https://api.example/v1", {"https_proxy": P, "NO_PROXY": "*.example"}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "pi.example,"}, P),
        ("https://10.1.2.3/v1", {"https_proxy": P, "no_proxy": "10.0.0.0/8"}, None),
        ("https://11.1.2.3/v1", {"https_proxy": P, "no_proxy": "10.0.0.0/8"}, P),
        ("https://localhost:1/v1", {"https_proxy": P}, None),
        ("http://127.0.0.1:1/v1", {"http_proxy": P}, None),
        ("http://[::1]:1/v1", {"http_proxy": P}, None),
    ],
)
def test_the_proxy_of_an_address(url, environ, proxy):
    """Loopback is never proxied, and capitals count except for plain HTTP."""
    assert proxy == proxy_for(url, environ)


def test_a_proxy_we_cannot_use_is_named():
    """The variable is named, its value may hold a password."""
    with pytest.raises(SettingsError) as caught:
        proxy_for("https://api.example", {"https_proxy": "socks4://u:hunter2@p:1"})

    assert "https_proxy" in str(caught.value)
    assert "hunter2" not in str(caught.value)
