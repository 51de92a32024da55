"""A server of your own, for notebooks and tests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import threading
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from ._binary import find_binary
from ._client import Client


class Server:
    """Runs ``eke serve`` on this machine, for a while::

        with eke.Server() as server:
            study = server.client().create(...)

    Args:
        db: the file of the store. The default is a file that is deleted when the server is closed.
        binary: the program. The default is the one that this package was installed with, or else ``eke`` in the PATH.
        port: the default is a free one. Only this machine can reach it.
        lease: how long a worker may be silent, such as "30s".
        timeout: how many seconds to wait until it has started.
    """

    def __init__(self, db: Optional[str] = None, *, binary: Optional[str] = None, port: int = 0, lease: Optional[str] = None,
                 timeout: float = 30.0) -> None:
        self.binary, self.db, self.port, self.lease, self.timeout = binary or find_binary(), db, port, lease, timeout
        self.url = ""
        """Its address, once it has started."""
        self._process: Optional[subprocess.Popen[str]] = None
        self._folder: Optional[str] = None
        self._owner = os.getpid()

    def __repr__(self) -> str:
        return f"<Server {self.url or 'not started'}>"

    def start(self) -> Server:
        """Starts the server and waits until it is ready. After stop, or when it has ended by itself, it can be started again, at the same address."""
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is None):
            return self
        self.stop()
        atexit.register(self.close)
        self._owner = os.getpid()
        if self.db is None:
            self._folder = tempfile.mkdtemp(prefix="eke-")
            self.db = os.path.join(self._folder, "eke.db")
        command: List[str] = [self.binary, "--json", "serve", "--quiet", "--attached", "--listen", f"127.0.0.1:{self.port}"]
        if self.lease:
            command += ["--lease", self.lease]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            # In a session of its own, or a group on Windows: on Ctrl-C this program still has things to tell the server. Its standard input ends when this
            # program does, however it ends, and then so does the server. The store is in the environment: its address may have a
            # password, which everybody could see in an argument.
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True,
                                             start_new_session=True, creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                                             env={**os.environ, "EKE_DB": self.db})
            try:
                where = self._where(self._process)
            except BaseException:  # such as Ctrl-C
                self.close()
                raise
            if where is None:
                self.close()
                said.seek(0)
                raise RuntimeError(f"eke serve did not start: {said.read().strip() or 'it took too long'}")
        self.url = str(where["url"]).rstrip("/")
        self.port = int(str(where["listen"]).rpartition(":")[2])
        return self

    def _where(self, process: subprocess.Popen[str]) -> Optional[Dict[str, Any]]:
        """Reads the address that the server prints."""
        late = threading.Timer(self.timeout, process.kill)
        late.daemon = True
        late.start()
        try:
            text = ""
            for line in process.stdout or ():
                text += line
                try:
                    found: Dict[str, Any] = json.loads(text)
                    return found
                except ValueError:
                    continue
            return None
        finally:
            late.cancel()

    def client(self, token: Optional[str] = None, **more: Any) -> Client:
        """Returns a client for the server. A new store has no tokens, so none is sent unless you give one."""
        if not self.url:
            raise RuntimeError("the server has not been started")
        return Client(self.url, token or "", **more)

    def stop(self) -> None:
        """Stops the server. Everything that it has confirmed is kept."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():  # in a fork it is the parent's
            return
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()

    def close(self) -> None:
        """Stops the server, and deletes its store if no file was given."""
        self.stop()
        atexit.unregister(self.close)
        if self._folder is not None and self._owner == os.getpid():
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = self.db = None

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()
