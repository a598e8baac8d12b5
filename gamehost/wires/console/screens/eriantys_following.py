"""
What has happened on the board of Eriantys, in sentences.

Where students and Mother Nature went is told by no event of its own: it is seen from two boards.
"""

from collections.abc import Iterator, Sequence

from gamehost.games.eriantys.messages import BoardMessage, Heap, IslandOwnerEvent


def heap_in_words(heap: Heap) -> str:
    """Students in words: `2 green, 1 red`."""
    return ", ".join(f"{count} {colour}" for colour, count in heap.items() if count) or "none"


def changes(old: BoardMessage, new: BoardMessage, who: str, subjects: Sequence[str]) -> Iterator[str]:
    """
    What has happened between two boards, in sentences.

    :param who: the player whose turn it is, as a subject
    :param subjects: all players as subjects
    """
    yield from _students(old, new, who)
    if len(old.islands) == len(new.islands) and old.motherNature != new.motherNature:
        steps = (new.motherNature - old.motherNature) % len(new.islands)
        yield f"{who} moved Mother Nature {steps} step{'s' if steps > 1 else ''} to island {new.motherNature}."
    taken = [
        place for place, cloud in enumerate(old.clouds) if any(cloud.values()) and not any(new.clouds[place].values())
    ]
    if len(taken) == 1 and old.round == new.round:
        yield f"{who} took cloud {taken[0] + 1}: {heap_in_words(old.clouds[taken[0]])}."
    for colour, holder in new.professors.items():
        if holder is not None and holder != old.professors[colour]:
            verb = "have" if subjects[holder] == "You" else "has"
            yield f"{subjects[holder]} now {verb} the {colour} professor."


def _students(old: BoardMessage, new: BoardMessage, who: str) -> Iterator[str]:
    """A single student that went from an entrance into the hall or onto an island."""
    for before, after in zip(old.players, new.players, strict=True):
        moved = _differences(before.entrance, after.entrance)
        if list(moved.values()) != [-1]:
            continue
        colour = next(iter(moved))
        if _differences(before.diningRoom, after.diningRoom) == {colour: 1}:
            yield f"{who} moved a {colour} student to the hall."
        for one, other in zip(old.islands, new.islands, strict=False):
            if len(old.islands) == len(new.islands) and _differences(one.students, other.students) == {colour: 1}:
                yield f"{who} moved a {colour} student to island {other.number}."


def _differences(before: Heap, after: Heap) -> dict[str, int]:
    return {colour: count - before[colour] for colour, count in after.items() if count != before[colour]}


def owner_told(board: BoardMessage, event: IslandOwnerEvent) -> Iterator[str]:
    """Whose towers are on an island now, if they are others than before."""
    island = event.island
    old = board.islands[island.number - 1] if island.number <= len(board.islands) else None
    if island.tower is not None and (old is None or old.tower != island.tower):
        towers = f"{island.towers} tower{'s' if island.towers > 1 else ''}"
        yield f"Island {island.number} now belongs to {island.tower}, with {towers}."
