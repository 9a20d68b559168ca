"""Typical mistakes, each marked "wrong": pyright must report these lines and no other."""

import mixwidgets as mw

mw.BitEdtor(3)  # wrong
mw.BitEditor(65505, fromat="bfloat16")  # wrong
mw.Experiment(task="digits_cnn", steps="many")  # wrong
mw.Experiment(task="digits_cnn", recipes="bf16")  # wrong
mw.Playground(weights_format="float16")  # wrong
mw.TrainingLab(recipe="bf16", step=100)  # wrong
mw.NumberLine(0.1).value.hex(16)  # wrong
mw.BitEditor(0.1).to_bits()  # wrong
mw.launch("digits_cnn")  # wrong
mw.Recipe(compute_format="float17")  # wrong
mw.recipes["bf16"].compute_format = "float16"  # wrong
mw.sweep(mw.grid(mw.Experiment(task="digits_cnn")), worker=2)  # wrong

experiment = mw.Experiment(task="digits_cnn", recipe="bf16", steps=100)
for event in mw.train(experiment):
    if event.kind == "step":
        print(event.step, event.losses)  # wrong
    if event.kind == "steps":  # wrong
        break
