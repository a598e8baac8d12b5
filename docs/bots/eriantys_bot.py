"""
A first bot for Eriantys, one JSON object a line. It plays the normal game at random. Start one for each player:

    python eriantys_bot.py NAME [--host 127.0.0.1] [--port 8892] [--players 2] [--games 1]
"""

import argparse
import json
import random
import socket
import sys
import time

GIVE_UP = 20  # seconds without a connection
PLACES = 10  # of one colour in a dining room


class Bot:
    def __init__(self, name, host="127.0.0.1", port=8892, players=2, games=1):
        self.name, self.address, self.players, self.games = name, (host, port), players, games
        self.winners = []  # of each game that is over
        self.creates = True  # whether this bot creates a game if none waits for players
        self.in_match = False
        self.board, self.student = None, None  # the last UpdateBoard, and the student that is on its way

    def run(self):
        """Play all games, through lost connections and restarts of the host."""
        last = time.monotonic()  # when there was a connection
        while len(self.winners) < self.games:
            if time.monotonic() - last > GIVE_UP:
                sys.exit(f"{self.name}: the host cannot be reached")
            try:
                with socket.create_connection(self.address) as connection:
                    # By default the system may hold a short line back until the one before it is confirmed. That can
                    # cost 40 ms for each answer. With TCP_NODELAY every line is sent at once.
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    try:
                        self.talk(connection)
                    finally:
                        last = time.monotonic()
            except OSError as error:  # no host, a lost connection, or nobody who joined in time
                self.tell(f"no connection to {self.address[0]}:{self.address[1]} ({error}): trying again")
                time.sleep(0.5)

    def talk(self, connection):
        self.logged_in = False
        for line in connection.makefile(encoding="utf-8"):
            for kind, arguments in self.replies(json.loads(line)):
                connection.sendall(json.dumps({"type": kind, **arguments}).encode() + b"\n")
            # Bots that create a game at the same moment would wait for each other: they give up after some seconds.
            connection.settimeout(None if self.in_match else random.uniform(2, 6))
            if len(self.winners) == self.games:
                return
        raise ConnectionError("closed by the host")

    def replies(self, message):
        kind, word = message["type"], message.get("message")
        if kind == "AvailableGames":
            return self.find_game(message["availableGames"])
        if kind == "ErrorMessage":
            return self.refused(message)
        if kind == "Ping":
            return [("Pong", {})]
        if kind in self.ANSWERS:
            answer, key, choose = self.ANSWERS[kind]
            return [(answer, {key: choose(self, message)})]
        if word == "ENTER_NICKNAME":
            return [("LoginMessage", {"nickname": self.name})]
        if word == "SUCCESS" and not self.logged_in:
            self.logged_in = True
            return [] if self.in_match else [("RequestGames", {})]  # a match that was interrupted goes on by itself
        if kind == "UpdateBoard":
            self.board = message
        elif kind == "MatchStarted":
            self.in_match = True
            self.creates = message["players"][0] == self.name  # who created this game creates the next one
            self.tell("playing with " + ", ".join(message["players"]))
        elif kind == "EndOfRound":
            self.tell(f"round {message['roundNumber']} is over")
        elif kind == "CommunicateWinner":
            self.winners.append(" and ".join(message.get("nicknames", [message["nickname"]])))
            self.tell(f"game {len(self.winners)} won by {self.winners[-1]}: {message['winReason']}")
        elif word == "CLOSING_GAME":
            self.in_match = False
            more = [("RequestGames", {})] if len(self.winners) < self.games else []
            return [("Acknowledgement", {}), *more]
        return [("Acknowledgement", {})]

    def refused(self, message):
        self.tell(f"refused, {message['error']} {message.get('detail', '')}")
        if "elsewhere" in message.get("detail", ""):  # to log in again would throw the other one off
            sys.exit(f"{self.name} is in use elsewhere, and ends here")
        time.sleep(0 if self.logged_in else 0.5)  # the name is in use, or the host lets nobody in now
        return [("RequestGames", {})] if message["error"] in ("GAME_NOT_FOUND", "FULL_GAME") else []

    # -- the answer to each request: the type of the message, its key, and how to choose the value

    def assistant(self, message):
        played = message["playedAssistants"].values()  # the same as another player's only if there is no other
        hand = message["availableAssistants"]
        return random.choice([card for card in hand if card not in played] or hand)

    def choose_student(self, message):
        self.student = random.choice(message["students"])
        return self.student

    def destination(self, message):
        (me,) = (player for player in self.board["players"] if player["nickname"] == self.name)
        full = me["diningRoom"][self.student] >= PLACES
        return random.randint(1 if full else 0, len(self.board["dashboard"]["islands"]))

    def cloud(self, message):
        clouds = self.board["dashboard"]["clouds"]
        return random.choice([number for number, cloud in enumerate(clouds) if any(cloud.values())])

    ANSWERS = {
        "AvailableTowers": (
            "ChosenTower", "tower", lambda bot, m: random.choice([t for t, n in m["availableTowers"].items() if n])
        ),
        "AvailableWizards": ("ChosenWizard", "wizardId", lambda bot, m: random.choice(m["availableWizards"])),
        "AvailableAssistants": ("PlayAssistant", "assistant", assistant),
        "MovableStudents": ("ChosenStudent", "color", choose_student),
        "WhereToMove": ("ChosenDestination", "destination", destination),
        "MotherNatureSteps": ("ChosenSteps", "steps", lambda bot, m: random.randint(1, m["maxStepsAllowed"])),
        "SelectCloud": ("ChosenCloud", "cloud", cloud),
    }  # fmt: skip

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
