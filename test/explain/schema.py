"""Checks values against the few words of JSON Schema that schema.json uses."""
import json
import os

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def load():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.json"), encoding="utf-8") as file:
        return json.load(file)


def problems(value, schema, path="$"):
    """Everything in which the value differs from the schema, as sentences."""
    if "enum" in schema:
        allowed = any(value is each or (type(value) is type(each) and value == each) for each in schema["enum"])
        return [] if allowed else [f"{path}: {value!r} is none of {schema['enum']}"]
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind != "boolean" and isinstance(value, bool))):
        return [f"{path}: {type(value).__name__} is no {kind}"]
    found = []
    if kind == "object":
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{path}: '{name}' is missing" for name in schema.get("required", []) if name not in value]
        for name, each in value.items():
            if name in known:
                found += problems(each, known[name], f"{path}.{name}")
            elif more is False:
                found.append(f"{path}: '{name}' is not in the schema")
            elif isinstance(more, dict):
                found += problems(each, more, f"{path}.{name}")
    if kind == "array" and "items" in schema:
        for i, each in enumerate(value):
            found += problems(each, schema["items"], f"{path}[{i}]")
    return found
