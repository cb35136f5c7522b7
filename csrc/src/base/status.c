#include "parquetext.h"
#include "base/wire.h"

const char *pqx_version(void) { return "0.1.0"; }

int pqx_abi_version(void) { return PQX_ABI_VERSION; }

const char *pqx_status_message(int status)
{
    switch (status) {
        PQX_ERROR_MESSAGES
    default: return "";
    }
}
