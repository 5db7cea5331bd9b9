"""A stateful double of the part of Stripe that a top-up needs, on a loopback port.

The official library talks to it over HTTP as to the real one: form-encoded requests, bearer keys,
idempotency keys that are honoured and checked, errors in Stripe's envelope. What happens at Stripe
(somebody pays, is given back, disputes) is a method, and its event is built from a documented
fixture and signed as docs.stripe.com/webhooks says.
"""

import copy
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

EVENTS = Path(__file__).parent / "fixtures" / "stripe"
SECRET_KEY = "sk_test_51double"
WEBHOOK_SECRET = "whsec_double"


def signature(body, secret=WEBHOOK_SECRET, at=None):
    """The value of ``Stripe-Signature`` for a body."""
    at = int(time.time() if at is None else at)
    mac = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={mac}"


def signed(body, secret=WEBHOOK_SECRET, at=None):
    """Headers as they arrive, by lower-case name."""
    return {"stripe-signature": signature(body, secret, at), "content-type": "application/json"}


def fixture(name):
    """A documented event."""
    return json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))


class Stripe:
    """Sessions and what became of them. ``fail``: statuses to answer with, instead."""

    def __init__(self):
        self.sessions = {}
        self.requests = []
        self.fail = []
        self.drop_answers = 0
        self._idempotent = {}
        self._events = 0
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                """Keep the test's output to itself."""

            def do_GET(self):
                """The page where one would pay, or the sessions there are."""
                if self.path.startswith("/v1/"):
                    self.say(*double.listed(dict(self.headers)))
                    return
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", "3")
                self.end_headers()
                self.wfile.write(b"pay")

            def do_POST(self):
                length = int(self.headers.get("content-length", 0))
                body = self.rfile.read(length).decode()
                status, answer = double.answer(self.path, dict(self.headers), body)
                if double.drop_answers:
                    double.drop_answers -= 1
                    self.close_connection = True
                    return
                self.say(status, answer)

            def say(self, status, answer):
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("request-id", f"req_{len(double.requests)}")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def forget(self):
        """Begin anew, for the next test."""
        for kept in (self.sessions, self.requests, self.fail, self._idempotent):
            kept.clear()
        self.drop_answers = self._events = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, path, headers, body):
        """One request of the library's."""
        self.requests.append((path, headers, dict(parse_qsl(body))))
        if self.fail:
            return self.fail.pop(0), {"error": {"type": "api_error", "message": "no"}}
        if headers.get("Authorization") != f"Bearer {SECRET_KEY}":
            return 401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key"}}
        if path != "/v1/checkout/sessions":
            return 404, {"error": {"type": "invalid_request_error", "message": f"no {path}"}}
        return self.create(headers.get("Idempotency-Key", ""), body)

    def listed(self, headers):
        """The sessions there are."""
        if self.fail:
            kind = "invalid_request_error"
            return self.fail.pop(0), {"error": {"type": kind, "message": "no"}}
        if headers.get("Authorization") != f"Bearer {SECRET_KEY}":
            return 401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key"}}
        return 200, {"object": "list", "data": [], "has_more": False, "url": "/v1"}

    def create(self, key, body):
        """A new session, or the one that the key made before."""
        form = dict(parse_qsl(body))
        if key in self._idempotent:
            before, session = self._idempotent[key]
            if before != form:
                kind = "idempotency_error"
                return 400, {"error": {"type": kind, "message": "used with other parameters"}}
            return 200, session
        needed = ("mode", "success_url", "line_items[0][price_data][unit_amount]")
        if absent := [name for name in needed if not form.get(name)]:
            kind = "invalid_request_error"
            return 400, {"error": {"type": kind, "param": absent[0], "message": "missing"}}
        number = len(self.sessions) + 1
        event = fixture("checkout-session")
        session = event["data"]["object"]
        reference = form["metadata[trivium_payment]"]
        cents = int(form["line_items[0][price_data][unit_amount]"])
        session |= {
            "id": f"cs_test_{number}",
            "payment_intent": f"pi_{number}",
            "client_reference_id": form["client_reference_id"],
            "metadata": {"trivium_payment": reference},
            "amount_total": cents,
            "amount_subtotal": cents,
            "currency": form["line_items[0][price_data][currency]"],
            "success_url": form["success_url"],
            "cancel_url": form["cancel_url"],
            "payment_status": "unpaid",
            "status": "open",
        }
        charge = form.get("payment_intent_data[metadata][trivium_payment]")
        self.sessions[session["id"]] = {"session": session, "charge": charge, "refunded": 0}
        shown = {**session, "payment_intent": None, "url": f"{self.url}/pay/{session['id']}"}
        self._idempotent[key] = (form, shown)
        return 200, shown

    def event(self, name, kind, thing):
        """A signed event: body and headers."""
        self._events += 1
        event = fixture(name) | {"id": f"evt_{self._events}", "type": kind}
        event["data"]["object"] |= copy.deepcopy(thing)
        body = json.dumps(event).encode()
        return body, signed(body)

    def pay(self, session_id, **changed):
        """Somebody pays: the session's event. ``changed`` members make it wrong."""
        session = self.sessions[session_id]["session"]
        session |= {"payment_status": "paid", "status": "complete"}
        return self.event("checkout-session", "checkout.session.completed", session | changed)

    def finish_later(self, session_id):
        """Somebody orders a bank debit: done for the payer, unpaid."""
        session = self.sessions[session_id]["session"]
        session |= {"payment_status": "unpaid", "status": "complete"}
        return self.event("checkout-session", "checkout.session.completed", session)

    def later(self, session_id, kind):
        """What becomes of a session afterwards: ``async_payment_succeeded``, ``expired``…"""
        session = self.sessions[session_id]["session"]
        if kind == "async_payment_succeeded":
            session["payment_status"] = "paid"
        return self.event("checkout-session", f"checkout.session.{kind}", session)

    def refund(self, session_id, cents, **changed):
        """Some of it, or all, is given back; the event names the sum so far."""
        kept = self.sessions[session_id]
        kept["refunded"] += cents
        charge = {
            "payment_intent": kept["session"]["payment_intent"],
            "metadata": {"trivium_payment": kept["charge"]},
            "amount": kept["session"]["amount_total"],
            "amount_refunded": kept["refunded"],
            "currency": kept["session"]["currency"],
        }
        return self.event("charge-refunded", "charge.refunded", charge | changed)

    def dispute(self, session_id, kind="created", status="needs_response"):
        """The payer's bank takes the money back, for now."""
        session = self.sessions[session_id]["session"]
        return self.event(
            "charge-dispute",
            f"charge.dispute.{kind}",
            {"payment_intent": session["payment_intent"], "status": status},
        )
