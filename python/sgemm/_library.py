# SPDX-License-Identifier: Apache-2.0
"""sgemm/sgemm.h by ctypes: its structures, enumerators and functions, and exceptions for its statuses."""

import ctypes
import enum
import os
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_float, c_int, c_int32, c_int64
from ctypes import c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Dict, Type

from sgemm import _errors

SONAME = "libsgemm.so.0.1"


class Status(enum.IntEnum):
    SUCCESS = 0
    INVALID_ARGUMENT = 1
    UNSUPPORTED = 2
    BUILD_FAILED = 3
    OPENCL_ERROR = 4
    CONFIGURATION_ERROR = 5
    OUT_OF_MEMORY = 6
    INTERNAL_ERROR = 7


class Layout(enum.IntEnum):
    ROW_MAJOR = 101
    COLUMN_MAJOR = 102


class Transpose(enum.IntEnum):
    NO_TRANSPOSE = 111
    TRANSPOSE = 112


class Precision(enum.IntEnum):
    """How products are formed. All keep the same bound; see docs/guide/emulation.md."""

    AUTOMATIC = 0
    STRICT = 5
    EMULATED = 1
    FP16X2 = 2
    TF32X3 = 3
    BF16X3 = 4


class PlanText(enum.IntEnum):
    PLAN_SUMMARY = 0
    PLAN_DESCRIPTION = 1
    PLAN_KERNEL = 2


class LogLevel(enum.IntEnum):
    LOG_WARNING = 0
    LOG_INFO = 1
    LOG_TRACE = 2


TIGHT = -(2**63)
LogCallback = CFUNCTYPE(None, c_int, c_char_p, c_void_p)


class _Sized(ctypes.Structure):
    """A structure that begins with its size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_bytes=ctypes.sizeof(self), **fields)


class ContextOptions(_Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("log", LogCallback),
        ("log_data", c_void_p),
        ("table_file", c_char_p),
        ("kernel", c_char_p),
        ("max_workspace_bytes", c_size_t),
        ("first_use_plans", c_int32),
        ("disk_cache", c_int32),
        ("cache_folder", c_char_p),
        ("cache_max_bytes", c_uint64),
    ]


class Problem(_Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("layout", c_int),
        ("transpose_a", c_int),
        ("transpose_b", c_int),
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("lda", c_int64),
        ("ldb", c_int64),
        ("ldc", c_int64),
        ("batch_count", c_int64),
        ("batch_stride_a", c_int64),
        ("batch_stride_b", c_int64),
        ("batch_stride_c", c_int64),
        ("precision", c_int),
        ("reserved", c_int32),
    ]


class PlanFigures(_Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("workspace_bytes", c_uint64),
        ("predicted_seconds", c_double),
        ("launches", c_uint64),
        ("bound_terms", c_double),
        ("precision", c_int),
        ("reserved", c_int32),
    ]


# What the test of the header compares, by its names.
STRUCTURES: Dict[str, Type[ctypes.Structure]] = {
    "sgemm_context_options": ContextOptions,
    "sgemm_problem": Problem,
    "sgemm_plan_figures": PlanFigures,
}
ENUMERATORS: Dict[str, int] = {
    **{f"SGEMM_{e.name}": e for kind in (Status, Layout, Transpose, PlanText, LogLevel) for e in kind},
    **{f"SGEMM_{e.name}": e for e in (Precision.STRICT, Precision.EMULATED, Precision.FP16X2,
                                      Precision.TF32X3, Precision.BF16X3)},
    "SGEMM_PRECISION_AUTOMATIC": Precision.AUTOMATIC,
}

_EVENTS = (c_uint, POINTER(c_void_p), POINTER(c_void_p))
FUNCTIONS: Dict[str, tuple] = {  # what each returns, and its arguments
    "sgemm_version": (c_char_p,),
    "sgemm_last_error": (c_size_t, c_void_p, c_char_p, c_size_t),
    "sgemm_last_opencl_status": (c_int32, c_void_p),
    "sgemm_select_device": (c_int, c_char_p, POINTER(c_void_p)),
    "sgemm_create_context": (c_int, c_void_p, c_void_p, POINTER(ContextOptions), POINTER(c_void_p)),
    "sgemm_release_context": (None, c_void_p),
    "sgemm_release_workspace": (c_int, c_void_p),
    "sgemm_gemm": (c_int, c_void_p, c_void_p, POINTER(Problem), c_float, c_void_p, c_int64, c_void_p, c_int64,
                   c_float, c_void_p, c_int64, *_EVENTS),
    "sgemm_gemm_svm": (c_int, c_void_p, c_void_p, POINTER(Problem), c_float, c_void_p, c_void_p, c_float,
                       c_void_p, *_EVENTS),
    "sgemm_create_plan": (c_int, c_void_p, POINTER(Problem), c_void_p, POINTER(c_void_p)),
    "sgemm_release_plan": (None, c_void_p),
    "sgemm_plan_text": (c_int, c_void_p, c_int, c_char_p, c_size_t, POINTER(c_size_t)),
    "sgemm_get_plan_figures": (c_int, c_void_p, POINTER(PlanFigures)),
}


def _load() -> ctypes.CDLL:
    file = os.environ.get("SGEMM_LIBRARY") or SONAME
    try:
        library = ctypes.CDLL(file)
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"libsgemm cannot be used: {error}; install it, or name its file in SGEMM_LIBRARY") from error
    return library


lib = _load()

_EXCEPTIONS: Dict[int, Type[_errors.Error]] = {
    Status.INVALID_ARGUMENT: _errors.ArgumentError,
    Status.UNSUPPORTED: _errors.UnsupportedError,
    Status.BUILD_FAILED: _errors.BuildError,
    Status.CONFIGURATION_ERROR: _errors.ConfigurationError,
    Status.OUT_OF_MEMORY: _errors.OutOfMemoryError,
}


def check(status: int) -> None:
    """Raises what a status means, with the detail of this thread's latest failure."""
    if status == Status.SUCCESS:
        return
    text = ctypes.create_string_buffer(lib.sgemm_last_error(None, None, 0) + 1)
    lib.sgemm_last_error(None, text, len(text))
    message = text.value.decode(errors="replace")
    if status == Status.OPENCL_ERROR:
        raise _errors.OpenCLError(message, lib.sgemm_last_opencl_status(None))
    raise _EXCEPTIONS.get(status, _errors.InternalError)(message)


def version() -> str:
    """Version of the library that runs, e.g. "0.1.0"."""
    return lib.sgemm_version().decode()
