"""Working directories in memory, behind the port of those in the bucket; the tests of those are held by both."""

from __future__ import annotations

from loopstep.gateways.files import Caps, File, Link


class MemoryFiles:
    """`objects` is what stands there, by (run, path)."""

    def __init__(self, caps: Caps | None = None) -> None:
        self.caps = caps or Caps()
        self.objects: dict[tuple[str, str], bytes] = {}

    def listing(self, run: str) -> list[File]:
        return sorted(File(path, len(body)) for (owner, path), body in self.objects.items() if owner == run)

    def find(self, run: str, path: str) -> File | None:
        body = self.objects.get((run, path))
        return None if body is None else File(path, len(body))

    def read(self, run: str, path: str, most: int) -> bytes:
        return self.objects[run, path][:most]

    def write(self, run: str, path: str, body: bytes) -> None:
        self.objects[run, path] = body

    def remove(self, run: str, path: str) -> None:
        self.objects.pop((run, path), None)

    def upload(self, run: str, path: str, size: int) -> Link:
        return Link("PUT", f"memory:{run}/{path}", {"Content-Length": str(size)})

    def download(self, run: str, path: str) -> Link:
        return Link("GET", f"memory:{run}/{path}", {})
