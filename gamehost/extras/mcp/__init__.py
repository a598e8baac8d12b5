"""
`gamehost mcp`: a language model plays on a host. The verb is a server of the Model Context Protocol on standard input and
output, and a player on the open wire.

- `texts`: what a model reads of a match
- `agent`: the player; its tools wait for the host's messages, and have no input and output
- `server`: the tools as those of the SDK
- `command`: the verb
"""

from gamehost.entries import Verb, imported

MCP = Verb(
    """\
gamehost mcp --to HOST:PORT --name NAME
                            let a language model play, by the Model Context Protocol (gamehost mcp --help lists the options)
""",
    imported("gamehost.extras.mcp.command:main"),
    needs={"mcp": "'gamehost[mcp]'"},
)
