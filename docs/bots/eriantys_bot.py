"""A first bot for the JSON Eriantys wire: python eriantys_bot.py NAME [HOST [PORT [PLAYERS]]]"""

import json
import random
import socket
import sys
import time

ANSWERS = {
    "AvailableTowers": ("ChosenTower", "tower", lambda m: max(m["availableTowers"], key=m["availableTowers"].get)),
    "AvailableWizards": ("ChosenWizard", "wizardId", lambda m: random.choice(m["availableWizards"])),
    "AvailableAssistants": ("PlayAssistant", "assistant", lambda m: random.choice(m["availableAssistants"])),
    "MovableStudents": ("ChosenStudent", "color", lambda m: random.choice(m["students"])),
    "WhereToMove": ("ChosenDestination", "destination", lambda m: random.choice((0, random.randint(1, m["islands"])))),
    "MotherNatureSteps": ("ChosenSteps", "steps", lambda m: random.randint(1, m["maxStepsAllowed"])),
    "SelectCloud": ("ChosenCloud", "cloud", lambda m: random.choice(m["clouds"])),
}


def play(name, host="127.0.0.1", port=8892, players=2, pause=0.2):
    """Log in, join a game or open one, answer at random (a refused answer is asked again), and return who won."""
    with socket.create_connection((host, int(port))) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for message in map(json.loads, wire.makefile(encoding="utf-8")):
            kind, said = message["type"], [{"type": "Acknowledgement"}]
            if kind in ANSWERS:
                time.sleep(pause)  # five answers a second are what a host takes in the long run
                said = [{"type": ANSWERS[kind][0], ANSWERS[kind][1]: ANSWERS[kind][2](message)}]
            elif message.get("message") == "ENTER_NICKNAME":
                said = [{"type": "LoginMessage", "nickname": name}, {"type": "RequestGames"}]
            elif kind == "AvailableGames":
                said = [
                    {"type": "JoinAvailableGame", "gameId": game["gameId"]} for game in message["availableGames"][:1]
                ]
                said = said or [{"type": "SetGame", "numberOfPlayers": int(players), "expertMode": False}]
            elif kind == "CommunicateWinner":
                return message["nicknames"]
            wire.sendall("".join(json.dumps(one) + "\n" for one in said).encode())
    sys.exit("the host has closed the connection")


if __name__ == "__main__":
    print("won by", *play(*sys.argv[1:]))
