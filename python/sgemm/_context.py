# SPDX-License-Identifier: Apache-2.0
"""Context, and the functions that find one by the queue."""

import ctypes
import os
import sys
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools

from sgemm import _library, _matrices
from sgemm._errors import ArgumentError, DeviceError, ShapeError
from sgemm._library import ContextOptions, PlanText, Precision, check, lib

Array = Union[cl_array.Array, np.ndarray]
ArrayOrShape = Union[Array, Tuple[int, ...]]
Log = Callable[[str, str], None]


@dataclass(frozen=True)
class Plan:
    """How a product is computed. Printed, it tells all, with what else was considered."""

    kernel: str
    summary: str
    description: str
    predicted_seconds: float
    workspace_bytes: int
    launches: int
    bound_terms: float
    precision: Precision

    def __str__(self) -> str:
        return self.description


class Context:
    """Compiled kernels, plans and workspace for one OpenCL context and device. Make one and keep it.

    All methods may be called from any number of threads at once, but for close().
    """

    _handle: Optional[ctypes.c_void_p] = None

    def __init__(self, context: cl.Context, device: Optional[cl.Device] = None, *,
                 table_file: Union[str, "os.PathLike[str]", None] = None, kernel: Optional[str] = None,
                 max_workspace_bytes: Optional[int] = None, first_use_plans: Optional[int] = None,
                 disk_cache: Optional[bool] = None, cache_folder: Union[str, "os.PathLike[str]", None] = None,
                 cache_max_bytes: int = 0, log: Optional[Log] = None) -> None:
        """What is None is as the environment says (docs/reference/environment.md), or unlimited.

        device           one of the context's; may be left out where it has one alone
        table_file       device table
        kernel           forces a kernel of the catalogue; "" leaves it to the planner
        first_use_plans  plans to time at the first use of a kind of problem
        disk_cache       whether compiled kernels are kept on disk, in `cache_folder`
        log              called with level ("warning", "info", "trace") and message, from any thread;
                         must not call back into this package

        Raises ArgumentError, ConfigurationError, OpenCLError.
        """
        if device is None:
            if len(context.devices) != 1:
                raise ArgumentError(f"the context has {len(context.devices)} devices: say which")
            device = context.devices[0]
        elif device not in context.devices:
            raise DeviceError("the device is none of the context's")
        self.context = context
        self.device = device
        self._log = _library.LogCallback(_forwarder(log)) if log else _library.LogCallback()
        options = ContextOptions(
            log=self._log, table_file=_path(table_file), kernel=None if kernel is None else kernel.encode(),
            max_workspace_bytes=ctypes.c_size_t(-1).value if max_workspace_bytes is None else max_workspace_bytes,
            first_use_plans=-1 if first_use_plans is None else first_use_plans,
            disk_cache=1 if disk_cache is None else 2 * disk_cache, cache_folder=_path(cache_folder),
            cache_max_bytes=cache_max_bytes)
        handle = ctypes.c_void_p()
        check(lib.sgemm_create_context(context.int_ptr, device.int_ptr, options, handle))
        self._handle = handle

    def close(self) -> None:
        """Releases it now, rather than when it is collected. A second time does nothing."""
        handle, self._handle = self._handle, None
        if handle is not None:
            lib.sgemm_release_context(handle)

    def __del__(self, _is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _is_finalizing():  # threads may be inside at the program's end
            self.close()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def release_workspace(self) -> None:
        """Returns pooled device memory; what enqueued work still uses is freed when that is done."""
        check(lib.sgemm_release_workspace(self._open()))

    def gemm(self, queue: cl.CommandQueue, a: Array, b: Array, out: Optional[Array] = None, alpha: float = 1,
             beta: float = 0, *, transpose_a: bool = False, transpose_b: bool = False,
             precision: Union[str, Precision] = Precision.AUTOMATIC,
             wait_for: Optional[Sequence[cl.Event]] = None) -> Array:
        """Computes out = alpha * op(a) @ op(b) + beta * out; see sgemm.gemm()."""
        if queue.context != self.context or queue.device != self.device:
            raise DeviceError("the queue belongs to another OpenCL context or device than the sgemm.Context")
        _check_arrays(("a", a), ("b", b), ("out", out))
        shape = _matrices.result_shape(a.shape, b.shape, transpose_a, transpose_b)
        _check_out(out, shape, beta)
        on_host = all(isinstance(x, np.ndarray) for x in ((a, b) if out is None else (out,)))
        allocator = _allocator(queue, a, b, out)
        device_a, device_b = (_to_device(queue, x, allocator) for x in (a, b))
        if isinstance(out, cl_array.Array):
            result = out
        elif out is not None and beta != 0:
            result = _to_device(queue, out, allocator)
        else:
            strides = None if out is None else _strides(out)
            result = cl_array.empty(queue, shape, np.float32, allocator=allocator, strides=strides)
        try:
            self._enqueue(queue, device_a, device_b, result, float(alpha), float(beta), transpose_a, transpose_b,
                          _matrices.precision_of(precision), list(wait_for or ()))
        finally:
            if _is_svm(result) and any(isinstance(x, np.ndarray) for x in (a, b, out)):
                queue.finish()  # the copies are freed here; only buffers would last as long as what is enqueued
        if not on_host:
            return result
        if out is None:
            return result.get(queue)
        out[...] = result.get(queue)
        return out

    def plan(self, a: ArrayOrShape, b: ArrayOrShape, out: Optional[Array] = None, *, transpose_a: bool = False,
             transpose_b: bool = False, precision: Union[str, Precision] = Precision.AUTOMATIC) -> Plan:
        """How gemm() computes the same arguments; see sgemm.plan()."""
        _check_arrays(*((name, x) for name, x in (("a", a), ("b", b), ("out", out)) if not isinstance(x, tuple)))
        of_a, of_b = (x if isinstance(x, tuple) else x.shape for x in (a, b))
        shape = _matrices.result_shape(of_a, of_b, transpose_a, transpose_b)
        _check_out(out, shape, 0)
        of_out = _storage("out", shape if out is None else out)
        problem = _matrices.make_problem(_storage("a", a), _storage("b", b), of_out, transpose_a, transpose_b,
                                         _matrices.precision_of(precision))
        handle = ctypes.c_void_p()
        check(lib.sgemm_create_plan(self._open(), problem, None, handle))
        try:
            figures = _library.PlanFigures()
            check(lib.sgemm_get_plan_figures(handle, figures))
            return Plan(_plan_text(handle, PlanText.PLAN_KERNEL), _plan_text(handle, PlanText.PLAN_SUMMARY),
                        _plan_text(handle, PlanText.PLAN_DESCRIPTION), figures.predicted_seconds,
                        figures.workspace_bytes, figures.launches, figures.bound_terms, Precision(figures.precision))
        finally:
            lib.sgemm_release_plan(handle)

    def _open(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise ArgumentError("the sgemm.Context was closed")
        return self._handle

    def _enqueue(self, queue: cl.CommandQueue, a: cl_array.Array, b: cl_array.Array, out: cl_array.Array,
                 alpha: float, beta: float, transpose_a: bool, transpose_b: bool, precision: Precision,
                 events: List[cl.Event]) -> None:
        problem = _matrices.make_problem(_storage("a", a), _storage("b", b), _storage("out", out), transpose_a,
                                         transpose_b, precision)
        x, y, z = (_matrices.operand(name, array, self.context) for name, array in (("a", a), ("b", b), ("out", out)))
        if z.memory is None:
            return  # no element
        events += [*a.events, *b.events, *out.events]
        waits = (ctypes.c_void_p * len(events))(*(event.int_ptr for event in events))
        done = ctypes.c_void_p()
        end = (len(events), waits if events else None, done)
        kinds = {operand.is_svm for operand in (x, y, z) if operand.memory is not None}
        if kinds == {True}:
            ends = [None if o.memory is None else o.memory + o.offset * _matrices.ITEM for o in (x, y, z)]
            status = lib.sgemm_gemm_svm(self._open(), queue.int_ptr, problem, alpha, ends[0], ends[1], beta, ends[2],
                                        *end)
        elif kinds == {False}:
            status = lib.sgemm_gemm(self._open(), queue.int_ptr, problem, alpha, x.memory, x.offset, y.memory, y.offset,
                                    beta, z.memory, z.offset, *end)
        else:
            places = (f"{name} in {'shared virtual memory' if o.is_svm else 'a buffer'}"
                      for name, o in (("a", x), ("b", y), ("out", z)) if o.memory is not None)
            raise ArgumentError(f"arrays must be all in buffers or all in shared virtual memory: {', '.join(places)}")
        check(status)
        if done.value:
            out.add_event(cl.Event.from_int_ptr(done.value, retain=False))


def _path(file: Union[str, "os.PathLike[str]", None]) -> Optional[bytes]:
    return None if file is None else os.fsencode(file)


def _forwarder(log: Log) -> Callable[[int, bytes, Any], None]:
    levels = {level.value: level.name[4:].lower() for level in _library.LogLevel}
    return lambda level, message, _: log(levels.get(level, str(level)), message.decode(errors="replace"))


def _plan_text(handle: ctypes.c_void_p, kind: PlanText) -> str:
    length = ctypes.c_size_t()
    check(lib.sgemm_plan_text(handle, kind, None, 0, length))
    text = ctypes.create_string_buffer(length.value + 1)
    check(lib.sgemm_plan_text(handle, kind, text, len(text), None))
    return text.value.decode(errors="replace")


def _check_arrays(*named: Tuple[str, Any]) -> None:
    for name, array in named:
        if array is not None or name != "out":
            _matrices.check_array(name, array)


def _check_out(out: Optional[Array], shape: Tuple[int, ...], beta: float) -> None:
    if out is None:
        if beta != 0:
            raise ArgumentError("beta is not zero, and there is no out that it could scale")
        return
    if out.shape != shape:
        raise ShapeError(f"out has the shape {out.shape}; the product has {shape}")
    if isinstance(out, np.ndarray) and not out.flags.writeable:
        raise ArgumentError("out is read-only")


def _storage(name: str, array: ArrayOrShape) -> _matrices.Storage:
    if isinstance(array, tuple):
        return _matrices.storage(name, array, _matrices.tight_strides(array))
    return _matrices.storage(name, array.shape, _strides(array))


def _keeps_strides(array: Array) -> bool:
    """On the device; a copy of NumPy's does if it is by rows or columns, and is by rows otherwise."""
    return isinstance(array, cl_array.Array) or (array.ndim == 2 and array.flags.forc)


def _strides(array: Array) -> Tuple[int, ...]:
    """In bytes, on the device."""
    return array.strides if _keeps_strides(array) else _matrices.tight_strides(array.shape)


def _to_device(queue: cl.CommandQueue, array: Array, allocator: Any) -> cl_array.Array:
    """Copies what is NumPy's."""
    if isinstance(array, cl_array.Array):
        return array
    copied = array if _keeps_strides(array) else np.ascontiguousarray(array)
    return cl_array.to_device(queue, copied, allocator=allocator)


def _is_svm(array: cl_array.Array) -> bool:
    return isinstance(array.base_data, cl.SVMPointer)


def _allocator(queue: cl.CommandQueue, *arrays: Optional[Array]) -> Any:
    """Where the first array on the device has its memory from, or what gives memory of its kind."""
    array = next((array for array in arrays if isinstance(array, cl_array.Array)), None)
    if array is None or array.allocator is not None or not _is_svm(array):
        return None if array is None else array.allocator
    in_order = not queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    return pyopencl.tools.SVMAllocator(queue.context, queue=queue if in_order else None)  # freed in the queue's order


_MOST_CONTEXTS = 8  # as in C and C++
_contexts: Dict[Tuple[int, int], Context] = {}  # the one used last comes last
_contexts_lock = threading.RLock()  # what is collected meanwhile may call, too


def context_of(queue: cl.CommandQueue) -> Context:
    """The Context that gemm() and plan() use for a queue, made where there is none yet.

    Those of the last eight pairs of OpenCL context and device are kept, until release_contexts().
    """
    key = (queue.context.int_ptr, queue.device.int_ptr)
    dropped = None
    with _contexts_lock:
        context = _contexts.pop(key, None)
        if context is None or context._handle is None:  # or was closed
            context = Context(queue.context, queue.device)
        _contexts[key] = context
        if len(_contexts) > _MOST_CONTEXTS:
            dropped = _contexts.pop(next(iter(_contexts)))
    del dropped  # released outside the lock
    return context


def release_contexts() -> None:
    """Forgets the Contexts that context_of() keeps, and with them its references to OpenCL's."""
    with _contexts_lock:
        dropped = list(_contexts.values())
        _contexts.clear()
    del dropped  # released outside the lock


def gemm(queue: cl.CommandQueue, a: Array, b: Array, out: Optional[Array] = None, alpha: float = 1, beta: float = 0,
         *, transpose_a: bool = False, transpose_b: bool = False,
         precision: Union[str, Precision] = Precision.AUTOMATIC,
         wait_for: Optional[Sequence[cl.Event]] = None) -> Array:
    """Computes out = alpha * op(a) @ op(b) + beta * out in single precision and returns `out`.

    queue      its context and device compute
    a, b, out  pyopencl arrays of float32: op(a) is m x k, op(b) k x n, out m x n. Strides say the rest: rows or
               columns must be contiguous, so parts of matrices and `.T` cost no copy. With three dimensions they
               are batches; a matrix stands for all of a batch. `out` shares no element with a or b; None: a new
               array. NumPy arrays, with any strides, are copied to the device and, as `out`, back
    beta       0: what `out` holds is not read
    transpose_a, transpose_b  whether op() transposes
    precision  "automatic" (SGEMM_PRECISION, or strict), "strict", "emulated", "fp16x2", "tf32x3", "bf16x3"
    wait_for   events beside the arrays' own that must complete first

    Returns at once, with an event in `out.events`; but where `out` is NumPy's, or it is None and both operands are,
    the result is a NumPy array, and complete. So it is where NumPy's stand beside shared virtual memory, whose copies
    must outlast the work. Any thread may call.

    Rounding: |out - exact| <= (k + 4) * 2**-24 * (|alpha| |op(a)| |op(b)| + |beta| |out|), element by element.

    Raises TypeError, ArgumentError (DTypeError, ShapeError, StrideError, DeviceError, ReleasedError),
    UnsupportedError, BuildError, OpenCLError, OutOfMemoryError.
    """
    return context_of(queue).gemm(queue, a, b, out, alpha, beta, transpose_a=transpose_a, transpose_b=transpose_b,
                                  precision=precision, wait_for=wait_for)


def plan(queue: cl.CommandQueue, a: ArrayOrShape, b: ArrayOrShape, out: Optional[Array] = None, *,
         transpose_a: bool = False, transpose_b: bool = False,
         precision: Union[str, Precision] = Precision.AUTOMATIC) -> Plan:
    """How gemm() computes the same arguments: print() it. Shapes may stand for arrays stored by rows.

    Compiles the kernels, runs none. Raises as gemm().
    """
    return context_of(queue).plan(a, b, out, transpose_a=transpose_a, transpose_b=transpose_b, precision=precision)


def select_device(selector: str = "") -> cl.Device:
    """A device by "P:D" (platform and device index), "P", "gpu", "cpu" or part of a name.

    "": by $SGEMM_DEVICE, or else the first GPU, or else the first device. Raises ArgumentError.
    """
    device = ctypes.c_void_p()
    check(lib.sgemm_select_device(selector.encode(), device))
    return cl.Device.from_int_ptr(device.value or 0)
