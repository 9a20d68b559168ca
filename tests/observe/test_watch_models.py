"""watch on the models that people train: each beside its unwatched twin, bit for bit."""

from collections import OrderedDict

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.gradients.summary import GradientSummary
from tests.observe.watch_twins import Twin, assert_seen_and_unchanged, in_bytes


class Block(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width), nn.Dropout(0.1))
        self.heads = heads

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.ln_1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.ln_2(x))


class Transformer(nn.Module):
    """As in Hugging Face's library: tied embeddings, an output with fields, checkpoints if asked for."""

    def __init__(self, reentrant=None):
        super().__init__()
        self.wte = nn.Embedding(20, 16)
        self.h = nn.ModuleList([Block() for _ in range(2)])
        self.lm_head = nn.Linear(16, 20, bias=False)
        self.lm_head.weight = self.wte.weight
        self.reentrant = reentrant

    def forward(self, tokens):
        x = self.wte(tokens)
        for block in self.h:
            x = block(x) if self.reentrant is None else checkpoint(block, x, use_reentrant=self.reentrant)
        return OrderedDict(logits=self.lm_head(x), labels=tokens)


def tokens():
    return torch.randint(20, (3, 8))


def next_token_loss(output):
    return F.cross_entropy(output["logits"][:, :-1].flatten(0, 1).float(), output["labels"][:, 1:].flatten())


class Residual(nn.Module):
    """As in torchvision's ResNet."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Conv2d(inputs, outputs, 1, bias=False) if inputs != outputs else None

    def forward(self, x):
        short = x if self.downsample is None else self.downsample(x)
        return self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))) + short)


def resnet():
    return nn.Sequential(
        Residual(1, 4), Residual(4, 4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 10)
    )


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 8, num_layers=2, batch_first=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        hidden, (_, cell) = self.lstm(x)
        return self.head(hidden[:, -1] + cell[-1])


class Bag(nn.Module):
    def __init__(self, sparse):
        super().__init__()
        self.embedding, self.head = nn.Embedding(50, 4, sparse=sparse), nn.Linear(4, 20)

    def forward(self, tokens):
        return {"logits": self.head(self.embedding(tokens)), "labels": tokens}


class Partly(nn.Module):
    """One layer frozen, one never reached."""

    def __init__(self):
        super().__init__()
        self.used, self.unused, self.frozen = (nn.Linear(6, 6) for _ in range(3))
        self.frozen.requires_grad_(False)

    def forward(self, x):
        return self.frozen(self.used(x))


def images():
    return torch.randn(4, 1, 8, 8)


def scaler():
    return torch.amp.GradScaler("cpu", init_scale=2.0**12, growth_interval=3)


TEXT = {"batch": tokens, "loss": next_token_loss}
MODELS = {
    "transformer": lambda: Twin(Transformer, **TEXT),
    "transformer, AdamW, autocast to bfloat16": lambda: Twin(
        Transformer, **TEXT, optimizer=torch.optim.AdamW, autocast=torch.bfloat16
    ),
    "transformer, scaled": lambda: Twin(Transformer, **TEXT, scaler=scaler(), autocast=torch.float16),
    "checkpoints": lambda: Twin(lambda: Transformer(reentrant=False), **TEXT),
    "reentrant checkpoints": lambda: Twin(lambda: Transformer(reentrant=True), **TEXT),
    "reentrant checkpoints, accumulated and clipped": lambda: Twin(
        lambda: Transformer(reentrant=True), **TEXT, scaler=scaler(), micro_batches=2, clip=1e-3
    ),
    "resnet": lambda: Twin(resnet, batch=images),
    "resnet, scaled": lambda: Twin(resnet, batch=images, scaler=scaler(), clip=1e-4),
    "lstm": lambda: Twin(Recurrent, batch=lambda: torch.randn(3, 7, 5)),
    "sparse embedding": lambda: Twin(lambda: Bag(sparse=True), **TEXT, scaler=scaler()),
    "partly frozen": lambda: Twin(Partly),
    "bfloat16 weights": lambda: Twin(
        lambda: resnet().bfloat16(), batch=lambda: images().bfloat16(), optimizer=torch.optim.Adam
    ),
    "float16 weights": lambda: Twin(
        lambda: nn.Linear(6, 3).half(), batch=lambda: torch.randn(4, 6).half(), loss=lambda y: (y**2).mean()
    ),
    "float64 weights": lambda: Twin(
        lambda: nn.Linear(6, 3).double(), batch=lambda: torch.randn(4, 6).double(), scaler=scaler()
    ),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_gradients_are_seen_and_training_is_the_same(make):
    assert_seen_and_unchanged(make, steps=3)


def test_tied_weights_are_one_tensor():
    watcher = Twin(Transformer, **TEXT).run_watched(1)
    assert "wte.weight" in watcher.summaries
    assert "lm_head.weight" not in watcher.summaries


def test_a_sparse_gradient_counts_its_zeros():
    sparse, dense = (
        Twin(lambda sparse=sparse: Bag(sparse), **TEXT).run_watched(1) for sparse in (True, False)
    )
    assert in_bytes(sparse.summaries) == in_bytes(dense.summaries)
    assert sparse.summaries["embedding.weight"].count == 200


def test_what_has_no_gradient_is_left_out_and_said():
    watcher = Twin(Partly).run_watched(1)
    assert list(watcher.summaries) == ["used.weight", "used.bias"]
    assert watcher.notes == [
        "Frozen, and without a gradient: frozen.weight, frozen.bias.",
        "These parameters got no gradient in step 1: unused.weight, unused.bias.",
    ]


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpointed_forward_pass_is_looked_at_once(reentrant):
    model = Transformer(reentrant=reentrant)
    with torch.no_grad():
        model.h[1].ln_2.weight[0] = torch.inf
    with watch(model, every=1) as watcher:
        next_token_loss(model(tokens())).backward()
    assert watcher.first_non_finite == (1, "forward", "h.1.ln_2")


class Broken(nn.Linear):
    """Its output is infinite."""

    def forward(self, x):
        return super().forward(x) / 0


@pytest.mark.parametrize(
    ("layers", "name"),
    [
        ([nn.Linear(4, 4), nn.ReLU(), Broken(4, 4), nn.ReLU(inplace=True), nn.Flatten()], "2"),
        ([nn.Sequential(Broken(4, 4), nn.Identity()), nn.ReLU(), nn.Linear(4, 4)], "0.0"),
        ([nn.Identity(), nn.Sequential(nn.ReLU(), Broken(4, 4)), nn.ReLU()], "1.1"),
    ],
)
def test_of_layers_in_a_row_the_one_that_made_it_is_named(layers, name):
    model = nn.Sequential(*layers)
    with watch(model, every=1) as watcher:
        model(torch.randn(3, 4)).sum().backward()
    assert watcher.first_non_finite == (1, "forward", name)


class Adds(nn.Module):
    """Its sum is infinite, which the activation behind it lets through."""

    def __init__(self, shared):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.relu = self.body[1] if shared else nn.ReLU()

    def forward(self, x):
        return self.relu(self.body(x) + torch.inf)


class AddsWithin(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x) + torch.inf


def twice_in_a_row(layer):
    return nn.Sequential(layer, Clears(4, 4), layer, nn.ReLU(), nn.Linear(4, 4))


class Clears(nn.Linear):
    def forward(self, x):
        return super().forward(torch.zeros_like(x))


class AddsBetween(nn.Sequential):
    def forward(self, x):
        return self[1](self[0](x) + torch.inf)


class AddsLast(nn.Sequential):
    def forward(self, x):
        return self[0](x) + torch.inf


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (lambda: Adds(shared=False), "relu"),
        (lambda: Adds(shared=True), "body.1"),
        (lambda: nn.Sequential(AddsWithin(), nn.ReLU(), nn.Linear(4, 4)), "1"),
        (lambda: twice_in_a_row(AddsWithin()), "3"),
        (lambda: AddsBetween(nn.Linear(4, 4), nn.ReLU()), "1"),
        (lambda: nn.Sequential(nn.Linear(4, 4), AddsWithin()), "Sequential"),
        (lambda: AddsLast(nn.Linear(4, 4)), "AddsLast"),
    ],
    ids=[
        "behind",
        "behind, and in a row",
        "in a layer",
        "in a layer met before",
        "in a row of one's own",
        "in the last layer",
        "last in a row of one's own",
    ],
)
def test_a_sum_between_layers_is_seen_in_what_puts_it_out(model, name):
    model = model()
    with watch(model, every=1) as watcher:
        model(torch.randn(3, 4)).sum().backward()
    assert watcher.first_non_finite == (1, "forward", name)


class Large(nn.Linear):
    """Its output is finite, and the sum of it is not."""

    def forward(self, x):
        return super().forward(x) * 0 + 3e38


def test_large_outputs_are_finite_though_their_sum_is_not():
    model = nn.Sequential(Large(4, 4), nn.Tanh(), nn.Linear(4, 4))
    with watch(model, every=1) as watcher:
        model(torch.randn(3, 4)).sum().backward()
    assert watcher.first_non_finite is None


class InputIsInfinite(nn.Module):
    """What a Sequential is given is read by nobody, but by what comes first in it."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.ReLU(), nn.Linear(4, 4))

    def forward(self, x):
        return self.body(x + torch.inf)


def test_the_first_of_a_row_is_seen_whatever_it_is():
    model = InputIsInfinite()
    with watch(model, every=1) as watcher:
        model(torch.randn(3, 4)).sum().backward()
    assert watcher.first_non_finite == (1, "forward", "body.0")


class BreaksTheSecondTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.calls = nn.Linear(3, 3), 0

    def forward(self, x):
        self.calls += 1
        return self.layer(x) * (torch.inf if self.calls > 1 else 1.0)


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_a_checkpoint_computes_again_is_no_forward_pass(reentrant):
    model = nn.Sequential(BreaksTheSecondTime(), nn.Linear(3, 3))
    with watch(model, every=1) as watcher:
        x = torch.randn(2, 3, requires_grad=True)
        checkpoint(model, x, use_reentrant=reentrant).sum().backward()
    assert model[0].calls == 2
    assert watcher.first_non_finite is not None
    assert watcher.first_non_finite.where == "backward"


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList([nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(2)])

    def forward(self, x):
        for layer in self.h:
            x = layer(x)
        return x


def compiled_whole(model, backend):
    return torch.compile(model, backend=backend, fullgraph=True)


def compiled_in_place(model, backend):
    model.compile(backend=backend, fullgraph=True)
    return model


def compiled_in_part(model, backend):
    model.h[0] = torch.compile(model.h[0], backend=backend, fullgraph=True)
    return model


class Around(nn.Module):
    """Compiled by the user, out of sight."""

    def __init__(self, model, backend):
        super().__init__()
        self.model = model
        self._call = torch.compile(lambda x: self.model(x), backend=backend, fullgraph=True)

    def forward(self, x):
        return self._call(x)


quiet = pytest.mark.filterwarnings(  # of torch.compile's own
    "ignore:The .grad attribute of a Tensor:UserWarning",
    "ignore:Guards may run slower on Python 3.13.0:RuntimeWarning",
)


@quiet
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("how", [compiled_whole, compiled_in_place, compiled_in_part, Around])
def test_a_compiled_model(how, backend):
    torch._dynamo.reset()
    watcher = assert_seen_and_unchanged(lambda: Twin(lambda: how(Stack(), backend)), steps=2)
    prefix = "model." if how is Around else ""
    assert f"{prefix}h.0.0.weight" in watcher.summaries
    assert not any("_orig_mod" in name for name in watcher.summaries)
    if how is not Around:
        said = {compiled_whole: "Stack", compiled_in_place: "Stack", compiled_in_part: "h.0"}[how]
        assert watcher.notes[0].startswith(f"torch.compile has compiled {said}")
        assert "_orig_mod" not in watcher.notes[0]


@quiet
@pytest.mark.parametrize("before", [0, 1], ids=["compiled while watched", "compiled before"])
def test_watching_compiles_nothing_anew(before):
    torch._dynamo.reset()
    compilations = []

    def backend(graph, inputs):
        compilations.append(graph)
        return graph

    twin = Twin(lambda: torch.compile(Stack(), backend=backend)).run(before)
    twin.run_watched(3, every=2)
    twin.run(1)
    assert len(compilations) == 1


@quiet
def test_a_function_around_the_model_is_compiled_without_the_hooks():
    torch._dynamo.reset()
    graphs = []

    def backend(graph, inputs):
        graphs.append([node.target for node in graph.graph.nodes])
        return graph

    Twin(lambda: Around(Stack(), backend)).run_watched(5, every=2)
    assert len(graphs) == 1
    assert not any("sum" in str(target) for target in graphs[0])


@quiet
def test_outputs_around_a_compiled_part_are_seen():
    torch._dynamo.reset()
    model = compiled_in_part(Stack(), "eager")
    nn.init.constant_(next(model.h[0].parameters()), torch.nan)
    with watch(model, every=1) as watcher:
        model(torch.randn(2, 6)).sum().backward()
    assert watcher.first_non_finite == (1, "forward", "h.0")


@quiet
def test_a_forward_pass_that_is_not_seen_is_said():
    model = nn.Linear(3, 2)
    call = torch.compile(lambda x: F.linear(x, model.weight, model.bias), backend="eager")
    with watch(model, every=1) as watcher:
        call(torch.randn(4, 3)).sum().backward()
    assert watcher.notes == [
        "No module's output was seen: the forward pass is compiled, calls none of the modules, or was over "
        "when watching began."
    ]


def test_a_second_order_gradient():
    """A penalty on the gradient: its backward pass goes through another one's graph."""
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.randn(5, 3, requires_grad=True)
    optimizer = torch.optim.SGD(model.parameters())
    with watch(model, optimizer, every=1) as watcher:
        (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        (slope**2).mean().backward()
        expected = {
            name: GradientSummary.of(w.grad) for name, w in model.named_parameters() if w.grad is not None
        }
        optimizer.step()
    assert watcher.summaries == expected
