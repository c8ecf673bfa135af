/* fortify.c - what glibc's headers make of some calls when they are told to look for overflows.
 * jansson's archive was compiled so; musl does not know these names. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int __snprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, ...);
int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format,
                    va_list arguments);
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);

int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format,
                    va_list arguments)
{
    (void)flag;
    return vsnprintf(text, size < room ? size : room, format, arguments);
}

int __snprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = __vsnprintf_chk(text, size, flag, room, format, arguments);
    va_end(arguments);
    return length;
}

char *__strncpy_chk(char *to, const char *from, size_t size, size_t room)
{
    return strncpy(to, from, size < room ? size : room);
}
