"""What a user writes; pyright's strict mode must accept it. It is read by the type checker, never run."""

from typing import assert_type

import mixwidgets as mw
from mixwidgets import charts, events

half = mw.get_format("float16")
assert_type(half, mw.FloatFormat)
assert_type(half.max, float)
assert_type(mw.list_formats()[0].name, str)

bits = mw.BitEditor(65505, "float16", lang="en")
assert_type(bits.value, float)
assert_type(bits.code, str)
assert_type(bits.format, str)
assert_type(bits.state, str)
bits.value = "0.1"
bits.format = half
bits.reinterpret("bfloat16")
mw.BitEditor.from_tensor([1.0, 2.0], limit=10, rounding="toward-zero")
line = mw.NumberLine(0.1, formats=["bfloat16"])
assert_type(line.value, float)
assert_type(line.formats, list[str])
assert_type(mw.BlockLab(format="nvfp4").format, str)
assert_type(mw.FormatDesigner(exponent_bits=5).exponent_bits, int)

recipe = mw.recipes["fp16_dynamic"].replace(loss_scale=mw.LossScale(kind="dynamic"))
assert_type(recipe, mw.Recipe)
experiment = mw.Experiment(task="digits_cnn", recipe=recipe, steps=100, seed=1)
assert_type(experiment.steps, int)
run = mw.launch(experiment, runs_dir="runs")
assert_type(run.status, str)
assert_type(run.path.name, str)
for finished in mw.sweep(mw.grid(experiment, seed=range(3)), workers=2).wait():
    assert_type(finished.id, str)
for known in mw.list_runs():
    print(known.metrics["accuracy"])
charts.compare([run])

for event in mw.train(experiment):
    if event.kind == "step":
        assert_type(event, events.StepRecord)
        print(event.loss_scale)
    elif event.kind == "evaluation":
        assert_type(event, events.Evaluation)
        print(event.metrics["loss"])
    elif event.kind == "finished":
        assert_type(event, events.RunFinished)

lab = mw.TrainingLab("runs", task="digits_cnn", recipe=["fp32", "bf16"], steps=300)
assert_type(lab.task, str)
explorer = mw.LossScaleExplorer([1e-8, 1e-3], format="float16", log2_loss_scale=8)
assert_type(explorer.log2_loss_scale, int)
assert_type(explorer.loss_scale, float)
playground = mw.Playground(weight_format="float16", layers=[8, 4])
playground.save("page.html")
