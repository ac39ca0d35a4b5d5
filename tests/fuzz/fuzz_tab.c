// SPDX-License-Identifier: GPL-2.0-only
/*
 * hibswaptab(5). Input: the file.
 *
 * What is accepted keeps all that is promised of it, and written anew as a file
 * of plain lines it is read as the same. Names and paths are escaped for systemd
 * so that they can be had back.
 */
#include <ctype.h>

#include "fuzz.h"
#include "tab.h"

static unsigned int lines_of(const u8 *data, size_t size)
{
	unsigned int lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	return lines;
}

static void check_unescaped(const char *escaped, const char *plain)
{
	char byte[3] = "", back[UNIT_NAME_MAX], *to = back;

	for (const char *p = escaped; *p; p++) {
		FUZZ_CHECK(isalnum((unsigned char)*p) || strchr(":_.-\\", *p));
		if (*p == '\\') {
			FUZZ_CHECK(p[1] == 'x' && isxdigit(p[2]) && isxdigit(p[3]));
			memcpy(byte, p + 2, 2);
			*to++ = strtoul(byte, NULL, 16);
			p += 3;
		} else {
			*to++ = *p == '-' ? '/' : *p;
		}
	}
	*to = '\0';
	FUZZ_CHECK(!strcmp(back, plain));
}

static void check_entry(const struct tab_entry *e, unsigned int lines)
{
	char link[512], escaped[UNIT_NAME_MAX];
	enum tab_kind kind;
	const char *value;

	FUZZ_CHECK(e->line && e->line <= lines);
	FUZZ_CHECK(mapped_name_ok(e->name) && !strchr(e->name, '%') && !strchr(e->name, '/'));
	FUZZ_CHECK(!tab_spec_parse(e->spec, &kind, &value));
	FUZZ_CHECK(kind == e->kind && value == e->value);
	FUZZ_CHECK(!(e->region_start % 4096));
	for (const char *p = e->spec; *p; p++)
		FUZZ_CHECK((unsigned char)*p > ' ' && *p != 127 && *p != '\\');
	tab_spec_link(e, link, sizeof(link));
	FUZZ_CHECK(*link == '/');
	/* What is behind a tag is one name in one directory */
	if (e->kind != TAB_BY_PATH)
		FUZZ_CHECK(!strncmp(link, "/dev/disk/by-", 13) &&
			   !strchr(strchr(link + 13, '/') + 1, '/'));
	check_unescaped(unit_escape(e->name, escaped, sizeof(escaped)), e->name);
	unit_path_escape(e->spec, escaped, sizeof(escaped));
	FUZZ_CHECK(*escaped && !strchr(escaped, '/') && !strchr(escaped, '%'));
}

static void check_errors(const struct tab *tab, unsigned int lines)
{
	for (unsigned int i = 0; i < tab->nr_errors; i++) {
		const struct tab_error *e = &tab->errors[i];

		FUZZ_CHECK(e->line && e->line <= lines && *e->text);
		FUZZ_CHECK(!i || e->line > e[-1].line);
		FUZZ_CHECK(memchr(e->text, '\0', sizeof(e->text)));
		for (const char *p = e->text; *p; p++)
			FUZZ_CHECK((unsigned char)*p >= ' ' && *p != 127);
	}
}

static void print(FILE *f, const struct tab_entry *e)
{
	fprintf(f, "%s %s region-start=%ju,timeout=%ju%s%s%s%s%s%s%s\n", e->name, e->spec,
		(uintmax_t)e->region_start, (uintmax_t)e->timeout, e->window ? ",window" : "",
		e->discard ? ",discard" : "", e->wipe ? ",wipe" : "", e->nofail ? ",nofail" : "",
		e->noauto ? ",noauto" : "", e->netdev ? ",_netdev" : "",
		e->initrd ? ",x-initrd.attach" : "");
}

static void check_again(const struct tab *tab)
{
	struct tab again;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	FUZZ_CHECK(f);
	for (unsigned int i = 0; i < tab->nr; i++)
		print(f, tab->entries[i]);
	fclose(f);
	FUZZ_CHECK(!tab_parse(&again, text, len));
	FUZZ_CHECK(again.nr == tab->nr && !again.nr_errors);
	for (unsigned int i = 0; i < again.nr; i++) {
		struct tab_entry a = *tab->entries[i], b = *again.entries[i];

		FUZZ_CHECK(tab_find(&again, a.name) == again.entries[i]);
		FUZZ_CHECK(b.line == i + 1 && !strcmp(a.spec, b.spec));
		a.line = b.line;
		a.value = b.value;
		FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));
	}
	tab_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const unsigned int lines = lines_of(data, size);
	struct tab tab;

	FUZZ_CHECK(!tab_parse(&tab, (const char *)data, size));
	FUZZ_CHECK(tab.nr + tab.nr_errors <= lines);
	for (unsigned int i = 0; i < tab.nr; i++) {
		check_entry(tab.entries[i], lines);
		for (unsigned int j = 0; j < i; j++)
			FUZZ_CHECK(strcmp(tab.entries[i]->name, tab.entries[j]->name) &&
				   strcmp(tab.entries[i]->spec, tab.entries[j]->spec));
	}
	check_errors(&tab, lines);
	check_again(&tab);
	tab_free(&tab);
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	static const char * const seeds[] = {
		"# a comment\n\nhib UUID=01234567-89ab-cdef-0123-456789abcdef\n",
		"hib /dev/sda3 window,discard,wipe,nofail,noauto,_netdev,x-initrd.attach\n",
		"a-b.c PARTUUID=e6d0e5b2-03 region-start=1M,timeout=30s # why\r\n",
		"hib PARTLABEL=Swap -\nhib2 PARTLABEL=swap timeout=0,region-start=8s",
		"hib LABEL=x\nhib sda\nhib /dev/a b c\ncontrol /dev/a\nhib UUID=1\n",
		"a /dev/a\na /dev/b\nb /dev/a\nc UUID=01234567-89AB-CDEF-0123-456789ABCDEF\n",
		"hib /dev/\\040\nhib \"/dev/a\"\nhib /dev/a timeout=-1,frob=1\n",
	};

	return fuzz_seed_text(seeds, sizeof(seeds) / sizeof(seeds[0]), nr, data);
}
