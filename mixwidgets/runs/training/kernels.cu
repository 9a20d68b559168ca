// Counts over all tensors in one launch, each value read once. A block of threads counts one part of one tensor.
//
// parts (blocks, 3): the tensor, and the first value and the end of the part. Tensors are given by addresses,
// and by kind: 4 for float32, 2 for float16, 3 for bfloat16.

typedef unsigned int u32;
typedef unsigned long long u64;

// The bits of the value as a float32, which holds it exactly.
__device__ u32 float32_bits(u64 address, int kind, int index)
{
    if (kind == 4) return ((const u32*)address)[index];
    u32 half = ((const unsigned short*)address)[index];
    if (kind == 3) return half << 16;
    u32 magnitude = half & 0x7FFF, sign = (half & 0x8000) << 16;
    if (magnitude >= 0x7C00) return sign | 0x7F800000 | (magnitude & 0x3FF) << 13;
    if (magnitude < 0x400) return sign | __float_as_uint(magnitude * 0x1p-24f);
    return sign | ((magnitude << 13) + (112u << 23));
}

// counts (tensors, cells) grow by the values in each cell of `histogram.cell_edges`. cuts: the least fractions above.
// Shared memory: 4 bytes a cell, for the counts of a block.
extern "C" __global__ void count_cells(
    const u64* tensors, int kind, u64* counts, const int* parts, const int* cuts, int n_cuts, int cells)
{
    extern __shared__ u32 block_counts[];
    for (int i = threadIdx.x; i < cells; i += blockDim.x) block_counts[i] = 0;
    __syncthreads();

    const int* part = parts + 3 * blockIdx.x;
    u64 address = tensors[part[0]];
    for (int i = part[1] + threadIdx.x; i < part[2]; i += blockDim.x) {
        u32 magnitude = float32_bits(address, kind, i) & 0x7FFFFFFF;
        int cell = 0;
        if (magnitude) {
            // The integer as a float32 has a subnormal number's fraction, normalised, and its binade.
            bool is_subnormal = magnitude < 0x800000;
            u32 normal = is_subnormal ? __float_as_uint((float)magnitude) : magnitude;
            int binade = (int)(normal >> 23) - (is_subnormal ? 127 : -22), fraction = normal & 0x7FFFFF;
            cell = 1 + binade * (n_cuts + 1);
            for (int cut = 0; cut < n_cuts; cut++) cell += fraction >= cuts[cut];
            cell = min(cell, cells - 1);  // every NaN
        }
        atomicAdd(&block_counts[cell], 1u);
    }
    __syncthreads();
    u64* total = counts + (u64)part[0] * cells;
    for (int i = threadIdx.x; i < cells; i += blockDim.x)
        if (block_counts[i]) atomicAdd(&total[i], (u64)block_counts[i]);
}

// counts (tensors) grow by the weights that are as before although their gradient is not zero.
extern "C" __global__ void count_unchanged(
    const u64* before, const u64* after, int weight_kind, const u64* gradients, int gradient_kind, u64* counts,
    const int* parts)
{
    __shared__ u32 block_count;
    if (threadIdx.x == 0) block_count = 0;
    __syncthreads();

    const int* part = parts + 3 * blockIdx.x;
    int tensor = part[0];
    u32 mine = 0;
    for (int i = part[1] + threadIdx.x; i < part[2]; i += blockDim.x) {
        float old = __uint_as_float(float32_bits(before[tensor], weight_kind, i));
        float now = __uint_as_float(float32_bits(after[tensor], weight_kind, i));
        float pull = __uint_as_float(float32_bits(gradients[tensor], gradient_kind, i));
        mine += old == now && pull != 0;
    }
    atomicAdd(&block_count, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&counts[tensor], (u64)block_count);
}
