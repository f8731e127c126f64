/* The reports a demo leaves beside its animation. */
#ifndef RINGLET_APP_REPORT_H
#define RINGLET_APP_REPORT_H

#include "run.h"

rlt_status report_write_json(const char *path, const run_settings *settings, const run_result *result,
                             const rlt_messages *messages);
rlt_status report_write_text(const char *path, const run_settings *settings, const run_result *result,
                             const rlt_messages *messages);

#endif
