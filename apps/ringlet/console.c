#include "console.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

/* Which rank this process is does not change: one switch for the whole program. */
static int silent;

void console_silence(void) {
    silent = 1;
}

void console_messages(const rlt_messages *messages, int first) {
    static const char *const prefixes[] = {"note: ", "warning: ", ""};
    for (int i = first; i < rlt_messages_count(messages) && !silent; i++)
        fprintf(stderr, "%s%s\n", prefixes[rlt_messages_severity(messages, i)],
                rlt_messages_text(messages, i));
}

static void print_line(const char *prefix, const char *format, va_list arguments) {
    if (silent)
        return;
    fputs(prefix, stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void console_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("ringlet: ", format, arguments);
    va_end(arguments);
}

rlt_status console_fail(rlt_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("ringlet: ", format, arguments);
    va_end(arguments);
    return status;
}

void console_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

void console_json_messages(json *out, const rlt_messages *messages) {
    static const char *const names[] = {"note", "warning", "error"};
    json_begin_array(out, "messages");
    for (int i = 0; i < rlt_messages_count(messages); i++) {
        json_begin_object(out, NULL);
        json_string(out, "severity", names[rlt_messages_severity(messages, i)]);
        json_string(out, "text", rlt_messages_text(messages, i));
        json_end_object(out);
    }
    json_end_array(out);
}

rlt_status console_json_end(json *out, const rlt_messages *messages, rlt_status status) {
    console_json_messages(out, messages);
    json_end_object(out);
    if (!json_print(out, stdout) && status == RLT_OK)
        status = RLT_FAILED;
    json_free(out);
    return status;
}

const char *console_status_name(rlt_status status, int interrupted) {
    static const char *const names[] = {"done", "failed", "bad input", "diverged"};
    return interrupted ? "interrupted" : names[status];
}

long long console_file_size(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 ? (long long)found.st_size : 0;
}

double console_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
