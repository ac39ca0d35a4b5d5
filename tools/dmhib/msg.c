// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dmhib says. Answers go to standard output, everything else to standard
 * error, so that --json output is never mixed with words.
 */
#include "dmhib.h"

#include <stdarg.h>
#include <unistd.h>

static void say(const char *prefix, const char *fmt, va_list ap)
{
	fflush(stdout);
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

#define SAY(prefix, fmt)		\
	do {				\
		va_list ap;		\
					\
		va_start(ap, fmt);	\
		say(prefix, fmt, ap);	\
		va_end(ap);		\
	} while (0)

/** msg_err - why it does not work */
void msg_err(const char *fmt, ...)
{
	SAY("dmhib: ", fmt);
}

/** msg_warn - it works, but */
void msg_warn(const char *fmt, ...)
{
	SAY("dmhib: warning: ", fmt);
}

/** msg_more - one more line to an error or a warning */
void msg_more(const char *fmt, ...)
{
	SAY("  ", fmt);
}

/** msg_verbose - what is being done, for -v */
void msg_verbose(const char *fmt, ...)
{
	if (opts.verbose || opts.debug)
		SAY("dmhib: ", fmt);
}

/** msg_debug - how it is being done, for --debug */
void msg_debug(const char *fmt, ...)
{
	if (opts.debug)
		SAY("# ", fmt);
}

/**
 * msg_confirm - ask before something is destroyed
 *
 * Like cryptsetup: only on a terminal and not in batch mode. A script has
 * said what it wants by being one.
 *
 * Return: true to go on.
 */
bool msg_confirm(const char *fmt, ...)
{
	char answer[16] = "";
	va_list ap;

	if (opts.batch || !isatty(STDIN_FILENO))
		return true;
	fputs("\nWARNING!\n========\n", stderr);
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
	fputs("\nAre you sure? (Type 'yes' in capital letters): ", stderr);
	if (!fgets(answer, sizeof(answer), stdin) || strcmp(answer, "YES\n")) {
		msg_err("operation aborted");
		return false;
	}
	return true;
}

/**
 * exit_from_errno - the exit code for a system error
 * @err: errno, of either sign
 */
int exit_from_errno(int err)
{
	switch (abs(err)) {
	case 0:
		return E_OK;
	case EPERM:
	case EACCES:
		return E_PERM;
	case ENOMEM:
		return E_MEM;
	case EBUSY:
	case EEXIST:
	case ETXTBSY:
		return E_BUSY;
	default:
		return E_DEVICE;
	}
}
