"""The server that minimize starts when nobody gave it one."""

from __future__ import annotations

import os
import threading
from typing import Dict, Optional

from ._client import Client
from ._http import DEFAULT_SERVER
from ._server import Server

_lock = threading.Lock()
_running: Dict[str, Server] = {}


def store() -> str:
    """Where the studies of such a server are kept: in the same store as those of the command ``eke``."""
    given = os.environ.get("EKE_DB")
    return given if given and "://" in given else os.path.abspath(given or "eke.db")


def embedded(db: Optional[str] = None) -> Client:
    """Returns a client of a server of this process's own. The server ends with the process; its studies are kept.

    Several processes on one machine may have such servers on the same store. They share its ledgers.
    """
    db = db or store()
    with _lock:
        server = _running.get(db)
        if server is None:
            server = _running[db] = Server(db)
        return server.start().client(os.environ.get("EKE_TOKEN"))


def client_for(client: Optional[Client], server: Optional[str], token: Optional[str]) -> Client:
    """Returns the client given; or one of the server given, of $EKE_SERVER, of a server on this machine; or of an embedded one."""
    if client is not None and (server is not None or token is not None):
        raise ValueError("give either a client, or a server and a token")
    if client is not None:
        return client
    if server is not None or token is not None or os.environ.get("EKE_SERVER"):
        return Client(server, token)
    there = Client(DEFAULT_SERVER)
    return there if there.healthy() else embedded()
