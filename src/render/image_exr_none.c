/* Built without OpenEXR. */
#include "base/messages.h"
#include "ringlet/render.h"

int rlt_image_exr_available(void) {
    return 0;
}

rlt_status rlt_image_write_exr(const rlt_image *image, const char *path, rlt_messages *messages) {
    (void)image;
    return rlti_refuse(
        messages, "%s: this Ringlet was built without OpenEXR (Debian: libopenexr-dev); write .png instead",
        path);
}
