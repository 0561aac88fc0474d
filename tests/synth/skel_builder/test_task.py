"""Tasks from their sources."""

import json
from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.skel_builder.task import Task, api_bank, draw, read_tasks, toolace


@pytest.fixture(autouse=True)
def _no_shared_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))


def texts(tasks: list[Task]) -> list[str]:
    return [task.text for task in tasks]


def test_plain_text_holds_a_task_a_line_each_once(tmp_path: Path) -> None:
    file = tmp_path / "tasks.txt"
    file.write_text("Book a  room.\n\nCancel it.\nBook a room.\n")
    assert texts(read_tasks(str(file))) == ["Book a room.", "Cancel it."]


def test_jsonl_holds_a_task_in_each_line(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"task": "Book a room.", "more": 1}\n\n{"task": "Cancel it."}\n')
    assert texts(read_tasks(str(file))) == ["Book a room.", "Cancel it."]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("tasks.jsonl", '{"task": "a"}\n{"text": "b"}\n', "line 2 is no task"),
        ("tasks.txt", "\n", "holds no tasks"),
        ("other", None, "cannot be read"),
    ],
)
def test_a_source_that_is_none_is_refused(
    tmp_path: Path, name: str, content: str | None, told: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=told):
        read_tasks(str(tmp_path / name))


def test_api_bank_gives_what_the_user_says_first(tmp_path: Path) -> None:
    dialogues = [
        "\nUser: Book a table for two.\nAI: For when?\nUser: Tonight.\nGenerate API Request:",
        "\nUser: Cancel my table.\nGenerate API Request:",
        "\nUser: What time is it?TIME: 2023-01-01",
        "\nUser: Make a photo brighter.\nGenerate API Request:",
        "\nUser: Look at www.example.com for me.\nGenerate API Request:",
        "\nUser: 订一张桌子。\nGenerate API Request:",
        "\nUser: Réserver une table.\nGenerate API Request:",
    ]
    files = []
    for number, part in enumerate((dialogues[:4], dialogues[4:])):
        file = tmp_path / f"lv{number}.json"
        file.write_text(json.dumps([{"instruction": "", "input": text} for text in part]))
        files.append(str(file))
    found = api_bank(files)
    assert texts(found) == [
        "Book a table for two.",
        "Cancel my table.",
        "What time is it?",
        "Réserver une table.",
    ]
    assert {task.source for task in found} == {"api-bank"}


def test_toolace_gives_the_first_word_when_it_is_the_users(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    rows = [
        [{"from": "user", "value": "Book a table."}, {"from": "assistant", "value": "[f()]"}],
        [{"from": "assistant", "value": "Hello"}, {"from": "user", "value": "Not first."}],
        [{"from": "user", "value": "Role definition: you are a cook."}],
    ]
    file.write_text(json.dumps([{"system": "", "conversations": row} for row in rows]))
    assert texts(toolace("json", data_files=[str(file)])) == ["Book a table."]


def test_a_tasks_name_depends_on_its_text_alone() -> None:
    one = Task(text="Book a room, please!", source="a")
    assert one.id == Task(text="Book a room, please!", source="b").id
    assert one.id.startswith("book-a-room-please-")
    assert one.id != Task(text="Book a room, please?", source="a").id


def test_more_tasks_of_a_seed_contain_the_fewer() -> None:
    tasks = [Task(text=f"Task {number}.", source="a") for number in range(50)]
    few, more = draw(tasks, 5, seed=3), draw(tasks, 20, seed=3)
    assert more[:5] == few
    assert len(set(texts(more))) == 20
    assert draw(tasks, 5, seed=4) != few
    assert draw(tasks, None) == tasks
