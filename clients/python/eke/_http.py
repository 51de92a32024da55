"""Sends requests, again and again while the server is away."""

from __future__ import annotations

import http.client
import ipaddress
import json
import logging
import math
import os
import random
import re
import socket
import ssl
import threading
import time
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

from ._errors import EkeError, Unavailable, from_problem

log = logging.getLogger("eke")

DEFAULT_SERVER = "http://127.0.0.1:8420"
_FIRST_PAUSE = 0.1  # seconds; pauses double
_LONGEST_PAUSE = 5.0
_FIRST_PATIENCE = 5.0  # for a server that never answered: its address may be wrong
_AGAIN = (429, 500, 502, 503, 504)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _plain(o: Any) -> Any:
    """Turns the numbers of other libraries into JSON."""
    item = getattr(o, "item", None)
    if callable(item):
        return item()
    raise TypeError(f"{type(o).__name__} cannot be sent as JSON")


def to_json(document: Any) -> bytes:
    try:
        # Not ASCII: the server reads a study as YAML, which has no surrogate pairs.
        return json.dumps(document, ensure_ascii=False, allow_nan=False, default=_plain).encode("utf-8")
    except ValueError as e:
        raise ValueError(f"this cannot be sent; numbers must be finite and texts valid: {e}") from None


def path_of(*parts: object) -> str:
    return "/api/v1/" + "/".join(quote(str(p), safe="") for p in parts)


class Transport:
    """Sends requests. Several threads may use it: each request has a connection of its own."""

    def __init__(self, url: Optional[str], token: Optional[str], *, timeout: float, patience: float,
                 context: Optional[ssl.SSLContext], insecure: bool) -> None:
        given = url or os.environ.get("EKE_SERVER") or DEFAULT_SERVER
        parts = urlsplit(given)
        if parts.username is not None or parts.password is not None:
            raise ValueError("the server's address contains a name or a password; set EKE_TOKEN or token= instead")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            like = f"http://{given}" if re.fullmatch(r"[\w.-]+:\d+", given) else f"it like {DEFAULT_SERVER} or https://eke.example.org"
            raise ValueError(f"{given!r} is not the address of a server; write {like}")
        self._token = (os.environ.get("EKE_TOKEN") or "") if token is None else token
        self._token = self._token.strip()
        if any(not "!" <= c <= "~" for c in self._token):
            raise ValueError("the token contains characters that no token has")
        self._host, self._port, self._prefix = parts.hostname, parts.port, re.sub(r"(/api/v1)?/*$", "", parts.path)
        self.url = f"{parts.scheme}://{parts.netloc}{self._prefix}"
        self._tls = parts.scheme == "https"
        if self._token and not self._tls and not insecure and not _is_loopback(self._host):
            raise ValueError(f"the token would travel to {self.url} unencrypted; use https, or insecure=True")
        self._context = (context or ssl.create_default_context()) if self._tls else None
        self.timeout, self.patience = timeout, patience
        self._answered = False

    def __repr__(self) -> str:
        return f"Transport({self.url!r})"

    def request(self, method: str, path: str, body: Any = None, *, raw: Optional[bytes] = None, content_type: str = "application/json",
                key: Optional[str] = None, query: Optional[Mapping[str, object]] = None, timeout: Optional[float] = None,
                patience: Optional[float] = None, repeat: bool = True, cancel: Optional[threading.Event] = None, text: bool = False,
                binary: bool = False, about: Optional[Mapping[str, str]] = None) -> Any:
        """Sends a request and returns the answer's JSON, or its text, or its bytes. Headers that say what it is about come with it; see
        :func:`identity`.

        While the server is away, the request is sent again for up to ``patience`` seconds. With repeat=False that happens only if
        the server cannot have seen it.
        """
        headers: Dict[str, str] = {"Accept": "*/*" if text or binary else "application/json", "User-Agent": "eke-python"}
        data = raw if raw is not None else to_json(body) if body is not None else b"" if method == "POST" else None
        if data:
            headers["Content-Type"] = content_type
        if key is not None:
            headers["Idempotency-Key"] = key
        headers.update(about or {})
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        target = self._prefix + path
        if query:
            target += "?" + urlencode({k: str(v) for k, v in query.items()})
        patience = self.patience if patience is None else patience
        begun, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            error, seen = self._once(method, target, data, headers, self.timeout if timeout is None else timeout, text, binary)
            if not isinstance(error, EkeError):
                return error
            if error.code == "paused" or error.status not in _AGAIN and error.status != 0:
                raise error
            if seen and not repeat and error.status != 429:
                if error.status == 0:
                    raise Unavailable(f"{error.detail}; the request may have been carried out", hint="check before you send it again") from error
                raise error
            wait = pause * random.uniform(0.5, 1.0)
            if error.retry_after is not None and error.status != 0:
                wait = max(wait, min(error.retry_after, _LONGEST_PAUSE))
            left = (patience if self._answered else min(patience, _FIRST_PATIENCE)) - (time.monotonic() - begun)
            if left < wait:
                raise error
            log.log(logging.WARNING if pause >= 1 else logging.DEBUG, "%s; trying again in %.1f s", error.detail, wait)
            if cancel is None:
                time.sleep(wait)
            elif cancel.wait(wait):
                raise error
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _once(self, method: str, target: str, data: Optional[bytes], headers: Dict[str, str], timeout: float,
              text: bool, binary: bool) -> Tuple[Any, bool]:
        """Sends it once. Returns the answer or an EkeError, and whether the server may have seen the request."""
        connection: http.client.HTTPConnection
        if self._tls:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=self.timeout, context=self._context)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)
        seen = False
        try:
            connection.connect()
            if connection.sock is not None:
                _keep_alive(connection.sock)
                connection.sock.settimeout(timeout)
            seen = True
            connection.request(method, target, body=data, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
        except ssl.SSLCertVerificationError as e:
            raise Unavailable(f"the certificate of {self.url} is not trusted: {e.verify_message}") from e
        except (OSError, http.client.HTTPException) as e:
            if isinstance(e, ConnectionRefusedError) and not self._answered and _is_loopback(self._host):  # to wait would not help
                raise Unavailable(f"there is no server at {self.url}", hint="start one with eke serve, or in this program: "
                                  "client = eke.Server(db=\"eke.db\").start().client()") from e
            what = "did not answer in time" if isinstance(e, socket.timeout) else f"cannot be reached ({type(e).__name__})"
            hint = "" if self._answered else "is eke serve running there?"
            return Unavailable(f"the server {self.url} {what}", hint=hint), seen
        finally:
            connection.close()
        document: Any = None
        try:
            if (text or binary) and 200 <= answer.status < 300:
                self._answered = True
                return content if binary else content.decode("utf-8"), True
            document = json.loads(content)
        except ValueError:
            if 200 <= answer.status < 300:
                return EkeError(f"{self.url} is not an eke server: its answer is not JSON", code="bad_answer",
                                status=answer.status), True
        if answer.status in (404, 405) and not (isinstance(document, dict) and document.get("code")):
            document = {"detail": f"{self.url} is not an eke server: it answered {answer.status}", "hint": "check the address"}
        if not 200 <= answer.status < 300:
            return from_problem(answer.status, document, _seconds(answer.getheader("Retry-After"))), True
        self._answered = True
        return document, True


def _seconds(header: Optional[str]) -> Optional[float]:
    try:
        seconds = float(header) if header is not None else None
    except ValueError:
        return None  # a date, as proxies may send
    return seconds if seconds is not None and math.isfinite(seconds) and seconds >= 0 else None


def _keep_alive(sock: socket.socket) -> None:
    """Lets the system notice that the server is gone while an answer takes long."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    except OSError:
        pass
