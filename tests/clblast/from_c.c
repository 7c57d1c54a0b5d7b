/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm/clblast.h from C99. "OK" if it is the library that answers. */
#include <sgemm/clblast.h>
#include <stdio.h>

int main(void) {
    size_t bytes = 1;
    const CLBlastStatusCode sized =
        CLBlastSGemmTempBufferSize(CLBlastLayoutColMajor, CLBlastTransposeNo, CLBlastTransposeYes,
                                   8, 8, 8, 0, 8, 0, 8, 0, 8, NULL, &bytes);
    const CLBlastStatusCode refused =
        CLBlastSgemm(CLBlastLayoutColMajor, CLBlastTransposeNo, CLBlastTransposeYes, 8, 8, 8, 1.0F,
                     NULL, 0, 8, NULL, 0, 8, 0.0F, NULL, 0, 8, NULL, NULL);
    puts(sized == CLBlastInvalidCommandQueue && refused == sized && bytes == 1 ? "OK" : "wrong");
    return 0;
}
