"""A payment through a running gateway: the event reaches the ledger with its signature whole."""

import asyncio

import msgspec
import pytest

import stripe_double
import warm
from end_to_end.browsing import browsing
from end_to_end.running import TRIVIUM, VENDOR_KEY, database, listening, prepare, start
from ports import free_port
from scripted_upstream import Double
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.observe.audit.service import Audit
from trivium.settings.load import load
from trivium.wiring.console import payments_of

PASSWORD = "a horse, a battery"


def paying(vendor, double):
    """Settings with the double of Stripe as provider."""
    return (
        '[server]\nlisten = "127.0.0.1:0"\npublic_url = "https://gateway.example"\n'
        f'[payments]\nprovider = "stripe"\nsecret_key = "{stripe_double.SECRET_KEY}"\n'
        f'webhook_secret = "{stripe_double.WEBHOOK_SECRET}"\nbase_url = "{double.url}"\n'
        f'[[channels]]\nname = "main"\nprovider = "openai"\napi_key = "{VENDOR_KEY}"\n'
        f'base_url = "http://127.0.0.1:{vendor.port}/v1"\n'
        '[[models]]\nname = "m"\nfree = true\n[[models.bindings]]\nchannel = "main"\n'
    )


def event(body, headers):
    """The bytes of a delivery."""
    lines = [
        "POST /webhooks/stripe HTTP/1.1",
        "Host: gateway",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.mark.asyncio
async def test_a_signed_event_is_booked_by_a_served_gateway(tmp_path):
    """Once, however often it is delivered; a forged one never."""
    double = stripe_double.Stripe()
    try:
        async with Double([]) as vendor, database(tmp_path) as db:
            key = await prepare(tmp_path, paying(vendor, double))
            ada = await Identity(db, SystemClock()).find_user("ada")
            entries = Entries(db, SystemClock())
            settings = load(tmp_path / "trivium.toml", {})
            payments = payments_of(settings, db, Audit(db, SystemClock()))
            await payments.begin(ada.id, 25 * 10**9, lambda r: (f"https://g/{r}", "https://g"))
            gateway = start(tmp_path, key)
            try:
                await listening(gateway)
                paid, headers = double.pay("cs_test_1")

                async def deliver(body, headers):
                    status, _, answer = await gateway.send(event(body, headers))
                    return status, msgspec.json.decode(answer)

                forged = {**headers, "stripe-signature": "t=1,v1=00"}
                assert (400, {"error": "forged"}) == await deliver(paid, forged)
                assert (200, {"outcome": "credited"}) == await deliver(paid, headers)
                assert (200, {"outcome": "duplicate"}) == await deliver(paid, headers)
                refund = double.refund("cs_test_1", 1000)
                assert (200, {"outcome": "refunded"}) == await deliver(*refund)
                assert 15 * 10**9 == await entries.balance(ada.id)
                assert stripe_double.WEBHOOK_SECRET not in gateway.log
                assert stripe_double.SECRET_KEY not in gateway.log
            finally:
                gateway.process.terminate()
                await gateway.ended()
            assert [] == await entries.verify()
    finally:
        double.close()


@pytest.mark.asyncio
@pytest.mark.browser
async def test_somebody_pays_in_a_browser(tmp_path):
    """Amount, the provider's page, waiting, and the balance without touching anything: the policy
    lets the form go to the provider, and the page looks again by itself.
    """
    double = stripe_double.Stripe()
    origin = f"http://127.0.0.1:{free_port()}"
    try:
        async with Double([]) as vendor, database(tmp_path) as db, browsing() as browser:
            text = paying(vendor, double).replace("127.0.0.1:0", origin.removeprefix("http://"))
            text = text.replace("https://gateway.example", origin)
            text = text.replace("[payments]", f'[payments]\npage_url = "{double.url}"')
            key = await prepare(tmp_path, text)
            made = [TRIVIUM, "user", "create", "eve", "--email", "eve@example.com"]
            await asyncio.to_thread(
                warm.run, [*made, "--password-stdin"], stdin=PASSWORD, cwd=tmp_path,
                check=True, text=True, capture_output=True,
            )  # fmt: skip
            gateway = start(tmp_path, key)
            try:
                await listening(gateway)
                page = await browser.new_page(base_url=origin)
                await page.goto("/login")
                await page.fill("#name", "eve")
                await page.fill("#password", PASSWORD)
                await page.click("main form button.primary")
                await page.wait_for_url("**/account")
                await page.goto("/topup")
                await page.click("text=Continue to payment")
                await page.wait_for_url(f"{double.url}/pay/cs_test_1")
                await page.goto(double.sessions["cs_test_1"]["session"]["success_url"])
                assert await page.is_visible("text=waiting for the payment provider")
                status, *_ = await gateway.send(event(*double.pay("cs_test_1")))
                assert 200 == status
                await page.wait_for_selector("text=Your balance is now $10.00", timeout=15_000)
            finally:
                gateway.process.terminate()
                await gateway.ended()
            assert [] == await Entries(db, SystemClock()).verify()
    finally:
        double.close()
