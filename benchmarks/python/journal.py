"""Moves in SQLite, written by a thread: what has come while it wrote is its next transaction."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable

SETTINGS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
TABLE = "CREATE TABLE moves(id INTEGER PRIMARY KEY, pair INTEGER NOT NULL, move TEXT NOT NULL) STRICT"
MOVE = "INSERT INTO moves(pair, move) VALUES (?, ?)"
#: How both settings are read back.
READ_BACK = ("PRAGMA journal_mode", "PRAGMA synchronous")

_Told = Callable[[], object]


class Journal:
    """
    The file of a server that runs in asyncio.

    :param path: where the new file is
    """

    def __init__(self, path: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for statement in (*SETTINGS, TABLE):
            self._connection.execute(statement)
        #: Moves that are not on disk yet, each with what is done then.
        self._waiting: list[tuple[int, str, _Told]] = []
        self._wake = threading.Event()
        threading.Thread(target=self._write, daemon=True).start()

    def settings(self) -> str:
        """How SQLite is set, as it says itself."""
        return " ".join(str(self._connection.execute(statement).fetchone()[0]) for statement in READ_BACK)

    def append(self, pair: int, move: str, tell: _Told) -> None:
        """Store a move.

        :param tell: called in the loop when the move is on disk
        """
        self._waiting.append((pair, move, tell))
        self._wake.set()

    def _write(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            moves, self._waiting = self._waiting, []
            if moves:
                self._connection.execute("BEGIN")
                self._connection.executemany(MOVE, [(pair, move) for pair, move, _ in moves])
                self._connection.execute("COMMIT")
                self._loop.call_soon_threadsafe(self._written, [tell for _, _, tell in moves])

    @staticmethod
    def _written(moves: list[_Told]) -> None:
        for tell in moves:
            tell()
