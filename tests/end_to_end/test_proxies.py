"""The recipes for proxies, as the pages print them, with the real programs: a page and a WebSocket go through each."""

import re
import shutil
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from socket import create_connection
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase
from websockets.sync.client import connect

from tests.kit.pages import blocks
from tests.kit.postgresql import free_port
from tests.kit.process import PATIENCE, HostProcess, Socket, certificate, new_key, pem_key

NAME = "games.example.org"

NGINX = """\
daemon off; master_process off; error_log stderr; pid {folder}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {recipe}
}}
"""


def program(name: str) -> str:
    """
    Where a program is.

    :raises SkipTest: it is not installed
    """
    found = shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if found is None:
        raise SkipTest(f"{name} is not installed")
    return found


def recipe(page: str, words: str, *changes: tuple[str, str]) -> str:
    """
    The block of a page that has these words, with other addresses.

    :param changes: patterns, each of which must be there, and what stands in their places
    """
    [text] = [block.text for block in blocks(page) if words in block.text]
    for old, new in changes:
        text, number = re.subn(old, new, text)
        assert number, f"{page} has no {old}"
    return text


class ProxyCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.port = free_port()

    def run_proxy(self, *command: str, port: int) -> None:
        """Start a program, and wait until it listens. It ends with the test."""
        with (self.folder / "log").open("wb") as log:
            proxy = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(proxy.wait, PATIENCE)
        self.addCleanup(proxy.kill)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and proxy.poll() is None:
            try:
                create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        self.fail((self.folder / "log").read_text())

    def talk(self, scheme: str, host: str, tls: ssl.SSLContext | None = None) -> tuple[bytes, str]:
        """
        As a browser whose address line has this host.

        :returns: the beginning of the page's answer, and what the socket says first
        """
        plain: Any = create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        with plain if tls is None else tls.wrap_socket(plain, server_hostname=NAME) as page:
            page.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answer: bytes = page.recv(65_536)
        plain = create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        stream = plain if tls is None else tls.wrap_socket(plain, server_hostname=NAME)
        origin: Any = f"{scheme}://{host}"
        with connect(f"ws://{host}/socket", sock=stream, origin=origin, open_timeout=PATIENCE) as socket:
            socket.send('{"do":"enter","name":"ann"}')
            return answer, str(socket.recv(10))


class NginxTests(ProxyCase):
    def test_the_recipe(self) -> None:
        """At the usual port, which browsers leave out, and at any other one."""
        nginx = program("nginx")
        key = new_key()
        (self.folder / "key.pem").write_bytes(pem_key(key))
        (self.folder / "cert.pem").write_bytes(certificate(NAME, key, NAME, key))
        tls = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))
        for usual in (False, True):
            self.port = free_port()
            host = NAME if usual else f"{NAME}:{self.port}"
            with (
                HostProcess(
                    f"--web-origin=https://{host}", "--trusted-proxy=127.0.0.1", wires=("web",), store="memory"
                ) as process,
            ):
                text = recipe(
                    "docs/web.rst",
                    "map $http_upgrade",
                    (r"listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;"),
                    (r"# ssl_certificate and .*", "ssl_certificate cert.pem; ssl_certificate_key key.pem;"),
                    (r"127\.0\.0\.1:8080", f"127.0.0.1:{process.ports['web']}"),
                )
                (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, recipe=text))
                self.run_proxy(nginx, "-e", "stderr", "-p", str(self.folder), "-c", "nginx.conf", port=self.port)
                page, said = self.talk("https", host, tls)
                self.assertIn(b" 200 OK", page)
                self.assertIn('"entered"', said)


class CaddyTests(ProxyCase):
    def until_signed(self, tls: ssl.SSLContext) -> None:
        """Caddy listens before it has signed its certificate, and has none for a client that comes earlier."""
        until = time.monotonic() + PATIENCE
        while True:
            plain: Any = create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            try:
                tls.wrap_socket(plain, server_hostname=NAME).close()
                return
            except ssl.SSLError:
                plain.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def test_the_recipe(self) -> None:
        """As it stands, but for the ports and for who signs the certificate: no authority of the world knows this machine."""
        caddy = program("caddy")
        origin = f"https://{NAME}:{self.port}"
        with HostProcess(
            f"--web-origin={origin}", "--trusted-proxy=127.0.0.1", wires=("web",), store="memory"
        ) as process:
            text = recipe(
                "docs/web.rst",
                "reverse_proxy",
                (rf"^{re.escape(NAME)} {{", f"{NAME}:{self.port} {{\n    bind 127.0.0.1\n    tls internal"),
                (r"127\.0\.0\.1:8080", f"127.0.0.1:{process.ports['web']}"),
            )
            options = "admin off\nauto_https disable_redirects\nskip_install_trust"
            storage = f"storage file_system {self.folder}/storage"
            (self.folder / "Caddyfile").write_text(f"{{\n{options}\n{storage}\n}}\n{text}\n")
            self.run_proxy(caddy, "run", "--config", str(self.folder / "Caddyfile"), port=self.port)
            authority = self.folder / "storage/pki/authorities/local/root.crt"
            tls = ssl.create_default_context(cafile=str(authority))
            self.until_signed(tls)
            page, said = self.talk("https", f"{NAME}:{self.port}", tls)
            self.assertIn(b" 200 OK", page)
            self.assertIn('"entered"', said)


class HaproxyTests(ProxyCase):
    def test_the_recipe_of_a_cluster(self) -> None:
        """The block for a wire, and one like it for the pages; haproxy asks the port of `--health`."""
        haproxy = program("haproxy")
        options = (
            "--onitama=haproxy:tcp:0:interface=127.0.0.1",
            "--web=haproxy:tcp:0:interface=127.0.0.1",
            "--health=tcp:0:interface=127.0.0.1",
        )
        with HostProcess(*options, wires=(), store="memory") as host:
            for wire in ("onitama", "web"):
                host.until(rf"{wire} listening on 127\.0\.0\.1:\d+")
            host.until(r"health listening on 127\.0\.0\.1:\d+")
            for wire in ("onitama", "web"):
                self.port = free_port()
                text = recipe(
                    "docs/extras/cluster/cluster.rst",
                    "option httpchk",
                    (r"check port 8889", f"check port {host.ports['health']}"),
                    (r"bind :8893", f"bind 127.0.0.1:{self.port}"),
                    (r"server a 10\.0\.0\.1:8893", f"server a 127.0.0.1:{host.ports[wire]}"),
                    (r" *server [bc] .*\n?", ""),
                )
                (self.folder / "haproxy.cfg").write_text(text + "\n")
                self.run_proxy(haproxy, "-db", "-f", str(self.folder / "haproxy.cfg"), port=self.port)
                time.sleep(1.5)  # two questions for its health
                if wire == "onitama":
                    player = Socket(self.port)
                    player.say("LOGIN|ann")
                    self.assertTrue(player.hear())
                    player.close()
                else:
                    page, said = self.talk("http", f"127.0.0.1:{self.port}")
                    self.assertIn(b" 200 OK", page)
                    self.assertIn('"entered"', said)
