"""The ground truth as calls that a model could make."""

import ast
import json

from envscaler_eval.benchmarks.bfcl.calls import Call
from envscaler_eval.benchmarks.bfcl.dataset import Dataset, Entry


def oracle_calls(dataset: Dataset, entry: Entry) -> tuple[tuple[Call, ...], ...]:
    """Return the expected calls of each turn of the conversation.

    They pass wherever an entry can be passed. Positional arguments get their
    names, for a model calls by name.

    Args:
        dataset: The snapshot.
        entry: The entry.
    """
    parameters = {
        doc["name"]: tuple(doc["parameters"]["properties"])
        for class_name in entry.classes
        for doc in dataset.docs[class_name]
    }
    turns = [tuple(_call(text, parameters) for text in calls) for calls in entry.ground_truth]
    return tuple(turns[: len(entry.turns)])


def _call(text: str, parameters: dict[str, tuple[str, ...]]) -> Call:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name), text
    name = node.func.id
    arguments = {
        parameter: ast.literal_eval(value)
        for parameter, value in zip(parameters[name], node.args, strict=False)
    }
    arguments |= {k.arg: ast.literal_eval(k.value) for k in node.keywords if k.arg is not None}
    # Through JSON, as a model's arguments come.
    return Call(name, json.loads(json.dumps(arguments)))
