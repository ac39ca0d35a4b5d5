/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compressing the hibernation image, and the reverse, block by block.
 */
#ifndef _KERNEL_POWER_IMAGE_CODEC_H
#define _KERNEL_POWER_IMAGE_CODEC_H

#include <linux/align.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "image_io.h"

struct acomp_req;
struct block_device;
struct crypto_acomp;
struct snapshot_handle;
struct swap_map_handle;

/* We need to remember how much compressed data we need to read. */
#define CMP_HEADER	sizeof(size_t)

/* Number of pages/bytes we'll compress at one time. */
#define UNC_PAGES	32
#define UNC_SIZE	(UNC_PAGES * PAGE_SIZE)

/*
 * Bytes we need for compressed data in worst case. We assume(limitation)
 * this is the worst of all the compression algorithms.
 */
#define CMP_WORST	(UNC_SIZE + UNC_SIZE / 16 + 64 + 3 + 2)

/* Number of pages we need for compressed data (worst case). */
#define CMP_PAGES	DIV_ROUND_UP(CMP_WORST + CMP_HEADER, PAGE_SIZE)
#define CMP_SIZE	(CMP_PAGES * PAGE_SIZE)

/**
 * struct image_job - one block of the image
 * @work:	what a worker does with it
 * @codec:	what it belongs to
 * @req:	for the compressor
 * @page:	the pages that are compressed or decompressed into
 * @nr:		how many pages; 0: the data is in @unc
 * @unc:	UNC_SIZE bytes, where the data is if it cannot be in @page
 * @unc_len:	size of the data; that of the result when decompressing
 * @cmp:	compressed data, behind CMP_HEADER
 * @cmp_len:	size of it, without the header
 * @crc:	CRC32 of the data, begun with 0
 * @error:	the compressor's
 */
struct image_job {
	struct work_struct	work;
	struct image_codec	*codec;
	struct acomp_req	*req;
	struct page		*page[UNC_PAGES];
	unsigned int		nr;
	void			*unc;
	size_t			unc_len;
	void			*cmp;
	size_t			cmp_len;
	u32			crc;
	int			error;
};

/**
 * struct image_codec - the workers and what they need
 * @decompress:	what they do
 * @threads:	how many work at the same time
 * @depth:	how many jobs may be queued and not waited for
 * @wq:		the workers
 * @tfm:	the compressor
 * @unc:	a buffer for each of @depth jobs
 * @crc_page:	what a page of zeroes does to each bit of a CRC32
 */
struct image_codec {
	bool			decompress;
	unsigned int		threads;
	unsigned int		depth;
	struct workqueue_struct	*wq;
	struct crypto_acomp	*tfm;
	void			*unc;
	u32			crc_page[32];
};

/* image_codec.c */
int image_codec_init(struct image_codec *codec, bool decompress,
		     unsigned int max_threads);
void image_codec_stop(struct image_codec *codec);
void image_codec_free(struct image_codec *codec);
int image_job_init(struct image_job *job, struct image_codec *codec);
void image_job_free(struct image_job *job);
void image_job_begin(struct image_job *job, unsigned int seq);
void image_job_queue(struct image_job *job);
int image_job_wait(struct image_job *job, u32 *crc);

/* image_compress.c, image_decompress.c */
int image_save_compressed(struct swap_map_handle *handle,
			  struct snapshot_handle *snapshot,
			  unsigned int nr_to_write, struct block_device *bdev,
			  unsigned int max_threads, u32 *crc);
int image_load_compressed(struct swap_map_handle *handle,
			  struct snapshot_handle *snapshot,
			  unsigned int nr_to_read, struct block_device *bdev,
			  unsigned int max_threads, u32 *crc);

/* In swap.c */
int swap_write_page(struct swap_map_handle *handle, void *buf,
		    struct hib_bio_batch *hb, enum hib_page_owner owner);
void swap_writer_prepared(struct swap_map_handle *handle);
bool swap_reader_at_end(const struct swap_map_handle *handle);

#endif /* _KERNEL_POWER_IMAGE_CODEC_H */
