"""What has run: a file of JSON for each suite and setting, one line for each test."""

import json


def read_results(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def forget(path, tests):
    """What is about to run again has no result; what is not keeps its own."""
    records = read_results(path)
    kept = [record for record in records if record["test"] not in set(tests)]
    if len(kept) < len(records):
        text = "".join(json.dumps(record) + "\n" for record in kept)
        path.write_text(text, encoding="utf-8")
