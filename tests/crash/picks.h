/* SPDX-License-Identifier: GPL-2.0-only */
/* Which crash states are worth a real boot */
#ifndef CRASH_PICKS_H
#define CRASH_PICKS_H

#include "boot.h"

/**
 * struct picked - a state to boot
 * @name: for replay --make
 * @outcome: what it has to do
 * @by_hand: the image is not swsusp's, so that the kernel cannot resume it
 * @boot: during which boot of the log
 */
struct picked {
	char name[48];
	enum outcome outcome;
	bool by_hand;
	unsigned int boot;
};

/**
 * struct picks - states to boot
 * @near: one of each class that there is around changes
 * @near_class: their classes
 * @nr_near: how many
 * @far: a sample of all others, each as likely
 * @nr_far: how many of them
 * @max_far: most of them
 * @seen_far: of how many
 * @random: state of the lot
 */
struct picks {
	struct picked *near;
	u64 *near_class;
	u32 nr_near;
	struct picked *far;
	u64 nr_far;
	u64 max_far;
	u64 seen_far;
	u64 random;
};

void picks_init(struct picks *p, u64 seed, u64 max_far);
void pick(struct picks *p, struct booter *b, const struct state *st, const struct boot *next,
	  unsigned int boot_nr);
int picks_save(const struct picks *p, const char *path);

#endif /* CRASH_PICKS_H */
