"""The protocol of players in other programs: lines of JSON (docs/protocol.md)."""
