"""Sockets in the file system."""

import os
import socket
import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.ops.unix_socket import LONGEST_PATH, SocketUnusable, peer_user, remove_stale, short_path


class PathTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_short_path_stays_as_it_is(self) -> None:
        with short_path(Path("a/b")) as short:
            self.assertEqual(short, "a/b")

    def test_server_and_client_meet_at_a_long_path(self) -> None:
        folder = self.folder / ("long" * 30)
        folder.mkdir()
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            with short_path(folder / "socket") as short:
                self.assertLessEqual(len(os.fsencode(short)), LONGEST_PATH)
                server.bind(short)
            server.listen()
            with short_path(folder / "socket") as short:
                client.connect(short)
        self.assertTrue((folder / "socket").is_socket())

    def test_long_name(self) -> None:
        with self.assertRaises(SocketUnusable) as caught, short_path(self.folder / ("long" * 30)):
            pass
        self.assertIn("103 bytes at most", str(caught.exception))

    def test_stale_socket(self) -> None:
        """It is removed. A socket that is used and a file stay."""
        path = str(self.folder / "socket")
        remove_stale(path)
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path)
            one.listen()
            error = self.assertRaises(SocketUnusable, remove_stale, path)
            self.assertIn("another process listens there", str(error))
        remove_stale(path)
        self.assertFalse(os.path.exists(path))
        Path(path).write_text("")
        self.assertIn("no socket", str(self.assertRaises(SocketUnusable, remove_stale, path)))


class PeerTests(SynchronousTestCase):
    def test_this_process(self) -> None:
        one, other = socket.socketpair()
        with one, other:
            self.assertEqual(peer_user(one), os.geteuid())
