/* SPDX-License-Identifier: Apache-2.0
 * The kernel table: launches of one kernel with one shape on one queue are one line, copies and fills stand apart, and
 * lines fit the width they are given.  Every launch by itself is in kernels.csv.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "metrics/metrics.h"

#define NAME_LEAST 16 /* a name is not cut further; columns go instead */
#define CELL 48

enum column {
    PROCESS,
    GPU,
    QUEUE,
    KERNEL,
    RUNS,
    GRID,
    GROUP,
    START,
    END,
    CYCLES,
    WAVES,
    INSTRUCTIONS,
    IPC,
    NUMBER,
    COLUMNS
};

static const char *const titles[COLUMNS] = {"process", "gpu", "queue",  "kernel", "runs",         "grid", "group",
                                            "start",   "end", "cycles", "waves",  "instructions", "IPC",  "no."};
/* What goes when even short names do not fit, first to last. */
static const enum column dispensable[] = {NUMBER, START, END, GROUP, GRID, WAVES, QUEUE, INSTRUCTIONS};

/* One line: launches that are told together. */
struct line {
    const struct kernel_row *first;
    uint64_t runs, end, cycles, wavefronts, instructions;
    uint64_t first_number, last_number;
    char *name;
    char cell[COLUMNS][CELL]; /* but KERNEL */
};

struct table {
    struct line *lines;
    size_t count;
    bool shown[COLUMNS];
    int width[COLUMNS];
};

/* The copies and fills of the ROCm run-time: ROCr's own kernels and those of HIP's command queue. */
static bool row_is_copy(const struct kernel_row *row)
{
    return strncmp(row->name, "rocr.", 5) == 0 || strncmp(row->name, "__amd_rocclr_", 13) == 0;
}

static bool rows_alike(const struct kernel_row *a, const struct kernel_row *b)
{
    return a->process == b->process && a->gpu == b->gpu && a->queue == b->queue && a->unfinished == b->unfinished &&
           a->untimed == b->untimed && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->group, b->group, sizeof a->group) == 0 && strcmp(a->name, b->name) == 0;
}

static void row_add(struct table *t, const struct kernel_row *row)
{
    struct line *line = t->lines;
    const struct line *end = t->lines + t->count;

    while (line < end && !rows_alike(line->first, row))
        line++;
    if (line == end) {
        char *name = symbol_plain(row->name);
        *line = (struct line){.first = row, .name = text_escaped(name)};
        free(name);
        t->count++;
    }
    line->runs++;
    if (!line->first_number || row->number < line->first_number)
        line->first_number = row->number;
    if (row->number > line->last_number)
        line->last_number = row->number;
    line->end = row->end;
    line->cycles += row_cycles(row);
    line->wavefronts += row->wavefronts;
    line->instructions += row->instructions;
}

static void cell_number(struct line *line, enum column column, uint64_t value)
{
    snprintf(line->cell[column], CELL, "%" PRIu64, value);
}

static void line_fill(struct line *line)
{
    const struct kernel_row *r = line->first;

    cell_number(line, PROCESS, r->process);
    cell_number(line, GPU, r->gpu);
    cell_number(line, QUEUE, r->queue);
    cell_number(line, RUNS, line->runs);
    cell_number(line, START, r->start);
    snprintf(line->cell[GRID], CELL, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, r->grid[0], r->grid[1], r->grid[2]);
    snprintf(line->cell[GROUP], CELL, "%u,%u,%u", r->group[0], r->group[1], r->group[2]);
    if (line->last_number > line->first_number)
        snprintf(line->cell[NUMBER], CELL, "%" PRIu64 "-%" PRIu64, line->first_number, line->last_number);
    else
        cell_number(line, NUMBER, line->first_number);
    if (r->unfinished) {
        strcpy(line->cell[END], "unfinished");
        if (r->untimed)
            strcpy(line->cell[START], "-");
        for (enum column c = CYCLES; c <= IPC; c++)
            strcpy(line->cell[c], "-");
        return;
    }
    cell_number(line, END, line->end);
    cell_number(line, CYCLES, line->cycles);
    cell_number(line, WAVES, line->wavefronts);
    cell_number(line, INSTRUCTIONS, line->instructions);
    if (r->untimed) {
        static const enum column clocked[] = {START, END, CYCLES, IPC};
        for (unsigned i = 0; i < sizeof clocked / sizeof *clocked; i++)
            strcpy(line->cell[clocked[i]], "-");
        return;
    }
    snprintf(line->cell[IPC], CELL, "%.3f", line->cycles ? (double)line->instructions / (double)line->cycles : 0.0);
}

static int total(const struct table *t)
{
    int sum = -1;

    for (unsigned c = 0; c < COLUMNS; c++)
        sum += t->shown[c] ? t->width[c] + 1 : 0;
    return sum;
}

/* Names give way first, then columns. */
static void table_fit(struct table *t, int width)
{
    int over = total(t) - width;

    if (width <= 0 || over <= 0)
        return;
    t->width[KERNEL] -= over < t->width[KERNEL] - NAME_LEAST ? over : t->width[KERNEL] - NAME_LEAST;
    for (unsigned i = 0; i < sizeof dispensable / sizeof *dispensable && total(t) > width; i++)
        t->shown[dispensable[i]] = false;
}

static void table_measure(struct table *t)
{
    bool several = false, repeated = false, numbered = false;

    for (unsigned c = 0; c < COLUMNS; c++) {
        t->shown[c] = true;
        t->width[c] = (int)strlen(titles[c]);
    }
    t->width[KERNEL] = NAME_LEAST;
    for (size_t i = 0; i < t->count; i++) {
        struct line *line = &t->lines[i];

        line_fill(line);
        several |= line->first->process != t->lines[0].first->process;
        repeated |= line->runs > 1;
        numbered |= line->last_number > 0;
        for (unsigned c = 0; c < COLUMNS; c++) {
            int n = (int)strlen(c == KERNEL ? line->name : line->cell[c]);

            t->width[c] = n > t->width[c] ? n : t->width[c];
        }
    }
    t->shown[PROCESS] = several;
    t->shown[RUNS] = repeated;
    t->shown[NUMBER] = numbered;
}

static void name_print(FILE *out, const char *name, int width)
{
    char *shown = text_shortened(name, (size_t)width);

    fprintf(out, "%-*s", width, shown);
    free(shown);
}

static void line_print_cells(FILE *out, const struct table *t, const struct line *line)
{
    const char *gap = "";

    for (unsigned c = 0; c < COLUMNS; c++) {
        if (!t->shown[c])
            continue;
        fputs(gap, out);
        if (c == KERNEL)
            name_print(out, line ? line->name : titles[c], t->width[c]);
        else
            fprintf(out, "%*s", t->width[c], line ? line->cell[c] : titles[c]);
        gap = " ";
    }
    fputc('\n', out);
}

void table_print(FILE *out, const struct kernel_row *rows, unsigned count, int width)
{
    struct table t = {.lines = xcalloc(count ? count : 1, sizeof *t.lines)};
    size_t kernels;

    for (unsigned i = 0; i < count; i++)
        if (!row_is_copy(&rows[i]))
            row_add(&t, &rows[i]);
    kernels = t.count;
    for (unsigned i = 0; i < count; i++)
        if (row_is_copy(&rows[i]))
            row_add(&t, &rows[i]);
    table_measure(&t);
    table_fit(&t, width);
    if (count)
        line_print_cells(out, &t, NULL);
    for (size_t i = 0; i < t.count; i++) {
        if (i == kernels)
            fputs("copies and fills:\n", out);
        line_print_cells(out, &t, &t.lines[i]);
    }
    for (size_t i = 0; i < t.count; i++)
        free(t.lines[i].name);
    free(t.lines);
}
