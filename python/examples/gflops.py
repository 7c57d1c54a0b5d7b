# SPDX-License-Identifier: Apache-2.0
"""Draws GFLOPS over the size of square products:  gflops.py [--help]

Throughput: calls enqueued one after another, and waited for together. The device is the one that SGEMM_DEVICE names,
or else the first GPU, or else the first device. For figures to publish there is sgemm-bench.
"""

import argparse
import time

import matplotlib.pyplot as plt
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import sgemm


def measure(queue, n, precision, seconds):
    """GFLOPS of n x n x n: the best of five runs of `seconds` in all."""
    random = np.random.default_rng(n)
    a, b = (cl_array.to_device(queue, random.uniform(-1, 1, (n, n)).astype(np.float32)) for _ in range(2))
    out = cl_array.empty(queue, (n, n), np.float32)

    def run(calls):
        start = time.perf_counter()
        for _ in range(calls):
            sgemm.gemm(queue, a, b, out, precision=precision)
        queue.finish()
        return (time.perf_counter() - start) / calls

    run(1)  # compiles
    calls = max(1, int(seconds / 5 / run(2)))
    return 2 * n**3 / min(run(calls) for _ in range(5)) * 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048])
    parser.add_argument("--precisions", nargs="+", default=["strict"], help="strict, emulated, fp16x2, tf32x3, bf16x3")
    parser.add_argument("--seconds", type=float, default=0.5, help="of measuring, for each point")
    parser.add_argument("--output", default="gflops.png")
    arguments = parser.parse_args()

    device = sgemm.select_device()
    queue = cl.CommandQueue(cl.Context([device]))
    for precision in arguments.precisions:
        speeds = [measure(queue, n, precision, arguments.seconds) for n in arguments.sizes]
        for n, speed in zip(arguments.sizes, speeds):
            print(f"{precision} {n:6d} {speed:10.1f} GFLOPS")
        plt.plot(arguments.sizes, speeds, marker="o", label=precision)
    plt.title(f"libsgemm {sgemm.version()}: {device.name.strip()}")
    plt.xlabel("m = n = k")
    plt.ylabel("GFLOPS")
    plt.ylim(bottom=0)
    plt.grid(True)
    plt.legend()
    plt.savefig(arguments.output, dpi=120)
    print(arguments.output)


if __name__ == "__main__":
    main()
