"""The built-in tasks. A new one is an entry here and the module with the class that the entry names."""

from collections.abc import Mapping

from mixwidgets.runs.task.spec import LOSS_WEIGHT, TaskOption, TaskSpec
from mixwidgets.support.shown import Catalogue


def _whole(name: str, default: int, low: int, high: int, explanation: str) -> TaskOption:
    return TaskOption(name=name, default=default, low=low, high=high, whole=True, explanation=explanation)


def _size(what: str) -> TaskOption:
    return _whole("size", 1, 1, 64, f"Multiplies {what}; the number of weights grows nearly with its square.")


_ALL = (
    TaskSpec(
        name="digits_cnn",
        built_by="digits.DigitsCNN",
        title="Digits: a small CNN",
        explanation=(
            "Two convolutions and two linear layers (15,374 weights) learn scikit-learn's 8×8 handwritten "
            "digits; FP32 gets 97 to 98 % right. With the plain loss, half precision matches FP32 even "
            "without a loss scale; a small loss_weight makes gradients so small that only a scaled loss "
            "saves them."
        ),
        metrics=("accuracy",),
        training_examples=1437,
        steps=300,
        learning_rate=1e-3,
        batch_size=128,
        options=(LOSS_WEIGHT, _size("the channels of both convolutions and the width of the hidden layer")),
    ),
    TaskSpec(
        name="digits_mlp",
        built_by="digits.DigitsMLP",
        title="Digits: a multilayer perceptron",
        explanation=(
            "Three linear layers (26,122 weights) learn scikit-learn's 8×8 handwritten digits; FP32 gets "
            "97 to 98 % right. The layers' inputs, 64 and 128 numbers, fill whole MX and NVFP4 blocks."
        ),
        metrics=("accuracy",),
        training_examples=1437,
        steps=300,
        learning_rate=1e-3,
        batch_size=128,
        options=(
            LOSS_WEIGHT,
            _size("the width of the hidden layers"),
            _whole("width", 128, 1, 1024, "Units of each hidden layer at size 1."),
            _whole("hidden_layers", 2, 0, 3, "How many hidden layers."),
        ),
    ),
    TaskSpec(
        name="mask",
        built_by="mask.Mask",
        title="Mask: a digit on a noisy canvas",
        explanation=(
            "Three convolutions (737 weights) mark the pixels of an 8×8 digit that was pasted somewhere on "
            "a noisy canvas. The focal loss is averaged over every pixel, nearly all of them easy, so its "
            "gradients are small. A loss_weight of 1/128 makes them as small as 1.6 million pixels would. "
            "FP32 reaches an IoU of 0.64 to 0.72."
        ),
        metrics=("iou",),
        steps=130,
        learning_rate=3e-3,
        batch_size=8,
        options=(
            LOSS_WEIGHT,
            _size("the channels of both hidden convolutions"),
            _whole("canvas", 40, 16, 512, "Height and width of the canvas in pixels."),
        ),
    ),
    TaskSpec(
        name="char_gpt",
        built_by="text.CharGPT",
        title="Text: a small GPT",
        explanation=(
            "A GPT of two blocks (116,480 weights) learns to guess the next character of the text of "
            "Python's help(), which differs between versions of Python; with 3.11's, FP32 reaches a loss of "
            "about 2.27 nats. Its attention is spelt out: the softmax can be in half precision or in FP32."
        ),
        metrics=("accuracy",),
        steps=200,
        learning_rate=3e-3,
        batch_size=16,
        options=(
            LOSS_WEIGHT,
            _size(
                "the model's width, 64, and the width of its 4 heads up to 64; beyond, there are more heads"
            ),
            TaskOption(
                name="logit_multiplier",
                default=1.0,
                low=0.25,
                high=4.0,
                explanation="A factor on the attention's logits; a large one brings them nearer to overflow.",
            ),
        ),
    ),
    TaskSpec(
        name="char_lstm",
        built_by="text.CharLSTM",
        title="Text: a small LSTM",
        explanation=(
            "An LSTM (77,664 weights) learns to guess the next character of the text of Python's help(), "
            "which differs between versions of Python; with 3.11's, FP32 reaches a loss of about 1.8 nats. "
            "Its gradients go back through 64 steps of one layer."
        ),
        metrics=("accuracy",),
        steps=150,
        learning_rate=1e-2,
        batch_size=16,
        options=(LOSS_WEIGHT, _size("the widths of the embedding and of the recurrent layer")),
    ),
    TaskSpec(
        name="student_teacher",
        built_by="student_teacher.StudentTeacher",
        title="Student and teacher: a residual MLP",
        explanation=(
            "A residual MLP of two blocks (66,432 weights) learns the outputs of a fixed one without norms, "
            "on random inputs that are new in each step. With its warm-up and cosine schedule "
            "the losses of BF16 and FP32 end within 0.1 % of each other, so that a few percent, as of NVFP4, "
            "are an effect of the recipe."
        ),
        steps=250,
        learning_rate=3e-3,
        schedule="cosine",
        warmup=0.05,
        beta2=0.95,
        batch_size=64,
        options=(LOSS_WEIGHT, _size("the width of the blocks, 64, and that of their hidden layers, 256")),
    ),
)

tasks: Mapping[str, TaskSpec] = Catalogue(
    {task.name: task for task in _ALL},
    ("title", "steps", "metrics", "task_options"),
    lambda task: [
        task.title,
        task.steps,
        ", ".join(("loss", *task.metrics)),
        ", ".join(option.name for option in task.options),
    ],
    "The tasks by name, immutable: `tasks['digits_cnn'].explanation` says what one is.\n\n"
    + "\n".join(f"{task.name}: {task.explanation}" for task in _ALL),
)
