#include "live/notice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

void notice_clear(live_notice *notice, notice_source source) {
    int kept = 0;
    for (int i = 0; i < notice->count; i++)
        if (notice->items[i].source != source)
            notice->items[kept++] = notice->items[i];
    notice->changed |= kept != notice->count;
    notice->count = kept;
    if (source == NOTICE_MOTION)
        notice->motion_count = 0;
}

static void add(live_notice *notice, notice_source source, rlt_severity severity, const char *text) {
    if (notice->count == NOTICE_ITEMS) /* the oldest goes */
        memmove(notice->items, notice->items + 1, (size_t)--notice->count * sizeof notice->items[0]);
    notice_item *item = &notice->items[notice->count++];
    item->source = source;
    item->severity = severity;
    snprintf(item->text, sizeof item->text, "%s", text);
    notice->changed = 1;
}

/* Values of a built-in scene that a file from the command line makes idle: the user wrote none of them. */
static int is_idle_default(const char *text) {
    const char *start = "built-in scene ";
    return strncmp(text, start, strlen(start)) == 0 && strstr(text, ": does nothing: ") != NULL;
}

void notice_take(live_notice *notice, notice_source source, const rlt_messages *messages) {
    int count = rlt_messages_count(messages);
    if (source == NOTICE_MOTION) {
        if (count == 0)
            return;
        long long before = notice->motion_count;
        notice_clear(notice, source);
        notice->motion_count = before + count;
        add(notice, source, rlt_messages_severity(messages, count - 1),
            rlt_messages_text(messages, count - 1));
        return;
    }
    notice_clear(notice, source);
    for (int i = 0; i < count; i++) /* a change that works needs no words */
        if ((source != NOTICE_ASKED || rlt_messages_severity(messages, i) != RLT_NOTE) &&
            !is_idle_default(rlt_messages_text(messages, i)))
            add(notice, source, rlt_messages_severity(messages, i), rlt_messages_text(messages, i));
}

void notice_say(live_notice *notice, notice_source source, rlt_severity severity, const char *format, ...) {
    char text[NOTICE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    notice_clear(notice, source);
    add(notice, source, severity, text);
}

int notice_has_error(const live_notice *notice, notice_source source) {
    for (int i = 0; i < notice->count; i++)
        if (notice->items[i].source == source && notice->items[i].severity == RLT_ERROR)
            return 1;
    return 0;
}

void notice_publish(live_notice *notice, live_board *board) {
    static const char *const sources[] = {"scene", "asked", "motion"};
    static const char *const severities[] = {"note", "warning", "error"};
    if (!notice->changed)
        return;
    notice->changed = 0;
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "kind", "notice");
    json_integer(&out, "in_motion", notice->motion_count);
    json_begin_array(&out, "items");
    for (int i = 0; i < notice->count; i++) {
        const notice_item *item = &notice->items[i];
        json_begin_object(&out, NULL);
        json_string(&out, "source", sources[item->source]);
        json_string(&out, "severity", severities[item->severity]);
        json_string(&out, "text", item->text);
        json_end_object(&out);
    }
    json_end_array(&out);
    json_end_object(&out);
    if (!out.failed)
        live_board_publish(board, LIVE_NOTICE, live_document_text(out.text, out.size));
    json_free(&out);
}
