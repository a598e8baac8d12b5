"""JSON messages as words, and what they must say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamehost.wires.eriantys import messages as m

NONE = m.Students(0, 0, 0, 0, 0)
INFO = m.GameInfo(gameId=7, waitingPlayers=1, totalPlayers=2, expertMode=True)
ISLAND = m.Island(
    number=1, members=(1, 12), students=m.Students(1, 0, 0, 2, 0), tower=m.Tower.WHITE, towers=2, noEntryTiles=0
)
PLAYER = m.Player(
    nickname="ann",
    tower=m.Tower.WHITE,
    wizard=2,
    towersLeft=6,
    towerHolder=True,
    entrance=m.Students(1, 2, 0, 3, 1),
    diningRoom=NONE,
    professors=(m.Color.RED,),
    coins=1,
    assistantsLeft=9,
    playedAssistant=4,
)
BOARD = m.UpdateBoard(
    players=(PLAYER,),
    dashboard=m.Dashboard(
        round=1,
        islands=(ISLAND,),
        clouds=(NONE,),
        motherNature=1,
        professors={
            m.Color.YELLOW: None,
            m.Color.BLUE: None,
            m.Color.GREEN: None,
            m.Color.RED: "ann",
            m.Color.PINK: None,
        },
        bag=96,
        characters=(m.Character(character=5, cost=3, used=True, students=None, noEntryTiles=4),),
        activeCharacter=5,
        coinsSupply=17,
    ),
)

_NONE = '{"YELLOW":0,"BLUE":0,"GREEN":0,"RED":0,"PINK":0}'
_INFO = '{"gameId":7,"waitingPlayers":1,"totalPlayers":2,"expertMode":true}'
_ISLAND = (
    '{"number":1,"members":[1,12],"students":{"YELLOW":1,"BLUE":0,"GREEN":0,"RED":2,"PINK":0},'
    '"tower":"WHITE","towers":2,"noEntryTiles":0}'
)
_PLAYER = (
    '{"nickname":"ann","tower":"WHITE","wizard":2,"towersLeft":6,"towerHolder":true,'
    '"entrance":{"YELLOW":1,"BLUE":2,"GREEN":0,"RED":3,"PINK":1},'
    f'"diningRoom":{_NONE},"professors":["RED"],"coins":1,"assistantsLeft":9,"playedAssistant":4}}'
)
_DASHBOARD = (
    f'{{"round":1,"islands":[{_ISLAND}],"clouds":[{_NONE}],"motherNature":1,'
    '"professors":{"YELLOW":null,"BLUE":null,"GREEN":null,"RED":"ann","PINK":null},"bag":96,'
    f'"characters":[{{"character":5,"cost":3,"used":true,"students":null,"noEntryTiles":4}}],'
    '"activeCharacter":5,"coinsSupply":17}'
)
BOARD_LINE = f'{{"type":"UpdateBoard","players":[{_PLAYER}],"dashboard":{_DASHBOARD}}}'

LINES: Sequence[tuple[Any, str]] = (
    (m.Ping(), '{"type":"Ping"}'),
    (m.CommunicationMessage(m.Communication.SUCCESS), '{"type":"CommunicationMessage","message":"SUCCESS"}'),
    (m.PlayerStatusMessage(m.PlayerStatus.MOVE_1), '{"type":"PlayerStatusMessage","playerStatus":"MOVE_1"}'),
    (
        m.ErrorMessage(m.Error.WRONG_TURN, "another player is asked now"),
        '{"type":"ErrorMessage","error":"WRONG_TURN","detail":"another player is asked now"}',
    ),
    (m.AvailableGames((INFO,)), f'{{"type":"AvailableGames","availableGames":[{_INFO}]}}'),
    (m.JoinAlreadyExistingGame(INFO), f'{{"type":"JoinAlreadyExistingGame","gameInfo":{_INFO}}}'),
    (m.WaitingForPlayers(7), '{"type":"WaitingForPlayers","gameId":7}'),
    (m.PlayerDisconnected("bob"), '{"type":"PlayerDisconnected","nickname":"bob"}'),
    (
        m.MatchStarted(("ann", "bob"), 2, True, ("bob", "ann")),
        '{"type":"MatchStarted","players":["ann","bob"],"numberOfPlayers":2,"expertMode":true,"order":["bob","ann"]}',
    ),
    (
        m.AvailableTowers({m.Tower.BLACK: 1, m.Tower.WHITE: 0}, {m.Tower.BLACK: (), m.Tower.WHITE: ("ann",)}),
        '{"type":"AvailableTowers","availableTowers":{"BLACK":1,"WHITE":0},'
        '"currentTeams":{"BLACK":[],"WHITE":["ann"]}}',
    ),
    (m.AvailableWizards((1, 3, 4)), '{"type":"AvailableWizards","availableWizards":[1,3,4]}'),
    (BOARD, BOARD_LINE),
    (m.UpdateLobby(INFO), f'{{"type":"UpdateLobby","gameInfo":{_INFO}}}'),
    (m.StartOfPlayerRound(1, "ann"), '{"type":"StartOfPlayerRound","roundNumber":1,"nickname":"ann"}'),
    (
        m.AvailableAssistants((1, 2, 10), {"bob": 3}),
        '{"type":"AvailableAssistants","availableAssistants":[1,2,10],"playedAssistants":{"bob":3}}',
    ),
    (m.PlayedAssistant(3, "bob"), '{"type":"PlayedAssistant","assistant":3,"player":"bob"}'),
    (m.MovableStudents((m.Color.RED, m.Color.RED)), '{"type":"MovableStudents","students":["RED","RED"]}'),
    (m.MovableStudentsChar((m.Color.BLUE,)), '{"type":"MovableStudentsChar","students":["BLUE"]}'),
    (m.WhereToMove(12), '{"type":"WhereToMove","islands":12}'),
    (m.MotherNatureSteps(4), '{"type":"MotherNatureSteps","maxStepsAllowed":4}'),
    (m.IslandOwner(ISLAND, "ann"), f'{{"type":"IslandOwner","island":{_ISLAND},"nickname":"ann"}}'),
    (m.SelectCloud((0, 2)), '{"type":"SelectCloud","clouds":[0,2]}'),
    (m.EndOfPlayerRound(1, "ann"), '{"type":"EndOfPlayerRound","roundNumber":1,"nickname":"ann"}'),
    (m.EndOfRound(1), '{"type":"EndOfRound","roundNumber":1}'),
    (
        m.CommunicateWinner(m.Tower.WHITE, "ann", "The last tower is built.", ("ann",)),
        '{"type":"CommunicateWinner","team":"WHITE","nickname":"ann","winReason":"The last tower is built.",'
        '"nicknames":["ann"]}',
    ),
    (m.SelectColor(), '{"type":"SelectColor"}'),
    (m.PlayedCharacter(5, "ann"), '{"type":"PlayedCharacter","character":5,"player":"ann"}'),
)


Board = Mapping[str, Any]

COLORS = ("YELLOW", "BLUE", "GREEN", "RED", "PINK")
#: By number of players: towers of a team, students in an entrance between turns, students on a cloud.
NUMBERS = {2: (8, 7, 3), 3: (6, 9, 4), 4: (8, 7, 3)}


def flaws(message: Board) -> list[str]:
    """What is wrong with an UpdateBoard; nothing, if host and rules are right."""
    players, dashboard = message["players"], message["dashboard"]
    return [
        *_students(players, dashboard),
        *_towers(players, dashboard),
        *_circle(players, dashboard),
        *_professors(players, dashboard),
        *_coins_and_tiles(players, dashboard),
        *_hands(players, dashboard),
    ]


def _students(players: Any, dashboard: Board) -> Iterator[str]:
    heaps = [
        *(island["students"] for island in dashboard["islands"]),
        *dashboard["clouds"],
        *(card["students"] for card in dashboard["characters"] if card["students"] is not None),
        *(player[room] for player in players for room in ("entrance", "diningRoom")),
    ]
    if any(tuple(heap) != COLORS for heap in heaps):
        yield "a heap without all colours"
    seen = {color: sum(heap[color] for heap in heaps) for color in COLORS}
    if sum(seen.values()) + dashboard["bag"] != 130:
        yield f"{sum(seen.values())} students and {dashboard['bag']} in the bag"
    if max(seen.values()) > 26 or any(min(heap.values()) < 0 for heap in heaps):
        yield "more students of a colour than there are, or fewer than none"
    if any(max(player["diningRoom"].values()) > 10 for player in players):
        yield "more than ten at a table"


def _is_last_tower_built(players: Any) -> bool:
    return any(player["towerHolder"] and not player["towersLeft"] for player in players)


def _towers(players: Any, dashboard: Board) -> Iterator[str]:
    total = NUMBERS[len(players)][0]
    for tower in {player["tower"] for player in players}:
        built = sum(island["towers"] for island in dashboard["islands"] if island["tower"] == tower)
        left = [player["towersLeft"] for player in players if player["tower"] == tower]
        holders = [player for player in players if player["tower"] == tower and player["towerHolder"]]
        if built + sum(left) != total or len(holders) != 1 or sum(left) != holders[0]["towersLeft"]:
            yield f"{tower}: {built} towers built and {left} left"
    for island in dashboard["islands"]:
        if island["towers"] not in (0, len(island["members"])) and not _is_last_tower_built(players):
            yield "a group with another number of towers than islands"
        if (island["tower"] is None) != (island["towers"] == 0):
            yield "towers without a colour"


def _circle(players: Any, dashboard: Board) -> Iterator[str]:
    islands = dashboard["islands"]
    if sorted(member for island in islands for member in island["members"]) != list(range(1, 13)):
        yield "not the twelve islands"
    if [island["number"] for island in islands] != list(range(1, len(islands) + 1)):
        yield "islands that are not numbered around the circle"
    if not 1 <= dashboard["motherNature"] <= len(islands):
        yield "Mother Nature is nowhere"
    if _is_last_tower_built(players):
        return
    for place, island in enumerate(islands):
        if island["tower"] is not None and island["tower"] == islands[place - 1]["tower"] and len(islands) > 1:
            yield "neighbours with the same towers apart"


def _professors(players: Any, dashboard: Board) -> Iterator[str]:
    for color, holder in dashboard["professors"].items():
        counts = {player["nickname"]: player["diningRoom"][color] for player in players}
        most = max(counts.values())
        if [player["nickname"] for player in players if color in player["professors"]] != ([holder] if holder else []):
            yield f"{color}: another holder on the boards"
        if holder is None and most:
            yield f"{color}: students and no professor"
        if holder is not None and counts[holder] < most and list(counts.values()).count(most) == 1:
            yield f"{color}: somebody else has the most students"


def _coins_and_tiles(players: Any, dashboard: Board) -> Iterator[str]:
    cards = dashboard["characters"]
    coins = [player["coins"] for player in players]
    if not cards:
        if any(coin is not None for coin in coins) or dashboard["coinsSupply"] is not None:
            yield "coins in a normal game"
        return
    if min(coins) < 0 or sum(coins) + dashboard["coinsSupply"] + sum(card["used"] for card in cards) != 20:
        yield f"coins {coins}, {dashboard['coinsSupply']} in the supply"
    tiles = sum(island["noEntryTiles"] for island in dashboard["islands"])
    on_cards = sum(card["noEntryTiles"] or 0 for card in cards)
    for card in cards:
        if (card["students"] is None) != (card["character"] not in (1, 7, 11)):
            yield "students on a character that has none, or none where they lie"
        if (card["noEntryTiles"] is None) != (card["character"] != 5):
            yield "no-entry tiles on a character that has none, or none where they lie"
    if tiles + on_cards != (4 if any(card["character"] == 5 for card in cards) else 0):
        yield f"{tiles} no-entry tiles on islands, {on_cards} on cards"


def _hands(players: Any, dashboard: Board) -> Iterator[str]:
    rounds = dashboard["round"]
    for player in players:
        played = max(0, rounds - (player["playedAssistant"] is None))
        if player["assistantsLeft"] != 10 - played:
            yield "a hand that does not fit the round"
    if all(player["playedAssistant"] is None for player in players):
        _, entrance, cloud = NUMBERS[len(players)]
        if any(sum(player["entrance"].values()) != entrance for player in players):
            yield "an entrance that is not full between turns"
        full = {sum(students.values()) for students in dashboard["clouds"]}
        if full != ({0} if rounds == 0 else {cloud}) and (full != {0} or dashboard["bag"] >= cloud * len(players)):
            yield "clouds that are neither full nor empty"
