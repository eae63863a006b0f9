/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of host/config: a YAML system file, or (first byte '!') lines as for --set; then the rules, and
 * everything that shows a configuration.
 */
#include "config/config.h"
#include "fuzz.h"

#define REFUSED 4u

static void fuzz_start(void) {}

static void constant_note(void *arg, const char *name, uint64_t value)
{
    *(uint64_t *)arg += strlen(name) + value;
}

/* The command ends at the first line that is refused; here some more, since a refused value must leave nothing behind.
 */
static void lines_set(struct config *config, char *text)
{
    char *rest = NULL;
    unsigned refused = 0;
    for (char *line = strtok_r(text, "\n", &rest); line && refused < REFUSED; line = strtok_r(NULL, "\n", &rest))
        refused += config_set(config, "--set", line) != STATUS_OK;
}

/* What was accepted is printed, and what was printed is accepted and the same. */
static void show(struct config *config)
{
    char *first = NULL, *second = NULL;
    size_t n = 0;
    uint64_t sum = 0;
    FILE *file = open_memstream(&first, &n);
    config_print(file, &config->cfg);
    fclose(file);
    config_constants(&config->cfg, constant_note, &sum);
    struct config again;
    config_init(&again);
    CHECK(config_load(&again, fuzz_file((uint8_t *)first, n)) == STATUS_OK && config_finish(&again) == STATUS_OK,
          "fuzz", "what was printed is refused:\n%.900s", first);
    file = open_memstream(&second, &n);
    config_print(file, &again.cfg);
    fclose(file);
    CHECK(strcmp(first, second) == 0, "fuzz", "a configuration changes when it is printed");
    config_fini(&again);
    free(first);
    free(second);
}

static void fuzz_one(const uint8_t *data, size_t bytes)
{
    struct config config;
    enum gantry_status status = STATUS_OK;
    config_init(&config);
    if (bytes && data[0] == '!') {
        char *text = strndup((const char *)data + 1, bytes - 1);
        lines_set(&config, text);
        free(text);
    } else {
        status = config_load(&config, fuzz_file(data, bytes));
    }
    if (status == STATUS_OK && config_finish(&config) == STATUS_OK)
        show(&config);
    config_fini(&config);
}
