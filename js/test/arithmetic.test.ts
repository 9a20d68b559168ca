import { expect, it, vi } from "vitest";
import { arithmetic } from "#mixwidgets/runs/widgets/training_lab/words.ts";

vi.mock("#mixwidgets/support/languages/en/page.json", () => import("#mixwidgets/support/languages/zh/page.json")); // as Python puts another language's in their place

it.each([
  ["float16 storage, float32 products", "以 float16 存储，用 float32 做乘积"],
  ["native float32 products, operands of linear layers rounded to mxfp4", "原生 float32 乘积，线性层的操作数舍入到 mxfp4"],
  ["torch.autocast to bfloat16", "torch.autocast 到 bfloat16"],
  ["torch.autocast to float16, whose products this CPU emulates, slowly", "torch.autocast 到 float16，此 CPU 只能模拟其乘积，较慢"],
  ["float16 storage (no amx_fp16 or avx512_fp16), float32 products", "以 float16 存储，用 float32 做乘积，没有 amx_fp16, avx512_fp16"],
  ["bfloat16 storage, float32 products, native products of linear layers in float8_e4m3fn", "以 bfloat16 存储，用 float32 做乘积，线性层用原生的 float8_e4m3fn 乘积"],
  ["native bfloat16 products (amx_bf16, avx512_bf16), operands of linear layers rounded to mxfp4", "原生 bfloat16 乘积，amx_bf16, avx512_bf16，线性层的操作数舍入到 mxfp4"],
  ["torch.autocast to float16 (no amx_fp16 or avx512_fp16), whose products this CPU emulates, slowly", "torch.autocast 到 float16，此 CPU 只能模拟其乘积，较慢，没有 amx_fp16, avx512_fp16"],
  ["the watched loop's own", "由被观察的训练循环自己决定"],
  ["some other machine's, operands of linear layers rounded to x", "some other machine's, operands of linear layers rounded to x"],
  ["", ""],
])("%s", (backend, said) => expect(arithmetic(backend)).toBe(said));
