// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that are to be run, for setup.
 *
 * Below another root nothing is run, only shown: they are for whoever makes
 * that system. For tests $DMHIB_COMMANDS names a program that gets the words
 * of each of them instead.
 */
#include "commands.h"
#include "changes.h"

#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

/** command_word - one word more */
void command_word(struct command *cmd, const char *word)
{
	if (word && cmd->nr < WORDS_MAX)
		cmd->argv[cmd->nr++] = need_memory(strdup(word));
}

/**
 * command_add - plan a command
 * @c: the list
 * @...: its words, then NULL
 *
 * Return: the command, to which words may be added.
 */
struct command *command_add(struct commands *c, ...)
{
	struct command *cmd = &c->list[c->nr];
	const char *word;
	va_list ap;

	if (c->nr == COMMANDS_MAX)
		abort();
	c->nr++;
	va_start(ap, c);
	while ((word = va_arg(ap, const char *)))
		command_word(cmd, word);
	va_end(ap);
	return cmd;
}

/** commands_free - free them all */
void commands_free(struct commands *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		for (unsigned int j = 0; j < c->list[i].nr; j++)
			free(c->list[i].argv[j]);
	memset(c, 0, sizeof(*c));
}

/** command_text - as a shell would take it; @buf */
const char *command_text(const struct command *cmd, char *buf, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=:,./@%";
	FILE *f = fmemopen(buf, len, "w");

	*buf = '\0';
	for (unsigned int i = 0; f && i < cmd->nr; i++) {
		const char *w = cmd->argv[i];

		if (i)
			fputc(' ', f);
		if (*w && !w[strspn(w, plain)]) {
			fputs(w, f);
			continue;
		}
		fputc('\'', f);
		for (; *w; w++)
			if (*w == '\'')
				fputs("'\\''", f);
			else
				fputc(*w, f);
		fputc('\'', f);
	}
	if (f)
		fclose(f);
	return buf;
}

/** commands_show - a line each */
void commands_show(const struct commands *c)
{
	char text[1024];

	for (unsigned int i = 0; i < c->nr; i++)
		printf("  %s\n", command_text(&c->list[i], text, sizeof(text)));
}

static void run_child(const struct command *cmd, const char *instead)
{
	char *argv[WORDS_MAX + 2];
	unsigned int n = 0;

	if (instead)
		argv[n++] = (char *)instead;
	for (unsigned int i = 0; i < cmd->nr; i++)
		argv[n++] = cmd->argv[i];
	argv[n] = NULL;
	/* What they say is for people; sbin is missing from many an environment */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (!instead && !strcmp(argv[0], "dmhib"))
		execv("/proc/self/exe", argv);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Those of dmhib are ours; what those of others mean nobody knows */
static int exit_code(const struct command *cmd, int status)
{
	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	return !strcmp(cmd->argv[0], "dmhib") && code > E_OK && code <= E_WONT ? code : E_DEVICE;
}

/**
 * command_run - run one
 * @cmd: the command
 *
 * Return: an exit code, that of a dmhib which failed; E_DEVICE if another command did.
 * It has been said.
 */
int command_run(const struct command *cmd)
{
	const char *instead = getenv("DMHIB_COMMANDS");
	char text[1024];
	int status = -1;
	pid_t pid;

	if (opts.root && !instead)
		return E_OK;
	command_text(cmd, text, sizeof(text));
	msg_verbose("running: %s", text);
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(cmd, opts.root ? instead : NULL);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return E_OK;
	if (cmd->optional) {
		msg_warn("\"%s\" failed", text);
		return E_OK;
	}
	msg_err("\"%s\" failed", text);
	return pid > 0 ? exit_code(cmd, status) : E_DEVICE;
}

/**
 * commands_run - run them in their order, until one fails
 * @c: the list
 * @from: the first of them to run
 *
 * Return: an exit code.
 */
int commands_run(const struct commands *c, unsigned int from)
{
	int rc = E_OK;

	for (unsigned int i = from; i < c->nr && !rc; i++)
		rc = command_run(&c->list[i]);
	return rc;
}
