// SPDX-License-Identifier: GPL-2.0-only
/*
 * Swap space for the hibernation image. Included by swapfile.c.
 *
 * The image is written front to back and read front to back, and it is fast
 * if it lies on the disk in that order, in as few pieces as there can be. So it
 * does not allocate as a swapped-out folio does. While storage is suspended,
 * which is from the snapshot to the end of hibernation, it takes
 *
 *	first	whole free clusters, by walking the area's clusters in the order
 *		of the disk, each at the moment when it is needed;
 *	then	single free slots in clusters that are in use, in the same order.
 *
 *	clusters	| 0 used | 1 free | 2 used | 3 free | 4 free | 5 used |
 *	image		    (5)     (1)      (6)      (2)      (3)      (7)
 *
 * Two cursors say how far either walk has come. Nothing is set aside, so that
 * others who swap out meanwhile find free clusters, as ever; and the clusters
 * that they fill from, the per-CPU ones and the rotating disk's, stay where
 * they are.
 *
 * A cluster taken whole has a count of SWAPFILE_CLUSTER and is CLUSTER_FLAG_FULL,
 * but it has no swap table, and it is on a list of its own: nobody looks into it,
 * look-ups find its slots empty, and who walks the full clusters does not meet it.
 * A slot taken singly is a shadow with a count of one. Both are given back by
 * swap_free_hibernation_run(), however they were taken.
 *
 * There is one image at a time, and its owner holds system_transition_mutex, which
 * is what protects the cursors. The clusters have their own locks: as in
 * swap_alloc_fast(), ci->lock is all that is needed to allocate from a cluster
 * that is on some list.
 */

static struct {
	struct swap_info_struct *si;
	unsigned long taken;	/* slots that the image has */
	unsigned long cluster;	/* where to look for a free cluster */
	unsigned long slot;	/* where to look for a single slot */
	struct list_head clusters;	/* taken whole; protected by si->lock */
} hib = {
	.clusters = LIST_HEAD_INIT(hib.clusters),
};

/* The image's slots would keep swapoff busy for ever: nobody swaps them in. */
static bool swap_hibernation_in_use(struct swap_info_struct *si)
{
	return READ_ONCE(hib.taken) && READ_ONCE(hib.si) == si;
}

static bool hib_take_cluster(struct swap_info_struct *si,
			     struct swap_cluster_info *ci)
{
	bool taken = false;

	spin_lock(&ci->lock);
	if (ci->flags == CLUSTER_FLAG_FREE && (si->flags & SWP_WRITEOK)) {
		VM_WARN_ON_ONCE(ci->count || cluster_table_is_alloced(ci));
		ci->order = 0;
		ci->count = SWAPFILE_CLUSTER;
		move_cluster(si, ci, &hib.clusters, CLUSTER_FLAG_FULL);
		swap_range_alloc(si, SWAPFILE_CLUSTER);
		taken = true;
	}
	spin_unlock(&ci->lock);

	return taken;
}

/* Returns its first slot, or 0: the first cluster, with the header, is never free. */
static unsigned long hib_next_cluster(struct swap_info_struct *si)
{
	unsigned long nr_clusters = DIV_ROUND_UP(si->max, SWAPFILE_CLUSTER);

	while (hib.cluster < nr_clusters) {
		struct swap_cluster_info *ci = si->cluster_info + hib.cluster++;

		/* Most are not: look before the lock is taken */
		if (data_race(ci->flags) == CLUSTER_FLAG_FREE &&
		    hib_take_cluster(si, ci))
			return cluster_offset(si, ci);
		if (!(hib.cluster % LATENCY_LIMIT))
			cond_resched();
	}

	return 0;
}

static unsigned long hib_take_slot(struct swap_info_struct *si,
				   struct swap_cluster_info *ci, unsigned int ci_off)
{
	unsigned long found = 0;

	lockdep_assert_held(&ci->lock);

	/*
	 * A cluster that is off its list is somebody's who has dropped the lock,
	 * and may be about to be given a table, or to lose it again.
	 */
	if (ci->flags == CLUSTER_FLAG_NONE || !cluster_is_usable(ci, 0))
		return 0;

	for (; ci_off < SWAPFILE_CLUSTER; ci_off++) {
		if (!swp_tb_is_null(__swap_table_get(ci, ci_off)))
			continue;
		if (__swap_cluster_alloc_entries(si, ci, NULL, ci_off))
			found = cluster_offset(si, ci) + ci_off;
		break;
	}

	/* Others go on allocating from it where they find it, until it is full */
	if (ci->count == SWAPFILE_CLUSTER)
		relocate_cluster(si, ci);

	return found;
}

static unsigned long hib_next_slot(struct swap_info_struct *si)
{
	while (hib.slot < si->max) {
		struct swap_cluster_info *ci = swap_cluster_lock(si, hib.slot);
		unsigned long found;

		found = hib_take_slot(si, ci, hib.slot % SWAPFILE_CLUSTER);
		swap_cluster_unlock(ci);
		if (found) {
			hib.slot = found + 1;
			return found;
		}
		hib.slot = round_down(hib.slot, SWAPFILE_CLUSTER) + SWAPFILE_CLUSTER;
		cond_resched();
	}

	return 0;
}

static void hib_rewind(void)
{
	hib.cluster = 0;
	hib.slot = 0;
}

static unsigned int hib_walk(struct swap_info_struct *si, pgoff_t *start)
{
	*start = hib_next_cluster(si);
	if (*start)
		return SWAPFILE_CLUSTER;
	*start = hib_next_slot(si);
	return *start ? 1 : 0;
}

/* As for a folio, through the per-CPU cluster. */
static unsigned long hib_common_slot(struct swap_info_struct *si)
{
	unsigned long offset = SWAP_ENTRY_INVALID, pcp_offset;
	struct swap_info_struct *pcp_si;
	struct swap_cluster_info *ci;

	local_lock(&percpu_swap_cluster.lock);
	pcp_si = this_cpu_read(percpu_swap_cluster.si[0]);
	pcp_offset = this_cpu_read(percpu_swap_cluster.offset[0]);
	if (pcp_si == si && pcp_offset) {
		ci = swap_cluster_lock(si, pcp_offset);
		if (cluster_is_usable(ci, 0))
			offset = alloc_swap_scan_cluster(si, ci, NULL, pcp_offset);
		else
			swap_cluster_unlock(ci);
	}
	if (!offset)
		offset = cluster_alloc_swap_entry(si, NULL);
	local_unlock(&percpu_swap_cluster.lock);

	return offset;
}

/**
 * swap_hibernation_area - The swap area of a type that hibernation has looked up.
 * @type: as from pin_hibernation_swap_type() or find_hibernation_swap_type()
 *
 * The caller must ensure the swap device is stable, either by pinning it
 * (SWP_HIBERNATION) or by freezing user-space.
 *
 * Return: the area, or NULL if there is none.
 */
struct swap_info_struct *swap_hibernation_area(int type)
{
	struct swap_info_struct *si = swap_type_to_info(type);

	return si && (si->flags & SWP_WRITEOK) ? si : NULL;
}

/**
 * swap_alloc_hibernation_run - Allocate swap slots for the hibernation image.
 * @si: the area, see swap_hibernation_area()
 * @start: set to the first slot
 *
 * One user at a time, with slots in one area only.
 *
 * Return: how many slots from @start on have been allocated: a whole cluster,
 * one slot if there is no free cluster or storage is not suspended, 0 if there
 * is no free slot.
 */
unsigned int swap_alloc_hibernation_run(struct swap_info_struct *si, pgoff_t *start)
{
	unsigned int nr;

	if (hib.taken && WARN_ON_ONCE(hib.si != si))
		return 0;
	if (!hib.taken) {
		WRITE_ONCE(hib.si, si);
		hib_rewind();
	}

	if (pm_suspended_storage()) {
		nr = hib_walk(si, start);
		if (!nr) {
			/*
			 * Look again: some may be free by now, and those that
			 * wait to be discarded are, but on no list yet.
			 */
			if (si->flags & SWP_PAGE_DISCARD)
				flush_work(&si->discard_work);
			hib_rewind();
			nr = hib_walk(si, start);
		}
	} else {
		*start = hib_common_slot(si);
		nr = *start ? 1 : 0;
	}

	WRITE_ONCE(hib.taken, hib.taken + nr);
	return nr;
}

/* Frees slots of one cluster. */
static void hib_free_slots(struct swap_info_struct *si, pgoff_t start,
			   unsigned int nr)
{
	struct swap_cluster_info *ci = swap_cluster_lock(si, start);

	if (cluster_table_is_alloced(ci)) {
		swap_cluster_unlock(ci);
		/*
		 * Readahead may have put a folio there: such a slot is freed
		 * when the folio leaves the cache.
		 */
		swap_put_entries_cluster(si, start, nr, true);
		return;
	}

	if (!WARN_ON_ONCE(nr != SWAPFILE_CLUSTER || ci->count != nr)) {
		ci->count = 0;
		swap_range_free(si, start, nr);
		free_cluster(si, ci);
	}
	swap_cluster_unlock(ci);
}

/**
 * swap_free_hibernation_run - Free swap slots of the hibernation image.
 * @si: the area
 * @start: the first slot
 * @nr: how many; may cover what several allocations have returned, but clusters
 *	taken whole only whole
 */
void swap_free_hibernation_run(struct swap_info_struct *si, pgoff_t start,
			       unsigned long nr)
{
	pgoff_t end = start + nr;

	while (start < end) {
		pgoff_t next = min(round_down(start, SWAPFILE_CLUSTER) + SWAPFILE_CLUSTER,
				   end);

		hib_free_slots(si, start, next - start);
		start = next;
		cond_resched();
	}
	WRITE_ONCE(hib.taken, hib.taken - nr);
}

static int __find_hibernation_swap_type(dev_t device, sector_t offset)
{
	int type;

	lockdep_assert_held(&swap_lock);

	if (!device)
		return -EINVAL;

	for (type = 0; type < nr_swapfiles; type++) {
		struct swap_info_struct *sis = swap_info[type];

		if (!(sis->flags & SWP_WRITEOK) || !sis->bdev)
			continue;

		if (device == sis->bdev->bd_dev) {
			struct swap_extent *se = first_se(sis);

			if (se->start_block == offset)
				return type;
		}
	}
	return -ENODEV;
}

/**
 * pin_hibernation_swap_type - Pin the swap device for hibernation
 * @device: Block device containing the resume image
 * @offset: Offset identifying the swap area
 *
 * Locate the swap device for @device/@offset and mark it as pinned
 * for hibernation. While pinned, swapoff() is prevented.
 *
 * Only one uswsusp context may pin a swap device at a time.
 * If already pinned, this function returns -EBUSY.
 *
 * Return:
 * >= 0 on success (swap type).
 * -EINVAL if @device is invalid.
 * -ENODEV if the swap device is not found.
 * -EBUSY if the device is already pinned for hibernation.
 */
int pin_hibernation_swap_type(dev_t device, sector_t offset)
{
	int type;
	struct swap_info_struct *si;

	spin_lock(&swap_lock);

	type = __find_hibernation_swap_type(device, offset);
	if (type < 0) {
		spin_unlock(&swap_lock);
		return type;
	}

	si = swap_type_to_info(type);
	if (WARN_ON_ONCE(!si)) {
		spin_unlock(&swap_lock);
		return -ENODEV;
	}

	/*
	 * hibernate_acquire() prevents concurrent hibernation sessions.
	 * This check additionally guards against double-pinning within
	 * the same session.
	 */
	if (WARN_ON_ONCE(si->flags & SWP_HIBERNATION)) {
		spin_unlock(&swap_lock);
		return -EBUSY;
	}

	si->flags |= SWP_HIBERNATION;

	spin_unlock(&swap_lock);
	return type;
}

/**
 * unpin_hibernation_swap_type - Unpin the swap device for hibernation
 * @type: Swap type previously returned by pin_hibernation_swap_type()
 *
 * Clear the hibernation pin on the given swap device, allowing
 * swapoff() to proceed normally.
 *
 * If @type does not refer to a valid swap device, this function
 * does nothing.
 */
void unpin_hibernation_swap_type(int type)
{
	struct swap_info_struct *si;

	spin_lock(&swap_lock);
	si = swap_type_to_info(type);
	if (!si) {
		spin_unlock(&swap_lock);
		return;
	}
	si->flags &= ~SWP_HIBERNATION;
	spin_unlock(&swap_lock);
}

/**
 * find_hibernation_swap_type - Find swap type for hibernation
 * @device: Block device containing the resume image
 * @offset: Offset within the device identifying the swap area
 *
 * Locate the swap device corresponding to @device and @offset.
 *
 * Unlike pin_hibernation_swap_type(), this function only performs a
 * lookup and does not mark the swap device as pinned for hibernation.
 *
 * This is safe in the sysfs-based hibernation path where user space
 * is already frozen and swapoff() cannot run concurrently.
 *
 * Return:
 * A non-negative swap type on success.
 * -EINVAL if @device is invalid.
 * -ENODEV if no matching swap device is found.
 */
int find_hibernation_swap_type(dev_t device, sector_t offset)
{
	int type;

	spin_lock(&swap_lock);
	type = __find_hibernation_swap_type(device, offset);
	spin_unlock(&swap_lock);

	return type;
}

int find_first_swap(dev_t *device, sector_t offset)
{
	int type;

	spin_lock(&swap_lock);
	for (type = 0; type < nr_swapfiles; type++) {
		struct swap_info_struct *sis = swap_info[type];

		if (!(sis->flags & SWP_WRITEOK) || !sis->bdev)
			continue;
		/* Most likely in memory (zram): lost when the power goes */
		if (sis->flags & SWP_SYNCHRONOUS_IO)
			continue;
		/* One, such as a file, whose header is not where it is looked for */
		if (first_se(sis)->start_block != offset)
			continue;
		*device = sis->bdev->bd_dev;
		spin_unlock(&swap_lock);
		return type;
	}
	spin_unlock(&swap_lock);
	return -ENODEV;
}

/*
 * Get the (PAGE_SIZE) block corresponding to given offset on the swapdev
 * corresponding to given index in swap_info (swap type).
 */
sector_t swapdev_block(int type, pgoff_t offset)
{
	struct swap_info_struct *si = swap_type_to_info(type);
	struct swap_extent *se;

	if (!si || !(si->flags & SWP_WRITEOK))
		return 0;
	se = offset_to_swap_extent(si, offset);
	return se->start_block + (offset - se->start_page);
}

/*
 * Return either the total number of swap pages of given type, or the number
 * of free pages of that type (depending on @free)
 *
 * This is needed for software suspend
 */
unsigned int count_swap_pages(int type, int free)
{
	unsigned int n = 0;

	spin_lock(&swap_lock);
	if ((unsigned int)type < nr_swapfiles) {
		struct swap_info_struct *sis = swap_info[type];

		spin_lock(&sis->lock);
		if (sis->flags & SWP_WRITEOK) {
			n = sis->pages;
			if (free)
				n -= swap_usage_in_pages(sis);
		}
		spin_unlock(&sis->lock);
	}
	spin_unlock(&swap_lock);
	return n;
}
