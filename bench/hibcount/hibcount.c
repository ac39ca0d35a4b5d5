// SPDX-License-Identifier: GPL-2.0-only
/*
 * hibcount - clocks and counters around a hibernation image, for make bench
 *
 * While the image is written and read, user space is frozen, and what a kernel
 * counts then is forgotten: after the resume its memory is the snapshot's, and
 * the boot kernel's is overwritten. So this module counts in both and says it
 * on the console at the last moment:
 *
 *	.thaw, the image is next ............ reboot notifier	"write"
 *	PM_RESTORE_PREPARE, in the boot kernel .......... .freeze	"read"
 *
 * The kernel's own "Wrote" and "Read" lines time only a part of that: 7.3 reads
 * all swap map pages before its clock starts, and who writes them last does so
 * after it stopped. These clocks stand outside of all of it. Counts of the read
 * begin earlier, when the boot script says so (parameter reading): finding the
 * signature belongs to it.
 *
 * Parameters, to be written in this order:
 *   swap, disk	the swap device and the disk below it, as major << 20 | minor
 *   level	0: clocks; 1: bios and requests, too; 2: copies, clearing and the
 *		first data page, too. What is not counted is not printed. A level
 *		above 0 slows down what it counts, so times belong to level 0.
 *   reading	a resume is tried next
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/bio.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/reboot.h>
#include <linux/spinlock.h>
#include <linux/suspend.h>
#include <linux/tick.h>
#include <linux/tracepoint.h>

enum phase { QUIET, WRITING, READING };

struct counts {
	u64 bios[2];		/* to the swap device, by direction */
	u64 requests[2];	/* at the disk */
	u64 bytes[2];
	u64 nonseq[2];		/* requests that do not begin where the last one ended */
	u64 flushes;
	u64 copied;		/* bytes: copy_page() */
	u64 cleared;		/* bytes: by the page allocator */
	u64 first_requests;	/* reads issued when the first data page was asked for */
	s64 first_us;
};

static unsigned int swap_dev;
module_param_named(swap, swap_dev, uint, 0644);
MODULE_PARM_DESC(swap, "Swap device, major << 20 | minor");

static unsigned int disk_dev;
module_param_named(disk, disk_dev, uint, 0644);
MODULE_PARM_DESC(disk, "Disk below it, major << 20 | minor");

static DEFINE_SPINLOCK(lock);	/* counts, next_sector */
static struct counts counts;
static sector_t next_sector[2];
static enum phase phase;
static bool restoring;		/* a resume has begun, not only been tried */
static ktime_t started;
static u64 idle_before;
static int level;

/*
 * Of all CPUs since boot. Under QEMU's icount with sleep=off the clock jumps
 * to the next timer when the guest has to wait; only what is not idle means
 * anything there.
 */
static u64 idle_us(void)
{
	u64 sum = 0;
	int cpu;

	for_each_online_cpu(cpu)
		sum += get_cpu_idle_time_us(cpu, NULL) + get_cpu_iowait_time_us(cpu, NULL);
	return sum;
}

static void start_clock(void)
{
	idle_before = idle_us();
	started = ktime_get();
}

static void begin(enum phase what)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	memset(&counts, 0, sizeof(counts));
	next_sector[READ] = (sector_t)-1;
	next_sector[WRITE] = (sector_t)-1;
	phase = what;
	restoring = false;
	spin_unlock_irqrestore(&lock, flags);
	start_clock();
}

static void say(const char *what, int dir)
{
	s64 us = ktime_us_delta(ktime_get(), started);
	char more[256] = "";
	size_t n = 0;

	phase = QUIET;
	if (level >= 1)
		n += scnprintf(more + n, sizeof(more) - n,
			       " bios=%llu requests=%llu bytes=%llu nonseq=%llu flushes=%llu",
			       counts.bios[dir], counts.requests[dir], counts.bytes[dir],
			       counts.nonseq[dir], counts.flushes);
	if (level >= 2)
		n += scnprintf(more + n, sizeof(more) - n, " copied=%llu cleared=%llu",
			       counts.copied, counts.cleared);
	if (counts.first_us)
		n += scnprintf(more + n, sizeof(more) - n, " first_us=%lld first_requests=%llu",
			       counts.first_us, counts.first_requests);
	pr_info("%s us=%lld idle_us=%llu%s\n", what, us, idle_us() - idle_before, more);
}

/* ------------------------------------------------------------------ probes */

static void on_bio(void *data, struct bio *bio)
{
	unsigned long flags;

	if (phase == QUIET || bio->bi_bdev->bd_dev != swap_dev || !bio_has_data(bio) ||
	    (bio_op(bio) != REQ_OP_READ && bio_op(bio) != REQ_OP_WRITE))
		return;
	spin_lock_irqsave(&lock, flags);
	counts.bios[bio_data_dir(bio)]++;
	spin_unlock_irqrestore(&lock, flags);
}

static void on_request(void *data, struct request *rq)
{
	unsigned long flags;
	int dir;

	if (phase == QUIET || !rq->q->disk || disk_devt(rq->q->disk) != disk_dev)
		return;
	spin_lock_irqsave(&lock, flags);
	switch (req_op(rq)) {
	case REQ_OP_FLUSH:
		counts.flushes++;
		break;
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		dir = rq_data_dir(rq);
		counts.requests[dir]++;
		counts.bytes[dir] += blk_rq_bytes(rq);
		counts.nonseq[dir] += blk_rq_pos(rq) != next_sector[dir];
		next_sector[dir] = blk_rq_pos(rq) + blk_rq_sectors(rq);
		break;
	default:
		break;
	}
	spin_unlock_irqrestore(&lock, flags);
}

/* Clearing is inlined; the allocator does all that matters here. */
static void on_page(void *data, struct page *page, unsigned int order, gfp_t gfp, int type)
{
	unsigned long flags;

	if (phase == QUIET || !page || !want_init_on_alloc(gfp))
		return;
	spin_lock_irqsave(&lock, flags);
	counts.cleared += PAGE_SIZE << order;
	spin_unlock_irqrestore(&lock, flags);
}

static struct probe {
	const char *name;
	void *handler;
	int level;
	struct tracepoint *tp;
	bool on;
} probes[] = {
	{ "block_bio_queue", on_bio, 1 },
	{ "block_rq_issue", on_request, 1 },
	{ "mm_page_alloc", on_page, 2 },
};

static int on_copy(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long flags;

	if (phase == QUIET)
		return 0;
	spin_lock_irqsave(&lock, flags);
	counts.copied += PAGE_SIZE;
	spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static struct kprobe copy_probe = { .symbol_name = "copy_page", .pre_handler = on_copy };

/* As in kernel/power/power.h */
struct snapshot_handle {
	unsigned int cur;
	void *buffer;
	int sync_read;
};

/* What was read before the first data page had to be read first. */
static void first_data(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	if (!counts.first_us) {
		counts.first_us = ktime_us_delta(ktime_get(), started);
		counts.first_requests = counts.requests[READ];
	}
	spin_unlock_irqrestore(&lock, flags);
}

/*
 * snapshot_write_next() says where the next page of the image goes. One that
 * need not be waited for is data.
 */
static int next_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(unsigned long *)ri->data = regs_get_kernel_argument(regs, 0);
	return phase != READING || counts.first_us;
}

static int next_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct snapshot_handle *handle = *(struct snapshot_handle **)ri->data;

	if ((int)regs_return_value(regs) > 0 && !handle->sync_read)
		first_data();
	return 0;
}

static struct kretprobe next_probe = {
	.kp.symbol_name = "snapshot_write_next",
	.entry_handler = next_entry,
	.handler = next_return,
	.data_size = sizeof(unsigned long),
};

/* The series reads data before it is asked where that goes; stock has no such thing. */
static int on_ahead(struct kprobe *p, struct pt_regs *regs)
{
	if (phase == READING)
		first_data();
	return 0;
}

static struct kprobe ahead_probe = {
	.symbol_name = "image_prefetch_give",
	.pre_handler = on_ahead,
};

static bool kprobes_on, ahead_on;

static void look_up(struct tracepoint *tp, void *data)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

static void unhook(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].on)
			tracepoint_probe_unregister(probes[i].tp, probes[i].handler, NULL);
		probes[i].on = false;
	}
	tracepoint_synchronize_unregister();
	if (kprobes_on) {
		unregister_kprobe(&copy_probe);
		unregister_kretprobe(&next_probe);
	}
	if (ahead_on)
		unregister_kprobe(&ahead_probe);
	kprobes_on = false;
	ahead_on = false;
	level = 0;
}

static int hook(int new)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (new < probes[i].level)
			continue;
		if (!probes[i].tp) {
			pr_err("no tracepoint %s\n", probes[i].name);
			return -ENOENT;
		}
		ret = tracepoint_probe_register(probes[i].tp, probes[i].handler, NULL);
		if (ret)
			return ret;
		probes[i].on = true;
	}
	if (new < 2)
		return 0;
	/* A probe that was unregistered keeps what registering had filled in. */
	copy_probe.addr = NULL;
	copy_probe.flags = 0;
	next_probe.kp.addr = NULL;
	next_probe.kp.flags = 0;
	ret = register_kprobe(&copy_probe);
	if (ret) {
		pr_err("no probe on copy_page: %d\n", ret);
		return ret;
	}
	ret = register_kretprobe(&next_probe);
	if (ret) {
		pr_err("no probe on snapshot_write_next: %d\n", ret);
		unregister_kprobe(&copy_probe);
		return ret;
	}
	kprobes_on = true;
	ahead_probe.addr = NULL;
	ahead_probe.flags = 0;
	ahead_on = !register_kprobe(&ahead_probe);
	return 0;
}

/* Writing a parameter is serialized by the kernel. */
static int set_level(const char *val, const struct kernel_param *kp)
{
	int new, ret;

	ret = kstrtoint(val, 0, &new);
	if (ret)
		return ret;
	if (new < 0 || new > 2)
		return -EINVAL;
	unhook();
	ret = hook(new);
	if (ret)
		unhook();
	else
		level = new;
	return ret;
}

static const struct kernel_param_ops level_ops = { .set = set_level, .get = param_get_int };
module_param_cb(level, &level_ops, &level, 0644);
MODULE_PARM_DESC(level, "0: clocks, 1: bios and requests, 2: copies and clearing");

static int set_reading(const char *val, const struct kernel_param *kp)
{
	begin(READING);
	return 0;
}

static const struct kernel_param_ops reading_ops = { .set = set_reading };
module_param_cb(reading, &reading_ops, NULL, 0200);
MODULE_PARM_DESC(reading, "A resume is next");

/* ------------------------------------------------------------------ phases */

static int pm_event(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == PM_RESTORE_PREPARE && phase == READING) {
		restoring = true;
		start_clock();
	} else {
		phase = QUIET;
	}
	return NOTIFY_DONE;
}

/* Before all others: what they do is not the image's. */
static struct notifier_block pm_nb = { .notifier_call = pm_event, .priority = INT_MAX };

static int power_off(struct notifier_block *nb, unsigned long event, void *data)
{
	if (phase == WRITING)
		say("write", WRITE);
	return NOTIFY_DONE;
}

static struct notifier_block reboot_nb = { .notifier_call = power_off, .priority = INT_MAX };

/* Both before the snapshot and before the jump into the restored kernel */
static int hibcount_freeze(struct device *dev)
{
	if (phase == READING && restoring)
		say("read", READ);
	return 0;
}

static int hibcount_thaw(struct device *dev)
{
	if (phase == QUIET)
		begin(WRITING);
	return 0;
}

static const struct dev_pm_ops hibcount_pm = {
	.freeze = hibcount_freeze,
	.thaw = hibcount_thaw,
};

static struct platform_driver hibcount_driver = {
	.driver = { .name = KBUILD_MODNAME, .pm = &hibcount_pm, .suppress_bind_attrs = true },
};

static struct platform_device *device;

static int __init hibcount_init(void)
{
	int ret;

	for_each_kernel_tracepoint(look_up, NULL);
	ret = platform_driver_register(&hibcount_driver);
	if (ret)
		return ret;
	device = platform_device_register_simple(KBUILD_MODNAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device)) {
		platform_driver_unregister(&hibcount_driver);
		return PTR_ERR(device);
	}
	ret = register_pm_notifier(&pm_nb);
	if (!ret) {
		ret = register_reboot_notifier(&reboot_nb);
		if (!ret)
			return 0;
		unregister_pm_notifier(&pm_nb);
	}
	platform_device_unregister(device);
	platform_driver_unregister(&hibcount_driver);
	return ret;
}
module_init(hibcount_init);

static void __exit hibcount_exit(void)
{
	unregister_reboot_notifier(&reboot_nb);
	unregister_pm_notifier(&pm_nb);
	unhook();
	platform_device_unregister(device);
	platform_driver_unregister(&hibcount_driver);
}
module_exit(hibcount_exit);

MODULE_DESCRIPTION("Counts what a hibernation image costs");
MODULE_LICENSE("GPL");
