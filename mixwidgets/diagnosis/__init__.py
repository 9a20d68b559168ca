"""What low precision does to your own model: in the loop that trains it, and module by module.

    watching/            watch: exact summaries of the gradients in an unmodified training loop
      watch.py             watch, and the Watcher that it returns
      targets.py           what is watched of a loop, and what cannot be
      hooks.py             notices what the loop does, by hooks on parameters, optimisers and scaler
      outputs.py           those on modules and their outputs
      method_hook.py       a hook on a method; callers.py the scaler of a loop that did not pass it
      step.py              one step: collected without waiting for the device, read later
      counting.py          its summaries in progress; finite.py where it has an inf or a NaN
      observer.py          reads finished steps; hands them to the history, a journal, the trackers
      history.py           what is remembered of all steps, in bounded memory
      updates.py           what the optimisers received and changed; update_notes.py what is wrong with it
      buffers.py           the buffers that a step writes to
      report.py            what a format loses of each tensor, in a sentence; told.py prints it
      scalars.py           the same as numbers, for TensorBoard, Weights & Biases, MLflow
      script.py            the model of a script that does not know of watch: `mixwidgets watch`
    difference/          first_difference: the first module that errs by more than rounding explains
      first_difference.py  first_difference; record_step and compare_steps, the same over two processes
      recording.py         the passes in float32, in the recipe's precision, and of the rounding model
      passes.py            one pass, with a boundary around each call of a module
      crossings.py         what a pass does with the tensors there: keep them, or measure and replace them
      modes.py             how torch computes in a pass: equal random numbers, one rounding an operation
      record.py            what is kept of a step
      step_file.py         the same in a file; fingerprints.py of its batch and weights
      verdict.py           the table: which modules are off; reasons.py why, in words
      result.py            what the user gets
    op_precisions.py     the dtypes of every operation of a real step
    widgets/difference/  the page that shows a first difference

The way of a watched step. A hook on the first parameter that a backward pass reaches waits for the pass to
end, and then gives all gradients to the `Step`, which starts to count them where they are and copies
nothing large. The optimiser's step, or the scaler's update, ends it. The observer reads it one step later,
so as not to wait for a GPU. The history then has its summaries, which count every value, and `report`
computes from them what any format would lose. A run folder gets the same records as that of a training run,
so all that shows runs shows it too.

The way of a first difference. The reference pass keeps every tensor at the boundaries: this is the record of
a step in float32. The recipe's pass and that of the rounding model are measured there, and go on with the
reference's tensors: the record of a step against a reference. The verdict compares the two errors of each
tensor. A record stays in memory, or goes through a file to another process.

Nothing here changes what the user's loop computes, and an error inside `watch` ends only the watching. The
summaries are those of `floats/gradients`, begun on the device by `runs/training/gradients.py`. Begin with
watching/watch.py; `mixwidgets.integrations` is `watch` for the trainers of other libraries.
"""
