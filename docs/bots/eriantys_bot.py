"""
A first bot for Eriantys, one JSON object a line. It plays the normal game at random. Start one for each player:

    python eriantys_bot.py NAME [--host 127.0.0.1] [--port 8892] [--players 2] [--games 1]
"""

import argparse
import json
import random
import socket
import time

#: For each request: the type of the answer, its key, and how to choose the value. A refused answer is asked for again.
ANSWERS = {
    "AvailableTowers": ("ChosenTower", "tower", lambda m: random.choice([t for t, n in m["availableTowers"].items() if n])),
    "AvailableWizards": ("ChosenWizard", "wizardId", lambda m: random.choice(m["availableWizards"])),
    "AvailableAssistants": ("PlayAssistant", "assistant", lambda m: random.choice(m["availableAssistants"])),
    "MovableStudents": ("ChosenStudent", "color", lambda m: random.choice(m["students"])),
    "WhereToMove": ("ChosenDestination", "destination", lambda m: random.randint(0, m["islands"])),
    "MotherNatureSteps": ("ChosenSteps", "steps", lambda m: random.randint(1, m["maxStepsAllowed"])),
    "SelectCloud": ("ChosenCloud", "cloud", lambda m: random.choice(m["clouds"])),
}  # fmt: skip


class Bot:
    def __init__(self, name, host="127.0.0.1", port=8892, players=2, games=1):
        self.name, self.address, self.players, self.games = name, (host, port), players, games
        self.winners = []  # of each game that is over
        self.creates = True  # whether this bot creates a game if none waits for players

    def run(self):
        """Play all games, through lost connections and restarts of the host."""
        while len(self.winners) < self.games:
            try:
                with socket.create_connection(self.address) as connection:
                    # By default the system may hold a short line back until the one before it is confirmed. That can
                    # cost 40 ms for each answer. With TCP_NODELAY every line is sent at once.
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.talk(connection)
            except OSError as error:  # no host, a lost connection, or nobody who joined in time
                self.tell(f"no connection ({error}): trying again")
                time.sleep(0.5)

    def talk(self, connection):
        self.logged_in = False
        for line in connection.makefile(encoding="utf-8"):
            for kind, arguments in self.replies(json.loads(line)):
                connection.sendall(json.dumps({"type": kind, **arguments}).encode() + b"\n")
                # Two bots that create a game at the same moment would wait for each other: give up after some seconds.
                connection.settimeout(random.uniform(3, 10) if kind == "SetGame" else None)
            if len(self.winners) == self.games:
                return
        raise ConnectionError("closed by the host")

    def replies(self, message):
        kind, word = message["type"], message.get("message")
        if kind in ANSWERS:
            answer, key, choose = ANSWERS[kind]
            return [(answer, {key: choose(message)})]
        if word == "ENTER_NICKNAME":
            return [("LoginMessage", {"nickname": self.name})]
        if word == "CLOSING_GAME" or (word == "SUCCESS" and not self.logged_in):
            self.logged_in = True
            return [("RequestGames", {})]  # refused, without harm, if a match goes on
        if kind == "AvailableGames":
            return self.find_game(message["availableGames"])
        if kind == "ErrorMessage":
            self.tell(f"refused, {message['detail']}")
            time.sleep(0.5 if message["error"] == "TAKEN_NICKNAME" else 0)
            return [("RequestGames", {})] if message["error"] in ("GAME_NOT_FOUND", "FULL_GAME") else []
        if kind == "MatchStarted":
            self.creates = message["players"][0] == self.name  # who created this game creates the next one
            self.tell("playing with " + ", ".join(message["players"]))
        elif kind == "EndOfRound":
            self.tell(f"round {message['roundNumber']} is over")
        elif kind == "CommunicateWinner":
            self.winners.append(" and ".join(message["nicknames"]))
            self.tell(f"game {len(self.winners)} won by {self.winners[-1]}: {message['winReason']}")
        return [("Acknowledgement", {})]  # of a Ping too: any line shows that the bot is there

    def find_game(self, games):
        for game in games:
            if game["totalPlayers"] == self.players and not game["expertMode"]:
                return [("JoinAvailableGame", {"gameId": game["gameId"]})]
        if self.creates or random.random() < 0.05:
            return [("SetGame", {"numberOfPlayers": self.players, "expertMode": False})]
        time.sleep(0.5)  # outside of matches the host accepts five messages a second
        return [("RequestGames", {})]

    def tell(self, text):
        print(f"{self.name}: {text}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Eriantys at random.")
    parser.add_argument("name")
    parser.add_argument("--host", default="127.0.0.1")
    for option, default in (("--port", 8892), ("--players", 2), ("--games", 1)):
        parser.add_argument(option, type=int, default=default)
    Bot(**vars(parser.parse_args())).run()
