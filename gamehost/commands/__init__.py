"""The verbs of the command `gamehost`, such as `gamehost admin` and `gamehost journal`."""
