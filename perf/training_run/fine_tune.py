"""Fine-tune a small model on an export of trajectories, with TRL, on a processor.

All weights are trained, on the assistant's turns alone. A run that was cut short goes on from
its last checkpoint.

    python perf/training_run/fine_tune.py --base FOLDER --data FOLDER --out FOLDER
"""

import argparse
import json
import time
from pathlib import Path

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer


def main() -> None:
    """Train, save the model, and write what the trainer logged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    args = parser.parse_args()
    checkpoints = args.out / "checkpoints"
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(args.base, dtype=torch.float32),
        args=SFTConfig(
            output_dir=str(checkpoints),
            num_train_epochs=args.epochs,
            learning_rate=args.learning_rate,
            lr_scheduler_type="cosine",
            warmup_steps=6,
            per_device_train_batch_size=1,
            gradient_accumulation_steps=4,
            gradient_checkpointing=False,
            assistant_only_loss=True,
            max_length=None,
            logging_steps=1,
            save_steps=20,
            save_total_limit=1,
            report_to=[],
            use_cpu=True,
            bf16=False,
            seed=0,
        ),
        train_dataset=load_dataset(str(args.data), split="train"),
        processing_class=AutoTokenizer.from_pretrained(args.base),
    )
    started = time.perf_counter()
    last = get_last_checkpoint(str(checkpoints)) if checkpoints.is_dir() else None
    trainer.train(resume_from_checkpoint=last)
    trainer.save_model(str(args.out))
    history = {"seconds": time.perf_counter() - started, "log": trainer.state.log_history}
    (args.out / "history.json").write_text(json.dumps(history, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
