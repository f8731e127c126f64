/* Pieces of HTML pages. */
#ifndef RINGLET_APP_HTML_H
#define RINGLET_APP_HTML_H

#include <stddef.h>
#include <stdio.h>

/* Text with the characters that HTML needs for itself replaced. */
void html_text(FILE *file, const char *text);

/* Bytes as base64, for data URIs. */
void html_base64(FILE *file, const unsigned char *bytes, size_t size);

/* A number with `digits` digits, large ones in groups of three: 44,552. */
void html_number(FILE *file, double value, int digits);

#endif
