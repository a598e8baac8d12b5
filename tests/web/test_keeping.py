"""What the pages keep for a player: in the browser for guests, at the host for accounts. Run by node."""

import random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.browser import STATIC, evaluate

MODULES = [(STATIC / name).as_uri() for name in ("socket.js", "store.js")]
#: Takes steps one after the other. Returns what each read has found, what was sent, and what the browser has stored.
STEPS = """
await (async () => {
  const [found, sent, stored] = [[], [], data.stored];
  globalThis.localStorage = {
    getItem: (key) => stored[key] ?? null,
    setItem: (key, text) => (stored[key] = text),
    removeItem: (key) => delete stored[key],
  };
  globalThis.location = { href: "http://127.0.0.1:8080/" };
  let socket = null;
  globalThis.WebSocket = class {
    static OPEN = 1;
    readyState = 0;
    constructor() { socket = this; }
    send(text) { sent.push(JSON.parse(text)); }
    close() {}
  };
  const [{ enter, reconnect }, { state }] = await Promise.all(data.modules.map((one) => import(one)));
  const kept = module.keepingOf({ game: "stratego", number: 3, over: null, suspended: false });
  const open = () => {
    socket.readyState = 1;
    socket.onopen();
  };
  const steps = {
    hear: (message) => socket.onmessage({ data: JSON.stringify(message) }),
    read: (what) => found.push([...kept[what]]),
    keep: ([what, ...words]) => kept.keep(what, words),
    lose: () => reconnect(),
    log(name) {
      enter(name, name === "guest" ? undefined : "a good one");
      if (!socket.readyState) open();
      steps.hear({ is: "entered", name, key: "0".repeat(32), account: name !== "guest" });
    },
    back() {
      open();
      steps.hear({ is: "entered", name: state.me.name, key: "0".repeat(32), account: true });
    },
  };
  for (const [word, value] of data.steps) steps[word](value);
  return { found, sent: sent.filter((one) => one.do === "keep"), stored, stop: setTimeout(() => process.exit(), 0) && 0 };
})()
"""
GAME, TABLE = {"game": "stratego"}, {"table": 3}


def told(about: dict[str, Any], text: str | None = None) -> tuple[str, dict[str, Any]]:
    return "hear", {"is": "kept", **about, **({} if text is None else {"text": text})}


class KeepingTests(SynchronousTestCase):
    def after(self, *steps: tuple[str, Any], stored: dict[str, str] | None = None) -> Any:
        """The sent requests are tuples of place and text."""
        known = evaluate("keeping.js", STEPS, {"modules": MODULES, "steps": steps, "stored": stored or {}})
        known["sent"] = [(one.get("game") or one.get("table"), one.get("text")) for one in known["sent"]]
        return known

    def test_guests_keep_in_the_browser(self) -> None:
        known = self.after(
            ("log", "guest"),
            ("keep", ["game", "a", "b"]),
            ("keep", ["table", "m"]),
            ("read", "game"),
            ("read", "table"),
        )
        self.assertEqual((known["found"], known["sent"]), ([["a", "b"], ["m"]], []))
        again = self.after(("log", "guest"), ("read", "game"), ("read", "table"), stored=known["stored"])
        self.assertEqual(again["found"], known["found"])
        spoilt = dict.fromkeys(known["stored"], '{"a":[')
        self.assertEqual(self.after(("log", "guest"), ("read", "table"), stored=spoilt)["found"], [[]])

    def test_accounts_keep_at_the_host(self) -> None:
        """They are asked for when they are needed, once a connection. Set-ups of the browser fill up, and marks do not."""
        stored = {"kept stratego": '["b","g"]', "kept tables": '[[3,["guest"]]]'}
        ask = [("read", "game"), ("read", "table"), ("read", "game")]
        known = self.after(("log", "ann"), *ask, told(GAME, "a b"), told(TABLE, "m"), *ask, stored=stored)
        self.assertEqual(known["sent"], [("stratego", None), (3, None)])
        self.assertEqual(known["found"], [[], [], [], ["g", "a", "b"], ["m"], ["g", "a", "b"]])
        saved = {key: text for key, text in known["stored"].items() if key.startswith("kept")}
        self.assertEqual(saved, stored)

    def test_what_is_kept_before_the_host_has_answered(self) -> None:
        """Nothing is sent then, so that it does not replace what the host has."""
        known = self.after(
            ("log", "ann"), ("keep", ["game", "c"]), ("read", "game"), told(GAME, "a b"), ("read", "game"), told(GAME)
        )
        self.assertEqual(known["found"], [["c"], ["a", "b", "c"]])
        self.assertEqual(known["sent"], [("stratego", None), ("stratego", "a b c")])

    def test_a_lost_connection(self) -> None:
        """What the host has not confirmed is sent again; what it has confirmed is the host's to forget."""
        known = self.after(
            ("log", "ann"),
            ("read", "table"),
            told(TABLE, ""),
            ("keep", ["table", "m"]),
            told(TABLE),
            ("keep", ["table", "m", "n"]),
            ("lose", None),
            ("keep", ["table", "m", "n", "o"]),
            ("back", None),
            ("read", "table"),
            told(TABLE, "x"),
            ("read", "table"),
        )
        sent = [(3, None), (3, "m"), (3, "m n"), (3, None), (3, "x n o")]
        self.assertEqual((known["sent"], known["found"][-1]), (sent, ["x", "n", "o"]))

    def test_another_account_has_its_own(self) -> None:
        known = self.after(
            ("log", "ann"),
            ("read", "table"),
            told(TABLE, "hers"),
            ("lose", None),
            ("log", "bob"),
            ("read", "table"),
        )
        self.assertEqual(known["found"][-1], [])

    def test_merging(self) -> None:
        """Nothing of the host or of the page is lost or doubled, each keeps its order, and a second time changes nothing."""
        rng = random.Random(47)
        cases = [[rng.sample("abcdefgh", rng.randrange(6)) for _ in range(3)] for _ in range(200)]
        script = """data.map(([browser, host, unsent]) => {
          const all = module.merged(browser, host, unsent);
          return [all, module.merged(browser, all, unsent), module.merged(all, [], [])];
        })"""
        for (browser, host, unsent), (found, again, alone) in zip(
            cases, evaluate("keeping.js", script, cases), strict=True
        ):
            self.assertEqual(sorted(found), sorted({*browser, *host, *unsent}))
            others = [one for one in host if one not in unsent]
            self.assertEqual(found[len(found) - len(others) - len(unsent) :], [*others, *unsent])
            self.assertEqual((again, alone), (found, found))
