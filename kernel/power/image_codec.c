// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compressing the hibernation image, and the reverse, block by block.
 *
 * A job is a block of UNC_PAGES pages of the image and what they compress to. Up
 * to @depth of them are queued, one more than workers, so that these have work
 * while the task that reads or writes the image is busy with another:
 *
 *	this task:	fill 1 | fill 2 | wait 1, write | fill 3 | wait 2, ...
 *	workers:	       |        1        |        2       |      3
 *
 * The compressor needs its data in one piece, which the pages of the image are
 * not. To map them so costs less than to copy them, by an order of magnitude.
 * They are copied where that is not possible: when there is no memory to map
 * them, where caches would have to be told of the second address, and for pages
 * that are there one at a time only.
 *
 * The image's CRC32 is that of all its blocks in order, but the workers are done
 * with them in any. So each computes that of its own block, and they are put
 * together: to have another block behind it changes each bit of a CRC32 in a way
 * that depends only on the length of that block.
 */

#define pr_fmt(fmt) "PM: " fmt

#include <crypto/acompress.h>
#include <linux/bitops.h>
#include <linux/cacheflush.h>
#include <linux/cacheinfo.h>
#include <linux/cpumask.h>
#include <linux/crc32.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "power.h"
#include "image_codec.h"

static void crc_init(struct image_codec *codec)
{
	void *zeroes = page_address(ZERO_PAGE(0));

	for (unsigned int i = 0; i < 32; i++)
		codec->crc_page[i] = crc32_le(BIT(i), zeroes, PAGE_SIZE);
}

/* What becomes of @crc when @pages pages follow that have a CRC32 of 0. */
static u32 crc_advance(const struct image_codec *codec, u32 crc, unsigned int pages)
{
	u32 next;

	while (pages--) {
		next = 0;
		for (unsigned int i = 0; crc; i++, crc >>= 1)
			if (crc & 1)
				next ^= codec->crc_page[i];
		crc = next;
	}
	return crc;
}

/*
 * The pages of the job in one piece, or NULL.
 *
 * Of the memory that the image has left hardly anything can be reclaimed: to wait
 * for a page table would be to wait for long, or for ever. So it comes from the
 * reserves. It is little, as @depth blocks are mapped at a time; if there is none
 * at all, that costs a copy and a warning.
 */
static void *job_map(struct image_job *job)
{
	unsigned int flags;
	void *map;

	if (!job->nr || cpu_dcache_is_aliasing())
		return NULL;
	flags = memalloc_noreclaim_save();
	map = vm_map_ram(job->page, job->nr, NUMA_NO_NODE);
	memalloc_noreclaim_restore(flags);
	return map;
}

static void job_compress(struct image_job *job)
{
	void *map = job_map(job), *data = map ?: job->unc;

	if (job->nr && !map) {
		for (unsigned int i = 0; i < job->nr; i++)
			copy_page(job->unc + i * PAGE_SIZE, page_address(job->page[i]));
	}

	acomp_request_set_src_nondma(job->req, data, job->unc_len);
	acomp_request_set_dst_nondma(job->req, job->cmp + CMP_HEADER,
				     CMP_SIZE - CMP_HEADER);
	job->error = crypto_acomp_compress(job->req);
	job->cmp_len = job->req->dlen;
	job->crc = crc32_le(0, data, job->unc_len);

	if (map)
		vm_unmap_ram(map, job->nr);
}

static void job_decompress(struct image_job *job)
{
	void *map = job_map(job), *data = map ?: job->unc;

	acomp_request_set_src_nondma(job->req, job->cmp + CMP_HEADER, job->cmp_len);
	acomp_request_set_dst_nondma(job->req, data,
				     job->nr ? job->nr * PAGE_SIZE : UNC_SIZE);
	job->error = crypto_acomp_decompress(job->req);
	job->unc_len = job->error ? 0 : job->req->dlen;

	/*
	 * The pages may be where they belong, in which case some architectures
	 * need them cleaned before they can be executed.
	 */
	flush_icache_range((unsigned long)data, (unsigned long)data + job->unc_len);
	job->crc = crc32_le(0, data, job->unc_len);

	if (map) {
		vm_unmap_ram(map, job->nr);
		return;
	}
	for (unsigned int i = 0; i < job->nr; i++) {
		void *addr = page_address(job->page[i]);

		copy_page(addr, job->unc + i * PAGE_SIZE);
		flush_icache_range((unsigned long)addr, (unsigned long)addr + PAGE_SIZE);
	}
}

static void job_work(struct work_struct *work)
{
	struct image_job *job = container_of(work, struct image_job, work);

	acomp_request_set_callback(job->req, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
	if (job->codec->decompress)
		job_decompress(job);
	else
		job_compress(job);
}

/**
 * image_codec_init() - get ready to compress or decompress
 * @codec: is set; to be freed on errors as well
 * @decompress: which of the two
 * @max_threads: so many jobs at the same time at most
 *
 * Return: 0, -EFAULT if there is no such compressor, or -ENOMEM.
 */
int image_codec_init(struct image_codec *codec, bool decompress,
		     unsigned int max_threads)
{
	memset(codec, 0, sizeof(*codec));
	codec->decompress = decompress;
	/* The threads are limited to limit memory footprint. */
	codec->threads = clamp_val(num_online_cpus() - 1, 1, max_threads);
	codec->depth = codec->threads + 1;
	crc_init(codec);

	codec->tfm = crypto_alloc_acomp(hib_comp_algo, 0, CRYPTO_ALG_ASYNC);
	if (IS_ERR_OR_NULL(codec->tfm)) {
		pr_err("Could not allocate comp stream %pe\n", codec->tfm);
		codec->tfm = NULL;
		return -EFAULT;
	}

	/* Not freezable: all else is frozen. */
	codec->wq = alloc_workqueue("image_codec", WQ_UNBOUND | WQ_MEM_RECLAIM,
				    codec->threads);
	codec->unc = vmalloc_array(codec->depth, UNC_SIZE);
	if (!codec->wq || !codec->unc) {
		pr_err("Failed to allocate %s data\n", hib_comp_algo);
		return -ENOMEM;
	}
	return 0;
}

/**
 * image_codec_stop() - wait for the jobs that are queued
 * @codec: the codec, none can be queued after this
 */
void image_codec_stop(struct image_codec *codec)
{
	if (codec->wq)
		destroy_workqueue(codec->wq);
	codec->wq = NULL;
}

/**
 * image_codec_free() - free what image_codec_init() has allocated
 * @codec: the codec; its jobs have been freed
 */
void image_codec_free(struct image_codec *codec)
{
	image_codec_stop(codec);
	vfree(codec->unc);
	codec->unc = NULL;
	if (codec->tfm)
		crypto_free_acomp(codec->tfm);
	codec->tfm = NULL;
}

/**
 * image_job_init() - make a job
 * @job: is set, but for its @cmp
 * @codec: what is going to do it
 *
 * Return: 0 or -ENOMEM.
 */
int image_job_init(struct image_job *job, struct image_codec *codec)
{
	INIT_WORK(&job->work, job_work);
	job->codec = codec;
	job->req = acomp_request_alloc(codec->tfm);
	return job->req ? 0 : -ENOMEM;
}

/**
 * image_job_free() - free what image_job_init() has allocated
 * @job: the job, which is not queued; one that is all zeroes has nothing
 */
void image_job_free(struct image_job *job)
{
	acomp_request_free(job->req);
	job->req = NULL;
}

/**
 * image_job_begin() - have a job that nobody works at ready to be filled
 * @job: the job
 * @seq: how many have begun before it
 */
void image_job_begin(struct image_job *job, unsigned int seq)
{
	job->unc = job->codec->unc + seq % job->codec->depth * UNC_SIZE;
	job->unc_len = 0;
	job->nr = 0;
}

/**
 * image_job_queue() - give a job to the workers
 * @job: the job
 */
void image_job_queue(struct image_job *job)
{
	queue_work(job->codec->wq, &job->work);
}

static const char *job_check(const struct image_job *job)
{
	if (!job->codec->decompress)
		return job->cmp_len && job->cmp_len <= CMP_WORST ? NULL : "compressed";
	if (!job->unc_len || job->unc_len > UNC_SIZE || job->unc_len % PAGE_SIZE)
		return "uncompressed";
	/* Fewer than it was to fill */
	return job->nr && job->nr != job->unc_len / PAGE_SIZE ? "uncompressed" : NULL;
}

/**
 * image_job_wait() - wait for a job that was queued
 * @job: the job
 * @crc: CRC32 of the blocks before it, is set to that with this one
 *
 * Return: 0 or an error.
 * Context: Sleeps.
 */
int image_job_wait(struct image_job *job, u32 *crc)
{
	const char *what;

	flush_work(&job->work);
	if (job->error) {
		pr_err("%s %scompression failed\n", hib_comp_algo,
		       job->codec->decompress ? "de" : "");
		return job->error < 0 ? job->error : -EIO;
	}
	what = job_check(job);
	if (what) {
		pr_err("Invalid %s %s length\n", hib_comp_algo, what);
		return -EINVAL;
	}

	*crc = crc_advance(job->codec, *crc, job->unc_len / PAGE_SIZE) ^ job->crc;
	return 0;
}
