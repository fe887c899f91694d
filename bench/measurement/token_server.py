"""A server with OpenAI's API that streams words at an even pace and costs next to no processor.

    python token_server.py WORDS_PER_SECOND WORDS

prints its port and serves until it is ended.
"""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        pieces = ['{"response": "', *["word "] * int(sys.argv[2]), '", "analysis": {}}']
        for piece in pieces:
            self._send({"choices": [{"delta": {"content": piece}}]})
            time.sleep(1.0 / float(sys.argv[1]))
        self._send({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, event: dict[str, object]) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore closed connections, as at the end of a turn."""


if __name__ == "__main__":
    server = _Server(("127.0.0.1", 0), _Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
