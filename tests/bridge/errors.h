/* SPDX-License-Identifier: Apache-2.0
 * What stderr is told, for tests: caught in this process, or as the last words of one that our own bug ends.
 */
#ifndef TESTS_BRIDGE_ERRORS_H
#define TESTS_BRIDGE_ERRORS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
    int kept, file; /* where stderr led; what it is told instead */
    char text[4000];
} errors;

/* From here to release_errors nothing of stderr is seen by others; not twice at once. */
static inline void catch_errors(void)
{
    fflush(stderr);
    errors.kept = dup(2);
    errors.file = memfd_create("stderr", MFD_CLOEXEC);
    assert_true(errors.kept >= 0 && errors.file >= 0 && dup2(errors.file, 2) == 2);
}

/* All that it was told, valid until the next. */
static inline const char *release_errors(void)
{
    fflush(stderr);
    ssize_t n = pread(errors.file, errors.text, sizeof errors.text - 1, 0);
    errors.text[n > 0 ? n : 0] = 0;
    dup2(errors.kept, 2);
    close(errors.kept);
    close(errors.file);
    return errors.text;
}

/* Exit status of a process that does it, -1: none; its stderr is in errors.text. */
static inline int status_of(int (*act)(void *ctx), void *ctx)
{
    int status;
    catch_errors();
    pid_t pid = fork();
    if (pid == 0)
        _exit(act(ctx));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    release_errors();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* It ends so, and says one line with that in it. */
static inline void assert_said(int (*act)(void *ctx), void *ctx, int status, const char *what)
{
    assert_int_equal(status_of(act, ctx), status);
    if (strstr(errors.text, what) == NULL)
        fail_msg("\"%s\" without \"%s\"", errors.text, what);
    assert_ptr_equal(strchr(errors.text, '\n'), errors.text + strlen(errors.text) - 1);
}
#endif
