# SPDX-License-Identifier: Apache-2.0
"""What can go wrong. After each of these nothing was enqueued, but for OpenCLError and OutOfMemoryError."""


class Error(Exception):
    """Base of all that this package raises for what a call asks."""


class ArgumentError(Error, ValueError):
    """An argument breaks a rule; the message names it."""


class DTypeError(ArgumentError, TypeError):
    """A matrix is not of float32."""


class ShapeError(ArgumentError):
    """Shapes do not fit together."""


class StrideError(ArgumentError):
    """A matrix on the device is contiguous neither by rows nor by columns."""


class DeviceError(ArgumentError):
    """An array, or a queue, belongs to another OpenCL context or device."""


class ReleasedError(ArgumentError):
    """The shared virtual memory of an array was released. Of buffers nobody can tell: using one is undefined."""


class UnsupportedError(Error):
    """A forced kernel cannot run this problem on this device."""


class BuildError(Error):
    """No kernel compiled; the message holds the compiler's log."""


class OpenCLError(Error):
    """A call of OpenCL failed; `status` is its cl_int. The result may be undefined."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ConfigurationError(Error):
    """A device table cannot be read; the message names file and line."""


class OutOfMemoryError(Error, MemoryError):
    """No memory on the host. The result may be undefined."""


class InternalError(Error):
    """A mistake in the library; please report it."""
