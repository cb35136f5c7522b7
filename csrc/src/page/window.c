#include "page/window.h"

enum { GROWTH = 4 };

int pqx_window_load(pqx_window *window, uint64_t at, uint64_t size)
{
    if (at > window->end || size > window->end - at) return 0;
    size_t kept = pqx_window_held(window, at);
    if (size <= kept) return 1;
    /* Read in growing steps, so that a caller that asks for one value at a time does not read the
     * file for each. */
    size_t more = kept / GROWTH > window->step ? kept / GROWTH : window->step;
    uint64_t left = window->end - at, wanted = (uint64_t)kept + more;
    if (wanted < size) wanted = size;
    if (wanted > left) wanted = left;
    if (wanted > SIZE_MAX / 2) return 0;
    if (kept && at > window->begin) memmove(window->memory.data, pqx_window_at(window, at), kept);
    window->begin = at;
    window->held = kept;
    if (!pqx_grow(&window->memory, kept, (size_t)wanted)) return 0;
    const pqx_source *source = window->source;
    more = (size_t)wanted - kept;
    if (source->read(source->context, at + kept, more, window->memory.data + kept)) return 0;
    window->held = (size_t)wanted;
    return 1;
}
