#include "live/assets.h"

/* Bytes of a file, as the assembler takes them in; the build says where the files are. */
#define EMBED(name, path)                                                                                    \
    __asm__(".section .rodata\n.balign 16\n" #name "_begin:\n.incbin \"" path "\"\n" #name                   \
            "_end:\n.previous\n");                                                                           \
    extern const unsigned char name##_begin[] __asm__(#name "_begin");                                       \
    extern const unsigned char name##_end[] __asm__(#name "_end")

EMBED(live_page, LIVE_PAGE_SOURCE "/index.html");
EMBED(live_style, LIVE_PAGE_SOURCE "/style.css");
EMBED(live_presets, LIVE_PAGE_SOURCE "/presets.webp");
EMBED(live_script, LIVE_PAGE_SCRIPT);

const live_asset live_assets[] = {
    {"", "text/html; charset=utf-8", live_page_begin, live_page_end},
    {"style.css", "text/css; charset=utf-8", live_style_begin, live_style_end},
    {"presets.webp", "image/webp", live_presets_begin, live_presets_end},
    {"page.js", "text/javascript; charset=utf-8", live_script_begin, live_script_end},
    {0},
};
