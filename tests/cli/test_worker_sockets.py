"""Sockets that belong to nobody's worker."""

import contextlib
import socket

import pytest

from trivium.cli.output import CommandFailed
from trivium.cli.worker_sockets import AllSockets


@contextlib.contextmanager
def slots(*listens, count=2):
    made = AllSockets(listens, count, 64)
    with contextlib.closing(made):
        yield made


def test_a_taken_port_is_refused():
    """With SO_REUSEPORT two gateways would share the callers unnoticed."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(CommandFailed, match=f"cannot listen on {listen}: another program"):
            AllSockets([listen], 1, 64)


def test_any_free_port_becomes_one_that_all_workers_share():
    """Port 0 would give every worker another one; nobody listens until a worker is to."""
    with slots("127.0.0.1:0") as made:
        (listen,) = made.listen
        port = int(listen.rpartition(":")[2])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        for slot in made.all:
            slot.open()
            slot.open()
        bound = [s.getsockname()[1] for slot in made.all for one in slot.sockets for s in one]
        assert [port, port] == bound
        socket.create_connection(("127.0.0.1", port)).close()


def test_each_address_has_its_sockets_in_order():
    """The pages' own address after the relay's."""
    with slots("127.0.0.1:0", "localhost:0", count=1) as made:
        (slot,) = made.all
        slot.open()
        first, second = slot.sockets
        assert 1 == len(first)
        assert 1 == len({sock.getsockname()[1] for sock in second})
        names = [f"{host}:{socks[0].getsockname()[1]}" for host, socks in
                 (("127.0.0.1", first), ("localhost", second))]  # fmt: skip
        assert names == made.listen


def test_a_closed_slot_leaves_its_callers_to_the_others():
    """And the port stays ours."""
    with slots("127.0.0.1:0") as made:
        one, two = made.all
        one.open()
        two.open()
        one.close()
        assert [] == one.sockets
        address = two.sockets[0][0].getsockname()
        lines = [socket.create_connection(address) for _ in range(20)]
        two.sockets[0][0].setblocking(True)
        for line in lines:
            two.sockets[0][0].accept()[0].close()
            line.close()
        two.close()
        with pytest.raises(CommandFailed, match="another program"):
            AllSockets(made.listen, 1, 64)
