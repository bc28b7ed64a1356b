"""What a test came to, and how pytest's report is read: for scripts/test and scripts/test-gpu."""
import collections
import dataclasses
import xml.etree.ElementTree


@dataclasses.dataclass
class Result:
    name: str
    status: str  # passed, failed, skipped
    detail: str = ""  # a failure's output, a skip's reason
    count: int = 1  # how many tests it stands for
    seconds: float = 0.0  # where somebody measured


def parse_junit(report, output, status):
    """The results in pytest's --junitxml file. `output` and `status` are pytest's own."""
    results = []
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}".removeprefix("test/")
        problem = next((c for c in case if c.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        if problem is not None:
            results.append(Result(name, "failed", problem.text or problem.get("message", "")))
        elif skipped is not None:
            results.append(Result(name, "skipped", skipped.get("message", "")))
        else:
            results.append(Result(name, "passed"))
    if status not in (0, 1, 5) and not any(r.status == "failed" for r in results):
        results.append(Result("pytest", "failed", output))
    return results


def count(results):
    totals = collections.Counter({"passed": 0, "failed": 0, "skipped": 0})
    for result in results:
        totals[result.status] += result.count
    return totals
