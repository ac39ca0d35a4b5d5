// SPDX-License-Identifier: GPL-2.0-only
/*
 * resume= on the kernel's command line. Of two words the last one counts, so an
 * old one has to go.
 */
#include "setup.h"
#include "slurp.h"
#include "sysroot.h"

#include <glob.h>

#define GRUB		"/etc/default/grub"
#define GRUB_DIR	"/etc/default/grub.d"
#define GRUB_OURS	GRUB_DIR "/hibswap.cfg"

static bool is_resume(const char *word, size_t len)
{
	return (len >= 7 && !strncmp(word, "resume=", 7)) ||
	       (len >= 14 && !strncmp(word, "resume_offset=", 14));
}

static bool is_separator(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '"' || c == '\'';
}

/* Where such a word ends only a shell knows: after a substitution, or a quoted value */
static bool is_whole(const char *line, size_t len, size_t from, size_t n)
{
	const char *word = line + from;

	if (memchr(word, '`', n) || memchr(word, '$', n) || memchr(word, '\\', n))
		return false;
	return word[n - 1] != '=' || from + n == len || (word[n] != '"' && word[n] != '\'');
}

/**
 * cmdline_without_resume - take resume= and resume_offset= out of a text
 * @line: a command line, or a line of a shell that sets one
 * @len: of @line
 *
 * Return: a text of its own; all else is as it was, and so is a word of which it cannot
 * be told where it ends.
 */
char *cmdline_without_resume(const char *line, size_t len)
{
	char *new = need_memory(malloc(len + 1)), *to = new;
	size_t i = 0;

	while (i < len) {
		size_t n = 0;

		while (i + n < len && !is_separator(line[i + n]))
			n++;
		if (is_resume(line + i, n) && (!i || is_separator(line[i - 1])) &&
		    is_whole(line, len, i, n)) {
			/* With it one of the blanks around it */
			i += n;
			if (to > new && (to[-1] == ' ' || to[-1] == '\t'))
				to--;
			else if (i < len && (line[i] == ' ' || line[i] == '\t'))
				i++;
			continue;
		}
		memcpy(to, line + i, n);
		to += n;
		i += n;
		if (i < len)
			*to++ = line[i++];
	}
	*to = '\0';
	return new;
}

static bool sets_cmdline(const char *line, size_t len)
{
	static const char name[] = "GRUB_CMDLINE_LINUX";

	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len > 7 && !strncmp(line, "export ", 7)) {
		line += 7;
		len -= 7;
	}
	return len >= sizeof(name) - 1 && !strncmp(line, name, sizeof(name) - 1);
}

/* A file of shell: in the lines that set a command line */
static int clean_shell(struct setup *s, const char *path)
{
	char *old, *new = NULL;
	size_t size;
	FILE *to;
	int rc;

	if (!root_mentions(path, "resume"))
		return E_OK;
	rc = root_read(path, &old);
	if (rc || !old)
		return rc;
	to = need_memory(open_memstream(&new, &size));
	for (const char *p = old; *p;) {
		const size_t len = strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n');

		if (sets_cmdline(p, len)) {
			char *line = cmdline_without_resume(p, len);

			fputs(line, to);
			free(line);
		} else {
			fwrite(p, 1, len, to);
		}
		p += len;
	}
	fclose(to);
	free(old);
	return change_add(&s->files, path, new);
}

/* The text of a file as it will be; NULL if it has none */
static char *planned(const struct setup *s, const char *path)
{
	char full[PATH_MAX], *text;
	size_t len;

	for (unsigned int i = 0; i < s->files.nr; i++)
		if (!strcmp(s->files.list[i].path, path))
			return s->files.list[i].new ? need_memory(strdup(s->files.list[i].new)) : NULL;
	return slurp(root_path(full, sizeof(full), path), CONFIG_MAX, &text, &len) ? NULL : text;
}

static bool has_other_resume(const struct setup *s, const char *line, size_t len)
{
	size_t n;

	for (size_t i = 0; i < len; i += n + 1) {
		for (n = 0; i + n < len && !is_separator(line[i + n]) && line[i + n] != '\\';)
			n++;
		if (is_resume(line + i, n) &&
		    (n != strlen("resume=") + strlen(s->mapped) ||
		     strncmp(line + i + strlen("resume="), s->mapped, strlen(s->mapped))))
			return true;
	}
	return false;
}

/* GRUB_CMDLINE_LINUX=, with nothing of what it was before */
static bool assigns_anew(const char *line, size_t len)
{
	static const char name[] = "GRUB_CMDLINE_LINUX=";
	const char *at = sets_cmdline(line, len) ? memmem(line, len, name, sizeof(name) - 1) : NULL;

	return at && !memmem(at, line + len - at, "$GRUB_CMDLINE_LINUX", 19) &&
	       !memmem(at, line + len - at, "${GRUB_CMDLINE_LINUX", 20);
}

/*
 * These files are shell, and not all that a shell understands is understood here:
 * what may win over our word is told. @later: it is read after our file.
 */
static void warn_of(struct setup *s, const char *path, bool later)
{
	bool other = false, anew = false;
	char *text = planned(s, path);

	for (const char *p = text; p && *p;) {
		const size_t len = strcspn(p, "\n");

		if (p[strspn(p, " \t")] != '#') {
			other |= has_other_resume(s, p, len);
			anew |= later && assigns_anew(p, len);
		}
		p += len + (p[len] == '\n');
	}
	free(text);
	if (other)
		setup_note(s, "%s has a resume= or resume_offset= which may win over resume=%s: take it out by hand",
			   path, s->mapped);
	if (anew)
		setup_note(s, "%s is read after %s and sets GRUB_CMDLINE_LINUX without what it was, so that resume=%s is lost: make it GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX ...\"",
			   path, GRUB_OURS, s->mapped);
}

static int edit_grub(struct setup *s)
{
	char pattern[PATH_MAX];
	const size_t skip = opts.root ? strlen(opts.root) : 0;
	glob_t g = {};
	int rc = clean_shell(s, GRUB);

	root_path(pattern, sizeof(pattern), GRUB_DIR "/*.cfg");
	if (!rc && !glob(pattern, 0, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc && !rc; i++)
			if (strcmp(g.gl_pathv[i] + skip, GRUB_OURS))
				rc = clean_shell(s, g.gl_pathv[i] + skip);
	if (!rc)
		warn_of(s, GRUB, false);
	for (size_t i = 0; i < g.gl_pathc && !rc; i++)
		if (strcmp(g.gl_pathv[i] + skip, GRUB_OURS))
			warn_of(s, g.gl_pathv[i] + skip, strcmp(g.gl_pathv[i] + skip, GRUB_OURS) > 0);
	globfree(&g);
	if (rc)
		return rc;
	return change_add(&s->files, GRUB_OURS,
			  text_printf("# Where the hibernation image is: dmhib(8)\n"
				      "GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX resume=%s\"\n",
				      s->mapped));
}

/* Said for one boot, as to repair something: not to be said at each */
static bool is_one_off(const char *word)
{
	static const char * const whole[] = {
		"single", "s", "S", "1", "emergency", "rescue", "-b", "noresume", "rd.break",
		"hibernate=no", "hibernate=noresume",
	};
	static const char * const starts[] = {
		"init=", "rd.break=", "systemd.unit=", "hibswap=", "rd.hibswap=",
	};

	for (unsigned int i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (!strcmp(word, whole[i]))
			return true;
	for (unsigned int i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(word, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* What the kernel was booted with, but for what the boot loader adds itself */
static char *booted_cmdline(struct setup *s)
{
	char line[4096], left_out[512] = "", *save = NULL, *new = NULL;
	size_t size, n = 0;
	FILE *to = need_memory(open_memstream(&new, &size));
	const char *sep = "";

	sysroot_line("/proc/cmdline", line, sizeof(line));
	for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		if (!strncmp(w, "BOOT_IMAGE=", 11) || !strncmp(w, "initrd=", 7))
			continue;
		if (is_one_off(w)) {
			if (n < sizeof(left_out))
				n += snprintf(left_out + n, sizeof(left_out) - n, " %s", w);
			continue;
		}
		fprintf(to, "%s%s", sep, w);
		sep = " ";
	}
	fclose(to);
	if (n)
		setup_note(s, "%s is made from what this kernel was booted with, without%s: add what is meant for each boot",
			   KERNEL_CMDLINE, left_out);
	return new;
}

static int edit_kernel_cmdline(struct setup *s)
{
	char *old, *clean, *words;
	size_t len;
	int rc = root_read(KERNEL_CMDLINE, &old);

	if (rc)
		return rc;
	/* Of another machine nobody knows how it boots */
	if (!old && opts.root) {
		setup_note(s, "there is no %s: write the kernel's command line into it, with resume=%s",
			   KERNEL_CMDLINE, s->mapped);
		return E_OK;
	}
	words = old ? old : booted_cmdline(s);
	clean = cmdline_without_resume(words, strlen(words));
	len = strlen(clean);
	while (len && (clean[len - 1] == '\n' || clean[len - 1] == ' '))
		clean[--len] = '\0';
	rc = change_add(&s->files, KERNEL_CMDLINE,
			text_printf("%s%sresume=%s\n", clean, len ? " " : "", s->mapped));
	free(clean);
	free(words);
	return rc;
}

/** has_systemd_boot - are there signs of it, or of what else reads /etc/kernel/cmdline? */
bool has_systemd_boot(void)
{
	static const char * const signs[] = {
		KERNEL_CMDLINE, "/boot/loader/loader.conf", "/efi/loader/loader.conf",
		"/boot/efi/loader/loader.conf",
	};

	for (unsigned int i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (root_has(signs[i]))
			return true;
	return false;
}

/**
 * edit_boot - plan the change of the kernel's command line
 * @s: the setup
 *
 * Return: an exit code.
 */
int edit_boot(struct setup *s)
{
	bool known = false;
	int rc = E_OK;

	/* grub.d is Debian's, as update-grub is. It may be installed and not be used */
	if (root_has(GRUB) && (root_command("update-grub") || root_has(GRUB_DIR))) {
		known = root_has("/boot/grub");
		rc = edit_grub(s);
	}
	if (!rc && has_systemd_boot()) {
		known = true;
		rc = edit_kernel_cmdline(s);
	}
	if (!known)
		setup_note(s, "no boot loader that is known here (GRUB as Debian has it, systemd-boot): add resume=%s to the kernel's command line in its configuration, and take any other resume= and resume_offset= out",
			   s->mapped);
	return rc;
}
