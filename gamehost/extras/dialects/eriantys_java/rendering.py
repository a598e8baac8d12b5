"""
Converts the game's events into the wire's messages. The functions have no state.

Secrets (hands, and the students in the bag) are left empty. Where a message needs only the name of a player, a whole
object with an empty school board is sent, because the Java classes need one.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.games.base import Seat
from gamehost.games.eriantys import events, rules
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.messages import Spelling
from gamehost.games.eriantys.rules import Card, School
from gamehost.games.eriantys.rules import Island as Group

#: The names of this wire for the values of the game.
SPELLING = Spelling(
    m.Color,
    m.Tower,
    (
        *(m.ChosenTower, m.ChosenWizard, m.PlayAssistant, m.ChosenStudent),
        *(m.ChosenDestination, m.ChosenSteps, m.ChosenCloud, m.UseCharacterEffect),
    ),
    {
        events.PlayAssistant: dict(enumerate(m.Assistant, 1)),
        events.UseCharacter: dict(enumerate(m.CharacterEnum, 1)),
    },
)
COLORS = SPELLING.colours

#: The texts on the cards.
DESCRIPTIONS: Mapping[rules.Character, str] = {
    rules.Character.MONK: "Move a student from this card to an island.",
    rules.Character.FARMER: "Take professors with as many students as their owners.",
    rules.Character.HERALD: "Resolve an island as if Mother Nature were there.",
    rules.Character.MESSENGER: "Move Mother Nature up to two more steps.",
    rules.Character.HERBALIST: "Put a no-entry tile on an island.",
    rules.Character.CENTAUR: "Towers do not count as influence in this turn.",
    rules.Character.JESTER: "Swap up to three students of this card with your entrance.",
    rules.Character.KNIGHT: "You have two more influence in this turn.",
    rules.Character.HARVESTER: "A colour does not count as influence in this turn.",
    rules.Character.MINSTREL: "Swap up to two students of your entrance with your dining room.",
    rules.Character.PRINCESS: "Move a student from this card to your dining room.",
    rules.Character.THIEF: "Everybody returns up to three students of a colour to the bag.",
}

#: The influence that character 8 adds, and the steps that character 4 adds.
MORE_INFLUENCE = MORE_STEPS = 2

#: The cards on the table in the normal game.
NO_CARDS = (None, None, None)

Names = Sequence[str]


listed: Callable[[rules.Students], tuple[m.Color, ...]] = lru_cache(4096)(SPELLING.one_by_one)


def assistant_of(number: int) -> m.Assistant:
    """Returns the wire's constant for an assistant with a value from 1 to 10."""
    assistant: m.Assistant = SPELLING.value_of(events.PlayAssistant, number)
    return assistant


def character_of(character: rules.Character) -> m.CharacterEnum:
    """Returns the wire's constant for a character."""
    constant: m.CharacterEnum = SPELLING.value_of(events.UseCharacter, character.value)
    return constant


@lru_cache(1024)
def blank_player(name: str) -> m.Player:
    """Returns a player with only a name. All other values are empty."""
    room = m.DiningRoom(False, dict.fromkeys(COLORS, 0))
    return m.Player(
        0,
        (),
        None,
        nickname=name,
        playedAssistant=None,
        schoolBoard=m.SchoolBoard(0, 0, room, m.Entrance(), (), None),
        status=None,
    )


def _player(name: str, school: School, own: tuple[m.Color, ...], expert: bool) -> m.Player:
    """
    Returns a player with its school.

    :param own: the colours of the player's professors
    :param expert: whether the match has coins
    """
    room = m.DiningRoom(expert, dict(zip(COLORS, school.dining, strict=True)))
    entrance = m.Entrance(listed(school.entrance))
    board = m.SchoolBoard(
        school.coins if expert else 0, school.towers, room, entrance, own, SPELLING.tower(school.tower)
    )
    played = None if school.played is None else assistant_of(school.played)
    return m.Player(school.wizard, (), None, nickname=name, playedAssistant=played, schoolBoard=board, status=None)


def island_of(group: Group, extra: Mapping[str, int] = {}) -> m.Island:
    """
    Returns a group of islands.

    :param extra: the influence that a character adds in this turn, by the player's name
    """
    return m.Island(
        group.no_entry_tiles, len(group.members), extra, listed(group.students), SPELLING.tower(group.tower)
    )


def _card(card: Card, active: rules.Character | None, user: str | None) -> m.CharacterCard:
    """
    Returns the card of a character.

    :param active: the character that is in use; `None`: none is
    :param user: the name of the player that uses it
    """
    is_active = card.character is active
    students = listed(card.students) if EFFECTS[card.character].students else None
    return m.CharacterCard(
        cost=card.cost,
        isActive=is_active,
        noEntryTiles=card.no_entry_tiles,
        UsedBy=user if is_active else None,
        description=DESCRIPTIONS[card.character],
        students=students,
        value=character_of(card.character),
    )


def board_of(board: events.Board, names: Names, turn: Seat | None) -> m.UpdateBoard:
    """
    Returns the message with the whole visible board.

    :param turn: the seat of the player to move; `None`: nobody is to move
    """
    active = board.active_character
    user = None if turn is None or active is None else names[turn]
    owners = [None if holder is None else names[holder] for holder in board.professors]
    extra = {user: MORE_INFLUENCE} if active is rules.Character.KNIGHT and user is not None else {}
    dashboard = m.Dashboard(
        additionalMNMovements=MORE_STEPS if active is rules.Character.MESSENGER else 0,
        doNotCountTowers=active is rules.Character.CENTAUR,
        # The wire counts islands from 0.
        motherNaturePosition=board.mother_nature - 1,
        bag=m.Bag(),
        characters=tuple(_card(card, active, user) for card in board.cards) or NO_CARDS,
        clouds=tuple(m.Cloud(listed(cloud)) for cloud in board.clouds),
        doNotCountColor=None if board.banned is None else COLORS[board.banned],
        islands=tuple(island_of(group, extra) for group in board.islands),
        playedCharacter=None if active is None else character_of(active),
        professors=tuple(m.Professor(color, owner) for color, owner in zip(COLORS, owners, strict=True)),
    )
    players = []
    for seat, school in enumerate(board.schools):
        players.append(_player(names[seat], school, SPELLING.held(board.professors, seat), board.expert))
    return m.UpdateBoard(dashboard, tuple(players))


def reason_of(won: events.Won, board: events.Board | None) -> m.EndOfGameReason:
    """
    Returns why a match has ended, and what has decided it.

    :param board: the last board; `None`: the match has ended before the deal
    """
    kind = "LAST_ROUND"
    if board is not None and any(school.tower_holder and not school.towers for school in board.schools):
        return m.EndOfGameReason.LAST_TOWER_BUILD
    if board is not None and len(board.islands) <= rules.LAST_GROUPS:
        kind = "THREE_ISLANDS_REMAINING"
    # Nobody has won.
    if won.team is None:
        return m.EndOfGameReason[f"{kind}_TIE"]
    decided = "TOWER"
    if board is not None:
        left = {school.tower: school.towers for school in board.schools if school.tower_holder}
        # The other teams with as few towers left: professors have decided against them.
        tied = [tower for tower, towers in left.items() if towers <= left[won.team] and tower is not won.team]
        owned = Counter(board.schools[holder].tower for holder in board.professors if holder is not None)
        if tied and all(owned[won.team] > owned[tower] for tower in tied):
            decided = "PROFESSOR"
    return m.EndOfGameReason[f"{kind}_{decided}"]


def _towers(ask: events.AskTower, names: Names) -> m.Message:
    teams = (tuple(blank_player(names[seat]) for seat in team) for team in ask.teams)
    return m.AvailableTowers(SPELLING.by_tower(ask.left), SPELLING.by_tower(teams))


def _assistants(ask: events.AskAssistant, names: Names) -> m.Message:
    played = tuple((blank_player(names[seat]), assistant_of(number)) for seat, number in ask.played)
    return m.AvailableAssistants(tuple(map(assistant_of, ask.hand)), played)


_REQUESTS: Mapping[type, Callable[[Any, Names], m.Message]] = {
    events.AskTower: _towers,
    events.AskWizard: lambda ask, names: m.AvailableWizards(ask.wizards),
    events.AskAssistant: _assistants,
    events.AskStudent: lambda ask, names: m.MovableStudents(listed(ask.students)),
    events.AskDestination: lambda ask, names: m.WhereToMove(),
    events.AskSteps: lambda ask, names: m.MotherNatureSteps(ask.most),
    events.AskCloud: lambda ask, names: m.SelectCloud(),
    events.AskCardStudent: lambda ask, names: m.MovableStudentsChar(listed(ask.students)),
    events.AskColour: lambda ask, names: m.SelectColor(),
}


def request_of(ask: events.Ask, names: Names) -> m.Message:
    """Returns the message for a request of the game to a player."""
    return _REQUESTS[type(ask)](ask, names)
