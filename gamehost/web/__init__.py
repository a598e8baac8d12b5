"""The browser's side of the host: pages, an HTTP interface to look things up, and the open wire over WebSocket."""
