"""Read a log and a trajectory of foray with the programs that they are for: make test-inspect.

Usage: check.py LOG TRAJECTORY
"""

import sys

from harbor.utils.trajectory_validator import TrajectoryValidator
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

log = read_eval_log(sys.argv[1])
assert log.status == "success" and log.results is not None, log.status
assert len(log.samples) == len(read_eval_log_sample_summaries(sys.argv[1])) == 4
(sample,) = [s for s in log.samples if s.id == "secret" and s.epoch == 1]
events = [e.event for e in sample.events]
assert events.count("model") == 8 and events.count("tool") == 7 and events.count("score") == 3, events
compactions = [e for e in sample.events if e.event == "compaction"]
assert compactions and all(e.tokens_before > e.tokens_after > 0 for e in compactions)
last = [e for e in sample.events if e.event == "model"][-1]
assert [m.role for m in last.input][:3] == ["system", "user", "assistant"] and len(last.input) == 16
assert last.output.completion == "The secret is 42.", last.output
print(f"inspect_ai reads {sys.argv[1]}: {len(events)} events, {len(compactions)} compactions")

validator = TrajectoryValidator()
assert validator.validate(__import__("pathlib").Path(sys.argv[2])), validator.errors
print(f"harbor accepts {sys.argv[2]}")
