#include "report/html.h"

#include <math.h>
#include <string.h>

void html_text(FILE *file, const char *text) {
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            /* XML has no place for other control characters */
            fputc((unsigned char)*c < 0x20 ? ' ' : *c, file);
        }
    }
}

void html_base64(FILE *file, const unsigned char *bytes, size_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned value = (unsigned)bytes[i] << 16;
        value |= i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0;
        value |= i + 2 < size ? bytes[i + 2] : 0;
        char quad[4] = {letters[value >> 18], letters[(value >> 12) & 63],
                        i + 1 < size ? letters[(value >> 6) & 63] : '=',
                        i + 2 < size ? letters[value & 63] : '='};
        fwrite(quad, 1, 4, file);
    }
}

void html_number(FILE *file, double value, int digits) {
    char text[48];
    if (!isfinite(value)) {
        fputs("&ndash;", file);
        return;
    }
    if (fabs(value) < 10000.0 || fabs(value) >= 1e15) {
        /* the program never leaves the C locale */
        fprintf(file, "%.*g", digits, value);
        return;
    }
    snprintf(text, sizeof text, "%.0f", fabs(value));
    size_t length = strlen(text);
    if (value < 0.0)
        fputs("&minus;", file);
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            fputc(',', file);
        fputc(text[i], file);
    }
}
