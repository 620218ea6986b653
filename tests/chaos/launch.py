"""Starts microburst: `python launch.py SEED …`, the rest as its own command takes it.

Its draws come from the global source of random numbers, which it does not seed. And it hands paths on re-quoted (`%3A`
becomes `:`), under which no signature holds; here they go on as they came.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import aiohttp
from microburst.cli import main
from yarl import URL


def as_it_came(session: aiohttp.ClientSession, url: str | URL) -> URL:
    """The URL without another quoting."""
    return url if isinstance(url, URL) else URL(url, encoded=True)


if __name__ == "__main__":
    random.seed(int(sys.argv.pop(1)))
    client: Any = aiohttp.ClientSession
    client._build_url = as_it_came
    sys.exit(main())
