"""What a worker says when it can listen, and when it cannot."""

import errno
import os
import socket

import pytest

from trivium.cli import worker
from trivium.cli.interpreter import remark


@pytest.mark.parametrize(
    ("exc", "said"),
    [
        (OSError(errno.EADDRINUSE, "in use"), "another program listens there; choose another"),
        (OSError(errno.EACCES, "denied"), "ports below 1024 need a privilege"),
        (OSError(errno.EADDRNOTAVAIL, "no"), "this machine has no such address"),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "this machine has no such address"),
    ],
)
def test_a_port_that_cannot_be_had_is_explained(exc, said):
    """The address is named, and what to do."""
    failed = worker.unlistenable(exc, "127.0.0.1:80")
    assert str(failed).startswith(f"cannot listen on 127.0.0.1:80: {said}")


def test_other_trouble_at_start_keeps_its_words():
    """A file that may not be read has nothing to do with the port."""
    failed = worker.unlistenable(
        PermissionError(errno.EACCES, "Permission denied", "a.key"), "h:80"
    )
    assert str(failed) == "cannot start: a.key: Permission denied"
    assert str(worker.unlistenable(OSError(5, "I/O"), "h:80")) == "cannot start: [Errno 5] I/O"


def test_one_line_says_where(capsys):
    """With the process to signal."""
    worker.announce(["http://127.0.0.1:8080", "http://127.0.0.1:8081"])
    origins = "http://127.0.0.1:8080, http://127.0.0.1:8081"
    line = f"trivium is listening on {origins} (pid {os.getpid()}){remark()}\n"
    assert ("", line) == capsys.readouterr()
