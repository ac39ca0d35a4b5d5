// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the hibernation image that was written compressed.
 *
 * The disk reads ahead into a ring of pages. They are mapped in one piece, and the
 * first of them once more behind the last, so that the compressed data of a block
 * is in one piece wherever it begins:
 *
 *	|  0  1  2  3 .................. n-1 |  0  1  2 ...
 *	   \_ being read      \_ block \_ another block
 *
 * The pages of a block are read into again when it has been decompressed.
 */

#define pr_fmt(fmt) "PM: " fmt

#include <linux/blkdev.h>
#include <linux/cacheflush.h>
#include <linux/cacheinfo.h>
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/vmalloc.h>

#include "power.h"
#include "image_codec.h"
#include "image_io.h"
#include "image_map_read.h"

/* Minimum/maximum number of pages for read buffering. */
#define CMP_MIN_RD_PAGES	1024
#define CMP_MAX_RD_PAGES	8192

/**
 * struct ring - compressed data that is being read ahead
 * @page:	its pages, the first CMP_PAGES of them twice
 * @map:	where they are mapped
 * @size:	how many pages, each counted once
 * @in:		the next one to read into
 * @out:	the next one to decompress from
 * @want:	pages from @in on that may be read into
 * @asked:	pages before @in that are being read
 * @have:	pages from @out on that have been read
 * @eof:	there is nothing more to read
 */
struct ring {
	struct page	**page;
	void		*map;
	unsigned int	size;
	unsigned int	in;
	unsigned int	out;
	unsigned int	want;
	unsigned int	asked;
	unsigned int	have;
	bool		eof;
};

struct load_job {
	struct image_job	job;
	unsigned int		pages;	/* of the ring */
};

struct load {
	struct image_codec	codec;
	struct ring		ring;
	struct load_job		*jobs;
	unsigned int		begun;
	unsigned int		done;
	unsigned int		copying;	/* jobs the pages of which are copied */
	unsigned int		nr_pages;	/* of the image that have a place */
	unsigned int		step;		/* of the progress */
	bool			full;		/* these are all */
};

static void ring_truncate(struct ring *ring, unsigned int size)
{
	while (ring->size > size)
		__free_page(ring->page[--ring->size]);
}

static void ring_free(struct ring *ring)
{
	vunmap(ring->map);
	ring_truncate(ring, 0);
	kvfree(ring->page);
}

static bool ring_map(struct ring *ring)
{
	for (unsigned int i = 0; i < CMP_PAGES; i++)
		ring->page[ring->size + i] = ring->page[i];
	ring->map = vmap(ring->page, ring->size + CMP_PAGES, VM_MAP, PAGE_KERNEL);
	return ring->map;
}

static int ring_init(struct ring *ring)
{
	unsigned long pages = 0, low = nr_free_pages() - nr_free_highpages();
	gfp_t gfp = GFP_NOIO | __GFP_HIGH;

	/*
	 * This is complete guesswork, because we'll only know the real
	 * picture once prepare_image() is called, which is much later on
	 * during the image load phase. We'll assume the worst case and
	 * say that none of the image pages are from high memory.
	 */
	if (low > snapshot_get_image_size())
		pages = (low - snapshot_get_image_size()) / 2;
	pages = clamp_val(pages, CMP_MIN_RD_PAGES, CMP_MAX_RD_PAGES);

	ring->page = kvmalloc_array(pages + CMP_PAGES, sizeof(*ring->page), GFP_KERNEL);
	if (!ring->page)
		return -ENOMEM;

	while (ring->size < pages) {
		ring->page[ring->size] = alloc_page(gfp);
		if (!ring->page[ring->size])
			break;
		if (++ring->size == CMP_PAGES)
			gfp = GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY;
	}
	if (ring->size < CMP_PAGES)
		return -ENOMEM;

	while (!ring_map(ring)) {
		if (ring->size == CMP_PAGES)
			return -ENOMEM;
		ring_truncate(ring, max_t(unsigned int, ring->size / 2, CMP_PAGES));
	}
	ring->want = ring->size;
	return 0;
}

static unsigned int ring_after(const struct ring *ring, unsigned int pos,
			       unsigned int nr)
{
	pos += nr;
	return pos < ring->size ? pos : pos - ring->size;
}

static int ring_read(struct ring *ring, struct swap_map_handle *handle,
		     struct hib_bio_batch *hb)
{
	for (; ring->want && !ring->eof; ring->want--) {
		int error;

		if (swap_reader_at_end(handle)) {
			ring->eof = true;
			break;
		}
		error = swap_read_page(handle, page_address(ring->page[ring->in]), hb);
		if (error)
			return error;
		ring->in = ring_after(ring, ring->in, 1);
		ring->asked++;
	}
	hib_kick_batch(hb);
	return 0;
}

static int ring_wait(struct ring *ring, struct hib_bio_batch *hb)
{
	int error = hib_wait_io(hb);

	if (error)
		return error;
	ring->have += ring->asked;
	ring->asked = 0;
	return 0;
}

/*
 * Let the job have the next block of compressed data. Returns the pages it takes
 * in the ring, 0 if not all of them have been read, or an error.
 */
static int ring_take(struct ring *ring, struct image_job *job)
{
	void *data = ring->map + ring->out * PAGE_SIZE;
	unsigned int pages;

	if (!ring->have)
		return 0;
	invalidate_kernel_vmap_range(data, PAGE_SIZE);
	job->cmp = data;
	job->cmp_len = *(size_t *)data;
	if (!job->cmp_len || job->cmp_len > CMP_WORST) {
		pr_err("Invalid %s compressed length\n", hib_comp_algo);
		return -EINVAL;
	}

	pages = DIV_ROUND_UP(job->cmp_len + CMP_HEADER, PAGE_SIZE);
	if (pages > ring->have)
		return 0;
	invalidate_kernel_vmap_range(data, pages * PAGE_SIZE);
	ring->out = ring_after(ring, ring->out, pages);
	ring->have -= pages;
	return pages;
}

/* The page of the image is there, or will be. Returns whether it has a next one. */
static int load_next(struct load *load, struct snapshot_handle *snapshot)
{
	int ret;

	if (load->nr_pages % load->step == 0)
		pr_info("Image loading progress: %3d%%\n",
			load->nr_pages / load->step * 10);
	load->nr_pages++;

	ret = snapshot_write_next(snapshot);
	load->full = !ret;
	return ret;
}

/*
 * Can the next pages of the image be asked for before this one is there? Not if
 * they have one place for all of them or are protected afterwards.
 */
static bool load_in_place(const struct snapshot_handle *snapshot)
{
	return !snapshot->sync_read && !IS_ENABLED(CONFIG_HIGHMEM) &&
	       !cpu_dcache_is_aliasing();
}

/* Begin with the next block. Returns 0 if that is not possible now, or an error. */
static int load_begin(struct load *load, struct snapshot_handle *snapshot)
{
	struct load_job *l = &load->jobs[load->begun % load->codec.depth];
	bool in_place = load_in_place(snapshot);
	struct image_job *job = &l->job;
	int ret;

	if (load->full || load->begun - load->done == load->codec.depth)
		return 0;
	/* The pages before have to be there. */
	if (in_place && load->copying)
		return 0;

	image_job_begin(job, load->begun);
	ret = ring_take(&load->ring, job);
	if (ret <= 0)
		return ret;
	l->pages = ret;

	while (in_place && job->nr < UNC_PAGES && !load->full) {
		job->page[job->nr++] = virt_to_page(data_of(*snapshot));
		ret = load_next(load, snapshot);
		if (ret < 0)
			return ret;
	}
	if (!in_place)
		load->copying++;

	image_job_queue(job);
	load->begun++;
	return 1;
}

/* Wait for the oldest block. */
static int load_finish(struct load *load, struct snapshot_handle *snapshot, u32 *crc)
{
	struct load_job *l = &load->jobs[load->done++ % load->codec.depth];
	struct image_job *job = &l->job;
	int error;

	error = image_job_wait(job, crc);
	if (error)
		return error;
	load->ring.want += l->pages;
	if (job->nr)
		return 0;

	load->copying--;
	for (size_t off = 0; off < job->unc_len && !load->full; off += PAGE_SIZE) {
		void *addr = data_of(*snapshot);

		copy_page(addr, job->unc + off);
		flush_icache_range((unsigned long)addr, (unsigned long)addr + PAGE_SIZE);
		error = load_next(load, snapshot);
		if (error < 0)
			return error;
	}
	return 0;
}

static int load_all(struct load *load, struct swap_map_handle *handle,
		    struct snapshot_handle *snapshot, struct hib_bio_batch *hb,
		    u32 *crc)
{
	int ret;

	ret = snapshot_write_next(snapshot);
	if (ret <= 0)
		return ret;

	for (;;) {
		ret = ring_read(&load->ring, handle, hb);
		while (!ret) {
			ret = load_begin(load, snapshot);
			if (ret <= 0)
				break;
			ret = 0;
		}
		if (ret < 0)
			return ret;

		if (load->begun != load->done)
			ret = load_finish(load, snapshot, crc);
		else if (load->full)
			return 0;
		else if (load->ring.asked)
			ret = ring_wait(&load->ring, hb);
		else
			ret = -ENODATA;	/* It ends within a block. */
		if (ret)
			return ret;
	}
}

static int load_init(struct load *load, unsigned int max_threads)
{
	int error;

	error = image_codec_init(&load->codec, true, max_threads);
	if (error)
		return error;

	load->jobs = kvcalloc(load->codec.depth, sizeof(*load->jobs), GFP_KERNEL);
	error = load->jobs ? 0 : -ENOMEM;
	for (unsigned int i = 0; i < load->codec.depth && !error; i++)
		error = image_job_init(&load->jobs[i].job, &load->codec);
	error = error ?: ring_init(&load->ring);
	if (error)
		pr_err("Failed to allocate %s data\n", hib_comp_algo);
	return error;
}

static void load_free(struct load *load)
{
	image_codec_stop(&load->codec);
	for (unsigned int i = 0; load->jobs && i < load->codec.depth; i++)
		image_job_free(&load->jobs[i].job);
	kvfree(load->jobs);
	ring_free(&load->ring);
	image_codec_free(&load->codec);
}

/**
 * image_load_compressed() - read the pages of an image that are compressed
 * @handle: where to read them
 * @snapshot: where they go, behind the image's first page
 * @nr_to_read: how many they are
 * @bdev: the device
 * @max_threads: so many may decompress at the same time
 * @crc: set to the CRC32 of the data
 *
 * Return: 0 or an error.
 * Context: Sleeps.
 */
int image_load_compressed(struct swap_map_handle *handle,
			  struct snapshot_handle *snapshot,
			  unsigned int nr_to_read, struct block_device *bdev,
			  unsigned int max_threads, u32 *crc)
{
	struct load load = { .step = max(nr_to_read / 10, 1U) };
	struct hib_bio_batch hb;
	ktime_t start;
	int error;

	*crc = 0;
	error = load_init(&load, max_threads);
	if (error)
		goto free;

	pr_info("Using %u thread(s) for %s decompression\n", load.codec.threads,
		hib_comp_algo);
	pr_info("Loading and decompressing image data (%u pages)...\n", nr_to_read);
	hib_init_batch(&hb, bdev);
	start = ktime_get();
	error = load_all(&load, handle, snapshot, &hb, crc);
	/* Pages of the image may be decompressed into, which wait for this. */
	image_codec_stop(&load.codec);
	/* Whatever was needed was waited for. */
	hib_finish_batch(&hb);
	if (!error) {
		pr_info("Image loading done\n");
		error = snapshot_write_finalize(snapshot);
	}
	if (!error && !snapshot_image_loaded(snapshot))
		error = -ENODATA;
	swsusp_show_speed(start, ktime_get(), nr_to_read, "Read");
free:
	load_free(&load);
	return error;
}
