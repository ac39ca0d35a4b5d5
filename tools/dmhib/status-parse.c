// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's status line: pure logic, no I/O, no allocation.
 *
 *	<state> <generation> <log used>/<log total> <extents> <image bytes>
 *	<in-place bytes> <requests in> <requests out> <#notes> <note>... <mode>
 *	<checked bytes> <dirty log>
 *
 * The first targets ended with the notes.
 *
 * Strict: single blanks, plain decimal numbers, nothing missing. A newer
 * target may add notes and, behind them, fields.
 */
#include "status-parse.h"

#define NOTES_MAX	32

static const char * const state_names[] = {
	[STATUS_IDLE] = "idle",
	[STATUS_ARMED] = "armed",
	[STATUS_IMAGE] = "image",
	[STATUS_COMMITTED] = "committed",
	[STATUS_RESUMABLE] = "resumable",
};

static const char * const note_names[HIBSWAP_STATUS_NOTES] = {
	"manual", "dropped", "unsigned", "failed", "read_only", "erasing",
};

static const char * const mode_names[] = {
	[MODE_UNKNOWN] = "unknown",
	[MODE_RW] = "rw",
	[MODE_RO] = "ro",
	[MODE_FAIL] = "fail",
};

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

static bool take_number(const char **p, u64 *value)
{
	const char *s = *p;
	u64 v = 0;

	/* The kernel writes no leading zeros */
	if (!is_digit(*s) || (*s == '0' && is_digit(s[1])))
		return false;
	for (; is_digit(*s); s++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*s - '0'), &v))
			return false;
	*value = v;
	*p = s;
	return true;
}

/* A word of small letters and underscores, and which of @names it is, or -1 */
static bool take_word(const char **p, const char * const *names, unsigned int nr, int *which)
{
	const char *s = *p;
	size_t len = 0;

	while ((s[len] >= 'a' && s[len] <= 'z') || s[len] == '_')
		len++;
	if (!len)
		return false;
	*which = -1;
	for (unsigned int i = 0; i < nr; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], s, len))
			*which = i;
	*p = s + len;
	return true;
}

static bool take_notes(const char **p, struct hibswap_status *st)
{
	u64 nr;
	int which;

	if (!take_number(p, &nr) || nr > NOTES_MAX)
		return false;
	while (nr--) {
		if (!take(p, ' ') || !take_word(p, note_names, NR(note_names), &which))
			return false;
		if (which < 0)
			st->unknown_notes++;
		else if (st->notes & 1U << which)
			return false;
		else
			st->notes |= 1U << which;
	}
	return true;
}

/* What is behind the notes, if it is known */
static bool take_mode(const char **p, struct hibswap_status *st)
{
	const char *s = *p;
	int which;

	if (!take(&s, ' ') || !take_word(&s, mode_names, NR(mode_names), &which) ||
	    which < MODE_RW)
		return true;
	st->mode = which;
	*p = s;
	return take(p, ' ') && take_number(p, &st->checked_bytes) &&
	       take(p, ' ') && take_number(p, &st->log_dirty);
}

/**
 * hibswap_status_parse - take a status line apart
 * @line: the line, without start, length and target name
 * @st: filled in; its contents are meaningless on error
 *
 * Return: 0 or -EINVAL.
 */
int hibswap_status_parse(const char *line, struct hibswap_status *st)
{
	const char *p = line;
	int state;

	memset(st, 0, sizeof(*st));
	if (!take_word(&p, state_names, NR(state_names), &state) || state < 0)
		return -EINVAL;
	st->state = state;
	if (!take(&p, ' ') || !take_number(&p, &st->generation) ||
	    !take(&p, ' ') || !take_number(&p, &st->log_used) ||
	    !take(&p, '/') || !take_number(&p, &st->log_sectors) ||
	    !take(&p, ' ') || !take_number(&p, &st->extents) ||
	    !take(&p, ' ') || !take_number(&p, &st->image_bytes) ||
	    !take(&p, ' ') || !take_number(&p, &st->in_place_bytes) ||
	    !take(&p, ' ') || !take_number(&p, &st->requests_in) ||
	    !take(&p, ' ') || !take_number(&p, &st->requests_out) ||
	    !take(&p, ' ') || !take_notes(&p, st) || !take_mode(&p, st))
		return -EINVAL;
	if (st->log_used > st->log_sectors || st->in_place_bytes > st->image_bytes ||
	    st->checked_bytes > st->image_bytes || st->log_dirty > st->log_sectors)
		return -EINVAL;
	/* What a newer target has added is passed over, but is fields, too */
	while (*p) {
		if (!take(&p, ' ') || *p <= ' ' || *p == 127)
			return -EINVAL;
		while (*p > ' ' && *p != 127)
			p++;
		st->more = true;
	}
	return 0;
}

/** hibswap_status_state_name - the word for a state */
const char *hibswap_status_state_name(enum hibswap_status_state state)
{
	return state_names[state];
}

/**
 * hibswap_status_note_name - the word for a note
 * @bit: below HIBSWAP_STATUS_NOTES
 */
const char *hibswap_status_note_name(unsigned int bit)
{
	return note_names[bit];
}

/** hibswap_status_mode_name - the word for a mode */
const char *hibswap_status_mode_name(enum hibswap_status_mode mode)
{
	return mode_names[mode];
}
