/* Declarations shared by the files of the plan. */
#ifndef PQX_PLAN_H
#define PQX_PLAN_H

#include "sidecar/sidecar.h"

/* Read the parts of an open sidecar that a plan needs. PQX_PLANNED or PQX_PLAN_OTHER if checksums
 * of parts cover everything that was read, except for the match with its file; PQX_PLAN_UNUSED if
 * the whole sidecar must be read. */
int pqx_plan_read_parts(const pqx_plan *plan, int fd, pqx_plan_sidecar *opened);

#endif
