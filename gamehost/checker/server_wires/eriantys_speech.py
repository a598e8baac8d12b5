"""
Messages of Eriantys as the checker of servers uses them: without extensions, and with the replica's own ids.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from gamehost.checker.server_base import BaseSpeech, Lesson
from gamehost.checker.server_run import ServerRun
from gamehost.checker.server_user import User
from gamehost.checker.server_wires.eriantys_draws import (
    CardLesson,
    DealLesson,
    OrderLesson,
    RefillLesson,
    TaughtEriantys,
    TaughtMaster,
)
from gamehost.games.base import Game, Seat
from gamehost.games.eriantys import actions
from gamehost.games.eriantys.characters import Monk, Princess
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import Character
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.setup import Choices
from gamehost.wires.eriantys_json import messages as m
from gamehost.wires.eriantys_json.values import Color, Communication, GameInfo, Tower

_SAYS: Mapping[type, Callable[[Any], Any]] = {
    actions.ChooseTower: lambda action: m.ChosenTower(Tower[action.tower.name]),
    actions.ChooseWizard: lambda action: m.ChosenWizard(action.wizard),
    actions.PlayAssistant: lambda action: m.PlayAssistant(action.assistant),
    actions.ChooseStudent: lambda action: m.ChosenStudent(None if action.colour is None else Color[action.colour.name]),
    actions.ChooseDestination: lambda action: m.ChosenDestination(action.destination),
    actions.ChooseSteps: lambda action: m.ChosenSteps(action.steps),
    actions.ChooseCloud: lambda action: m.ChosenCloud(action.cloud),
    actions.UseCharacter: lambda action: m.UseCharacterEffect(action.character),
}

#: What every client confirms.
_ACKNOWLEDGED = (
    m.PlayerStatusMessage,
    m.MatchStarted,
    m.UpdateBoard,
    m.UpdateLobby,
    m.StartOfPlayerRound,
    m.IslandOwner,
    m.EndOfPlayerRound,
    m.EndOfRound,
    m.CommunicateWinner,
    m.PlayedCharacter,
    m.CommunicationMessage(Communication.UNIFIED_ISLANDS),
    m.CommunicationMessage(Communication.CLOSING_GAME),
)
_KINDS = tuple(kind for kind in _ACKNOWLEDGED if isinstance(kind, type))
_EXTENSIONS = (Communication.NO_ENTRY_TILE_ON_ISLAND, Communication.LAST_ROUND)


class JsonSpeech(BaseSpeech):
    """Lines of Eriantys."""

    def __init__(self) -> None:
        self._taught = TaughtEriantys()
        self.game: Game[Any, Any] | None = self._taught
        #: The game's id on the server, and on the replica.
        self._id: int | None = None
        self._own: int | None = None

    @property
    def master(self) -> TaughtMaster:
        """The replica's master of the last match."""
        return self._taught.masters[-1]

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """One line."""
        return (m.LoginMessage(name),)

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """A game is created or joined first."""
        return ()

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """The answer to a request."""
        return (_SAYS[type(action)](action),)

    def replies(self, message: Any) -> Sequence[Any]:
        """Pong, and acknowledgements where all clients send them."""
        if isinstance(message, m.Ping):
            return (m.Pong(),)
        return (m.Acknowledgement(),) if isinstance(message, _KINDS) or message in _ACKNOWLEDGED else ()

    def comes_at_any_time(self, message: Any) -> bool:
        """Ping does."""
        return isinstance(message, m.Ping)

    def documented(self, message: Any) -> Any | None:
        """Without the keys and values that the document does not have."""
        match message:
            case m.CommunicationMessage(communication) if communication in _EXTENSIONS:
                return None
            case m.ErrorMessage(error):
                return m.ErrorMessage(error)
            case m.MatchStarted(players):
                return m.MatchStarted(players)
            case m.UpdateBoard():
                return replace(message, order=UNSET)
            case m.WhereToMove():
                return m.WhereToMove()
            case m.SelectCloud():
                return m.SelectCloud()
            case m.CommunicateWinner():
                return replace(message, nicknames=UNSET)
        return message

    def canonical(self, message: Any) -> Any:
        """Lists whose order says nothing are sorted, and the reason of a victory may have any words."""
        match message:
            case m.CommunicateWinner():
                return replace(message, winReason="")
            case m.AvailableGames(games):
                return m.AvailableGames(tuple(game for game in games if game.gameId == self._id))
            case m.MovableStudents(students):
                return m.MovableStudents(tuple(sorted(students)))
            case m.MovableStudentsChar(students):
                return m.MovableStudentsChar(tuple(sorted(students)))
            case m.AvailableAssistants(hand, played):
                return m.AvailableAssistants(tuple(sorted(hand)), played)
            case m.AvailableWizards(wizards):
                return m.AvailableWizards(tuple(sorted(wizards)))
            case m.UpdateBoard(players, dashboard):
                players = tuple(replace(one, professors=tuple(sorted(one.professors))) for one in players)
                islands = tuple(sorted(dashboard.islands, key=lambda island: island.number))
                characters = tuple(sorted(dashboard.characters, key=lambda card: card.character))
                return m.UpdateBoard(
                    tuple(sorted(players, key=lambda player: player.nickname)),
                    replace(dashboard, islands=islands, characters=characters),
                )
        return message

    def with_id(self, message: Any, match_id: str) -> Any:
        """Games are known by an id before they begin."""
        match message:
            case m.WaitingForPlayers(own):
                self._id, self._own = int(match_id), own
                return m.WaitingForPlayers(int(match_id))
            case m.JoinAvailableGame(game_id) if game_id == self._id and self._own is not None:
                return m.JoinAvailableGame(self._own)
            case m.JoinAlreadyExistingGame(info):
                return m.JoinAlreadyExistingGame(self._with_id(info))
            case m.UpdateLobby(info):
                return m.UpdateLobby(self._with_id(info))
            case m.AvailableGames(games):
                return m.AvailableGames(tuple(map(self._with_id, games)))
        return message

    def _with_id(self, info: GameInfo) -> GameInfo:
        return replace(info, gameId=self._id) if self._id is not None and info.gameId == self._own else info

    def lesson(self, run: ServerRun, user: User, action: Any) -> Lesson | None:
        """The deal, the clouds, a new student on a character, or who sits where."""
        play = self.master.play
        there = sorted((one for one in run.users if one.seat.player is not None), key=lambda one: one.seat.seat)
        names = {one.name: one.seat.seat for one in there}
        if isinstance(play, Choices):
            last = isinstance(action, actions.ChooseWizard) and len(play.wizards) + 1 == play.match.mode.seats
            return DealLesson(user, self.master, names, play.match.mode) if last else None
        position = play.position
        if isinstance(action, actions.PlayAssistant) and position.round == 1:
            left = {name: seat for name, seat in names.items() if seat not in position.order[: position.turn + 1]}
            return OrderLesson(self.master, position, left) if len(left) > 1 else None
        if _ends_round(position, action):
            return RefillLesson(user, position)
        return _replaced(user, play, action)


def _replaced(user: User, play: Play, action: Any) -> CardLesson | None:
    effect = play.effect
    if isinstance(effect, Monk) and effect.picked is not None and any(play.position.bag):
        return CardLesson(user, play.position, Character.MONK, effect.picked)
    if isinstance(effect, Princess) and action.colour is not None and any(play.position.bag):
        return CardLesson(user, play.position, Character.PRINCESS, action.colour)
    return None


def _ends_round(position: Position, action: Any) -> bool:
    """Whether this is the last action of a round."""
    if position.turn + 1 < len(position.order):
        return False
    empty = not any(map(any, position.clouds))
    return isinstance(action, actions.ChooseCloud) or (isinstance(action, actions.ChooseSteps) and empty)
