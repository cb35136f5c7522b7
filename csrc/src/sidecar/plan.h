/* What the files of the plan share. */
#ifndef PQX_PLAN_H
#define PQX_PLAN_H

#include "sidecar/sidecar.h"

/* Read of an open sidecar what a plan asks for. PQX_PLANNED or PQX_PLAN_OTHER where checksums of
 * parts vouch for all that was read, up to whether it belongs to its file; PQX_PLAN_UNUSED where
 * the whole of it has to tell. */
int pqx_plan_read_parts(const pqx_plan *plan, int fd, pqx_plan_sidecar *opened);

#endif
