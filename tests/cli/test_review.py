"""`loopstep review` and the steps of `action.yml`, on a git repository of a test's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopstep.cli import outcome
from loopstep.cli.git import Repository
from loopstep.cli.review_report import Reviewed, Side, markdown
from loopstep.cli.reviewing import review
from loopstep.diagnostics.diagnostic import Diagnostic

ROOT = Path(__file__).resolve().parents[2]
PLAN = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
LOOPSTEP = [sys.executable, "-c", "from loopstep.cli.main import main; main()"]
NOWHERE = "0" * 40


class Work:
    """A repository with a plan, a file that is none, and a first commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("plans/refund.yaml", PLAN)
        self.write("other.yaml", "apiVersion: v1\nkind: Pod\n")
        self.base = self.commit()

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "x")
        return self.git("rev-parse", "HEAD")

    def run(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [*LOOPSTEP, "review", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == code, done.stderr
        return done.stdout


@pytest.fixture
def work(tmp_path: Path) -> Work:
    folder = tmp_path / "仓库"
    folder.mkdir()
    return Work(folder)


def broken() -> str:
    return PLAN.replace("ref: plan.input.desk", "ref: plan.input.dsk")


def breaking() -> str:
    return PLAN.replace("  reason: {type: string}\n", "  reason: {type: string, required: true}\n", 1)


def test_nothing_changed(work: Work) -> None:
    assert "1 plan checked, none changed." in work.run("HEAD")
    assert json.loads(work.run(work.base, "HEAD", "--json"))["changed"] == []


def test_what_changed_is_told_with_graphs(work: Work) -> None:
    work.write("plans/refund.yaml", breaking())
    work.write("plans/new.json", json.dumps(yaml.safe_load(PLAN)))
    work.write("plans/无.yml", PLAN)
    text = work.run("HEAD")
    assert "3 plans checked, 3 changed, **1 breaks callers**." in text
    assert "### `plans/new.json` is new" in text and "### `plans/无.yml` is new" in text
    assert "! ~ input.reason: string → string, required: it may not be left out any more" in text
    assert text.count("```mermaid\nflowchart TD") == 4  # one before and three after
    assert "Graph before" in text
    assert work.run("HEAD", "--path", "plans/new.*").count("###") == 1
    work.run("HEAD", "--fail-on-breaking", code=outcome.NO)


def test_between_two_commits_the_files_do_not_count(work: Work) -> None:
    work.write("plans/refund.yaml", breaking())
    head = work.commit()
    work.write("plans/refund.yaml", "no plan")
    (changed,) = json.loads(work.run(work.base, head, "--json"))["changed"]
    assert changed["path"] == "plans/refund.yaml" and changed["comparison"]["breaking"]
    assert "is gone" in work.run(head)


def test_faults_are_told_and_fail(work: Work, tmp_path: Path) -> None:
    work.write("plans/refund.yaml", broken())
    sarif = tmp_path / "out.sarif"
    text = work.run("HEAD", "--sarif", str(sarif), code=outcome.NO)
    assert re.search(r"^- ❌ line \d+: `reference.unknown_field` ", text, re.M)
    assert "Graph before" in text and "Graph after" not in text
    (result,) = json.loads(sarif.read_text(encoding="utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert (result["ruleId"], place) == ("reference.unknown_field", "plans/refund.yaml")


def test_what_is_no_commit_and_no_repository(work: Work, tmp_path: Path) -> None:
    work.run("nowhere", code=outcome.USAGE)
    work.run("--", "--upload-pack=x", code=outcome.USAGE)
    assert "1 plan checked, 1 changed." in work.run(NOWHERE)  # before the first commit everything is new
    other = subprocess.run([*LOOPSTEP, "review", "HEAD"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert other.returncode == outcome.USAGE and "not a git repository" in other.stderr


def test_a_link_leads_nowhere(work: Work, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(PLAN, encoding="utf-8")
    (work.folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    assert "link.yaml" not in work.run("HEAD")


def test_a_report_stays_below_its_limit_and_in_its_blocks(work: Work) -> None:
    work.write("plans/a`b<img>.yaml", PLAN.replace("title: Refunds", 'title: "```\\n# <script> @everyone"'))
    for number in range(40):
        work.write(f"plans/p{number}.yaml", PLAN)
    found = review(Repository.of(work.folder), work.base, None)
    whole = markdown(found.changed, len(found.documents))
    assert "`` plans/a`b<img>.yaml ``" in whole
    assert "```mermaid" in whole and whole.count("```mermaid") == 41
    short = markdown(found.changed, len(found.documents), 5000)
    assert len(short) <= 5000 and "mermaid" not in short
    assert len(markdown(found.changed, len(found.documents), 1000)) <= 1000


def test_a_message_is_no_markdown_and_mentions_nobody() -> None:
    said = "no field `a*b`, @ada *see* #12 <img src=x> [x](y)"
    fault = Diagnostic("document.unknown_field", "error", said, "", 3, 1, 3, 2)
    (line,) = [row for row in markdown([Reviewed("p", None, Side((fault,), ""), None)], 1).splitlines() if "❌" in row]
    assert line == (
        "- ❌ line 3: `document.unknown_field` no field `a*b`, @\u200bada \\*see\\* #\u200b12 "
        "\\<img src=x\\> \\[x\\](y)"
    )


# -- action.yml ------------------------------------------------------------------------------------------------------


class Job:
    """Runs the action's steps as a runner would: expressions filled in, files for summary and outputs."""

    def __init__(self, work: Work, folder: Path, **inputs: str) -> None:
        self.work, self.folder = work, folder
        given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
        self.inputs = given | {name.replace("_", "-"): value for name, value in inputs.items()}
        self.summary, self.output = folder / "summary.md", folder / "output"
        self.log, self.codes = "", []
        (folder / "bin").mkdir(exist_ok=True)
        gh = folder / "bin" / "gh"
        gh.write_text(f'#!/bin/sh\necho "$@" > "{folder}/gh"\n', encoding="utf-8")
        gh.chmod(0o755)

    def run(self) -> Job:
        for step in ACTION["runs"]["steps"]:
            failed = any(self.codes)
            if "run" not in step or "pip install" in step["run"] or not self._chosen(step.get("if", ""), failed):
                continue
            self._step(step)
        return self

    def _step(self, step: dict[str, Any]) -> None:
        own = {name: self.filled(value) for name, value in step.get("env", {}).items()}
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")},
            **own,
            "PATH": f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
            "RUNNER_TEMP": str(self.folder),
            "PYTHONPATH": str(ROOT / "layers" / "loopstep" / "python"),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=self.work.folder, env=environment, capture_output=True, text=True, timeout=120
        )
        self.log += done.stdout + done.stderr
        self.codes.append(done.returncode)

    def filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: self._value(found[1]), text)

    def _value(self, expression: str) -> str:
        """Alternatives, each a path into the contexts that there are."""
        return next((value for each in expression.split(" || ") if (value := self._at(each))), "")

    def _at(self, path: str) -> str:
        if path.startswith("inputs."):
            return self.inputs[path.removeprefix("inputs.")]
        if path.startswith("steps.review.outputs."):
            return self.outputs().get(path.rpartition(".")[2], "")
        known = {
            "github.event.pull_request.base.sha": self.work.base,
            "github.event.before": NOWHERE,
            "github.event.pull_request": "yes",
            "github.event.pull_request.number": "7",
            "github.token": "t",
            "github.repository": "o/r",
        }
        return known[path]

    def _chosen(self, condition: str, failed: bool) -> bool:
        if not condition:
            return not failed
        tests = condition.removeprefix("${{ ").removesuffix(" }}").split(" && ")
        return all(each == "!cancelled()" or self._holds(each) for each in tests)

    def _holds(self, test: str) -> bool:
        left, sign, right = re.fullmatch(r"(\S+)(?: (==|!=) '(.*)')?", test).groups()  # type: ignore[union-attr]
        value = self._at(left)
        return bool(value) if sign is None else (value == right) is (sign == "==")

    def outputs(self) -> dict[str, str]:
        text = self.output.read_text(encoding="utf-8") if self.output.exists() else ""
        return {name: value for name, _, value in re.findall(r"^(\w+)<<(\S+)\n(.*?)\n\2$", text, re.M | re.S)}


@pytest.fixture
def clone(work: Work, tmp_path: Path) -> Iterator[Work]:
    """A shallow copy, as `actions/checkout` makes it, whose base is not there."""
    work.git("config", "uploadpack.allowAnySHA1InWant", "true")
    work.write("plans/refund.yaml", breaking())
    work.commit()
    folder = tmp_path / "copy"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{work.folder}", str(folder)], check=True)
    copy = Work.__new__(Work)
    copy.folder, copy.base = folder, work.base
    yield copy


def test_the_action_reviews_a_pull_request(clone: Work, tmp_path: Path) -> None:
    job = Job(clone, tmp_path, comment="true").run()
    assert job.codes == [0, 0], job.log
    outputs = job.outputs()
    assert {name: outputs[name] for name in ("changed", "breaking", "errors")} == {
        "changed": "plans/refund.yaml", "breaking": "true", "errors": "0",
    }  # fmt: skip
    assert set(outputs) == set(ACTION["outputs"])
    assert "**1 breaks callers**" in job.summary.read_text(encoding="utf-8")
    assert "```mermaid" in Path(outputs["report"]).read_text(encoding="utf-8")
    assert json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))["version"] == "2.1.0"
    said = (tmp_path / "gh").read_text(encoding="utf-8").split()
    assert said == ["pr", "comment", "7", "--body-file", outputs["report"], "--edit-last", "--create-if-none"]
    assert not any(Job(clone, tmp_path).run().codes) and Job(clone, tmp_path, fail_on_breaking="true").run().codes == [
        1
    ]


def test_the_action_annotates_and_fails(clone: Work, tmp_path: Path) -> None:
    clone.write("plans/refund.yaml", broken())
    job = Job(clone, tmp_path).run()
    assert job.codes == [1]
    assert re.search(r"^::error file=plans/refund.yaml,line=\d+,.*,title=reference.unknown_field::", job.log, re.M)
    assert job.outputs()["errors"] == "1"


def test_the_action_runs_cases(clone: Work, tmp_path: Path) -> None:
    given = {"customer": "Ada", "amount": 20, "reason": "late", "desk": "d"}
    cases = {"runs": [{"input": given, "output": {"decision": "paid"}}]}
    clone.write("plans/refund.cases.json", json.dumps(cases))
    job = Job(clone, tmp_path, cases="plans\n").run()
    assert job.codes == [0] and "1 case, all as expected" in job.log
    cases["runs"][0]["output"] = {"decision": "referred"}
    clone.write("plans/refund.cases.json", json.dumps(cases))
    assert Job(clone, tmp_path, cases="plans/refund.cases.json", paths="nothing/*").run().codes == [1]


def test_hostile_names_make_no_outputs(clone: Work, tmp_path: Path) -> None:
    clone.write("plans/a\nerrors<<x\n9\nx.yaml", broken())
    job = Job(clone, tmp_path, paths="plans/a*").run()
    assert job.outputs()["errors"] == "1"
    assert len(re.findall("^::", job.log, re.M)) == 1


def test_nothing_from_outside_goes_into_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_action_is_one_by_the_schema(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    done = subprocess.run([*command, str(ROOT / "action.yml")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    bad = ACTION | {"runs": {"using": "composite", "steps": [{"run": "x"}]}}  # a shell is missing
    place = tmp_path / "action.json"
    place.write_text(json.dumps(bad), encoding="utf-8")
    assert subprocess.run([*command, str(place)], capture_output=True, timeout=60).returncode == 1
