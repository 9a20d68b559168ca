"""Rows 5 to 7: what the paper keeps in FP32 between operations: weights, the optimiser's state, sums."""

from benchmarks.experiments import accumulation
from benchmarks.experiments.cells import FirstUpdate
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row, experiment, presets, trainings

_WEIGHTS = presets(
    "fp32",
    "fp16_static",
    "fp16_weights",
    "bf16_weights",
    "fp16_weights_stochastic",
    "bf16_weights_stochastic",
)
_SMALL_SGD = {"task": "digits_mlp", "optimizer": "sgd", "learning_rate": 1e-2, "steps": 800}

ROWS: dict[str, Row] = {
    "5": Row(
        title="Master weights: the digits MLP, SGD without momentum at 0.01, and Adam",
        columns=("accuracy", "loss", "unchanged"),
        cells=trainings(_WEIGHTS, "SGD, ", **_SMALL_SGD)
        | trainings(presets("fp32", "fp16_weights", "bf16_weights"), "Adam, ", task="digits_mlp"),
        claims=(
            Claim("loss", "SGD, fp16_weights", ">", "SGD, fp32"),
            Claim("loss", "SGD, bf16_weights", ">", "SGD, fp16_weights"),
            Claim("unchanged", "SGD, bf16_weights", ">", 0.9),
            Claim("loss", "SGD, fp16_static", "≈", "SGD, fp32"),
            Claim("loss", "SGD, fp16_weights_stochastic", "≈", "SGD, fp32"),
            Claim("loss", "SGD, bf16_weights_stochastic", "≈", "SGD, fp32"),
            Claim("loss", "Adam, fp16_weights", "≈", "Adam, fp32"),
            Claim("loss", "Adam, bf16_weights", "≈", "Adam, fp32"),
            Claim("accuracy", "Adam, bf16_weights", "≈", "Adam, fp32"),
        ),
    ),
    "6": Row(
        title="Adam in half: weights and moments in 16 bits, the digits CNN",
        columns=("accuracy", "loss", "weights_lost_at_step_1", "first_nan_loss"),
        cells={
            label: FirstUpdate(experiment(recipe, task="digits_cnn", eps=eps))
            for label, recipe, eps in (
                ("fp32, eps 1e-8", "fp32", 1e-8),
                ("fp32, eps 1e-4", "fp32", 1e-4),
                ("fp16, eps 1e-8", "fp16_optimizer", 1e-8),
                ("fp16, eps 1e-4", "fp16_optimizer", 1e-4),
                ("bf16, eps 1e-8", "bf16_optimizer", 1e-8),
            )
        },
        claims=(
            Claim("weights_lost_at_step_1", "fp16, eps 1e-8", ">", 1000),
            Claim("weights_lost_at_step_1", "fp16, eps 1e-4", "=", 0),
            Claim("weights_lost_at_step_1", "bf16, eps 1e-8", "=", 0),
            Claim("accuracy", "fp16, eps 1e-4", "≈", "fp32, eps 1e-4"),
            Claim("loss", "fp16, eps 1e-4", "<", "fp32, eps 1e-4"),
            Claim("accuracy", "bf16, eps 1e-8", "≈", "fp32, eps 1e-8"),
            Claim("loss", "bf16, eps 1e-8", ">", "fp32, eps 1e-8"),
        ),
    ),
    "7": Row(
        title="Accumulation: long sums in narrow formats",
        columns=("result", "exact", "error"),
        cells=accumulation.cells(),
        claims=(
            Claim("result", "4096 ones, float16", "=", 2048),
            Claim("result", "4096 ones, bfloat16", "=", 256),
            Claim("result", "4096 ones by torch's sum, float16", "=", 4096),
            Claim("result", "4096 ones by torch's cumsum, float16", "=", 4096),
            Claim("result", "4096 ones by torch's matmul, float16", "=", 4096),
            Claim("error", "dot product, K = 16384, float16", ">", 0.1),
            Claim("error", "dot product, K = 256, float16", "<", 0.01),
            Claim("error", "dot product, K = 16384, bfloat16", ">", "dot product, K = 16384, float16"),
            Claim("result", "EMA of ones, float16", "<", 0.8),
            Claim("result", "EMA of ones, bfloat16", "=", 0.5),
            Claim("error", "buffer, 1024 micro-batches, bfloat16", ">", 0.1),
            Claim("error", "buffer, 1024 micro-batches, float16", "<", 0.01),
        ),
    ),
}
