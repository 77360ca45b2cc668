"""Play at hanab.live, or at any server that speaks its protocol.

>>> from hanabilab.live import Client
>>> client = Client("Bot-Hanna", "secret", "conventions")
>>> client.server
'https://hanab.live'

`asyncio.run(client.run())` logs in, waits for private messages such as ``/join`` and plays.
"""

from __future__ import annotations

from hanabilab.live.client import Client, Settings

__all__ = ["Client", "Settings"]
