"""
Whole matches of people who do not see the page: they have the accessibility tree and the keys.

The games that last longer are in `slow_heard`.
"""

from collections.abc import Sequence

from tests import long
from tests.browser.playing import ONITAMA, PlayCase
from tests.kit.heard import Heard

#: The own move, as the heading says it.
MOVE = "^Your move$"


class HeardCase(PlayCase):
    async def seek_by_ear(self, game: str, name: str = "ann") -> Heard:
        """Somebody who has entered, and waits for an opponent."""
        heard = Heard(await self.browser.page())
        await heard.page.open("/")
        await heard.press(f"^Play {game}$")
        await heard.until("textbox", "^Name$")
        await heard.page.press("Control+a")
        await heard.page.type(name)
        await heard.page.press("Enter")
        return heard

    async def press_all(self, heard: Heard, squares: Sequence[str]) -> None:
        """Press what is on these squares, which can be pressed, or cards by their names."""
        for one in squares:
            word, _, card = one.partition(" ")
            await heard.press(
                {"with": f" with {card}$", "card": f"^{card}, your card"}.get(word, rf"^{one}\b.*\bcan\b")
            )

    async def said_once(self, heard: Heard, *words: str) -> None:
        """These have been said in the one polite live region, and once."""
        for one in words:
            await heard.until("StaticText", f"^{one}$")
        tree = await heard.tree()
        self.assertEqual([node.role for node in tree if node.polite and node.role in ("log", "status")], ["log"])
        for one in words:
            self.assertEqual(sum(node.role == "StaticText" and node.name == one for node in tree), 1, one)


class OnitamaTests(HeardCase):
    @long
    async def test_whole(self) -> None:
        """White takes the master."""
        heard = await self.seek_by_ear("Onitama")
        await heard.until("StaticText", "waiting for an opponent")
        bob = await self.netcat("onitama")
        bob.say("LOGIN|bob")
        for control in ("^Sound$", "^Help$", "^Hide$"):
            await heard.press(control)  # it is drawn anew, or it is gone
        for squares, answer in ONITAMA:
            await heard.until("heading", MOVE)
            await self.press_all(heard, squares)
            await bob.heard("MOVE_WAS_MADE")
            if answer:
                bob.say(f"MAKE_MOVE|{answer}")
                await bob.heard(f"MOVE_WAS_MADE|{answer}")
        await heard.until("heading", "^You have won$")
        await self.said_once(heard, "bob: eel, b5 to a5. Your move.", "You have won. The master is taken.")
        await heard.press("^New opponent$")
        await heard.until("button", "^Stop waiting$")
