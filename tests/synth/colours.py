"""The smallest pipeline: one step, one stage."""

from pathlib import Path

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from pydantic import Field

from envscaler_eval.synth.answer import AnswerModel
from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.step import Step


class Colour(AnswerModel):
    """A colour and how sure one is."""

    colour: str = Field(min_length=1)
    certainty: int = Field(ge=1, le=10)


NAME_COLOUR = Step("name_colour", "miner", Colour, "tests.synth")
COLOURS = Stage("colours", Colour, (NAME_COLOUR,))
RIGHT = '{"colour": "red", "certainty": 9}'


class Oracle:
    """A model that says what it is told to, and counts how often it is asked."""

    def __init__(self, *replies: str | ModelOutput | Exception) -> None:
        self.prompts: list[list[str]] = []
        self.configs: list[GenerateConfig] = []
        self._replies = list(replies)

    @property
    def model(self) -> Model:
        """It as a model of Inspect's."""
        return get_model("mockllm/model", custom_outputs=self._answer)

    def _answer(
        self, messages: list[ChatMessage], _: object, __: object, config: GenerateConfig
    ) -> ModelOutput:
        self.prompts.append([message.text for message in messages])
        self.configs.append(config)
        reply = self._replies[min(len(self.prompts), len(self._replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        output = (
            reply
            if isinstance(reply, ModelOutput)
            else ModelOutput.from_content("mockllm/model", reply)
        )
        # Without usage, mockllm would count tokens with a vocabulary from the network.
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output


async def colours(folder: Path, oracle: Oracle, *things: str) -> dict[str, str]:
    """Run the pipeline, one thing after another, and return what it found out."""
    with Artefacts(folder) as artefacts:
        run = Run(artefacts, Models(oracle.model), concurrency=1)

        async def way(thing: str) -> Colour:
            return await run.stage(
                COLOURS, thing, thing, lambda: run.ask(NAME_COLOUR, thing, thing=thing)
            )

        return {thing: colour.colour for thing, colour in await run.each(things, way)}
