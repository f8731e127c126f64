/* Messages for the pages: of building the scene, of what the user asked for, and of the motion. */
#ifndef RINGLET_APP_LIVE_NOTICE_H
#define RINGLET_APP_LIVE_NOTICE_H

#include "live/board.h"
#include "ringlet/status.h"

enum { NOTICE_ITEMS = 24, NOTICE_TEXT = 600 };

/* Where a message came from: those of one source replace each other when it speaks again. */
typedef enum notice_source {
    NOTICE_SCENE,  /* building it */
    NOTICE_ASKED,  /* what the user asked for last */
    NOTICE_MOTION, /* the steps; counted, the last is kept */
    NOTICE_SOURCES
} notice_source;

typedef struct notice_item {
    notice_source source;
    rlt_severity severity;
    char text[NOTICE_TEXT];
} notice_item;

/* Starts all zero. */
typedef struct live_notice {
    int count;
    notice_item items[NOTICE_ITEMS];
    long long motion_count; /* messages of the motion */
    int changed;
} live_notice;

/* All messages of a source, in place of those it had. */
void notice_take(live_notice *notice, notice_source source, const rlt_messages *messages);
/* One message in place of those of its source. */
void notice_say(live_notice *notice, notice_source source, rlt_severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void notice_clear(live_notice *notice, notice_source source);
/* 1: there is an error of the source. */
int notice_has_error(const live_notice *notice, notice_source source);

/* Shows it, where it has changed. */
void notice_publish(live_notice *notice, live_board *board);

#endif
