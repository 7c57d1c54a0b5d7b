# SPDX-License-Identifier: Apache-2.0
"""Arrays as the library wants them: layout, transposes, leading dimensions and offsets from strides."""

from typing import Any, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from sgemm._errors import ArgumentError, DeviceError, DTypeError, ReleasedError, ShapeError, StrideError
from sgemm._library import TIGHT, Layout, Precision, Problem, Transpose

ITEM = np.dtype(np.float32).itemsize


class Storage(NamedTuple):
    """How a matrix, or each of a batch, lies in memory. Strides and leading dimensions count elements."""

    rows: int
    columns: int
    ld_by_rows: Optional[int]  # leading dimension, if its rows are contiguous
    ld_by_columns: Optional[int]  # the same of columns; a vector can be both
    batch_count: Optional[int]  # None: it is no batch
    batch_stride: int


def _leading_dimension(lines: int, length: int, line_stride: int, stride: int) -> Optional[int]:
    """Of lines of that length, if each is contiguous and none overlaps another."""
    if length > 1 and stride != 1:
        return None
    shortest = max(length, 1)
    if lines <= 1:
        return shortest
    return line_stride if line_stride >= shortest else None


def _check_dimensions(name: str, shape: Sequence[int]) -> None:
    if len(shape) not in (2, 3):
        raise ShapeError(f"{name} has the shape {tuple(shape)}; it must be a matrix, or a batch of them "
                         "(3 dimensions)")


def storage(name: str, shape: Sequence[int], strides: Sequence[int]) -> Storage:
    """Raises ShapeError and StrideError. `strides` are in bytes."""
    _check_dimensions(name, shape)
    if 0 in shape:
        strides = tight_strides(shape)  # those of no element say nothing
    if any(stride % ITEM != 0 for stride in strides):
        raise StrideError(f"{name} has strides of {tuple(strides)} bytes, which are not whole elements")
    rows, columns = shape[-2:]
    by_row, by_column = (stride // ITEM for stride in strides[-2:])
    ld_by_rows = _leading_dimension(rows, columns, by_row, by_column)
    ld_by_columns = _leading_dimension(columns, rows, by_column, by_row)
    if ld_by_rows is None and ld_by_columns is None:
        raise StrideError(f"{name} of shape {tuple(shape)} has strides of {tuple(strides)} bytes: neither its rows "
                          "nor its columns are contiguous, so it must be copied first")
    is_batch = len(shape) == 3
    return Storage(rows, columns, ld_by_rows, ld_by_columns, shape[0] if is_batch else None,
                   strides[0] // ITEM if is_batch else 0)


def tight_strides(shape: Sequence[int]) -> Tuple[int, ...]:
    """Of an array of float32 by rows, in bytes."""
    strides = [ITEM]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(extent, 1))
    return tuple(strides)


def result_shape(a: Sequence[int], b: Sequence[int], transpose_a: bool, transpose_b: bool) -> Tuple[int, ...]:
    """Shape of op(a) op(b); raises ShapeError. A batch times a matrix multiplies each by it."""
    for name, shape in ("a", a), ("b", b):
        _check_dimensions(name, shape)
    m, k = a[-2:][::-1] if transpose_a else a[-2:]
    k_of_b, n = b[-2:][::-1] if transpose_b else b[-2:]
    if k != k_of_b:
        raise ShapeError(f"op(a) is {m} x {k} and op(b) is {k_of_b} x {n}: the columns of one are not the rows of "
                         "the other")
    counts = {shape[0] for shape in (a, b) if len(shape) == 3}
    if len(counts) > 1:
        raise ShapeError(f"a has {a[0]} matrices and b has {b[0]}")
    return (*counts, m, n)


def make_problem(a: Storage, b: Storage, c: Storage, transpose_a: bool, transpose_b: bool,
                 precision: Precision) -> Problem:
    """The library's problem, in the layout of C."""
    by_rows = c.ld_by_rows is not None

    def stored(x: Storage, transposes: bool) -> Tuple[Transpose, int]:
        """op() of X as stored in the layout of C, and the leading dimension."""
        own, other = (x.ld_by_rows, x.ld_by_columns) if by_rows else (x.ld_by_columns, x.ld_by_rows)
        exchanged = own is None
        ld = other if exchanged else own
        assert ld is not None  # storage() sees to that
        return (Transpose.TRANSPOSE if transposes != exchanged else Transpose.NO_TRANSPOSE), ld

    op_a, lda = stored(a, transpose_a)
    op_b, ldb = stored(b, transpose_b)
    is_batch = c.batch_count is not None and c.batch_count > 1
    return Problem(
        layout=Layout.ROW_MAJOR if by_rows else Layout.COLUMN_MAJOR, transpose_a=op_a, transpose_b=op_b,
        m=c.rows, n=c.columns, k=a.rows if transpose_a else a.columns, lda=lda, ldb=ldb, ldc=stored(c, False)[1],
        batch_count=1 if c.batch_count is None else c.batch_count,
        batch_stride_a=a.batch_stride if is_batch else TIGHT, batch_stride_b=b.batch_stride if is_batch else TIGHT,
        batch_stride_c=c.batch_stride if is_batch else TIGHT, precision=precision)


def check_array(name: str, array: Any) -> None:
    """Raises TypeError and DTypeError unless it is an array of float32, pyopencl's or NumPy's."""
    if isinstance(array, (cl.MemoryObjectHolder, cl.SVMPointer)):
        raise TypeError(f"{name} is bare memory, which has no shape: pass "
                        "pyopencl.array.Array(queue, shape, numpy.float32, data=...), which copies nothing")
    if not isinstance(array, (cl_array.Array, np.ndarray)):
        raise TypeError(f"{name} is a {type(array).__name__}, not an array of pyopencl or NumPy")
    if array.dtype != np.float32:
        raise DTypeError(f"{name} is of {array.dtype}, not float32")


class Operand(NamedTuple):
    """Where an array's first element is."""

    memory: Optional[int]  # a cl_mem, or the first byte of shared virtual memory; None: there is no element
    offset: int  # in elements
    is_svm: bool


def operand(name: str, array: cl_array.Array, context: cl.Context) -> Operand:
    """Raises ReleasedError, DeviceError and StrideError."""
    base = array.base_data
    if base is None:
        return Operand(None, 0, False)
    if array.offset % ITEM != 0:
        raise StrideError(f"{name} begins {array.offset} bytes into its memory, which are not whole elements")
    if isinstance(base, cl.SVMPointer):
        if not base.svm_ptr:
            raise ReleasedError(f"the memory of {name} was released")
        return Operand(base.svm_ptr, array.offset // ITEM, True)
    if base.context != context:
        raise DeviceError(f"{name} belongs to another OpenCL context than the queue")
    return Operand(base.int_ptr, array.offset // ITEM, False)


def precision_of(value: Any) -> Precision:
    """Of one, or of its name in small letters."""
    try:
        return Precision[value.upper()] if isinstance(value, str) else Precision(value)
    except (KeyError, ValueError):
        names = ", ".join(one.name.lower() for one in Precision)
        raise ArgumentError(f"precision is {value!r}; it must be one of {names}") from None
