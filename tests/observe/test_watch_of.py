"""watch(of=…): what modules put out, the gradients with respect to it, and weights, on real models."""

import gc
import weakref
from dataclasses import dataclass

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from transformers import BertConfig, BertForSequenceClassification

import mixwidgets as mw
from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.gradients.sources import source_of
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.snapshot_feed import SnapshotFeed
from tests.observe.test_watch import hooks_of, scaler
from tests.observe.test_watch_models import TEXT, Transformer, quiet
from tests.observe.watch_twins import Twin, assert_same, in_bytes

ALL = ("gradients", "activations", "activation_gradients", "weights")


def by_hand(net, batch, loss):
    """Each module's output and the gradient with respect to it; of a module called twice, all values."""
    outputs, handles = {}, []

    def keep(name):
        def hook(module, inputs, output):
            if isinstance(output, torch.Tensor):
                output.retain_grad()
                outputs.setdefault(name, []).append(output)

        return hook

    for name, module in net.named_modules():
        if name:
            handles.append(module.register_forward_hook(keep(name)))
    loss(net(batch)).backward()
    for handle in handles:
        handle.remove()
    found = {}
    for name, tensors in outputs.items():
        found[f"{name} output"] = GradientSummary.of(torch.cat([one.detach().flatten() for one in tensors]))
        found[f"{name} output gradient"] = GradientSummary.of(
            torch.cat([one.grad.flatten() for one in tensors])
        )
    return found


def test_a_module_that_overwrites_the_output_of_another():
    """As in many vision models. Both outputs are one tensor, in two versions."""
    seen = []
    for inplace in (False, True):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(6, 5), nn.ReLU(inplace=inplace))
        with watch(net, every=1, of=("activations", "activation_gradients")) as watcher:
            (net(torch.randn(4, 6)) ** 2).mean().backward()
        seen.append(in_bytes(watcher.summaries))
    assert seen[0] == seen[1]
    assert seen[0]["0 output"] != seen[0]["1 output"] == seen[0]["Sequential output"]


@pytest.mark.parametrize("of", [ALL, ("activations",), ("activation_gradients", "weights")])
@pytest.mark.parametrize("reentrant", [None, False, True])
def test_training_is_the_same_and_no_hook_is_left(of, reentrant):
    def make():
        return Twin(lambda: Transformer(reentrant=reentrant), **TEXT, scaler=scaler(), clip=1e-3)

    plain, twin = make().run(3), make()
    before = hooks_of(twin)
    watcher = twin.run_watched(3, of=of)
    assert_same(twin.state(), plain.state())
    assert hooks_of(twin) == before
    assert watcher.step == 3
    kinds = {
        "gradients": "wte.weight",
        "activations": "h.1.mlp output",
        "activation_gradients": "h.1.mlp output gradient",
        "weights": "wte.weight value",
    }
    assert [kind for kind, name in kinds.items() if name in watcher.summaries] == [k for k in ALL if k in of]


@pytest.mark.parametrize("reentrant", [None, False, True])
@pytest.mark.parametrize("scale", [None, 2.0**12])
def test_each_value_is_counted(reentrant, scale):
    """Of a checkpointed block, too, whose forward pass is computed twice."""
    torch.manual_seed(0)
    model = Transformer(reentrant=reentrant)
    for block in model.h:
        block.mlp[3].p = 0.0  # both passes are the same
    batch, optimizer = TEXT["batch"](), torch.optim.SGD(model.parameters(), lr=0.0)
    by = scaler(scale) if scale else None
    with watch(model, optimizer, by, every=1, of=ALL) as watcher:
        loss = TEXT["loss"](model(batch))
        (by.scale(loss) if by else loss).backward()
        by.step(optimizer) if by else optimizer.step()
        if by:
            by.update()
    model.reentrant = None
    model.zero_grad()
    for name, summary in by_hand(model, batch, TEXT["loss"]).items():
        assert watcher.summaries[name] == summary, name
    for name, weight in model.named_parameters():
        assert watcher.summaries[f"{name} value"] == GradientSummary.of(weight)
    assert watcher.summaries["Transformer output.logits"] == watcher.summaries["lm_head output"]


def bert():
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    return BertForSequenceClassification(config).train()


def test_a_model_of_transformers():
    tokens = torch.arange(16).reshape(2, 8)
    runs = []
    for watched in (False, True):
        model = bert()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        watcher = watch(
            model, optimizer, every=1, of=ALL, names=["*.layer.*.output*", "classifier*", "Bert*"]
        )
        if watched:
            watcher.start()
        for _ in range(2):
            model(input_ids=tokens, labels=torch.tensor([0, 1])).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        watcher.stop()
        runs.append(model.state_dict())
    assert_same(*runs)
    names = set(watcher.summaries)
    assert "bert.encoder.layer.1.output.dense.weight" in names
    assert "bert.encoder.layer.1.output.dense.weight value" in names
    assert "BertForSequenceClassification output.loss" in names
    assert watcher.summaries["BertForSequenceClassification output.logits"].count == 4
    assert watcher.summaries["BertForSequenceClassification output.loss"].count == 1
    assert watcher.summaries["bert.encoder.layer.0.output.LayerNorm output gradient"].count == 2 * 8 * 16
    assert not any("attention.self" in name for name in names)


@dataclass
class Found:
    hidden: torch.Tensor
    parts: tuple


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.fc = nn.ReLU(), nn.Linear(4, 4)
        self.lstm = nn.LSTM(4, 3)

    def forward(self, x):
        x = self.relu(self.fc(self.relu(self.fc(x))))
        y, (h, c) = self.lstm(x)
        return Found(y, (h, {"cell": c}))


def test_nests_and_modules_that_are_called_twice():
    torch.manual_seed(0)
    model, x = Nested(), torch.randn(5, 2, 4)
    with watch(model, every=1, of=("activations", "activation_gradients")) as watcher:
        found = model(x)
        (found.hidden.sum() + found.parts[1]["cell"].sum()).backward()
    first = model.fc(x)
    both = torch.cat([first.flatten(), model.fc(first.relu()).flatten()])
    assert watcher.summaries["fc output"] == GradientSummary.of(both)
    assert watcher.summaries["relu output"] == GradientSummary.of(both.relu())
    assert watcher.summaries["relu output gradient"].count == 80
    assert watcher.summaries["lstm output[1][1]"] == GradientSummary.of(found.parts[1]["cell"])
    assert "Nested output.hidden" in watcher.summaries
    assert "Nested output.parts[1].cell gradient" in watcher.summaries


def test_a_module_that_passes_its_input_on_twice():
    same = nn.Identity()
    model = nn.Sequential(nn.Linear(3, 3), same, same)
    with watch(model, every=1, of="activations") as watcher:
        for _ in range(2):
            model(torch.randn(4, 3)).sum().backward()
    counts = {name: summary.count for name, summary in watcher.summaries.items()}
    assert counts == {"0 output": 12, "1 output": 24, "Sequential output": 12}


def test_micro_batches_are_counted_together():
    watcher = Twin(micro_batches=3).run_watched(2, of=("activations", "activation_gradients"))
    assert watcher.summaries["3 output"].count == 3 * 8 * 3
    assert watcher.summaries["3 output gradient"].count == 3 * 8 * 3


@quiet
def test_what_is_compiled_is_seen_from_outside():
    torch._dynamo.reset()
    inner = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
    model = nn.Sequential(torch.compile(inner, backend="eager"), nn.Linear(6, 2))
    with watch(model, every=1, of=("activations", "activation_gradients")) as watcher:
        model(torch.randn(3, 6)).sum().backward()
    assert set(watcher.summaries) == {
        f"{name} output{what}" for name in ("0", "1", "Sequential") for what in ("", " gradient")
    }
    assert "torch.compile has compiled 0" in watcher.notes[0]


def test_evaluation_and_a_second_pass_are_told_apart():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    with watch(model, every=1, of="activations") as watcher:
        with torch.no_grad():
            model.eval()(torch.randn(100, 3))
        checkpoint(model.train(), torch.randn(2, 3), use_reentrant=False).sum().backward()
    assert watcher.summaries["0 output"].count == 6


def test_nothing_is_kept_alive():
    model, seen = nn.Sequential(nn.Linear(300, 300), nn.ReLU()), []
    model[1].register_forward_hook(lambda module, inputs, output: seen.append(weakref.ref(output)))
    optimizer = torch.optim.SGD(model.parameters())
    watcher = watch(model, optimizer, every=1, of=ALL).start()
    for _ in range(2):
        model(torch.randn(4, 300)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    gc.collect()
    assert [one() for one in seen] == [None, None]
    watcher.stop()
    assert len(watcher.history) == 2


def test_a_report_tells_activations_and_weights_without_a_scale():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Identity())
    with torch.no_grad():
        model[0].weight.copy_(torch.diag(torch.tensor([2.0**16, 2.0**-20])))
    by, optimizer = scaler(2.0**8), torch.optim.SGD(model.parameters(), lr=0.0)
    with watch(model, optimizer, by, every=1, of=ALL, names="0*") as watcher:
        by.scale((model(torch.ones(4, 2)) * 2.0**-30).sum()).backward()
        by.step(optimizer)
        by.update()
    table = watcher.report(format="float16").set_index("name")
    assert table.loss_scale.to_dict() == {
        "0.weight": 2.0**8,
        "0 output": 1.0,
        "0 output gradient": 2.0**8,
        "0.weight value": 1.0,
    }
    assert table.finding["0 output"] == (
        "0 output: no value flushed in float16; 50 % subnormal there; 50 % overflow there"
    )
    assert table.finding["0.weight value"].startswith("0.weight value: no value flushed")
    assert "S = 2^8" in table.finding["0 output gradient"]
    assert [*table.index[table.best_loss_scale.isna()]] == ["0 output", "0.weight value"]
    assert "overflow" not in watcher.report(format="bfloat16").set_index("name").finding["0 output"]


def test_the_explorer_shows_them():
    watcher = Twin().run_watched(2, of=ALL)
    mw.LossScaleExplorer(watcher).close()
    feed = SnapshotFeed()
    source_of(watcher).read(feed)
    assert in_bytes(feed.nearest(2)[1]) == in_bytes(watcher.summaries)
    assert "0 output gradient" in feed.nearest(2)[1]


def test_names_choose():
    def names(chosen):
        return list(
            Twin(Transformer, **TEXT).run_watched(1, of=("gradients", "activations"), names=chosen).summaries
        )

    assert names("h.1.mlp.0*") == ["h.1.mlp.0.weight", "h.1.mlp.0.bias", "h.1.mlp.0 output"]
    assert names(["h.1.qkv", "*.proj.bias"]) == ["h.0.proj.bias", "h.1.proj.bias", "h.1.qkv output"]
    assert names(lambda name: name == "lm_head") == ["lm_head output"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"of": "activation"}, ValueError, "of takes some of gradients, activations"),
        ({"of": ()}, ValueError, "of takes some of"),
        ({"of": 3}, ValueError, "got 3"),
        ({"names": "encoder.*"}, ValueError, r"matches nothing in Sequential.*0\.weight"),
        ({"names": 3}, TypeError, "a pattern such as"),
        ({"names": [3]}, TypeError, "a pattern such as"),
    ],
)
def test_bad_choices_teach(arguments, error, words):
    with pytest.raises(error, match=words):
        watch(Twin().net, **arguments)
