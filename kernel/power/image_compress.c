// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing the hibernation image compressed.
 *
 * The compressor writes straight into the pages that go to the disk. Each job has
 * its own, mapped in one piece for the compressor, and takes its next block when
 * they have been written. So there are more jobs than work at the same time: as
 * many as keep the disk busy, if there is memory for them.
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

#define SAVE_MAX_JOBS	64

/**
 * struct save_job - a block, and the pages that its compressed data is written from
 * @job:	the block
 * @page:	the pages, @job.cmp is what they are mapped at
 * @writing:	how many of them are being written
 */
struct save_job {
	struct image_job	job;
	struct page		*page[CMP_PAGES];
	atomic_t		writing;
};

struct save {
	struct image_codec	codec;
	struct save_job		*jobs;
	unsigned int		nr_jobs;
	unsigned int		nr_pages;	/* of the image that were read */
	unsigned int		step;		/* of the progress */
	u64			compressed;
};

static void save_job_free(struct save_job *s)
{
	vunmap(s->job.cmp);
	for (unsigned int i = 0; i < CMP_PAGES && s->page[i]; i++) {
		set_page_private(s->page[i], 0);
		__free_page(s->page[i]);
	}
	image_job_free(&s->job);
}

static int save_job_init(struct save_job *s, struct image_codec *codec, gfp_t gfp)
{
	if (image_job_init(&s->job, codec))
		goto free;
	for (unsigned int i = 0; i < CMP_PAGES; i++) {
		s->page[i] = alloc_page(gfp);
		if (!s->page[i])
			goto free;
		/* hib_add_page() counts it down there */
		set_page_private(s->page[i], (unsigned long)&s->writing);
	}
	s->job.cmp = vmap(s->page, CMP_PAGES, VM_MAP, PAGE_KERNEL);
	if (s->job.cmp)
		return 0;
free:
	save_job_free(s);
	return -ENOMEM;
}

static void save_free(struct save *save)
{
	image_codec_stop(&save->codec);
	while (save->nr_jobs)
		save_job_free(&save->jobs[--save->nr_jobs]);
	kvfree(save->jobs);
	image_codec_free(&save->codec);
}

/* As many jobs as must be, more if they leave three quarters of what is free. */
static int save_init(struct save *save, unsigned int max_threads)
{
	unsigned long most;
	int error;

	error = image_codec_init(&save->codec, false, max_threads);
	if (error)
		return error;

	most = (nr_free_pages() - nr_free_highpages()) / CMP_PAGES / 4;
	most = min(most, SAVE_MAX_JOBS);
	most = max(most, save->codec.depth);
	save->jobs = kvcalloc(most, sizeof(*save->jobs), GFP_KERNEL);
	while (save->jobs && save->nr_jobs < most) {
		gfp_t gfp = GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY;

		if (save->nr_jobs < save->codec.depth)
			gfp = GFP_NOIO | __GFP_HIGH;
		if (save_job_init(&save->jobs[save->nr_jobs], &save->codec, gfp))
			break;
		save->nr_jobs++;
	}
	/* With fewer there is less at a time, but nothing is lost. */
	save->codec.depth = min(save->codec.depth, save->nr_jobs);
	if (save->nr_jobs)
		return 0;

	pr_err("Failed to allocate %s data\n", hib_comp_algo);
	return -ENOMEM;
}

/*
 * Take the next block of the image. Returns how many pages it has, fewer than
 * UNC_PAGES at the end, or an error.
 */
static int save_fill(struct save *save, struct image_job *job,
		     struct snapshot_handle *snapshot)
{
	bool mapped = !cpu_dcache_is_aliasing();
	unsigned int n;

	for (n = 0; n < UNC_PAGES; n++) {
		int ret = snapshot_read_next(snapshot);
		void *data;

		if (ret < 0)
			return ret;
		if (!ret)
			break;

		if (save->nr_pages % save->step == 0)
			pr_info("Image saving progress: %3d%%\n",
				save->nr_pages / save->step * 10);
		save->nr_pages++;

		/* A page that will be another one next time: copy all of them */
		data = data_of(*snapshot);
		for (; mapped && !snapshot->stable && job->nr; job->nr--)
			copy_page(job->unc + (job->nr - 1) * PAGE_SIZE,
				  page_address(job->page[job->nr - 1]));
		mapped = mapped && snapshot->stable;
		if (mapped)
			job->page[job->nr++] = virt_to_page(data);
		else
			copy_page(job->unc + n * PAGE_SIZE, data);
	}
	job->unc_len = n * PAGE_SIZE;
	return n;
}

/* Write what a job has compressed. */
static int save_finish(struct save *save, struct save_job *s,
		       struct swap_map_handle *handle, struct hib_bio_batch *hb,
		       u32 *crc)
{
	struct image_job *job = &s->job;
	unsigned int i, nr;
	int error;

	error = image_job_wait(job, crc);
	if (error)
		return error;

	save->compressed += job->cmp_len;
	*(size_t *)job->cmp = job->cmp_len;
	nr = DIV_ROUND_UP(CMP_HEADER + job->cmp_len, PAGE_SIZE);
	flush_kernel_vmap_range(job->cmp, nr * PAGE_SIZE);

	/*
	 * The last page will likely not be full. The length of the compressed
	 * data is saved, so any garbage behind it is discarded when it is read.
	 */
	for (i = 0; i < nr; i++) {
		error = swap_write_page(handle, page_address(s->page[i]), hb,
					HIB_PAGE_COUNTED);
		if (error)
			return error;
	}
	hib_kick_batch(hb);
	return 0;
}

static int save_all(struct save *save, struct swap_map_handle *handle,
		    struct snapshot_handle *snapshot, struct hib_bio_batch *hb,
		    u32 *crc)
{
	unsigned int begun = 0, done = 0;
	bool end = false;
	int ret;

	for (;;) {
		struct save_job *s;

		if (begun - done == save->codec.depth || (end && begun != done)) {
			s = &save->jobs[done++ % save->nr_jobs];
			ret = save_finish(save, s, handle, hb, crc);
			if (ret)
				return ret;
			continue;
		}
		if (end)
			return 0;

		s = &save->jobs[begun % save->nr_jobs];
		ret = hib_wait_counted(hb, &s->writing);
		if (ret)
			return ret;
		image_job_begin(&s->job, begun);
		ret = save_fill(save, &s->job, snapshot);
		if (ret < 0)
			return ret;
		end = ret < UNC_PAGES;
		if (!ret)
			continue;
		image_job_queue(&s->job);
		begun++;
	}
}

/**
 * image_save_compressed() - write the pages of the image compressed
 * @handle: where to write them
 * @snapshot: the image, behind its first page
 * @nr_to_write: how many they are
 * @bdev: the device
 * @max_threads: so many may compress at the same time
 * @crc: set to the CRC32 of the data
 *
 * Return: 0 or an error.
 * Context: Sleeps until it is written.
 */
int image_save_compressed(struct swap_map_handle *handle,
			  struct snapshot_handle *snapshot,
			  unsigned int nr_to_write, struct block_device *bdev,
			  unsigned int max_threads, u32 *crc)
{
	struct save save = { .step = max(nr_to_write / 10, 1U) };
	struct hib_bio_batch hb;
	ktime_t start;
	int error, err2;

	*crc = 0;
	error = save_init(&save, max_threads);
	if (error)
		goto free;

	pr_info("Using %u thread(s) for %s compression\n", save.codec.threads,
		hib_comp_algo);
	pr_info("Compressing and saving image data (%u pages)...\n", nr_to_write);
	swap_writer_prepared(handle);
	hib_init_batch(&hb, bdev);
	start = ktime_get();
	error = save_all(&save, handle, snapshot, &hb, crc);
	err2 = hib_finish_batch(&hb);
	error = error ?: err2;
	if (!error) {
		swsusp_show_speed(start, ktime_get(), nr_to_write, "Wrote");
		pr_info("Image size after compression: %llu kbytes\n",
			save.compressed / 1024);
		pr_info("Image saving done\n");
	} else {
		pr_err("Image saving failed: %d\n", error);
	}
free:
	save_free(&save);
	return error;
}
