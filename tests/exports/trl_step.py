"""One step of TRL's SFTTrainer on an exported data set, with a model of a few thousand weights.

Runs where TRL is installed, which need not be where the project is: it knows
nothing but the folder. Prints what it saw as JSON.
"""

import json
import sys
import tempfile

from datasets import load_dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import SFTConfig, SFTTrainer
from trl.chat_template_utils import qwen3_training_chat_template

_IGNORED = -100


def main(folder: str) -> None:
    data = load_dataset(folder, split="train")
    tokenizer = _tokenizer([json.dumps(row["messages"]) for row in data])
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=8,
        )
    )
    with tempfile.TemporaryDirectory() as out:
        trainer = SFTTrainer(
            model=model,
            args=SFTConfig(
                output_dir=out,
                max_steps=1,
                per_device_train_batch_size=1,
                assistant_only_loss=True,
                max_length=None,
                report_to=[],
                use_cpu=True,
                bf16=False,
            ),
            train_dataset=data,
            processing_class=tokenizer,
        )
        loss = trainer.train().training_loss
        row = trainer.train_dataset[0]
    text = tokenizer.decode(row["input_ids"])
    trained = tokenizer.decode([label for label in row["labels"] if label != _IGNORED])
    print(json.dumps({"loss": loss, "text": text, "trained": trained}))


def _tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Make a tokenizer of bytes; no vocabulary comes from the network."""
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    plain.train_from_iterator(
        texts, trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.chat_template = qwen3_training_chat_template
    return tokenizer


if __name__ == "__main__":
    main(sys.argv[1])
