"""Read plans, their versions and what belongs to a version."""

from __future__ import annotations

import json
from typing import Any

from loopstep.access.actor import shown
from loopstep.plans.records import PlanHead, PlanVersion
from loopstep.plans.store import PlanStore
from loopstep.services import paging
from loopstep.services.refusals import unknown_plan, unknown_version


def get_plan(plans: PlanStore, name: str) -> dict[str, Any]:
    """The plan with what its newest version declares. Raises Unknown `plan.unknown`."""
    head = _head(plans, name)
    version = find_version(plans, name, head.latest)
    return {**_plan(head), **_contracts(plans, version)}


def list_plans(plans: PlanStore, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, by name."""
    page = plans.plans(limit, paging.take(["plans"], cursor, str))
    return {"items": [_plan(head) for head in page.records], "next": paging.give(["plans"], page.next)}


def get_version(plans: PlanStore, name: str, number: int) -> dict[str, Any]:
    """One version with its document and diagnostics. Raises Unknown `plan.unknown`, `plan.version_unknown`."""
    version = find_version(plans, name, number)
    return {
        **_version(version),
        **_contracts(plans, version),
        "document": plans.text(version, "document"),
        "diagnostics": json.loads(plans.text(version, "diagnostics")),
        "pins": json.loads(plans.text(version, "pins")) if "pins" in version.texts else {},
    }


def list_versions(plans: PlanStore, name: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, the newest first. Raises Unknown `plan.unknown`."""
    _head(plans, name)
    listing = ["versions", name]
    page = plans.versions(name, limit, paging.take(listing, cursor, int))
    return {"items": [_version(version) for version in page.records], "next": paging.give(listing, page.next)}


def get_text(plans: PlanStore, name: str, number: int, text: str) -> str:
    """The `graph` or `definition` of a version, as JSON text."""
    return plans.text(find_version(plans, name, number), text)


def find_version(plans: PlanStore, name: str, number: int | None = None) -> PlanVersion:
    """The version of that number, the newest without one. Raises Unknown."""
    wanted = _head(plans, name).latest if number is None else number
    version = plans.version(name, wanted)
    if version is None:
        _head(plans, name)
        raise unknown_version(name, wanted)
    return version


def _head(plans: PlanStore, name: str) -> PlanHead:
    head = plans.head(name)
    if head is None:
        raise unknown_plan(name)
    return head


def _plan(head: PlanHead) -> dict[str, Any]:
    return {
        "name": head.name,
        "version": head.latest,
        "title": head.title,
        "description": head.description,
        "createdAt": head.created_at,
        "updatedAt": head.updated_at,
    }


def _version(version: PlanVersion) -> dict[str, Any]:
    return {
        "name": version.name,
        "version": version.number,
        "title": version.title,
        "description": version.description,
        "createdAt": version.created_at,
        "documentDigest": version.document_digest,
        "definitionDigest": version.definition_digest,
        "machineArn": version.machine,
        "publishedBy": shown(version.published_by),
    }


def _contracts(plans: PlanStore, version: PlanVersion) -> dict[str, Any]:
    return {name: json.loads(plans.text(version, name)) for name in ("input", "output", "state")}
