"""The protocol of players in other programs: lines of JSON (docs/reference/protocol.md)."""
