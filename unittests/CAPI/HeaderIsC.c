/* The header is C: this file is compiled as such. */
#include "tessera.h"

int headerIsC(void);
int headerIsC(void) {
  tessera_compile_request request = TESSERA_COMPILE_REQUEST;
  return request.size == sizeof(tessera_compile_request) && request.path == NULL;
}
