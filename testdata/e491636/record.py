"""Stands between a client and a server, and writes down what they say: one line of JSON for each request and its answer. Where a read gets
the same answer as before, it is left out.

    record.py http://127.0.0.1:8420 FILE    prints the address that clients use in place of the server's
"""

import http.client
import http.server
import json
import sys
import threading
from urllib.parse import urlsplit

SERVER, FILE = sys.argv[1:]
lock = threading.Lock()
known = {}  # the last answer to each read


def body_of(raw, kind):
    """JSON as it is, other texts as a text, nothing as None."""
    if not raw:
        return None
    return json.loads(raw) if "json" in (kind or "") else raw.decode()


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        request = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server = http.client.HTTPConnection(urlsplit(SERVER).netloc)
        passed_on = {n: v for n, v in self.headers.items() if n.lower() not in ("host", "connection", "accept-encoding")}
        server.request(self.command, self.path, request or None, passed_on)
        answer = server.getresponse()
        said = answer.read()
        line = {"method": self.command, "path": self.path, "headers": {}, "request": body_of(request, self.headers.get("Content-Type")),
                "status": answer.status, "answered": {}, "answer": body_of(said, answer.headers.get("Content-Type"))}
        for name in ("Content-Type", "Idempotency-Key"):
            if self.headers.get(name):
                line["headers"][name] = self.headers[name]
        for name, value in answer.headers.items():
            if name == "Content-Type" or name == "Retry-After" or name.startswith("Eke-"):
                line["answered"][name] = value
        with lock, open(FILE, "a") as file:
            if self.command != "GET" or known.get(self.path) != line["answer"]:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            if self.command == "GET":
                known[self.path] = line["answer"]
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = forward

    def log_message(self, *_):
        pass


here = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
print(f"http://127.0.0.1:{here.server_port}", flush=True)
here.serve_forever()
