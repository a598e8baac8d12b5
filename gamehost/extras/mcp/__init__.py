"""
`gamehost mcp`: a language model plays on a host. The program is a server of the Model Context Protocol on standard input and
output, and a player on the open wire.

- `texts`: the texts about a match that a model reads
- `agent`: the player and its tools, without input and output
- `server`: offers the tools by the SDK of the protocol
- `command`: the verb of the command line
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
