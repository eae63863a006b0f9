// SPDX-License-Identifier: Apache-2.0
// Model libraries and their stamps, with a builder and libraries made here: what the builder is asked, what it may
// answer, which libraries are refused, and when nobody is asked because nothing has changed.
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

#include "../errors.h"
#include "base/xalloc.h"
#include "bridge/verilated/library.h"
#include "bridge/verilated/stamp.h"

static char root[] = "/tmp/gantry-library-XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static char *read_text(const char *name)
{
    static char text[4000];
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return strcpy(text, "");
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    unlink(path);
    return text;
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char command[2000];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    assert_int_equal(system(command), 0);
}

/* As the builder seals it: what it holds now. */
static void seal(const char *folder)
{
    char path[400], text[64];
    struct stat st;
    snprintf(path, sizeof path, "%s/models/%s/V", root, folder);
    FILE *f = fopen(path, "r");
    assert_true(f && fstat(fileno(f), &st) == 0);
    char *all = malloc((size_t)st.st_size);
    assert_int_equal(fread(all, 1, (size_t)st.st_size, f), st.st_size);
    fclose(f);
    snprintf(text, sizeof text, "%016llx %lld\n", (unsigned long long)XXH3_64bits(all, (size_t)st.st_size),
             (long long)st.st_size);
    free(all);
    snprintf(path, sizeof path, "models/%s/V.sum", folder);
    write_text(path, text);
}

/* A library that says this of itself; it keeps what it is told. */
static void library_make(const char *folder, const char *kind, unsigned abi, const char *entry)
{
    char text[1000];
    snprintf(text, sizeof text,
             "#include \"bridge/verilated/model.h\"\n"
             "void (*bug)(const char *name, uint64_t cycle, const char *text);\n"
             "static void set(void (*b)(const char *name, uint64_t cycle, const char *text)) { bug = b; }\n"
             "static const struct model_api api = {.abi = %u, .kind = \"%s\", .set_bug = set};\n"
             "const struct model_api *%s(void) { return &api; }\n",
             abi, kind, entry);
    shell("mkdir -p %s/models/%s", root, folder);
    write_text("model.c", text);
    shell("gcc -shared -fPIC -I. -Ihost -Ibridge -o %s/models/%s/V %s/model.c", root, folder, root);
    seal(folder);
}

static int make_root(void **state)
{
    (void)state;
    if (mkdtemp(root) == NULL)
        return 1;
    shell("mkdir -p %s/sw/tools/builder %s/build/models/stamps", root, root);
    /* what it is asked into a file, one word a line; then as `answer` says */
    write_text("sw/tools/builder/models.py", "import os, sys\n"
                                             "here = os.path.dirname(__file__) + '/../../../'\n"
                                             "open(here + 'asked', 'w').write('\\n'.join(sys.argv[1:]) + '\\n')\n"
                                             "exec(open(here + 'answer').read())\n");
    library_make("cu-1a", "cu", MODEL_ABI, "gantry_model");
    library_make("l2-2b", "l2", MODEL_ABI, "gantry_model");
    library_make("old-3c", "cu", MODEL_ABI - 1, "gantry_model");
    library_make("none-4d", "cu", MODEL_ABI, "other");
    write_text("models/cu-1a/tools.txt", "Verilator 5\nclang\n");
    write_text("models/text", "no library\n");
    shell("mkdir %s/models/elf-5e", root);
    write_text("models/elf-5e/V", "no library\n");
    seal("elf-5e");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    shell("rm -r %s", root);
    return 0;
}

static struct library two[2];
static enum gantry_status failure;
static bool unwanted;
static bool ask_unwanted(void *arg)
{
    return *(bool *)arg;
}

/* Two kinds, with the answer of the builder; its lines on stderr are left in errors.text. */
static bool load(bool trace, const char *answer)
{
    struct library_source source = {
        .root = root, .unwanted = ask_unwanted, .unwanted_arg = &unwanted, .failure = &failure};
    words_add(&source.words, xstrdup("--cc=clang"));
    words_add(&source.words, xstrdup("--set=A=1"));
    two[0] = (struct library){.kind = "cu"};
    two[1] = (struct library){.kind = "l2"};
    if (answer)
        write_text("answer", answer);
    failure = STATUS_OK;
    catch_errors();
    bool ok = library_load(&source, trace, two, 2);
    release_errors();
    words_fini(&source.words);
    return ok;
}

/* The RTL says what is wrong and where: the end of this process. */
static int says_a_bug(void *ctx)
{
    (*(void (**)(const char *name, uint64_t cycle, const char *text))ctx)("gpu0.cu3", 77, "queue: too much");
    return 0;
}

#define PRINT "for line in %s: print(line.replace('@', here + 'models'))\n"
static const char *const GOOD =
    "for line in ('cu @/cu-1a/V', 'l2 @/l2-2b/V'): print(line.replace('@', here + 'models'))\n";

/* The words of the source, then what the environment selects, then the kinds; a stamp's name is the last. */
static void test_what_is_asked(void **state)
{
    (void)state;
    assert_true(load(false, GOOD));
    char *asked = read_text("asked");
    assert_memory_equal(asked, "--cc=clang\n--set=A=1\ncu\nl2\n--stamp=", 35);
    assert_int_equal(strlen(asked), 35 + 16 + 1);
    assert_string_equal(errors.text, "");
    assert_string_equal(two[0].key, "cu-1a");
    assert_string_equal(two[0].tools, "Verilator 5");
    assert_string_equal(two[1].key, "l2-2b");
    assert_string_equal(two[1].tools, "");
    assert_string_equal(two[1].api->kind, "l2");
    void *const *bug = dlsym(two[0].handle, "bug");
    assert_true(bug && *bug);
    assert_said(says_a_bug, (void *)(uintptr_t)bug, 70, "gpu0.cu3: internal error");
    assert_true(strstr(errors.text, "RTL assertion") && strstr(errors.text, "cycle=77 queue: too much"));
    char path[100];
    snprintf(path, sizeof path, "%s/models/cu-1a/V", root);
    library_unload(two, 2);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD)); /* nothing of it is left */
    assert_null(two[0].handle);
    assert_null(two[0].key);
    assert_string_equal(two[0].kind, "cu");

    static const struct {
        const char *name, *value, *words;
    } cases[] = {{"GANTRY_MODEL_CHECK", "1", "--check\n"},
                 {"GANTRY_MODEL_STD_X", "1", "--std-x\n"},
                 {"GANTRY_RTL_COVERAGE", "1", "--coverage\n"},
                 {"GANTRY_MODEL_DEFINES", "ONE,TWO=2", "--define=ONE\n--define=TWO=2\n"},
                 {"GANTRY_MODEL_DEFINES", "", ""}};
    for (unsigned n = 0; n < 5; n++) {
        char expected[200];
        setenv(cases[n].name, cases[n].value, 1);
        assert_true(load(n == 0, GOOD));
        unsetenv(cases[n].name);
        library_unload(two, 2);
        snprintf(expected, sizeof expected, "--cc=clang\n--set=A=1\n%s%scu\nl2\n--stamp=", n == 0 ? "--trace\n" : "",
                 cases[n].words);
        asked = read_text("asked");
        assert_memory_equal(asked, expected, strlen(expected));
        assert_int_equal(strlen(asked), strlen(expected) + 17);
    }
}

/* Nothing to load: nobody is asked. */
static void test_none(void **state)
{
    struct library_source source = {.root = root};
    (void)state;
    assert_true(library_load(&source, false, two, 0));
    assert_string_equal(read_text("asked"), "");
}

static void refused(const char *lines, const char *why)
{
    char answer[400];
    snprintf(answer, sizeof answer, PRINT, lines);
    assert_false(load(false, answer));
    if (strstr(errors.text, why) == NULL)
        fail_msg("\"%s\" without \"%s\"", errors.text, why);
    if (strstr(why, "builder answers") || strstr(why, "were named")) /* a bug of ours */
        assert_int_equal(failure, STATUS_INTERNAL);
    assert_true(strchr(errors.text, '\n') == errors.text + strlen(errors.text) - 1);
    library_unload(two, 2);
}

/* Answers that no builder of ours gives, libraries of another kind or version or none at all. */
static void test_what_is_refused(void **state)
{
    (void)state;
    refused("('cu @/cu-1a/V',)", "gantry: models: 1 of 2 libraries were named");
    refused("('cu @/l2-2b/V', 'l2 @/l2-2b/V')", "/l2-2b/V: not a library of this kind and version");
    refused("('cu @/old-3c/V', 'l2 @/l2-2b/V')", "/old-3c/V: not a library of this kind and version");
    refused("('cu @/none-4d/V', 'l2 @/l2-2b/V')", "/none-4d/V: not a library of this kind and version");
    refused("('cu @/nowhere/V', 'l2 @/l2-2b/V')", "/nowhere/V: No such file or directory");
    refused("('cu @/text', 'l2 @/l2-2b/V')", "gantry: models: cu: ");
    refused("('cu @/cu-1a/V', 'l2 @/elf-5e/V')", "/models/elf-5e/V: ");
    refused("('cu',)", "the builder answers \"cu\"");
    refused("('cu @/cu-1a/V', 'cv @/l2-2b/V')", "the builder answers \"cv ");
    refused("('cu @/cu-1a/V', 'l2@/l2-2b/V')", "the builder answers \"l2/");
    refused("('cu @/cu-1a/V', 'l2 @/l2-2b/V', 'l2 @/l2-2b/V')", "the builder answers \"l2 ");
    refused("('cu @/cu-1a/V', '')", "the builder answers \"\"");
}

static void test_failures(void **state)
{
    (void)state;
    assert_false(load(false, "sys.exit(74)\n"));
    assert_int_equal(failure, STATUS_IO);
    assert_false(load(false, "sys.exit(70)\n"));
    assert_int_equal(failure, STATUS_INTERNAL);
    read_text("asked");
    unwanted = true;
    assert_false(load(false, GOOD));
    unwanted = false;
    assert_string_equal(read_text("asked"), "");
    assert_string_equal(errors.text, "");
    struct library_source source = {.root = root}; /* nobody who wants to know the class */
    words_add(&source.words, xstrdup("x"));
    write_text("answer", "sys.exit(74)\n");
    assert_false(library_load(&source, false, two, 2));
    words_fini(&source.words);
}

/* ---- stamps */
static void stamp_write(const char *name, const char *end, int64_t size, int64_t ns, const char *library)
{
    char path[200], text[1000];
    struct stat st;
    snprintf(path, sizeof path, "%s/model.c", root);
    assert_int_equal(stat(path, &st), 0);
    snprintf(text, sizeof text, "in %lld %lld model.c\nout cu models/cu-1a/V\nout l2 %s%s\n%s",
             (long long)(st.st_size + size),
             (long long)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec + (long long)ns,
             *library == '/' ? root : "", library, end);
    snprintf(path, sizeof path, "build/models/stamps/%s", name);
    write_text(path, text);
}

/* The stamp that the builder was told of: when every source is the same, every library is there and it is whole, nobody
 * is asked, and the libraries count as used now. */
static void test_stamps(void **state)
{
    char name[17], path[200];
    (void)state;
    read_text("asked");
    assert_true(load(false, GOOD));
    library_unload(two, 2);
    memcpy(name, strstr(read_text("asked"), "--stamp=") + 8, 16);
    name[16] = 0;
    snprintf(path, sizeof path, "%s/models/cu-1a", root);
    for (unsigned n = 0; n < 9; n++) {
        struct timespec old[2] = {{1000, 0}, {1000, 0}};
        stamp_write(name,
                    n == 1   ? ""
                    : n == 8 ? "what\nend\n"
                             : "end\n",
                    n == 2   ? 1
                    : n == 3 ? -1
                             : 0,
                    n == 4   ? 1
                    : n == 5 ? -1000000000
                             : 0,
                    n == 6   ? "models/l2-none/V"
                    : n == 7 ? "/models/l2-2b/V"
                             : "models/l2-2b/V");
        assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
        assert_true(load(false, GOOD));
        bool asked = *read_text("asked");
        if (asked != (n != 0 && n != 7))
            fail_msg("stamp %u: asked %d", n, asked);
        assert_string_equal(two[1].key, "l2-2b");
        library_unload(two, 2);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_true(n != 0 || st.st_mtim.tv_sec > 1000);
    }
    /* another cache, other words, another optimization, another processor: other stamps */
    stamp_write(name, "end\n", 0, 0, "models/l2-2b/V");
    static const char *const names[] = {"GANTRY_MODEL_OPT", "GANTRY_MARCH", "GANTRY_MODEL_CACHE"};
    for (unsigned n = 0; n < 4; n++) {
        char *before = getenv("GANTRY_MARCH") && n == 1 ? xstrdup(getenv("GANTRY_MARCH")) : NULL;
        if (n < 3)
            setenv(names[n], n == 2 ? "/nowhere" : "other", 1);
        assert_true(load(n == 3, GOOD));
        assert_true(*read_text("asked"));
        library_unload(two, 2);
        if (n < 3)
            unsetenv(names[n]);
        if (before)
            setenv("GANTRY_MARCH", before, 1);
        free(before);
    }
    shell("mkdir -p %s/cache && cp -r %s/build/models/stamps %s/cache", root, root, root);
    snprintf(path, sizeof path, "%s/cache", root);
    shell("rm %s/build/models/stamps/%s", root, name);
    assert_true(load(false, GOOD));
    assert_true(*read_text("asked"));
    library_unload(two, 2);
    setenv("GANTRY_MODEL_CACHE", path, 1);
    assert_true(load(false, GOOD));
    unsetenv("GANTRY_MODEL_CACHE");
    assert_string_equal(read_text("asked"), "");
    library_unload(two, 2);
}

/* A library that is not what was built any more: the builder is asked, also when a stamp has named it, and what he
 * makes anew is loaded; what is still wrong then is refused, and its code has not run. */
static void test_damage(void **state)
{
    static const char *const damages[] = {"truncate -s 4096 models/l2-2b/V", "truncate -s 0 models/l2-2b/V",
                                          "cp foreign.so models/l2-2b/V",    "chmod 664 models/l2-2b/V",
                                          "rm models/l2-2b/V.sum",           "chmod 777 models/l2-2b"};
    char name[17];
    (void)state;
    write_text("foreign.c",
               "#include <stdlib.h>\n__attribute__((constructor)) static void c(void) { setenv(\"FOREIGN\", "
               "\"runs\", 1); }\n");
    shell("gcc -shared -fPIC -o %s/foreign.so %s/foreign.c; cp -a %s/models/l2-2b %s/kept", root, root, root, root);
    read_text("asked");
    unsetenv("FOREIGN");
    assert_true(load(false, GOOD));
    library_unload(two, 2);
    memcpy(name, strstr(read_text("asked"), "--stamp=") + 8, 16);
    name[16] = 0;
    stamp_write(name, "end\n", 0, 0, "models/l2-2b/V");
    assert_true(load(false, GOOD));
    library_unload(two, 2);
    assert_string_equal(read_text("asked"), "");
    for (unsigned n = 0; n < sizeof damages / sizeof *damages; n++) {
        shell("cd %s && %s", root, damages[n]);
        assert_false(load(false, GOOD));
        assert_true(*read_text("asked") != 0);
        assert_int_equal(failure, STATUS_IO);
        assert_non_null(strstr(errors.text, "gantry: models: l2: "));
        assert_true(strchr(errors.text, '\n') == errors.text + strlen(errors.text) - 1);
        library_unload(two, 2);
        assert_null(getenv("FOREIGN"));
        /* the builder makes it anew */
        char *answer =
            xasprintf("os.system('cd ' + here + ' && rm -r models/l2-2b && cp -a kept models/l2-2b')\n%s", GOOD);
        assert_true(load(false, answer));
        free(answer);
        assert_string_equal(two[1].api->kind, "l2");
        library_unload(two, 2);
    }
}

/* The file that was checked is the one that is loaded, whatever is put in its place; a descriptor by whose name a
 * library is loaded does not become another's. */
static void test_names(void **state)
{
    struct library first[2];
    (void)state;
    assert_true(load(false, GOOD));
    memcpy(first, two, sizeof first);
    assert_true(load(false, GOOD)); /* the same files once more */
    assert_ptr_equal(two[0].api, first[0].api);
    library_unload(first, 2);
    shell("cp %s/models/cu-1a/V %s/models/cu-1a/W && mv %s/models/cu-1a/W %s/models/cu-1a/V", root, root, root, root);
    memcpy(first, two, sizeof first);
    assert_true(load(false, GOOD)); /* another file of this content */
    assert_ptr_not_equal(two[0].api, first[0].api);
    assert_ptr_equal(two[1].api, first[1].api);
    assert_string_equal(two[0].api->kind, "cu");
    library_unload(first, 2);
    library_unload(two, 2);
}

int main(void)
{
    static const char *const variables[] = {"GANTRY_MODEL_CHECK",   "GANTRY_MODEL_STD_X", "GANTRY_RTL_COVERAGE",
                                            "GANTRY_MODEL_DEFINES", "GANTRY_MODEL_CACHE", "GANTRY_MODEL_OPT"};
    for (unsigned n = 0; n < 6; n++)
        unsetenv(variables[n]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_asked), cmocka_unit_test(test_none),   cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_stamps), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
