"""Clients for Eriantys in JSON, with one fault each."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.wires.eriantys import messages as m
from tests.extras.check.wires.program_clients import ProgramClient, WholeSegments, common, fault
from tests.kit.checker import changed, forgotten, instead, with_fault


class SoundClient(ProgramClient):
    wire = "eriantys"
    matches = 2


class AcknowledgesEveryThird(SoundClient):
    count = 0

    def says(self, message: Any) -> Sequence[Any]:
        self.count += isinstance(message, m.Acknowledgement)
        return [] if isinstance(message, m.Acknowledgement) and self.count % 3 else [message]


class NeverAcknowledges(SoundClient):
    """Leaves out what the host does not need."""

    says = forgotten(m.Acknowledgement)  # type: ignore[assignment]


class FillsTheDiningRoom(SoundClient):
    says = changed(m.ChosenDestination, destination=lambda one: 0)  # type: ignore[assignment]


class SpellsKeysItsOwnWay(SoundClient):
    """Writes keys as other languages do."""

    def writes(self, data: bytes) -> bytes:
        return data.replace(b"numberOfPlayers", b"number_of_players")


def played_cards(one: m.AvailableAssistants) -> tuple[int, ...]:
    return tuple(card for card in one.playedAssistants.values() if card in one.availableAssistants)


def says_first(message: Any) -> Any:
    """Says this before it does what it should do."""
    return lambda client, one: client.say_one(message) or [one]


def nothing_after_an_error(client: Any, message: Any) -> Sequence[Any]:
    client.error = getattr(client, "error", False) or isinstance(message, m.ErrorMessage)
    return [] if client.error else [message]


def another_assistant(client: Any, one: m.AvailableAssistants) -> Sequence[Any]:
    """Does not know that there may be none."""
    assert len(played_cards(one)) < len(one.availableAssistants)
    return [one]


def only_clouds_after_move_3(client: Any, message: Any) -> Sequence[Any]:
    begins = isinstance(message, m.PlayerStatusMessage) and message.playerStatus is m.PlayerStatus.MOVE_3
    client.waits = (getattr(client, "waits", False) or begins) and not isinstance(message, m.SelectCloud)
    if client.waits:
        client.say_one(m.Acknowledgement())
    return [] if client.waits else [message]


def name_at_once(client: ProgramClient) -> None:
    ProgramClient.connected(client)
    client.say_one(m.LoginMessage(client.name))


def fails(client: Any, message: Any) -> Sequence[Any]:
    raise KeyError(type(message).__name__)


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "creates", joined="creates", wins="wins"),
    with_fault(WholeSegments, SoundClient): "random-cuts",
    AcknowledgesEveryThird: "creates",
    FillsTheDiningRoom: "full-table",
    SpellsKeysItsOwnWay: "creates",
    **dict(
        fault(SoundClient, name, "creates", writes=lambda client, data, at=at, put=put: re.sub(at, put, data))
        for name, at, put in (
            ("NumbersAsText", rb'("steps":)(\d+)', rb'\1"\2"'),
            ("OtherKeys", b"wizardId", b"wizardID"),
            ("SmallLetters", rb'"color":"[A-Z]+"', lambda found: found[0].lower()),
            ("NoLineEnd", b"\n", b"\0"),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, says=says)
        for name, scenario, says in (
            ("TooFar", "creates", changed(m.ChosenSteps, steps=lambda one: one.steps + 9)),
            ("EmptyClouds", "creates", changed(m.ChosenCloud, cloud=lambda one: 0)),
            ("CloudsFromOne", "creates", changed(m.ChosenCloud, cloud=lambda one: 2)),
            ("NeverPongs", "pings", forgotten(m.Pong | m.Acknowledgement)),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            (
                "SameAssistant",
                "creates",
                changed(
                    m.AvailableAssistants,
                    availableAssistants=lambda one: played_cards(one) or one.availableAssistants,
                    playedAssistants=lambda one: {},
                ),
            ),
            ("PlaysWithoutBeingAsked", "creates", instead(m.StartOfPlayerRound, says_first(m.PlayAssistant(1)))),
            ("IgnoresErrors", "refused-answer", nothing_after_an_error),
            # Cannot play without the key `clouds`.
            ("NeedsTheExtension", "strict", instead(m.SelectCloud, lambda client, one: one.clouds and [one])),
            ("EndsAtPlayerDisconnected", "drop", instead(m.PlayerDisconnected, lambda client, _: client.end() or [])),
            ("CreatesAnew", "own-drop", instead(m.MatchStarted, says_first(m.RequestGames()))),
            ("KnowsNoCharacters", "expert", instead(m.PlayedCharacter, fails)),
            ("AlwaysAnotherAssistant", "same-assistants", instead(m.AvailableAssistants, another_assistant)),
            ("WaitsForTheClouds", "empty-clouds", only_clouds_after_move_3),
        )
    ),
    **dict((fault(SoundClient, "SpeaksFirst", "creates", connected=name_at_once),)),
}
