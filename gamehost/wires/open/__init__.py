"""The open wire: all games, one JSON object a message, for browsers, house players and any other program."""
