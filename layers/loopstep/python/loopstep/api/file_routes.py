"""Routes of a run's working directory. No file goes through the API: it answers with requests to the bucket."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import file_models as models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body
from loopstep.api.described import UPLOAD_BODY, replies
from loopstep.api.parameters import RunId
from loopstep.services import exchange_files as files

FilePath = Annotated[str, Path(max_length=4096, description="Where in the working directory, as docs/report.md.")]

_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


def file_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]

    @router.get(
        "/runs/<run>/files",
        summary="List the files of a run's working directory",
        tags=["files"],
        responses=replies({200: ("The files, by path.", models.RunFilePage)}, 400, 404),
    )
    def list_files(run: RunId) -> Response[str]:
        return answer(200, files.list_run_files(backend.running, run))

    @router.get(
        "/runs/<run>/files/<path>",
        summary="Get the request that reads a file",
        tags=["files"],
        responses=replies({200: ("The request.", models.FileLink)}, 400, 404),
    )
    def link_download(run: RunId, path: FilePath) -> Response[str]:
        return answer(200, files.link_download(backend.running, run, _decoded(path)))

    @router.put(
        "/runs/<run>/files/<path>",
        summary="Get the request that writes a file, while the run is not over",
        tags=["files"],
        openapi_extensions=UPLOAD_BODY,
        responses=replies({200: ("The request.", models.FileLink)}, 400, 404, 409, 422),
    )
    def link_upload(run: RunId, path: FilePath) -> Response[str]:
        body = json_body(router.current_event, models.Upload)
        return answer(200, files.link_upload(backend.running, run, _decoded(path), body.bytes))

    @router.delete(
        "/runs/<run>/files/<path>",
        summary="Take a file away, while the run is not over",
        tags=["files"],
        responses=replies({200: ("The file is gone.", models.RemovedFile)}, 400, 404, 409),
    )
    def remove_file(run: RunId, path: FilePath) -> Response[str]:
        return answer(200, files.remove_file(backend.running, run, _decoded(path)))

    return router


def _decoded(path: str) -> str:
    """The path without its encoding, where the gateway has left that on; what is encoded twice stays and is refused."""
    return unquote(path, errors="surrogateescape") if _ENCODED.search(path) else path
