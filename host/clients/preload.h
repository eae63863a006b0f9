/* SPDX-License-Identifier: Apache-2.0
 * How the shim gets into a program that is about to be started: what the program's file says of itself, and the list
 * LD_PRELOAD for it.  Both the simulator, which starts the first program, and the shim, in those that start others, do
 * this.  Nothing here allocates: a child of vfork may call all of it.
 */
#ifndef GANTRY_PRELOAD_H
#define GANTRY_PRELOAD_H
#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_NAME 128  /* bytes of the name of a library */
#define PRELOAD_PATH 4096 /* and of a file */

struct preload_program {
    const char *why;              /* the loader puts nothing into it; NULL: it does */
    unsigned sanitizers;          /* bit i: linked with, or to, the one of preload_options[i] */
    char sanitizer[PRELOAD_NAME]; /* the library of a sanitizer that it is linked to, which has to come first; or "" */
};

/* The file that execvp would start: `file`, or found in `search` (a PATH; NULL: the usual one); false: none.  `path` is
 * not touched then. */
bool preload_find(const char *file, const char *search, char path[PRELOAD_PATH]);

/* Of the program at `path`; of a script, of its interpreter.  A file that cannot be read: all false. */
void preload_inspect(const char *path, struct preload_program *program);

/* Notes in the folder of the run, for the line at the end of a run without GPU work, that the program at `path` is out
 * of reach: the first that is; and what was noted so ("PATH WHY"), or "". */
void preload_note(const char *root, const char *path, const char *why);
void preload_noted(const char *root, char text[PRELOAD_PATH]);

/* An entry of LD_PRELOAD, or a name, is a library that has to come before all others. */
bool preload_is_sanitizer(const char *entry, size_t length);

/* Bytes, with its end, of the list with which the program finds the shim after its sanitizer and before all else;
 * written to `to` when `room` is as much.  old: its list so far, may be NULL; own: the first entry of `old`, when a
 * call of this function for another program has put it there, else NULL or "". */
size_t preload_list(char *to, size_t room, const struct preload_program *program, const char *shim, const char *old,
                    const char *own);

/* Names of the options of sanitizers. */
#define PRELOAD_OPTIONS 5
extern const char *const preload_options[PRELOAD_OPTIONS];

/* As program->sanitizers, of the libraries in a list. */
unsigned preload_sanitizers(const char *list);

/* Bytes, with its end, of the options `which` with which that sanitizer lets a program of the run live; written to `to`
 * when `room` is as much.  old: the options so far, which win; may be NULL. */
size_t preload_options_list(char *to, size_t room, unsigned which, const char *old);
#endif
