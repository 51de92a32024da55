"""The server that minimize starts when nobody gave it one."""

from __future__ import annotations

import os
import threading
from typing import Dict, Optional

from ._client import Client
from ._server import Server

_lock = threading.Lock()
_running: Dict[str, Server] = {}


def store() -> str:
    """Where the studies of such a server are kept: in the same store as those of the command ``eke``."""
    given = os.environ.get("EKE_DB")
    return given if given and "://" in given else os.path.abspath(given or "eke.db")


def embedded(token: Optional[str] = None) -> Client:
    """Returns a client of a server of this process's own. The server ends with the process; its studies are kept.

    Several servers may serve the same store, such as ``eke serve`` and those of several processes. They share its ledgers.
    """
    db = store()
    with _lock:
        server = _running.get(db)
        if server is None:
            server = _running[db] = Server(db)
        client = server.start().client(token or os.environ.get("EKE_TOKEN"))
    client.place = "the store of $EKE_DB" if "://" in db else db  # an address may have a password
    return client


def client_for(client: Optional[Client], server: Optional[str], token: Optional[str]) -> Client:
    """Returns the client given; or one of the server given or of $EKE_SERVER; or of an embedded server.

    No other server is looked for: whatever listens on this machine may serve the studies of another folder.
    """
    if client is not None and (server is not None or token is not None):
        raise ValueError("give either a client, or a server and a token")
    if client is not None:
        return client
    return Client(server, token) if server or os.environ.get("EKE_SERVER") else embedded(token)
