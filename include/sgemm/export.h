/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Marks what the shared library exports; everything else is hidden. */
#if defined(SGEMM_STATIC)
#define SGEMM_API
#elif defined(_WIN32)
#if defined(SGEMM_BUILDING)
#define SGEMM_API __declspec(dllexport)
#else
#define SGEMM_API __declspec(dllimport)
#endif
#else
#define SGEMM_API __attribute__((visibility("default")))
#endif
