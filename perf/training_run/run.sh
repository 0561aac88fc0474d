#!/usr/bin/env bash
# From small packs to a comparison before and after training: perf/training_run/run.sh FOLDER
# Steps that are done are not repeated; the training goes on from its last checkpoint.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:?name a folder for what the run makes}")
export PYTHONPATH=$PWD

step() { # FILE COMMAND...: run the command unless it has made the file
	test -e "$1" || "${@:2}"
}

trained=() tested=()
for desk in key_cabinet parcel_room meeting_rooms vehicle_pool; do
	trained+=("$out/packs/$desk")
	tested+=("$out/packs/${desk}_held_out")
done
tested+=("$out/packs/lost_property" "$out/packs/seed_exchange")
listed() { local IFS=,; echo "$*"; }

step "$out/packs" python -m perf.training_run.packs "$out/packs"
envscaler collect --model policy/oracle --mode non_conv --envs "$(listed "${trained[@]}")" \
	--out "$out/oracle"
step "$out/sft" envscaler export sft "$out/oracle" --out "$out/sft"
step "$out/base/model.safetensors" python perf/training_run/base_model.py "$out/base"
step "$out/tuned/history.json" python perf/training_run/fine_tune.py \
	--base "$out/base" --data "$out/sft" --out "$out/tuned"
for model in base tuned; do
	step "$out/logs/$model" inspect eval envscaler_eval/envscaler \
		--model "hf/smollm2-135m-$model" -M model_path="$out/$model" -M do_sample=false \
		-T envs="$(listed "${tested[@]}")" -T step_limit=12 \
		--max-tokens 96 --max-connections 8 --log-dir "$out/logs/$model"
done
envscaler compare "$out/logs/base" "$out/logs/tuned"
