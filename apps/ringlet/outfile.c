#include "outfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "console.h"

int outfile_begin(outfile *out) {
    memset(out, 0, sizeof *out);
    out->text = open_memstream(&out->bytes, &out->size);
    return out->text != NULL;
}

rlt_status outfile_end(outfile *out, int good, const char *path) {
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = RLT_FAILED;
    good = !ferror(out->text) && good;
    if (fclose(out->text) == 0 && good)
        status = rlt_bytes_write(path, out->bytes, out->size, messages);
    else
        console_error("%s: out of memory", path);
    console_messages(messages, 0);
    rlt_messages_destroy(messages);
    free(out->bytes);
    memset(out, 0, sizeof *out);
    return status;
}

rlt_status outfile_check_new(const char *path, int force) {
    struct stat found;
    /* an empty file is a place that was made for it; devices and pipes have nothing to lose */
    if (force || stat(path, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0)
        return RLT_OK;
    return console_fail(RLT_BAD_INPUT, "%s: exists; --force replaces it, or give another name", path);
}

rlt_status outfile_lock(const char *path, rlt_lock **lock) {
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = rlt_lock_take(path, messages, lock);
    console_messages(messages, 0);
    rlt_messages_destroy(messages);
    return status;
}
