/* oracle_call.c - one call of the oracle: its memory, its text and its way out.
 *
 * An abort of the reference may happen deep inside a formula. It is a longjmp here, so that the
 * transcription reads like the specification; what the call allocated is on a list, and goes with
 * the call. */
#include "oracle_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oracle_block {
    _Alignas(max_align_t) struct oracle_block *previous;
    struct oracle_block *next;
};

void oracle_call_run(struct oracle_call *call, void (*work)(void *), void *argument)
{
    call->status.outcome = ORACLE_DONE;
    call->status.reason = ORACLE_NO_REASON;
    call->status.text[0] = '\0';
    if (setjmp(call->escape) == 0)
        work(argument);
}

void oracle_call_end(struct oracle_call *call)
{
    struct oracle_block *block = call->blocks;

    while (block) {
        struct oracle_block *next = block->next;

        free(block);
        block = next;
    }
    call->blocks = NULL;
}

void oracle_abort(struct oracle_call *call, enum oracle_reason reason, const char *format, ...)
{
    va_list arguments;

    call->status.outcome = ORACLE_ABORT;
    call->status.reason = reason;
    va_start(arguments, format);
    vsnprintf(call->status.text, sizeof(call->status.text), format, arguments);
    va_end(arguments);
    longjmp(call->escape, 1);
}

void oracle_endless(struct oracle_call *call)
{
    call->status.outcome = ORACLE_ENDLESS;
    snprintf(call->status.text, sizeof(call->status.text), "more rounds than allowed");
    longjmp(call->escape, 1);
}

void oracle_contested(struct oracle_call *call, const char *format, ...)
{
    va_list arguments;

    call->status.outcome = ORACLE_CONTESTED;
    va_start(arguments, format);
    vsnprintf(call->status.text, sizeof(call->status.text), format, arguments);
    va_end(arguments);
    longjmp(call->escape, 1);
}

void *oracle_xmalloc(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);

    if (!memory) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void block_unlink(struct oracle_call *call, struct oracle_block *block)
{
    if (block->previous)
        block->previous->next = block->next;
    else
        call->blocks = block->next;
    if (block->next)
        block->next->previous = block->previous;
}

void *oracle_resize(struct oracle_call *call, void *old, size_t bytes)
{
    struct oracle_block *block = old ? (struct oracle_block *)old - 1 : NULL;

    if (block)
        block_unlink(call, block);
    block = realloc(block, sizeof(*block) + bytes);
    if (!block) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    block->previous = NULL;
    block->next = call->blocks;
    if (block->next)
        block->next->previous = block;
    call->blocks = block;
    return block + 1;
}

void oracle_free(struct oracle_call *call, void *old)
{
    if (!old)
        return;
    block_unlink(call, (struct oracle_block *)old - 1);
    free((struct oracle_block *)old - 1);
}

void oracle_text_add(struct oracle_call *call, struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if (text->length + (size_t)length + 1 > text->room) {
        text->room = 2 * text->room + (size_t)length + 64;
        text->at = oracle_resize(call, text->at, text->room);
    }
    va_start(arguments, format);
    vsnprintf(text->at + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void oracle_text_add_time(struct oracle_call *call, struct text *text, double time_s)
{
    if (time_s == ORACLE_FOREVER_S)
        oracle_text_add(call, text, "9223372036854775807");
    else if (time_s == trunc(time_s))
        oracle_text_add(call, text, "%.0f", time_s);
    else
        oracle_text_add(call, text, "%.17g", time_s);
}

struct oracle_buffer oracle_text_give(const struct text *text)
{
    struct oracle_buffer buffer = {.text = oracle_xmalloc(text->length + 1),
                                   .length = text->length};

    if (text->length > 0)
        memcpy(buffer.text, text->at, text->length);
    buffer.text[text->length] = '\0';
    return buffer;
}
