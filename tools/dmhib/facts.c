// SPDX-License-Identifier: GPL-2.0-only
/*
 * What there is to know for check: gathered once, judged by the rules.
 */
#include "check.h"
#include "mapping.h"
#include "meta.h"
#include "slurp.h"
#include "sysroot.h"

#include <inttypes.h>
#include <unistd.h>

#define OUR_UUID	"HIBSWAP-"

static bool file_has(const char *path, const char *what)
{
	FILE *f = sysroot_open(path);
	char *line = NULL;
	size_t size = 0;
	bool has = false;

	while (f && !has && getline(&line, &size, f) > 0)
		has = strstr(line, what);
	free(line);
	if (f)
		fclose(f);
	return has;
}

/** kernel_has_window - does the running kernel put an image into a window? */
bool kernel_has_window(void)
{
	return file_has("/proc/kallsyms", " hibernate_window_register");
}

static void gather_kernel(struct facts *f)
{
	char path[256];
	FILE *sb;

	sysroot_line("/sys/power/state", f->state, sizeof(f->state));
	f->have_disk = sysroot_line("/sys/power/disk", f->disk, sizeof(f->disk));
	sysroot_line("/sys/kernel/security/lockdown", f->lockdown, sizeof(f->lockdown));
	f->efi = sysroot_exists("/sys/firmware/efi");
	/* Four bytes of attributes, then the variable */
	sb = sysroot_open("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	if (sb) {
		f->secure_boot = fread(path, 1, 5, sb) == 5 && path[4] == 1;
		fclose(sb);
	}
	f->module = sysroot_exists("/sys/module/dm_hibswap_mod");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", sysroot_kernel());
	f->module_installed = file_has(path, "dm-hibswap-mod.ko");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.builtin", sysroot_kernel());
	f->module_builtin = file_has(path, "dm-hibswap-mod.ko");
	f->window_kernel = kernel_has_window();
	f->systemd = sysroot_exists("/run/systemd/system");
}

static bool first_below(const struct block *b, void *arg)
{
	*(struct block *)arg = *b;
	return true;
}

/* A made-up machine has no device-mapper: by DM_UUID */
static bool by_uuid(const struct block *b, void *arg)
{
	struct facts *f = arg;

	if (strncmp(b->dm_uuid, OUR_UUID, sizeof(OUR_UUID) - 1))
		return false;
	f->nr_open++;
	if (f->wanted ? strcmp(f->wanted, b->dm_name) : f->open)
		return false;
	f->dev = *b;
	f->open = true;
	return false;
}

/* What dmsetup has made has no UUID: ask for the target */
static int by_target(struct facts *f)
{
	char **names;
	unsigned int nr;
	struct mapping map;
	int rc = dm_list(&names, &nr);

	if (rc)
		return rc;
	f->nr_open = nr;
	for (unsigned int i = 0; i < nr; i++) {
		char path[DM_NAME_MAX + 16];

		snprintf(path, sizeof(path), "/dev/mapper/%s", names[i]);
		if (!(f->wanted ? strcmp(f->wanted, names[i]) : f->open) &&
		    !mapping_find(names[i], &map) && map.m.exists && block_by_path(path, &f->dev)) {
			f->open = true;
			f->region_start = map.region_start;
		}
		free(names[i]);
	}
	free(names);
	return E_OK;
}

static int gather_device(struct facts *f)
{
	int rc = E_OK;

	if (sysroot_faked())
		block_each(by_uuid, f);
	else if (dm_answers())
		rc = by_target(f);
	if (f->open)
		block_each_below(f->dev.name, first_below, &f->below);
	return rc;
}

static void gather_super(struct facts *f)
{
	struct hibswap_fault fault = {};
	struct meta_header header;
	char path[256];
	struct meta meta;
	struct dev dev;

	f->sb_err = -ENODEV;
	if (!*f->below.name)
		return;
	sysroot_path(path, sizeof(path), "/dev/%s", f->below.name);
	if (access(path, R_OK) || dev_open(&dev, path, 0))
		return;
	meta_read(&dev, f->region_start, &meta);
	f->sb_err = meta.which < 0 ? meta.which : 0;
	if (!f->sb_err) {
		f->sb = *meta_super(&meta);
		f->copy_bad = meta.copy[!meta.which].err;
		f->fits = !meta_fits(&dev, &f->sb.geom, f->region_start, &fault);
		if (f->fits && f->sb.state == HIBSWAP_COMMITTED) {
			meta_read_header(&dev, &f->sb, &header);
			f->header_names = !header.err && header.crc_ok;
		}
	}
	meta_free(&meta);
	dev_close(&dev);
}

/* "/dev/dm-0                               partition	1048572	0	-2" */
static void gather_swaps(struct facts *f)
{
	FILE *in = sysroot_open("/proc/swaps");
	char line[512], type[32];
	u64 size, used;

	f->swap = -1;
	while (in && f->nr_swaps < SWAPS_MAX && fgets(line, sizeof(line), in)) {
		struct swap *s = &f->swaps[f->nr_swaps];

		if (sscanf(line, "%255s %31s %" SCNu64 " %" SCNu64 " %d", s->path, type, &size,
			   &used, &s->priority) != 5)
			continue;
		s->size = size << 10;
		s->free = (size - min(size, used)) << 10;
		if (!strcmp(type, "partition"))
			block_by_path(s->path, &s->dev);
		if (f->open && !strcmp(s->dev.name, f->dev.name))
			f->swap = f->nr_swaps;
		f->nr_swaps++;
	}
	if (in)
		fclose(in);
}

/* initramfs-tools' own file, as a shell would read it */
static void read_conf_resume(char *value, size_t len)
{
	FILE *f = sysroot_open("/etc/initramfs-tools/conf.d/resume");
	char line[512];

	*value = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n#")] = '\0';
		if (!strncmp(line, "RESUME=", 7)) {
			char *v = line + 7;

			v += *v == '"' || *v == '\'';
			snprintf(value, len, "%.*s", (int)strcspn(v, "\"' \t"), v);
		}
	}
	if (f)
		fclose(f);
}

static void gather_resume(struct facts *f)
{
	char value[64];

	sysroot_line("/sys/power/resume", f->resume.text, sizeof(f->resume.text));
	if (strcmp(f->resume.text, "0:0"))
		f->resume.known = block_by_number(f->resume.text, &f->resume.dev);
	else
		f->resume.text[0] = '\0';
	sysroot_u64("/sys/power/resume_offset", &f->resume_offset);
	if (!f->resume_offset && cmdline_word("resume_offset", value, sizeof(value)))
		number_parse(value, &f->resume_offset);
	if (!cmdline_word("resume", f->option.text, sizeof(f->option.text)))
		read_conf_resume(f->option.text, sizeof(f->option.text));
	if (*f->option.text)
		f->option.known = block_by_path(f->option.text, &f->option.dev);
}

static void gather_tab(struct facts *f)
{
	char path[PATH_MAX], *text;
	struct tab tab;
	size_t len;

	if (slurp(sysroot_path(path, sizeof(path), TAB_PATH), TAB_FILE_MAX, &text, &len))
		return;
	if (!tab_parse(&tab, text, len)) {
		const struct tab_entry *e = tab_find(&tab, f->open ? f->dev.dm_name :
							   f->wanted ? f->wanted : "");

		f->tab_errors = tab.nr_errors;
		if (tab.nr_errors)
			f->tab_error_line = tab.errors[0].line;
		if (e) {
			f->tab = *e;
			f->tab.value = f->tab.spec + (e->value - e->spec);
			if (!find_device(&f->tab, path, sizeof(path), f->tab_why))
				block_by_path(path, &f->tab_device);
		}
	}
	tab_free(&tab);
	free(text);
}

static void gather_memory(struct facts *f)
{
	struct sample sample;
	enum reason why;

	f->mem_known = !memory_read(&f->mem);
	if (f->mem_known)
		forecast_sampled(&f->mem, &sample, &why, &f->image);
}

/**
 * facts_gather - look at the machine
 * @name: the hibswap device, NULL for the first one that is open
 * @f: filled in
 *
 * Return: an exit code.
 */
int facts_gather(const char *name, struct facts *f)
{
	int rc;

	memset(f, 0, sizeof(*f));
	f->wanted = name;
	gather_kernel(f);
	rc = gather_device(f);
	if (rc)
		return rc;
	gather_super(f);
	gather_tab(f);
	gather_swaps(f);
	gather_resume(f);
	gather_memory(f);
	initramfs_read(&f->initramfs);
	return E_OK;
}
