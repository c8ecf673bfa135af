/* verdict.h - the verdict of the service on a job and its deadline, as a sentence. */
#ifndef SERVICE_VERDICT_H
#define SERVICE_VERDICT_H

#include "tools/service/call.h"

/* Prints the verdict. verdict_show is a call_show. */
int verdict_show(const struct call_request *request, const struct answer *answer,
                 struct error *error);

#endif
