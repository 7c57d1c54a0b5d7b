# SPDX-License-Identifier: Apache-2.0
"""libsgemm: C = alpha * op(A) * op(B) + beta * C in single precision on any OpenCL device.

    c = sgemm.gemm(queue, a, b)          # pyopencl arrays, or NumPy's
    print(sgemm.plan(queue, a, b))       # how that is computed, and why so

Needs the library itself, libsgemm.so.0.1: $SGEMM_LIBRARY, or else wherever the loader finds it.
"""

from sgemm._context import Context, Plan, context_of, gemm, plan, release_contexts, select_device
from sgemm._errors import (
    ArgumentError,
    BuildError,
    ConfigurationError,
    DeviceError,
    DTypeError,
    Error,
    InternalError,
    OpenCLError,
    OutOfMemoryError,
    ReleasedError,
    ShapeError,
    StrideError,
    UnsupportedError,
)
from sgemm._library import Precision, version

__all__ = [
    "ArgumentError",
    "BuildError",
    "ConfigurationError",
    "Context",
    "DTypeError",
    "DeviceError",
    "Error",
    "InternalError",
    "OpenCLError",
    "OutOfMemoryError",
    "Plan",
    "Precision",
    "ReleasedError",
    "ShapeError",
    "StrideError",
    "UnsupportedError",
    "context_of",
    "gemm",
    "plan",
    "release_contexts",
    "select_device",
    "version",
]
