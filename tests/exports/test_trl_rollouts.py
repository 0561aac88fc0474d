"""Rollouts through TRL's own GRPOTrainer, whose model says what a test wants."""

import inspect
import json
from collections.abc import Iterator
from itertools import compress
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.exports.rl import RlSettings, TrlEnvironments
from envscaler_eval.policies import pieces
from tests.pack_files import write_pack

trl = pytest.importorskip("trl", reason="TRL is not installed; `make test-rl` installs it")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# Plain text, token by token: what the tokens are is all the same here.
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAKE: dict[str, Any] = {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": 3}}
ORDER: dict[str, Any] = {"name": "order_item", "arguments": {"item_id": "I-2", "priority": "high"}}
DONE = "Task Completed"
Turn = str | dict[str, Any]
Script = list[Turn]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A tokenizer of bytes with Qwen3's chat template, which TRL knows how to read."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *alphabet])}
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(SPECIAL)
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<|endoftext|>",
        eos_token="<|im_end|>",
        chat_template=template.read_text(encoding="utf-8"),
        padding_side="left",
    )


@pytest.fixture(scope="module")
def model() -> Any:
    """The smallest model: its words are replaced, its arithmetic is not."""
    config = transformers.Qwen3Config(
        vocab_size=300,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=8,
        max_position_embeddings=65536,
        pad_token_id=0,
        eos_token_id=2,
    )
    return transformers.Qwen3ForCausalLM(config)


class ScriptedTrainer(trl.GRPOTrainer):  # type: ignore[misc, name-defined]
    """GRPOTrainer with the words of its model replaced, and nothing else."""

    playing: list[Iterator[Turn]]

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], *arguments: Any, **options: Any
    ) -> tuple[list[list[int]], None]:
        turns = [next(script) for script in self.playing]
        # TRL asks again only for those that have called a tool, in their order.
        going_on = [isinstance(turn, dict) for turn in turns]
        self.playing = list(compress(self.playing, going_on))
        return [self.processing_class.encode(_written(turn)) for turn in turns], None


def _written(turn: Turn) -> str:
    said = turn if isinstance(turn, str) else f"<tool_call>\n{json.dumps(turn)}\n</tool_call>"
    return f"<think>\n\n</think>\n\n{said}<|im_end|>"


def rollouts(
    environments: TrlEnvironments,
    tokenizer: Any,
    model: Any,
    folder: Path,
    scripts: list[Script],
    **options: Any,
) -> tuple[Any, dict[str, Any]]:
    """Let TRL play a group of one row; return the trainer and what it made of it."""
    trainer = ScriptedTrainer(
        model=model,
        args=trl.GRPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            report_to="none",
            per_device_train_batch_size=len(scripts),
            num_generations=len(scripts),
            max_completion_length=20_000,
            scale_rewards="none",
            beta=0.0,
            **options,
        ),
        processing_class=tokenizer,
        train_dataset=environments.train_dataset,
        environment_factory=environments.environment_factory,
        reward_funcs=environments.reward_funcs or None,
    )
    trainer.playing = [iter(script) for script in scripts]
    row = environments.train_dataset[0]
    made = trainer._generate_and_score_completions([row] * len(scripts))
    return trainer, made


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A stock room."""
    yield write_pack(tmp_path / "packs")


def _settings(folder: Path, **changes: Any) -> TrlEnvironments:
    return TrlEnvironments(RlSettings(envs=(str(folder),), **changes), eos_token_ids=(2,))


def _rewards(trainer: Any) -> list[float]:
    """What TRL took for the rewards, a number for each rollout."""
    (values,) = trainer._logs["rewards"].values()
    return list(values)


def test_the_oracle_earns_1_and_doing_nothing_0(
    folder: Path, tokenizer: Any, model: Any, tmp_path: Path
) -> None:
    scripts: list[Script] = [[TAKE, ORDER, DONE], [DONE]]
    trainer, made = rollouts(_settings(folder), tokenizer, model, tmp_path, scripts)
    assert _rewards(trainer) == [1.0, 0.0]
    assert made["advantages"].tolist() == [0.5, -0.5]


def test_a_group_starts_from_one_state_and_again_when_instances_are_used_again(
    folder: Path, tokenizer: Any, model: Any, tmp_path: Path
) -> None:
    scripts: list[Script] = [[TAKE, DONE], [DONE], [DONE]]
    trainer, _ = rollouts(_settings(folder), tokenizer, model, tmp_path, scripts)
    changed, *untouched = [e._current.grade().state_hash for e in trainer.environments]
    assert len(set(untouched)) == 1
    assert changed not in untouched
    before = list(trainer.environments)
    trainer.playing = [iter([DONE]) for _ in scripts]
    trainer._generate_and_score_completions([trainer.train_dataset[0]] * len(scripts))
    assert trainer.environments == before
    assert {e._current.grade().state_hash for e in before} == set(untouched)


def test_errors_of_tools_can_be_recovered_from(
    folder: Path, tokenizer: Any, model: Any, tmp_path: Path
) -> None:
    faults: Script = [
        {"name": "no_such_tool", "arguments": {}},
        {"name": "take_item", "arguments": {"item_id": "I-1"}},
        {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": "three"}},
        {"name": "break_down", "arguments": {}},
        {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": 99}},
    ]
    trainer, _ = rollouts(
        _settings(folder), tokenizer, model, tmp_path, [[*faults, TAKE, ORDER, DONE], [DONE]]
    )
    assert _rewards(trainer) == [1.0, 0.0]
    told = str(trainer._logs["completion"][0])
    for observation in ("no_such_tool", "'quantity'", "not of type", "RuntimeError", "10 pieces"):
        assert observation in told


def test_in_conversation_the_model_talks_through_a_tool(
    folder: Path, tokenizer: Any, model: Any, tmp_path: Path
) -> None:
    environments = _settings(folder, mode="conv")
    talk = {"name": "talk_to_user", "arguments": {"message": "What next?"}}
    report = {"name": "talk_to_user", "arguments": {"message": "All done."}}
    talks: Script = [talk, talk, TAKE, ORDER, report, DONE]
    trainer, _ = rollouts(environments, tokenizer, model, tmp_path, [talks, [DONE]])
    assert _rewards(trainer) == [1.0, 0.0]
    task = trainer.environments[0]._current.task
    assert pieces(task.scenario)[0] in str(trainer._logs["prompt"][0])
    assert pieces(task.scenario)[1] in str(trainer._logs["completion"][0])


@pytest.mark.parametrize(("grade_truncated", "earned"), [(True, 1.0), (False, 0.0)])
def test_running_into_the_limit_costs_as_told(
    folder: Path,
    tokenizer: Any,
    model: Any,
    tmp_path: Path,
    grade_truncated: bool,
    earned: float,
) -> None:
    environments = _settings(folder, grade_truncated=grade_truncated)
    trainer, _ = rollouts(
        environments,
        tokenizer,
        model,
        tmp_path,
        [[TAKE, ORDER, TAKE], [TAKE, ORDER, DONE]],
        max_tool_calling_iterations=2,
    )
    assert _rewards(trainer) == [earned, 1.0]


def test_the_loss_of_a_group_is_finite(
    folder: Path, tokenizer: Any, model: Any, tmp_path: Path
) -> None:
    scripts: list[Script] = [[TAKE, ORDER, DONE], [DONE]]
    trainer, made = rollouts(_settings(folder), tokenizer, model, tmp_path, scripts)
    trainer.current_gradient_accumulation_steps = 1
    loss = trainer._compute_loss(trainer.model, made)
    assert torch.isfinite(loss)


def test_the_tools_of_the_library_are_described_as_they_are() -> None:
    for factory in TrlEnvironments(RlSettings(include_test=True)).environment_factory.values():
        environment = factory()
        told = {tool.name: tool for tool in environment._tools}
        methods = [
            getattr(environment, name)
            for name, _ in inspect.getmembers(type(environment), inspect.isfunction)
            if not name.startswith("_") and name not in ("reset", "get_reward")
        ]
        assert {method.__name__ for method in methods} == set(told)
        for method in methods:
            made = transformers.utils.get_json_schema(method)["function"]
            spec = told[made["name"]]
            assert made["description"] == spec.description
            assert list(made["parameters"]["properties"]) == list(spec.parameters["properties"])
            assert made["parameters"].get("required", []) == spec.parameters.get("required", [])
            for name, schema in spec.parameters["properties"].items():
                parameter = made["parameters"]["properties"][name]
                assert _types(parameter) == _types(schema) - {"null"}
                assert parameter.get("nullable", False) == ("null" in _types(schema))
                if len(_types(schema)) == 1:
                    assert parameter.get("enum") == schema.get("enum")
                assert schema.get("description", "").rstrip(".") in parameter["description"]


def _types(schema: dict[str, Any]) -> set[str]:
    """The types that a schema allows, however it says so; none when it allows all."""
    if "anyOf" in schema:
        return set().union(*map(_types, schema["anyOf"]))
    if "type" not in schema:
        return {"integer" for value in schema.get("enum", ()) if isinstance(value, int)}
    types = schema["type"]
    return {types} if isinstance(types, str) else set(types)
