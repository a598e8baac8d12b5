"""
A bot for all games, on the open wire. It plays at random, with the client library of gamehost:

    python all_games_bot.py NAME [--game onitama] [--games 3] [--host 127.0.0.1] [--port 8889]

It prints what happens. If the connection is lost or the host restarts, it plays on.
"""

import argparse
import asyncio
import random

from gamehost.client.asyncio_client import Client, tcp
from gamehost.client.core import Lost
from gamehost.games.onitama.rules import Position as Onitama
from gamehost.games.paper_soccer.rules import Position as Pitch
from gamehost.games.stratego.rules import KINDS
from gamehost.wires.open.messages import Back, Enter, Entered, Over, Refused, Seated, Seek

COLOURS = ["yellow", "blue", "green", "red", "pink"]


def onitama(view, seat):
    position = Onitama(tuple(map(tuple, view.hands)), view.spare, view.board, view.turn)
    moves = [str(move) for move in position.moves()]
    return (moves or [f"stalemate {view.hands[seat][0]}"]) if view.turn == seat else []


def paper_soccer(view, seat):
    position, path = Pitch(), []
    for move in view.moves:
        position = position.after(move)
    here = position
    while view.next == seat and here.turn == position.turn and here.ending is None:
        path.append(random.choice(list(here.steps())))
        here = here.step(path[-1])
    return [" ".join(f"{x},{y}" for x, y in path)] if path else []


def stratego(view, seat):
    if view.phase == "setup" and not view.ready[seat]:
        box = "".join(kind.id * kind.count for kind in KINDS.values())
        pieces = "".join(random.sample(box, len(box)))
        return ["/".join(pieces[start : start + 10] for start in range(0, 40, 10))]
    moves, name = [], lambda x, y: f"{'ABCDEFGHIJ'[x]}{y + 1}"
    for square in range(100) if view.turn == seat else ():
        y, x = divmod(square, 10)
        for to_x, to_y in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]:
            inside = 0 <= to_x < 10 and 0 <= to_y < 10
            if view.squares[square] in "123456789S" and inside and view.squares[to_y * 10 + to_x] in ".#":
                moves.append(f"{name(x, y)}-{name(to_x, to_y)}")
    return moves


def eriantys(view, seat):
    match view.request and view.request.__struct_config__.tag:
        case "ask-tower":
            return [f"tower {tower}" for tower, left in view.request.availableTowers.items() if left]
        case "ask-wizard":
            return [f"wizard {number}" for number in view.request.availableWizards]
        case "ask-assistant":
            return [f"assistant {number}" for number in view.request.availableAssistants]
        case "ask-student" | "ask-card-student":
            return [f"student {colour}" for colour in view.request.students]
        case "ask-colour":
            return [f"student {colour}" for colour in COLOURS]
        case "ask-destination":
            return [f"destination {number}" for number in range(view.request.islands + 1)]
        case "ask-steps":
            return [f"steps {number}" for number in range(1, view.request.maxStepsAllowed + 1)]
        case "ask-cloud":
            return [f"cloud {number}" for number in view.request.clouds]
    return []


#: For each game: actions to choose from, as the view shows the match; some may be refused. None: it is not our turn.
CHOICES = {"onitama": onitama, "paper-soccer": paper_soccer, "stratego": stratego, "eriantys": eriantys}


async def play(connect, name, game="onitama", games=1):
    """Play so many games, and return the names of the winners of each."""
    winners, acted = [], None
    async with Client(connect, Enter(name)) as client:
        async for message in client:
            table = client.own
            if isinstance(message, Lost) and message.again is None:  # such as: the name is in use elsewhere
                raise SystemExit(f"{name}: {message.why}")
            elif isinstance(message, Lost):
                print(f"{name}: {message.why}; trying again", flush=True)
            elif isinstance(message, Seated):
                print(f"{name}: playing {message.game} with {message.names}", flush=True)
            elif isinstance(message, Over):
                names = client.tables.get(message.table).names
                winners.append(" and ".join(names[seat] for seat in message.winners) or "nobody")
                print(f"{name}: game {len(winners)} won by {winners[-1]}", flush=True)
                if len(winners) == games:
                    break
            elif table and table.view and (table.n != acted or isinstance(message, Refused | Back)):
                choices = CHOICES[table.game](table.view, table.seat)
                if choices:
                    client.act(random.choice(choices))
                    acted = table.n
            # A match may also have ended while the connection was lost: then `entered` names no table.
            if isinstance(message, Entered | Over) and not client.own and not client.seeking:
                client.say(Seek(game))
    return winners


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays any game at random.")
    parser.add_argument("name")
    parser.add_argument("--game", choices=CHOICES, default="onitama")
    parser.add_argument("--games", type=int, default=1, help="how many; default 1")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8889)
    arguments = parser.parse_args()
    asyncio.run(play(tcp(arguments.host, arguments.port), arguments.name, arguments.game, arguments.games))
