/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The OpenCL C API that the public headers speak. A program that has chosen its own
   CL_TARGET_OPENCL_VERSION keeps it: the library uses no entry point newer than 1.2 here. */
#if !defined(CL_TARGET_OPENCL_VERSION)
#define CL_TARGET_OPENCL_VERSION 300
#endif
#if defined(__APPLE__)
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
