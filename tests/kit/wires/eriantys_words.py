"""JSON messages as words, and what they must say."""

from collections.abc import Mapping, Sequence
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
#: Students that are moved in a turn, by number of players.
MOVED = {2: 3, 3: 4, 4: 3}
