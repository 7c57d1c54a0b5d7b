# SPDX-License-Identifier: Apache-2.0
"""NumPy's products with libsgemm_blas.so loaded first, and SciPy's where it is there: right, in all forms of storage,
and beside them what libsgemm does not do."""

import numpy as np

random = np.random.default_rng(1)


def matrix(rows, columns, dtype=np.float32):
    return random.uniform(-1, 1, (rows, columns)).astype(dtype)


def check(product, x, y, what):
    exact = x.astype(np.float64) @ y.astype(np.float64)
    magnitude = np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64)
    bound = (x.shape[1] + 4) * 2.0**-24 * magnitude
    assert product.dtype == np.float32 and product.shape == exact.shape, what
    assert (np.abs(product - exact) <= bound).all(), what


a, b = matrix(300, 100), matrix(100, 200)
check(a @ b, a, b, "by rows")
check(np.asfortranarray(a) @ b, a, b, "A by columns")
check(a @ np.asfortranarray(b), a, b, "B by columns")
check((b.T @ a.T).T, a, b, "transposes")
wide = matrix(300, 170)
check(wide[:, 30:130] @ b, wide[:, 30:130], b, "a part of a matrix")
out = np.empty((300, 200), np.float32)
assert np.matmul(a, b, out=out) is out
check(out, a, b, "into an array")

symmetric = a @ a.T  # ssyrk
assert np.allclose(symmetric, symmetric.T) and np.allclose(symmetric, a.astype(np.float64) @ a.T, atol=1e-4)
x, y = matrix(50, 60, np.float64), matrix(60, 40, np.float64)  # dgemm
assert np.allclose(x @ y, np.einsum("ik,kj->ij", x, y), atol=1e-12)
z = x[:, :40] + 1j * y[:50]  # zgemm
assert np.allclose(z @ z.T, np.einsum("ik,jk->ij", z, z), atol=1e-12)
square = matrix(80, 80) + 80 * np.eye(80, dtype=np.float32)  # LAPACK over BLAS
assert np.allclose(square @ np.linalg.inv(square), np.eye(80), atol=1e-3)

try:
    from scipy.linalg import blas
except ImportError:
    print("no SciPy")
else:
    check(blas.sgemm(1, a, b), a, b, "by SciPy")
print("OK")
