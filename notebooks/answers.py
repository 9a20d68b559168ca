"""What gives the answer to a question away, in English and in Chinese.

`notebooks.run` folds the code that would, where it stands between a question and the next text, and
tests/repository/test_predictions.py reads the lessons for it. A pattern is searched in what a reader has met
before the question: in the whole course ("course"), or only in the lesson or the section, where earlier ones
need the number for something else; a comment says for what. Questions whose answer no text can hold by
itself, such as a few that have many right answers, have none.
"""

import re
from collections.abc import Mapping

_LEAST = r"2(\^|\*\*)-24|2⁻²⁴|\b6e-0?8|\b5\.96|\b6·10⁻⁸"

TELLS: Mapping[str, tuple[str, str]] = {
    "a-small-gradient": (
        "course",
        r"1e-8 (becomes|变为) +0|1e-8 becomes zero|at most half the smallest float16 is"
        r"|1e-8 变为零|不超过最小 float16 一半的数",
    ),
    "the-scaled-loss": ("course", r"multiplies every gradient by S|每个梯度就都乘以 S"),
    "without-a-loss-scale": ("course", r"\bstalls|hardly learns|停滞"),
    "read-the-fields": ("course", r"1\.5 × 2|× 1\.5 ="),
    "doubled": ("course", r"1\.625 × 2³|integer part|整数部分"),
    "bits-of-one": ("course", r"0 01111 0000000000|0x3C00"),
    "binades-float16": ("course", r"\b30 binades|\*\*30\*\*|30 个二进区间"),
    "first-missing-integer": ("course", r"\b2,?049\b"),
    "largest-float16": ("course", r"65[,.]?504"),
    "smallest-float16": ("course", _LEAST),
    "binades-float32": ("course", r"\b254\b"),
    "largest-float32": ("course", r"3\.40?3?e\+?38|3\.40?3? ?[·×] ?10³⁸"),
    "round-65505": ("course", r"65,?505.{0,30}65,?504"),
    "first-overflow-float16": ("course", r"65,?520"),
    "tie-2051": ("course", r"\b2,?052\b|Down, up, down|下、上、下"),
    "double-rounding": ("course", r"\b2,?050\b"),
    "saturation-hides-overflow": ("course", r"is a number like any other|只是一个普通的数"),
    # Lessons 1 and 2 count to 2048 and look at ties there.
    "sum-of-ones": ("lesson", r"\b2,?04[89]\b"),
    # Lesson 2 names the unit roundoff, and rounds a number beside 1 + 2^-11.
    "largest-lost-update": ("lesson", r"2⁻¹¹|1/2,?048|\b0\.000488|1\.00048828125"),
    "an-update-in-a-step": ("course", r"nearer to the old weight|离原来的权重更近"),
    "adam-second-moment": ("course", r"v is still zero|lost v\b|v 仍然是零|丢了 v"),
    "bytes-of-a-master-weight": ("course", r"\b6 bytes|\*More\*\*, not less|\b6 字节|4 \+ 2|是\*\*更多\*\*"),
    "least-loss-scale": ("course", r"S = +8\b|2³(?![⁰¹²³⁴-⁹])|at least 8"),
    # 4096 is the end of a binade, the sum of lesson 3, and what divides the loss of section 2.
    "greatest-loss-scale": ("section", r"4,?096|2¹²|2\^12\b"),
    "lost-on-the-way": ("course", r"all 32|32 .*became zero|变成零的画上斜线"),
    "flushed-is-not-harm": (
        "course",
        r"only the loss|[Ll]ook at the loss|the loss (decides|shows)|损失才|要看损失|由损失来",
    ),
    "after-overflow": (
        "course",
        r"(scale|S) is halved|halves (it|the scale)|\bskip(s|ped)?\b(?!')|因子减半|跳过",
    ),
    # Scales that lesson 0 prints, and that the paper took (section 4).
    "hysteresis-of-two": ("section", r"16,?384|32,?768|2¹[45]|2\^1[45]\b"),
    "one-weight-at-s-1": (
        "course",
        r"does not move in a step|this weight (stays|does not move)|It stays"
        r"|权重有一次不动|这个权重不动|它不动",
    ),
    # That S is divided out is what lesson 4 is about; asked here is its place in the loop.
    "unscaled-gradient": ("section", r"/ S\b|divided by S|除以 S|0\.00048"),
    "first-infinite-exp": ("course", r"\b12\.0\b|11\.1\b|11\.09|e¹²"),
    # 256 is also a ratio of lesson 3, and the width of a layer.
    "ones-in-bfloat16": ("section", r"\b256\b"),
    # Lesson 1 lists eps, and steps of 0.001 are common.
    "clipped-too-early": ("section", r"1/1,?024|0\.00098|0\.001\b"),
    "after-launch": ("course", r"returns at once|run goes on|立即返回|它在你工作时继续进行"),
    "five-small-networks": (
        "course",
        r"usually nothing breaks|without any help|plain loss,? (FP16|float16) (ends|learns)|Often it does"
        r"|通常不会出问题|不需要任何帮助|普通的损失时，FP16|很多时候学得会",
    ),
    "a-scale-too-large": ("course", r"130 of 130|skipped all|no error tells|全部 130 步|没有任何错误告诉"),
    "what-a-stopped-run-keeps": ("course", r"keeps each step|[Ee]very step\*?, one|保留每一步|每一步\*，"),
    "first-missing-bfloat16": ("course", r"\b257\b"),
    "largest-e4m3": ("course", r"names several formats|好几种格式|(?<![\d,])240\b"),
    "values-of-float4": ("course", r"\b15 (different|numbers)|十五个|seven from 0\.5|0\.5 1\.0 1\.5"),
    "which-of-the-eight": (
        "course",
        r"unscaled E5M2|with neither|learn as FP32 does with the plain|不缩放的 E5M2",
    ),
    "headroom-of-six": ("course", r"2²¹|2\^21\b|2,?097,?152"),
    "report-of-zeros": ("course", r"Look in FP32|得在 FP32 下看"),
    "scaler-and-forward-nan": ("course", r"no scale\s+can help|fault is still there|在损失出现之前"),
    # The paper's largest scale, which lesson 4 tries.
    "scores-divided-first": ("section", r"32,?768|2¹⁵"),
    "bytes-of-training-a-weight": ("course", r"20 bytes|20 字节|\b20 or 18|20 / 20"),
    "batch-that-breaks-even": ("course", r"batch of 8\b|批次为 8\b|/ 500,000"),
    "activations-not-halved": ("course", r"_softmax float32|softmax.{0,12} keeps? both|keep FP32(?! copies)"),
    "four-micro-batches": ("course", r"activations +8\.7|激活值 +8\.7"),
    "faster-products": ("course", r"2\.1×|\b2\.1 times|about twice as fast|大约快到两倍"),
    "size-of-a-grid": ("course", r"\b30 (runs|experiments)|2 × 3 × 5"),
    "what-one-seed-says": ("course", r"they do not all say the same|并不都|happened to say"),
    "seeds-for-a-claim": (
        "course",
        r"5 of 5 seeds favour|3\.1%|one time in 32|1/32\b|in 3 % of|of claims that held at all five"
        r"|三十二分之一|概率(为|是) 3 %|五个种子全都成立的结论",
    ),
    "added-seeds": (
        "course",
        r"trained now: 6|Three new seeds|(runs|trains) (only )?(those|what) (that )?(is|are) missing"
        r"|三个新的种子|其中还缺的|只(运行|训练)缺",
    ),
    "seven-under-even": (
        "course",
        r"becomes \[8|EVEN doubles the scale|doubles FLOOR's scale|从这里起把缩放因子加倍",
    ),
    "mean-of-a-block": (
        "course",
        r"rounded down\*\* leaves|RCEIL always rounds up|saturate, always|the mean is too small"
        r"|\*\*向下舍入\*\*时|平均值?偏小|要看缩放因子",
    ),
    "which-product-costs": (
        "course",
        r"forward (product|one|pass) (alone|causes|costs (most|more|nearly))"
        r"|是前向的乘积|单是前向|只有前向|代价来自前向",
    ),
    "dy-by-chance": (
        "course",
        r"errors? of dy (is )?(\*\*)?larger|errors in a column average out|误差(\*\*)?变大",
    ),
    "best-scale-rule": (
        "course",
        r"EVEN is (much )?worse|much the worse|EVEN 差得多|另一个网络上却差|it cuts the large negative"
        r"|FLOOR cuts",
    ),
    "without-a-rotation": (
        "course",
        r"hree seeds could show|Leaving out the rotation|showed no gain"
        r"|三个种子能够说明|去掉旋转或随机舍入|没有带来好处",
    ),
}


def gives_away(question: str, text: str) -> bool:
    """Whether a text holds the answer to a question."""
    return question in TELLS and bool(re.search(TELLS[question][1], text))
