"""Runs: experiments that are trained, recorded and shown.

    task/          what is trained: the built-in tasks with their data and models; a user's class as a task
    experiments/   how it is trained: recipe, loss scale, operands, experiment; grids of them
    store/         the run directory: journal, status and locks, and all that reads them; the queue
    training/      the core, in torch: `train(experiment)` is an iterator of events
    scheduler/     where and when: a run's process, slots, sweeps and their cells
    widgets/       TrainingLab, SweepProgress

Each imports only those above it. The process that trains, mixwidgets/training.py, stands above the floors.

The way of a launch. `launch` writes the directory of a new run, takes the run's lock and a place in the
queue, and starts `python -m mixwidgets.training RUN_DIR`, or hands all of it to a spare that has loaded
torch already. If others are before it, the kernel's waiting process (scheduler/waiting.py) does that once its
turn is near. The process waits for a slot of its device. Then `record` (scheduler/recording.py) trains,
and appends each event to the journal. Nothing comes back to the kernel in another way: whoever shows a run
reads its directory.

The way of a training step. The loop (training/loop.py) asks its trainer for the step, which takes the next
batch. `backward`, in explicit.py the paper's steps, in amp.py torch's own, gives the loss and the unscaled
gradients, computed in the recipe's formats. The host waits for the device once: for the loss, and for the
norm that is finite exactly if every gradient is. `update` changes the weights or skips the step, and sets
the next loss scale. The step becomes a StepRecord; an observed one also a GradientSnapshot, whose exact
counts began on the device (training/gradients.py).

The way of a sweep's cell. `Sweep` submits `run_cell` (scheduler/worker.py) to any executor, with the
experiment as JSON. The worker waits for a slot and for the cell's lock, so that no cell is trained twice at
once, and records a run like any other. It returns the run's id, or the run's files if it does not see the
sweep's folder. `result_of` checks either.

The way of a row of the lab. A thread looks at the runs folder at most ten times a second and reads what
each journal has new. The events are folded into the run's state: steps, losses, loss scale, newest
snapshot. The lab sends what changed, and the page draws it. A run that has ended is read from its
status.json alone.

Begin with experiments/recipe.py, which says what can be chosen, and training/explicit.py, which does it.
Then read training/trainer.py for a step, and scheduler/launch.py and mixwidgets/training.py for a process.
"""
