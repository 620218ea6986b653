"""Puts the compiler function together; apart from the rest, because it brings the compiler along."""

from __future__ import annotations

from collections.abc import Mapping

from loopstep.gateways.clock import now
from loopstep.gateways.objects import S3Objects
from loopstep.gateways.step_functions import StepFunctions
from loopstep.knowledge.store import DocumentStore
from loopstep.plans.store import PlanStore
from loopstep.services.compiler_face import CompilerFace
from loopstep.services.compose import Client, compose_registry, new_id, short_pause
from loopstep.services.publish_plan import Publisher


def compose_compiler(environment: Mapping[str, str], client: Client) -> CompilerFace:
    """The face over PLANS_TABLE, VALUES_BUCKET, STACK_NAME, MACHINE_ROLE_ARN and FUNCTION_ARN (with `{type}`)."""
    pattern, bucket = environment["FUNCTION_ARN"], environment["VALUES_BUCKET"]
    objects = S3Objects(client("s3"), environment["VALUES_BUCKET"])
    return CompilerFace(
        Publisher(
            plans=PlanStore(client("dynamodb"), environment["PLANS_TABLE"], objects),
            engine=StepFunctions(client("stepfunctions")),
            stack=environment["STACK_NAME"],
            role=environment["MACHINE_ROLE_ARN"],
            function_arn=lambda name: bucket if name == "values_bucket" else pattern.replace("{type}", name),
            now=now,
            new_owner=new_id,
            pause=short_pause,
            registry=compose_registry(environment, client),
            documents=DocumentStore(client("dynamodb"), environment["PLANS_TABLE"], short_pause),
        )
    )
