/* SPDX-License-Identifier: Apache-2.0
 * Options of a command line, -name or --name=value, with the names that programs of the CUDA samples use.
 */
#ifndef GANTRY_HELPER_STRING_H
#define GANTRY_HELPER_STRING_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
/* What follows NAME in the argument that has it: "" or the value; NULL when none has. */
static inline const char *gantry_option(int argc, const char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i] + strspn(argv[i], "-");
        if (word != argv[i] && strncasecmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '='))
            return word + length + (word[length] == '=');
    }
    return NULL;
}
static inline bool checkCmdLineFlag(int argc, const char **argv, const char *name)
{
    return gantry_option(argc, argv, name) != NULL;
}
static inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
    const char *value = gantry_option(argc, argv, name);
    return value ? atoi(value) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
    const char *value = gantry_option(argc, argv, name);
    return value ? (float)atof(value) : 0.0f;
}
static inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value)
{
    *value = (char *)gantry_option(argc, argv, name);
    return *value != NULL;
}
static inline char *sdkFindFilePath(const char *name, const char *)
{
    FILE *file = fopen(name, "rb");
    return file ? fclose(file), strdup(name) : NULL;
}
#endif
