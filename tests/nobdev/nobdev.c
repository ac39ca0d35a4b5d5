// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file system with one file, "swap", that can be swapped to and has no block
 * device: what NFS and SMB are to swapon, without a network. The file's contents
 * lie in kernel memory, so they are part of a hibernation image, and swap on it
 * holds after a resume. For linux-7.3 (swap_ops).
 */

#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/swap_ops.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

#define NOBDEV_MAGIC	0x6e6f6264

static unsigned int mib = 32;
module_param(mib, uint, 0444);
MODULE_PARM_DESC(mib, "size of the file");

static u8 *store;
static size_t store_size;

static void nobdev_submit(struct swap_io_ctx *ctx, int rw)
{
	struct swap_iocb *sio = ctx->sio;
	struct iov_iter iter;
	size_t len = sio->len, done = 0;
	loff_t pos;

	swap_fs_prepare_rw(ctx, rw, &iter);
	pos = sio->iocb.ki_pos;
	if (pos + len <= store_size) {
		if (rw == WRITE)
			done = copy_from_iter(store + pos, len, &iter);
		else
			done = copy_to_iter(store + pos, len, &iter);
	}
	sio->iocb.ki_complete(&sio->iocb, done == len ? len : -EIO);
}

static void nobdev_submit_write(struct swap_io_ctx *ctx)
{
	nobdev_submit(ctx, WRITE);
}

static void nobdev_submit_read(struct swap_io_ctx *ctx)
{
	nobdev_submit(ctx, READ);
}

static const struct swap_ops nobdev_swap_ops = {
	.submit_write	= nobdev_submit_write,
	.submit_read	= nobdev_submit_read,
	.can_merge	= swap_fs_can_merge,
};

static int nobdev_swap_activate(struct swap_info_struct *sis, struct file *file, sector_t *span)
{
	*span = sis->pages;
	return swap_fs_activate(sis, &nobdev_swap_ops);
}

static void nobdev_swap_deactivate(struct file *file)
{
}

/* swapon reads the header through the page cache */
static int nobdev_read_folio(struct file *file, struct folio *folio)
{
	loff_t pos = folio_pos(folio);
	size_t len = folio_size(folio);

	if (pos + len <= store_size)
		memcpy_to_folio(folio, 0, store + pos, len);
	else
		folio_zero_range(folio, 0, len);
	folio_end_read(folio, true);
	return 0;
}

static const struct address_space_operations nobdev_aops = {
	.read_folio		= nobdev_read_folio,
	.dirty_folio		= noop_dirty_folio,
	.swap_activate		= nobdev_swap_activate,
	.swap_deactivate	= nobdev_swap_deactivate,
};

static ssize_t nobdev_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	size_t n;

	if (iocb->ki_pos >= store_size)
		return 0;
	n = copy_to_iter(store + iocb->ki_pos,
			 min(iov_iter_count(to), store_size - (size_t)iocb->ki_pos), to);
	iocb->ki_pos += n;
	return n;
}

static ssize_t nobdev_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;
	size_t n;

	if (iocb->ki_pos >= store_size)
		return -ENOSPC;
	n = copy_from_iter(store + iocb->ki_pos,
			   min(iov_iter_count(from), store_size - (size_t)iocb->ki_pos), from);
	iocb->ki_pos += n;
	invalidate_mapping_pages(mapping, 0, -1);
	return n;
}

static const struct file_operations nobdev_fops = {
	.llseek		= generic_file_llseek,
	.read_iter	= nobdev_read_iter,
	.write_iter	= nobdev_write_iter,
	.fsync		= noop_fsync,
};

static int nobdev_fill_super(struct super_block *sb, struct fs_context *fc)
{
	static const struct tree_descr files[] = {
		[2] = { "swap", &nobdev_fops, 0600 },
		{ "" }
	};
	struct qstr name = QSTR("swap");
	struct dentry *dentry;
	struct inode *inode;
	int ret;

	ret = simple_fill_super(sb, NOBDEV_MAGIC, files);
	if (ret)
		return ret;
	name.hash = full_name_hash(sb->s_root, name.name, name.len);
	dentry = d_lookup(sb->s_root, &name);
	if (!dentry)
		return -ENOENT;
	inode = d_inode(dentry);
	inode->i_mapping->a_ops = &nobdev_aops;
	i_size_write(inode, store_size);
	inode_set_bytes(inode, store_size);
	dput(dentry);
	return 0;
}

static int nobdev_get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, nobdev_fill_super);
}

static const struct fs_context_operations nobdev_context_ops = {
	.get_tree	= nobdev_get_tree,
};

static int nobdev_init_fs_context(struct fs_context *fc)
{
	fc->ops = &nobdev_context_ops;
	return 0;
}

static struct file_system_type nobdev_type = {
	.owner			= THIS_MODULE,
	.name			= "nobdev",
	.init_fs_context	= nobdev_init_fs_context,
	.kill_sb		= kill_anon_super,
};

static int __init nobdev_init(void)
{
	int ret;

	store_size = (size_t)mib << 20;
	store = vzalloc(store_size);
	if (!store)
		return -ENOMEM;
	ret = register_filesystem(&nobdev_type);
	if (ret)
		vfree(store);
	return ret;
}

static void __exit nobdev_exit(void)
{
	unregister_filesystem(&nobdev_type);
	vfree(store);
}

module_init(nobdev_init);
module_exit(nobdev_exit);
MODULE_DESCRIPTION("a file to swap to, without a block device");
MODULE_LICENSE("GPL");
