"""A player who is away is told: by a push to a service that decrypts it, and by a mail to a relay. Both are on this machine."""

import json
import re
import socketserver
import stat
import threading
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.end_to_end.test_open import hear, say
from tests.kit.notices import Browser
from tests.kit.process import PATIENCE, HostProcess, Socket

MODULE = "tests.kit.altered_hosts:pushes_to_this_machine"


class _Pushed(BaseHTTPRequestHandler):
    """A push service: it notes what comes."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.put((self.path, self.headers, body))  # type: ignore[attr-defined]
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nobody reads it."""


class _Mailed(socketserver.StreamRequestHandler):
    """A relay: it takes every mail."""

    def handle(self) -> None:
        self.wfile.write(b"220 relay\r\n")
        told = []
        while line := self.rfile.readline():
            told.append(line)
            match line.split()[0].upper():
                case b"EHLO":
                    self.wfile.write(b"250 relay\r\n")
                case b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    data = b"".join(iter(self.rfile.readline, b".\r\n"))
                    self.server.came.put((told, data))  # type: ignore[attr-defined]
                    self.wfile.write(b"250 taken\r\n")
                case b"QUIT":
                    self.wfile.write(b"221 bye\r\n")
                    return
                case _:
                    self.wfile.write(b"250 ok\r\n")


class NoticesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def serve(self, server: Any) -> tuple[int, "Queue[Any]"]:
        server.came = came = Queue[Any]()
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1], came

    def host(self, *options: str) -> HostProcess:
        return HostProcess(*options, wires=["open"], folder=self.folder, store="store.sqlite", module=MODULE)

    def ask(self, client: Socket, **values: str) -> dict[str, Any]:
        way = values.pop("by")
        say(client, do="notices", by=way, set=values)
        found: dict[str, Any] = hear(client, "notices")["ways"][way]
        return found

    def log_in(self, host: HostProcess) -> tuple[Socket, str]:
        client = host.connect("open")
        say(client, do="log-in", name="ann", password="a good one", keep=True)
        return client, hear(client, "entered")["key"]

    def win_while_away(self, host: HostProcess, ann: Socket) -> int:
        """Ann wins a match because the other player leaves it after her connection is lost."""
        bob = host.connect("open")
        say(bob, do="enter", name="bob")
        for client in (ann, bob):
            say(client, do="seek", game="onitama")
        table: int = hear(bob, "seated")["table"]
        ann.close()
        hear(bob, "away")
        say(bob, do="leave")
        hear(bob, "over")
        bob.close()
        return table

    def test_a_push(self) -> None:
        port, came = self.serve(HTTPServer(("127.0.0.1", 0), _Pushed))
        browser = Browser("canary", f"http://127.0.0.1:{port}")
        with self.host("--push=mailto:owner@example.org") as host:
            ann, key = self.log_in(host)
            self.assertTrue(self.ask(ann, by="push", **browser.values())["on"])
            table = self.win_while_away(host, ann)
            path, headers, body = came.get(timeout=PATIENCE)
            self.assertEqual((path, headers["TTL"], headers["Content-Encoding"]), ("/canary", "86400", "aes128gcm"))
            shown = browser.read(body)
            self.assertEqual((shown["title"][:21], shown["url"]), ("Onitama: you have won", f"/table/{table}"))
            self.assertEqual(shown["body"], f"Table {table}, with bob")
            # It outlives the host, and not the log-in.
            host.kill()
        mode = stat.S_IMODE((self.folder / "store.sqlite.push").stat().st_mode)
        self.assertEqual(mode, 0o600)
        with self.host("--push=mailto:owner@example.org") as again:
            ann = again.connect("open")
            say(ann, do="enter", name="ann", key=key)
            hear(ann, "entered")
            say(ann, do="notices")
            self.assertTrue(hear(ann, "notices")["ways"]["push"]["on"])
            say(ann, do="log-out", everywhere=True)
            say(ann, do="notices")
            self.assertFalse(hear(ann, "notices")["ways"]["push"]["on"])
            ann.close()
        self.assertNotIn("canary", host.log + again.log)

    def test_a_mail(self) -> None:
        port, came = self.serve(socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mailed))

        def next_mail() -> tuple[list[bytes], EmailMessage]:
            told, data = came.get(timeout=PATIENCE)
            mail: Any = message_from_bytes(data, policy=SMTP)
            self.assertEqual((data.count(b"\n"), data.count(b"\r")), (data.count(b"\r\n"),) * 2)
            return told, mail

        relay = f"--mail=smtp://127.0.0.1:{port}/games@example.org"
        with self.host(relay, "--web-origin=https://games.example.org") as host:
            ann, _ = self.log_in(host)
            self.assertEqual(self.ask(ann, by="mail", address="ann@example.org")["waits"], "ann@example.org")
            told, mail = next_mail()
            self.assertIn(b"RCPT TO:<ann@example.org>\r\n", told)
            [code] = re.findall(r"there: (\d{8})", mail.get_content())
            self.assertEqual(self.ask(ann, by="mail", code=code)["address"], "ann@example.org")
            table = self.win_while_away(host, ann)
            _, mail = next_mail()
            self.assertTrue(mail["Subject"].startswith("Onitama: you have won"), mail["Subject"])
            self.assertIn(f"https://games.example.org/table/{table}", mail.get_content())
            # The link in the mail ends it, without a log-in.
            proof = mail["List-Unsubscribe"].rpartition("/")[2].rstrip(">")
            anybody = host.connect("open")
            say(anybody, do="notices", by="mail", set={"stop": proof})
            self.assertEqual(json.loads(anybody.hear()), {"is": "notices", "ways": {}})
            say(anybody, do="notices", by="mail", set={"stop": proof})
            self.assertEqual(json.loads(anybody.hear())["is"], "sorry")
            anybody.close()
        self.assertNotIn("ann@example.org", host.log)
