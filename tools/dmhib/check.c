// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib check: will this machine hibernate, and if not, why?
 */
#include "check.h"
#include "describe.h"
#include "dm.h"
#include "sysroot.h"

#include <unistd.h>

static const char * const words[] = { "skipped", "ok", "warning", "failed" };

struct answer {
	const struct facts *f;
	enum outcome outcome[RULES_MAX];
	struct finding finding[RULES_MAX];
	unsigned int failed;
	unsigned int warned;
};

static void judge(struct answer *a)
{
	for (unsigned int i = 0; i < nr_rules; i++) {
		struct finding *out = &a->finding[i];

		*out = (struct finding){ .code = "skipped" };
		if (rules[i].needs_device && !a->f->open) {
			snprintf(out->text, sizeof(out->text), "no device is open");
			continue;
		}
		a->outcome[i] = rules[i].judge(a->f, out);
		a->failed += a->outcome[i] == CHECK_FAIL;
		a->warned += a->outcome[i] == CHECK_WARN;
	}
}

static void print_rule(const struct answer *a, unsigned int i)
{
	const struct finding *out = &a->finding[i];

	printf("%-8s %-15s %s\n", words[a->outcome[i]], rules[i].name, out->text);
	if (*out->remedy)
		printf("%24s -> %s\n", "", out->remedy);
}

static void print_words(const struct answer *a)
{
	for (unsigned int i = 0; i < nr_rules; i++)
		print_rule(a, i);
	if (a->failed)
		printf("\nIt will not hibernate and resume: %u of %u rules failed.\n", a->failed,
		       nr_rules);
	else
		printf("\nIt will hibernate.%s\n", a->warned ? " Mind the warnings." : "");
}

static void print_json(const struct answer *a)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();

	jadd_bool(obj, "will_hibernate", !a->failed);
	jadd_str(obj, "device", a->f->open ? a->f->dev.dm_name : NULL);
	jadd_u64(obj, "failed", a->failed);
	jadd_u64(obj, "warnings", a->warned);
	for (unsigned int i = 0; i < nr_rules; i++) {
		struct json_object *r = json_object_new_object();
		const struct finding *out = &a->finding[i];

		jadd_str(r, "rule", rules[i].name);
		jadd_str(r, "result", words[a->outcome[i]]);
		jadd_str(r, "code", out->code);
		jadd_str(r, "text", out->text);
		jadd_str(r, "remedy", *out->remedy ? out->remedy : NULL);
		json_object_array_add(list, r);
	}
	json_object_object_add(obj, "rules", list);
	json_print(obj);
}

/**
 * check_left - say what is not as it should be, and nothing else
 * @name: the hibswap device
 *
 * Return: an exit code; E_OK whatever is found.
 */
int check_left(const char *name)
{
	struct answer a = {};
	struct facts f;
	int rc = facts_gather(name, &f);

	if (rc)
		return rc;
	a.f = &f;
	judge(&a);
	if (!a.failed && !a.warned) {
		printf("dmhib check finds nothing that is wrong.\n");
		return E_OK;
	}
	printf("What dmhib check finds, before the next boot:\n");
	for (unsigned int i = 0; i < nr_rules; i++)
		if (a.outcome[i] == CHECK_WARN || a.outcome[i] == CHECK_FAIL)
			print_rule(&a, i);
	return E_OK;
}

/** verb_check - judge this machine */
int verb_check(int argc, char **argv)
{
	const char *name = argc ? argv[0] : NULL;
	struct answer a = {};
	struct facts f;
	int rc;

	if (name) {
		rc = dm_name_check(&name);
		if (rc)
			return rc;
	}
	if (geteuid() && !sysroot_faked()) {
		msg_err("check has to be root to see everything");
		return E_PERM;
	}
	rc = facts_gather(name, &f);
	if (rc)
		return rc;
	a.f = &f;
	judge(&a);
	if (opts.json)
		print_json(&a);
	else
		print_words(&a);
	return a.failed ? E_WONT : E_OK;
}
