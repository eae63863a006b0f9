/* SPDX-License-Identifier: Apache-2.0
 * Source lines of a client's code.  What the client says about it may be wrong in every way: then there is no line, and
 * nothing else happens (B.8).
 */
#include "../driver/source_bench.h"

#include <sys/resource.h>

/* shows B.8: code of a whole file: the line of each instruction, none of what is no code of it. */
static void lines_of_a_file(void **state)
{
    static const char *const lines[] = {"", "kernel.s:4", "kernel.s:5", "kernel.s:7", ""};
    char uri[400], text[9];
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        assert_string_equal(line_at(LOAD + TEXT + 4 * i - 4), lines[i]);
    assert_string_equal(line_at(LOAD - 4), "");
    assert_true(source_line(&client, LOAD + TEXT, text, sizeof text)); /* as much as there is room for */
    assert_string_equal(text, "kernel.s");
    snprintf(uri, sizeof uri, "%s#offset=0&size=%zu", file_uri, object_bytes);
    assert_string_equal(line_of(uri), "kernel.s:5");
}

/* A bundle has several code objects in one file, and of some there is no file but memory of the process. */
static void lines_of_a_part(void **state)
{
    char uri[400], content[0x4000], path[300];
    (void)state;
    object_write("bundle", 0x1000);
    snprintf(uri, sizeof uri, "%.*sbundle#offset=4096&size=%zu", (int)(strlen(file_uri) - 9), file_uri, object_bytes);
    assert_string_equal(line_of(uri), "kernel.s:5");
    snprintf(uri, sizeof uri, "%.*sbundle#offset=4095&size=%zu", (int)(strlen(file_uri) - 9), file_uri, object_bytes);
    assert_string_equal(line_of(uri), "");
    path_of(path, sizeof path, "object.co");
    FILE *f = fopen(path, "r");
    put(OBJECT, content, fread(content, 1, sizeof content, f));
    fclose(f);
    snprintf(uri, sizeof uri, "memory://%d#offset=%#llx&size=%zu", (int)client.pid, (unsigned long long)(base + OBJECT),
             object_bytes);
    assert_string_equal(line_of(uri), "kernel.s:5");
}

/* Bytes of a path that a name cannot have are written as %XX; what is no number stands for itself. */
static void paths_have_escapes(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"a#b", "a%23b"}, {"c%41.co", "c%2541.co"}, {"e%zz", "e%zz"}, {"\xc3\xbc", "%C3%bc"}, {"g%", "g%"}};
    char uri[400];
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        object_write(cases[i].file, 0);
        snprintf(uri, sizeof uri, "%.*s%s", (int)(strlen(file_uri) - 9), file_uri, cases[i].name);
        assert_string_equal(line_of(uri), "kernel.s:5");
    }
}

/* Of objects in any order, that which begins last before the address; at its first byte, too.  The name
 * of a source is escaped. */
static void the_nearest_object_counts(void **state)
{
    char other[300];
    (void)state;
    assert_int_equal(object_build("ker\tnel.s", 0, "other.co"), 0);
    snprintf(other, sizeof other, "%.*sother.co", (int)(strlen(file_uri) - 9), file_uri);
    const struct loaded low = {LOAD, file_uri}, high = {LOAD + 0x3000, other}, far = {LOAD + 0x10000, "file:///none"};
    const struct loaded orders[][3] = {{low, high, far}, {far, high, low}, {high, far, low}};
    for (unsigned i = 0; i < 3; i++) {
        list_write(orders[i], 3);
        assert_string_equal(line_at(LOAD + TEXT), "kernel.s:4");
        assert_string_equal(line_at(LOAD + 0x3000), "ker\\x09nel.s:4");
        assert_string_equal(line_at(LOAD + 0x3008), "ker\\x09nel.s:7");
        assert_string_equal(line_at(LOAD + 0x10000), "");
    }
}

/* Lists that never end, or end where nothing is: what they named before counts. */
static void broken_lists_have_an_end(void **state)
{
    const uint64_t nexts[] = {base + LIST, base + LIST + 32, 64, UINT64_MAX, base + RUNTIME_BYTES - 8};
    const uint64_t wrong[] = {0, 64, UINT64_MAX, base + RUNTIME_BYTES - 8};
    (void)state;
    for (unsigned i = 0; i < sizeof nexts / sizeof nexts[0]; i++) {
        const uint64_t entries[2][4] = {{LOAD, base + NAMES, 0, base + LIST + 32}, {0, 0, 0, nexts[i]}};
        put(LIST, entries, sizeof entries);
        assert_string_equal(line_at(LOAD + TEXT), "kernel.s:4");
    }
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const uint64_t entry[4] = {LOAD, wrong[i], 0, 0};
        put(LIST, entry, sizeof entry); /* a name that cannot be read */
        assert_string_equal(line_at(LOAD + TEXT), "");
        put(DEBUG, &wrong[i], sizeof wrong[i]);
        assert_string_equal(line_at(LOAD + TEXT), "");
        source_setup(NULL);
    }
    list_write(NULL, 0);
    assert_string_equal(line_at(LOAD + TEXT), "");
}

/* Names that are nothing, that no path can be, that have no end, and parts that no file or memory has. */
static void wrong_names_have_no_line(void **state)
{
    static const char *const wrong[] = {"#offset=1",
                                        "#size=1000000",
                                        "#offset=-8&size=64",
                                        "#size=0x40000000",
                                        "#size=18446744073709551615",
                                        "#offset=18446744073709551615",
                                        ".none"};
    static char uri[NAME_ROOM + 1];
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(uri, sizeof uri, "%s%s", file_uri, wrong[i]);
        assert_string_equal(line_of(uri), "");
        snprintf(uri, sizeof uri, "memory://%d%s", (int)client.pid, wrong[i]);
        assert_string_equal(line_of(uri), "");
    }
    snprintf(uri, sizeof uri, "memory://%d#offset=%llu&size=%u", (int)client.pid, (unsigned long long)(base + OBJECT),
             RUNTIME_BYTES - OBJECT + 1);
    assert_string_equal(line_of(uri), ""); /* a byte beyond the mapping */
    static const char *const none[] = {"", "#", "file://", "file:///", "file:///dev/null", "file:///tmp", "disk:///x"};
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_string_equal(line_of(none[i]), "");
    assert_string_equal(line_of(file_uri + 7), ""); /* neither a file's nor memory's */
    size_t dots = 3900;                             /* "file:///./././tmp/...": as long as a path may be, and longer */
    for (unsigned i = 0; i < 2; i++, dots = NAME_ROOM - 400) {
        strcpy(uri, "file://");
        for (size_t n = 7; n < dots; n += 2)
            strcpy(uri + n, "/.");
        strcat(uri, file_uri + 7);
        assert_string_equal(line_of(uri), i ? "" : "kernel.s:5");
    }
}

/* A file that is called like the runtime and is none, or has no list. */
static void another_library_has_no_list(void **state)
{
    char text[100] = "old";
    (void)state;
    runtime_write("_amdgpu_r_other");
    assert_string_equal(line_at(LOAD + TEXT), "");
    runtime_write("_amdgpu_r_debu");
    assert_string_equal(line_at(LOAD + TEXT), "");
    runtime_write("_amdgpu_r_debug");
    put(0, "\177ELK", 4);
    assert_string_equal(line_at(LOAD + TEXT), "");
    runtime_write("_amdgpu_r_debug");
    assert_string_equal(line_at(LOAD + TEXT), "kernel.s:4");
    const Elf64_Shdr shorter = {.sh_type = SHT_DYNSYM, .sh_link = 3, .sh_offset = SYMBOLS + 24, .sh_size = 2 * 24};
    put(sizeof(Elf64_Ehdr) + 2 * sizeof shorter, &shorter, sizeof shorter);
    assert_string_equal(line_at(LOAD + TEXT), ""); /* behind the end of the table there is no symbol */
    runtime_write("_amdgpu_r_debug");
    static const off_t ends[] = {0, 63, 200, 319, SYMBOLS + 70, SYMBOLS + 95, STRINGS};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) { /* also cut off while it is mapped */
        assert_int_equal(ftruncate(runtime, ends[i]), 0);
        assert_string_equal(line_at(LOAD + TEXT), "");
        assert_int_equal(ftruncate(runtime, RUNTIME_BYTES), 0);
        source_setup(NULL);
    }
    assert_string_equal(line_at(LOAD + TEXT), "kernel.s:4");
    assert_false(source_line(&bare, LOAD + TEXT, text, sizeof text));
    assert_string_equal(text, "");
    kill(bare.pid, SIGKILL); /* and a process that has ended has nothing */
    waitpid(bare.pid, NULL, 0);
    assert_false(source_line(&bare, LOAD + TEXT, text, sizeof text));
    bare.pid = process_new();
}

/* A run may have any number of faults, and few descriptors: then there is no line. */
static void nothing_stays_open(void **state)
{
    int before = dup(0), after;
    struct rlimit files, few;
    (void)state;
    close(before);
    getrlimit(RLIMIT_NOFILE, &files);
    for (int more = 0; more < 2; more++) {
        char text[100] = "old";
        few = (struct rlimit){(rlim_t)(before + more), files.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        bool found = source_line(&client, LOAD + TEXT, text, sizeof text);
        setrlimit(RLIMIT_NOFILE, &files);
        assert_true(!found && !text[0]);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(line_at(LOAD + TEXT), "kernel.s:4");
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* nor is anybody left who looked */
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup(f, source_setup)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_of_a_file),
        TEST(lines_of_a_part),
        TEST(paths_have_escapes),
        TEST(the_nearest_object_counts),
        TEST(broken_lists_have_an_end),
        TEST(wrong_names_have_no_line),
        TEST(another_library_has_no_list),
        TEST(nothing_stays_open),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
