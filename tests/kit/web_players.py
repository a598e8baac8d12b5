"""People at the pages: they log in, sit down at a table, and play on by themselves."""

from typing import Any

from msgspec import json

from tests.kit.browser import Page

#: Whether the match on the page is over.
OVER = r"/\b(won|Draw|stopped)\b/.test(document.querySelector('.panel h1')?.textContent ?? '')"

#: Whether the page waits for its player.
ASKED = "document.querySelector('.board[data-can=yes]')"

#: Presses cells of the board that can be pressed, at random, while the page may act; `better` prefers some of them.
_PLAY = """(async ({seed, most, better, once}) => {
    const random = () => (seed = (seed * 48271) %% 2147483647) / 2147483647;
    const pause = () => new Promise((done) => setTimeout(done, 4));
    let pressed = 0, idle = 0;
    // Between two answers of one player the page waits for the host, for a moment.
    while (pressed < most && !(%s) && !(once && idle > 250)) {
        const cells = [...document.querySelectorAll('.board[data-can=yes] .cell[data-can]')];
        idle = cells.length ? 0 : idle + 4;
        const good = cells.filter((cell) => better.some((words) => cell.ariaLabel.includes(words)));
        const from = good.length && random() < 0.9 ? good : cells;
        if (from.length) {
            from[Math.floor(random() * from.length)].click();
            pressed += 1;
        }
        await pause();
    }
    return pressed;
})(%s)"""


async def enter(page: Page, name: str) -> None:
    """Answer the question for a name."""
    await page.until("document.querySelector('dialog[open] input[name=name]')")
    await page.run(f"document.querySelector('dialog input[name=name]').value = {json.encode(name).decode()}")
    await page.click("dialog .go")


async def sit_down(page: Page, name: str, game: str, **wishes: str) -> None:
    """
    From the page of tables into the queue, under a name.

    :param wishes: what is chosen in the dialog; without any, the large button is pressed
    """
    await page.open("/")
    if not wishes:
        await page.click(f"[data-play={game}]")
        await enter(page, name)
        return
    await page.click(f"[data-play={game}] + button")
    await enter(page, name)
    await page.until("document.querySelector('#play-title')")
    for field, value in wishes.items():
        await page.run(f"document.querySelector('dialog [name={field}]').value = {json.encode(value).decode()}")
    await page.click("dialog .go")


async def play_on(
    page: Page, seed: int, most: int = 1_000_000, better: tuple[str, ...] = (), *, once: bool = False
) -> Any:
    """
    Press at random until the match is over, or so many times.

    :param once: until nothing can be pressed for a quarter of a second

    :param better: words of the labels of cells that are preferred
    """
    wishes = json.encode({"seed": seed, "most": most, "better": better, "once": once}).decode()
    return await page.run(_PLAY % (OVER, wishes))
