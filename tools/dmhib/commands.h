/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands that are to be run: first shown, then run as they were shown.
 */
#ifndef DMHIB_COMMANDS_H
#define DMHIB_COMMANDS_H

#include "dmhib.h"

#define COMMANDS_MAX	24
#define WORDS_MAX	16

/**
 * struct command - one of them
 * @argv: its words; "dmhib" is this very program
 * @nr: how many
 * @optional: if it fails, that is said, and all goes on
 */
struct command {
	char *argv[WORDS_MAX + 1];
	unsigned int nr;
	bool optional;
};

struct commands {
	struct command list[COMMANDS_MAX];
	unsigned int nr;
};

struct command *command_add(struct commands *c, ...) __attribute__((sentinel));
void command_word(struct command *cmd, const char *word);
void commands_free(struct commands *c);
void commands_show(const struct commands *c);
const char *command_text(const struct command *cmd, char *buf, size_t len);
int command_run(const struct command *cmd);
int commands_run(const struct commands *c, unsigned int from);

#endif /* DMHIB_COMMANDS_H */
