"""Routes of the documents of a source: what its index is made of (CANVAS §3.5)."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import document_models as models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body, raw_body
from loopstep.api.described import replies
from loopstep.api.parameters import EntryId, Limit, Next
from loopstep.services import put_documents as putting
from loopstep.services import read_documents as reading
from loopstep.services.refusals import Malformed, Unfit

DocumentId = Annotated[str, Path(pattern=models.DOCUMENT_ID, description="The document's id, for example faq.md.")]
Title = Annotated[str | None, Query(max_length=256, description="Shown where the document has no title of its own.")]

_PROBLEMS = (400, 404, 409, 413, 422, 503)


def document_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    _changing(router, backend)
    _reading(router, backend)
    return router


def _changing(router: APIGatewayRouter, backend: Backend) -> None:
    @router.put(
        "/sources/<id>/documents/<document>",
        summary="Put a document into a source",
        tags=["documents"],
        openapi_extensions=models.DOCUMENT_BODY,
        responses=replies(
            {
                200: ("The document is another than before, or the same.", models.PutDocument),
                201: ("A new document.", models.PutDocument),
            },
            *_PROBLEMS,
        ),
    )
    def put_document(id: EntryId, document: DocumentId, title: Title = None) -> Response[str]:
        event = router.current_event
        form = _form(event.headers.get("content-type") or "", document)
        draft = putting.Draft(document, title or document, form, raw_body(event))
        (put,) = putting.put_documents(backend.librarian, id, [draft])
        return answer(201 if put.outcome == putting.CREATED else 200, _shown(put))

    @router.post(
        "/sources/<id>/documents",
        summary="Put several documents into a source, all or none",
        tags=["documents"],
        openapi_extensions=models.DOCUMENTS_BODY,
        responses=replies({200: ("The documents as they stand.", models.PutDocumentPage)}, *_PROBLEMS),
    )
    def put_documents(id: EntryId) -> Response[str]:
        drafts = _drafts(json_body(router.current_event, models.NewDocuments))
        put = putting.put_documents(backend.librarian, id, drafts, numbered=True)
        return answer(200, {"items": [_shown(each) for each in put]})

    @router.delete(
        "/sources/<id>/documents/<document>",
        summary="Take a document out of a source",
        tags=["documents"],
        responses=replies({200: ("It is not found any more.", models.RemovedDocument)}, 400, 404, 409, 503),
    )
    def remove_document(id: EntryId, document: DocumentId) -> Response[str]:
        putting.remove_document(backend.librarian, id, document)
        return answer(200, {"id": document, "removed": True})


def _reading(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/sources/<id>/documents",
        summary="List the documents of a source by id",
        tags=["documents"],
        responses=replies({200: ("A page of documents.", models.DocumentPage)}, 400, 404),
    )
    def list_documents(id: EntryId, limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, reading.list_documents(backend.librarian, id, limit, next))

    @router.get(
        "/sources/<id>/documents/<document>",
        summary="Read a document",
        tags=["documents"],
        responses=replies({200: ("The document with its text.", models.DocumentWithText)}, 400, 404),
    )
    def get_document(id: EntryId, document: DocumentId) -> Response[str]:
        return answer(200, reading.get_document(backend.librarian, id, document))


def _shown(put: putting.Put) -> dict[str, Any]:
    return {**reading.shown(put.document), "outcome": put.outcome}


def _form(content_type: str, id: str) -> str:
    """The form that a body's media type names, else the ending of the id. Raises Unfit `document.form`."""
    media = content_type.partition(";")[0].strip().lower()
    form = models.FORMS_BY_MEDIA.get(media) or models.FORMS_BY_ENDING.get(_ending(id))
    if form is None:
        media_types = ", ".join(models.FORMS_BY_MEDIA)
        raise Unfit("document.form", f"Say what {id} is by Content-Type ({media_types}), or by its ending.")
    return form


def _ending(id: str) -> str:
    return "." + id.rpartition(".")[2].lower() if "." in id else ""


def _drafts(body: models.NewDocuments) -> list[putting.Draft]:
    ids = [each.id for each in body.documents]
    if len(set(ids)) != len(ids):
        raise Malformed("request.invalid", "A document stands twice in it.")
    drafts = []
    for each in body.documents:
        try:
            data = each.text.encode("utf-8")
        except UnicodeEncodeError:
            raise Malformed("request.invalid", f"The text of {each.id} holds half of a surrogate pair.") from None
        drafts.append(putting.Draft(each.id, each.title or each.id, each.form or _form("", each.id), data))
    return drafts
