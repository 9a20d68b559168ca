"""Numbers, rounded and counted exactly: float formats, summaries of gradients, and widgets that show them.

formats/            what a float format is, and its operations
    spec            its parameters, and what follows from them
    encode          value → code: one rounding, and the rounding directions and overflow policies
    decode          code → value, digits and neighbours
    explain         why a value is rounded as it is; explanation: in a sentence; describe: in rows
    float_format    FloatFormat, which users hold: all of this as methods
    arrays          the same for arrays; float32: faster
    catalogue       the formats by name, and P3109's
    block_format    BlockFormat: elements that share a scale; elements: those that are no float format
    scale_rules     how a block's scale follows from its largest magnitude
    block_choice    which of two scales is better, exactly
    block_catalogue the block formats by name: MX, NVFP4 and the others
    hadamard        the rotation of blocks before they are rounded
gradients/          what a loss scale does to gradients, from counts
    boundaries      where the class of a rounded value changes
    histogram       counts the values of `values`; loops: compiled
    summary         GradientSummary, which answers from counts; serialization: as bytes; lazy: made late
    rounding_error, block_loss      what rounding loses
    sources         where an explorer's gradients come from
    survey          the tensors of a checkpoint
stacks              how NumPy, torch, ml_dtypes and gfloat round a value
widgets/            a folder for each: widget.py has traits and checks, page.ts draws
    base            what all share; bundles: their code; state_text: their state as text; page: saved as HTML
    frame           arrays on their way between kernel and page
    following_widget, snapshot_feed, thinned    what follows something live, in bounded memory

A page computes by itself, with twins of formats and gradients in js/core that are tested to agree with these.

A bit flip: the page toggles a bit of the code, decodes it and paints, without the kernel. After a pause it
sends format, code and input. `BitEditor.set_state` checks that they agree, sets `value`, and observers run.

A slider's question: `sources` gives an explorer its gradients, `histogram` counts them once, and the summary
goes to the page as bytes in a frame, where every loss scale is a look-up. On release the page sends the
scale, and `counts()` answers the same in Python.

Begin with formats/spec.py and encode.py, then gradients/boundaries.py and summary.py; for a widget with
widgets/base.py and bit_editor/widget.py.
"""
