"""Which operations ran in which precision, seen in a real step."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from mixwidgets.diagnosis.op_precisions import op_precisions
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training.precision import is_emulated

COLUMNS = ["phase", "op", "inputs", "output", "calls"]


def probed(recipe, task="char_gpt", **fields):
    return op_precisions(task, recipe, device="cpu", batch_size=2, **fields)


def inputs_of(table, op, phase="forward"):
    chosen = table[(table.op == op) & (table.phase == phase)]
    assert len(chosen) == 1, table
    return chosen.inputs.item()


def test_float32_is_float32_throughout():
    table = probed("fp32")
    assert list(table.columns) == COLUMNS
    assert list(table.phase.unique()) == ["forward", "loss", "backward", "update"]
    before_the_update = table[table.phase != "update"]
    assert set(before_the_update.inputs) | set(before_the_update.output) <= {"float32", ""}
    assert "_to_copy" not in set(before_the_update.op)


def test_calls_are_counted():
    """The GPT has two blocks of four linear layers with a bias, five norms, two softmaxes."""
    table = probed("fp32").groupby(["phase", "op"]).calls.sum()
    for op, calls in {"addmm": 8, "native_layer_norm": 5, "_softmax": 2, "mm": 1}.items():
        assert table["forward", op] == calls
    assert table["backward", "native_layer_norm_backward"] == 5


def test_views_and_whole_numbers_are_left_out():
    assert not {"view", "t", "transpose", "detach", "expand", "_unsafe_view", "arange"} & set(
        probed("fp16_static").op
    )


def test_what_stays_in_float32_is_seen():
    table = probed("fp16_static")
    assert inputs_of(table, "_softmax") == "float32"
    assert inputs_of(table, "native_layer_norm") == "float32"
    assert inputs_of(table, "gelu") == "float16"
    assert inputs_of(table, "_log_softmax", "loss") == "float32"
    assert inputs_of(table, "gelu_backward", "backward") == "float16"


def test_a_softmax_left_in_float16_is_the_naive_one():
    table = probed("fp16_softmax")
    assert inputs_of(table, "exp") == inputs_of(table, "sum") == "float16"
    assert "_softmax" not in set(table.op)


@pytest.mark.parametrize(("recipe", "dtype"), [("fp16_static", torch.float16), ("bf16", torch.bfloat16)])
def test_products_are_seen_as_this_machine_computes_them(recipe, dtype):
    narrow = str(dtype).removeprefix("torch.")
    assert inputs_of(probed(recipe), "bmm") == ("float32" if is_emulated(dtype) else narrow)


def test_the_loss_in_the_compute_format():
    recipe = recipes["bf16"].replace(fp32_ops=("softmax", "norm"))
    assert inputs_of(probed(recipe), "_log_softmax", "loss") == "bfloat16"


def test_autocast_on_a_cpu_keeps_softmax_narrow():
    """On CUDA it is among the operations that autocast takes to float32."""
    table = probed("amp_bf16")
    assert inputs_of(table, "_softmax") == "bfloat16"
    assert inputs_of(table, "bmm") == "bfloat16"
    assert inputs_of(table, "_log_softmax", "loss") == "float32"


class Reductions:
    """A linear layer, whose output autocast makes narrow, and reductions of it."""

    def model(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                y = self.linear(x)
                return functional.layer_norm(y, (4,)).exp().sum(1) + functional.softmax(y, 1).sum(1)

        return Model()

    def batches(self, batch_size, seed):
        while True:
            yield torch.ones(batch_size, 4), torch.zeros(batch_size)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        return {"loss": 0.0}


@pytest.mark.parametrize(("recipe", "narrow"), [("amp_fp16", "float16"), ("amp_bf16", "bfloat16")])
def test_autocast_on_a_cpu_keeps_reductions_narrow(recipe, narrow):
    table = probed(recipe, Reductions)
    for op in ("native_layer_norm", "exp", "_softmax", "sum"):
        assert inputs_of(table, op) == narrow


def test_an_experiment_keeps_its_fields_and_takes_another_recipe():
    experiment = Experiment(task="digits_mlp", recipe="bf16", batch_size=2, micro_batches=2, device="cpu")
    assert inputs_of(op_precisions(experiment), "relu") == "bfloat16"
    assert inputs_of(op_precisions(experiment, "fp16_static"), "relu") == "float16"
    assert op_precisions(experiment).groupby(["phase", "op"]).calls.sum()["forward", "relu"] == 2


def test_the_callers_torch_is_left_as_it_was():
    torch.manual_seed(3)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    probed("fp32", "digits_mlp")
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads


def test_bad_input_teaches():
    with pytest.raises(ValueError, match="recipe"):
        probed("fp17")
    with pytest.raises(ValueError, match="task"):
        probed("fp32", "digits_rnn")


@pytest.mark.parametrize("recipe", ["fp16_dynamic", "bf16_weights", "bf16_optimizer"])
def test_what_follows_the_backward_pass_takes_all_weights_at_once(recipe):
    """So that a GPU takes few launches. The optimiser's own calls, 29 on a CPU, are torch's."""
    table = probed(recipe, clip_norm=1e-6)
    update = table[table.phase == "update"].groupby("op").calls.sum()
    ours = ["_to_copy", "_foreach_copy_", "_foreach_mul", "_foreach_norm", "linalg_vector_norm", "stack"]
    assert set(ours) <= set(update.index)
    assert all(update[op] <= 4 for op in ours)
    assert update["sqrt"] == 29
    assert not {"mul", "copy_", "empty_like"} & set(update.index)


class Own(nn.Module):
    """A model of nobody's task: it takes keywords, puts out a tuple, and counts its batches."""

    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.BatchNorm1d(4), nn.Linear(4, 2)

    def forward(self, x, scale=1.0):
        return self.linear(self.norm(x)) * scale, x.sum()


def test_a_model_and_a_batch_of_ones_own():
    model, batch = Own(), torch.randn(8, 4)
    table = op_precisions(model, batch)
    assert list(table.columns) == COLUMNS
    assert list(table.phase.unique()) == ["forward", "loss", "backward"]
    assert inputs_of(table, "addmm") == inputs_of(table, "native_batch_norm") == "float32"
    with torch.autocast("cpu", torch.bfloat16):
        narrow = op_precisions(
            model, {"x": batch, "scale": 2.0}, loss=lambda output: output[0].square().mean()
        )
    assert inputs_of(narrow, "addmm") == "bfloat16"
    assert inputs_of(narrow, "native_batch_norm") == "float32"
    halved = op_precisions(model.half(), (batch.half(),))
    assert inputs_of(halved, "addmm") == "float16"
    assert inputs_of(halved, "mm", "backward") == "float16"


def test_sparse_gradients_are_seen():
    table = op_precisions(nn.Embedding(20, 4, sparse=True), torch.arange(5))
    assert "_sparse_coo_tensor_with_dims_and_tensors" in {*table[table.phase == "backward"].op}


def test_a_model_is_left_as_it_was():
    model = nn.Sequential(Own().norm, nn.Dropout(), nn.Linear(4, 2))
    before, state = {name: one.clone() for name, one in model.state_dict().items()}, torch.get_rng_state()
    op_precisions(model, torch.randn(8, 4, generator=torch.Generator().manual_seed(0)))
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())
    assert all(weight.grad is None for weight in model.parameters())
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("batch", [None, "fp16_static", recipes["fp16_static"]])
def test_a_model_without_a_batch(batch):
    with pytest.raises(TypeError, match="takes the model's input"):
        op_precisions(nn.Linear(4, 2), batch)


def test_a_loss_that_depends_on_no_weight():
    with pytest.raises(TypeError, match="pass loss="):
        op_precisions(nn.Linear(4, 2), torch.ones(1, 4), loss=lambda output: output.detach().sum())
