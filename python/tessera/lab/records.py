"""logs/OP.json: records of what was checked and measured. Records are only added, never changed.

    {"format": 1, "op": "softmax", "records": [{"kind": "time", "date": ..., "device": {...}, "sizes": {...}, "hash": ...}, ...]}

Each record's hash covers its content and the hash of the record before it, so a record that was edited is noticed (`verify`).
"""
import hashlib
import json
import os

FORMAT = 1


class Damaged(Exception):
    """A file of records that cannot be used."""


def path_of(logs, op):
    return os.path.join(logs, op + ".json")


def read(logs, op):
    """The records of an operator, oldest first; [] without a file."""
    path = path_of(logs, op)
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Damaged(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise Damaged(f"{path} is not what the lab wrote ({error}); restore it, or remove it to begin anew") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise Damaged(f"{path} has format {told.get('format') if isinstance(told, dict) else '?'}; this Tessera reads format {FORMAT}")
    return told["records"]


def digest(record, before):
    """The hash of a record, without its own field `hash`."""
    content = {name: value for name, value in record.items() if name != "hash"}
    text = json.dumps([before, content], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def verify(records):
    """The indices of records whose content is not what their hash says."""
    wrong, before = [], ""
    for i, record in enumerate(records):
        if record.get("hash") != digest(record, before):
            wrong.append(i)
        before = record.get("hash", "")
    return wrong


def append(logs, op, record):
    """Adds a record and returns it with its hash. The file is written to a temporary name and renamed."""
    records = read(logs, op)
    record = json.loads(json.dumps(record))  # numbers as a reader will see them, for the hash
    record["hash"] = digest(record, records[-1]["hash"] if records else "")
    os.makedirs(logs, exist_ok=True)
    path = path_of(logs, op)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(f'{{"format": {FORMAT}, "op": {json.dumps(op)}, "records": [\n')
        file.write(",\n".join(json.dumps(each) for each in [*records, record]))
        file.write("\n]}\n")
    os.replace(path + ".part", path)
    return record


def latest(records, kind="time", device_type=None, device_name=None):
    """The newest record of a kind, optionally of a device's type and name; None without one."""
    for record in reversed(records):
        device = record.get("device", {})
        if record.get("kind") == kind and device_type in (None, device.get("type")) and device_name in (None, device.get("name")):
            return record
    return None


def as_read(value):
    """A value as it is after it was written and read."""
    return json.loads(json.dumps(value))
