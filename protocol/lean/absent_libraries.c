/* absent_libraries.c - what the archives of libzmq and czmq want of libraries that are not linked, since nothing here
 * makes use of them: PGM and NORM (multicast), GSSAPI (Kerberos), and sockets handed over by systemd.
 *
 * The first functions are called whether or not anybody wants such a thing, and say that there is none. Those behind
 * them are only reached by sockets of a kind that no endpoint of ours has. */
#include <stdlib.h>

/* As in pgm/pgm.h: whether the library is ready, which libzmq asks with the first socket. */
int pgm_init(void **error);
int pgm_shutdown(void);

int pgm_init(void **error)
{
    (void)error;
    return 1;
}

int pgm_shutdown(void)
{
    return 1;
}

/* As in systemd/sd-daemon.h. */
int sd_listen_fds(int unset_environment);
int sd_is_socket_inet(int fd, int family, int type, int listening, unsigned short port);
int sd_is_socket_unix(int fd, int type, int listening, const char *path, size_t length);

int sd_listen_fds(int unset_environment)
{
    (void)unset_environment;
    return 0;
}

int sd_is_socket_inet(int fd, int family, int type, int listening, unsigned short port)
{
    (void)fd;
    (void)family;
    (void)type;
    (void)listening;
    (void)port;
    return 0;
}

int sd_is_socket_unix(int fd, int type, int listening, const char *path, size_t length)
{
    (void)fd;
    (void)type;
    (void)listening;
    (void)path;
    (void)length;
    return 0;
}

#define ABSENT(function)                                                                           \
    _Noreturn void function(void);                                                                 \
    void function(void)                                                                            \
    {                                                                                              \
        abort();                                                                                   \
    }

#define ABSENT_VALUE(name)                                                                         \
    extern const void *const name;                                                                 \
    const void *const name = NULL;

ABSENT(NormCreateInstance)
ABSENT(NormCreateSession)
ABSENT(NormDestroyInstance)
ABSENT(NormDestroySession)
ABSENT(NormGetDescriptor)
ABSENT(NormGetNextEvent)
ABSENT(NormGetRandomSessionId)
ABSENT(NormIsUnicastAddress)
ABSENT(NormNodeDelete)
ABSENT(NormObjectGetType)
ABSENT(NormObjectGetUserData)
ABSENT(NormObjectSetUserData)
ABSENT(NormSetCongestionControl)
ABSENT(NormSetDefaultSyncPolicy)
ABSENT(NormSetDefaultUnicastNack)
ABSENT(NormSetLoopback)
ABSENT(NormSetMulticastInterface)
ABSENT(NormSetRxPortReuse)
ABSENT(NormSetTTL)
ABSENT(NormStartReceiver)
ABSENT(NormStartSender)
ABSENT(NormStopInstance)
ABSENT(NormStopReceiver)
ABSENT(NormStopSender)
ABSENT(NormStreamFlush)
ABSENT(NormStreamOpen)
ABSENT(NormStreamRead)
ABSENT(NormStreamSeekMsgStart)
ABSENT(NormStreamWrite)
ABSENT(gss_accept_sec_context)
ABSENT(gss_acquire_cred)
ABSENT(gss_delete_sec_context)
ABSENT(gss_display_name)
ABSENT(gss_import_name)
ABSENT(gss_init_sec_context)
ABSENT(gss_release_buffer)
ABSENT(gss_release_cred)
ABSENT(gss_release_name)
ABSENT(gss_unwrap)
ABSENT(gss_wrap)
ABSENT(pgm_bind3)
ABSENT(pgm_close)
ABSENT(pgm_connect)
ABSENT(pgm_error_free)
ABSENT(pgm_free)
ABSENT(pgm_freeaddrinfo)
ABSENT(pgm_getaddrinfo)
ABSENT(pgm_getsockopt)
ABSENT(pgm_gsi_create_from_data)
ABSENT(pgm_recvmsgv)
ABSENT(pgm_send)
ABSENT(pgm_setsockopt)
ABSENT(pgm_socket)

ABSENT_VALUE(GSS_C_NT_HOSTBASED_SERVICE)
ABSENT_VALUE(GSS_C_NT_USER_NAME)
ABSENT_VALUE(NORM_INSTANCE_INVALID)
ABSENT_VALUE(NORM_NODE_ANY)
ABSENT_VALUE(NORM_OBJECT_INVALID)
ABSENT_VALUE(NORM_SESSION_INVALID)
