// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmd - run one guest through its power-offs
 *
 * Starts QEMU, serves the guest's requests on its second serial port, and
 * starts QEMU again with the same arguments after each power-off, until the
 * guest says that it is done or the time is up. tests/vm/vm prepares the
 * arguments; the protocol is described in tests/vm/README.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	EXIT_OK		= 0,
	EXIT_GUEST	= 1,	/* the guest said fail, or never said anything */
	EXIT_USAGE	= 2,
	EXIT_TIME	= 3,
	EXIT_HOST	= 5,	/* QEMU or the host failed */
};

#define QMP_TIMEOUT_MS	60000
#define QUIT_TIMEOUT_MS	60000

/* A line reader over a file descriptor. */
struct lines {
	int fd;
	size_t len;
	bool eof;
	char buf[262144];
};

static struct lines qmp_in, chan_in;
static int qmp_out = -1;
static pid_t qemu_pid;
static volatile sig_atomic_t stop_signal;
static const char *out_dir = ".";
static int boot, max_boots = 2;
static uint64_t deadline_ms, boot_start;
static bool shut_down, shut_down_is_reset;

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("vm: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

static void kill_qemu(void)
{
	if (qemu_pid > 0) {
		kill(qemu_pid, SIGKILL);
		waitpid(qemu_pid, NULL, 0);
		qemu_pid = 0;
	}
}

static void finish(int code) __attribute__((noreturn));
static void finish(int code)
{
	kill_qemu();
	exit(code);
}

static void append(const char *file, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void append(const char *file, const char *fmt, ...)
{
	char path[4096];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", out_dir, file);
	f = fopen(path, "a");
	if (!f) {
		say("cannot write %s: %s", path, strerror(errno));
		finish(EXIT_HOST);
	}
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	if (fclose(f)) {
		say("cannot write %s: %s", path, strerror(errno));
		finish(EXIT_HOST);
	}
}

static void check_stop(void)
{
	if (stop_signal) {
		say("stopped by signal %d", (int)stop_signal);
		finish(128 + stop_signal);
	}
	if (now_ms() >= deadline_ms) {
		say("time limit reached in boot %d", boot);
		append("results", "host.outcome=time limit in boot %d\n", boot);
		finish(EXIT_TIME);
	}
}

/*
 * Takes the next complete line into @line. Returns false when there is none
 * yet. A line longer than the buffer is handed out in pieces.
 */
static bool take_line(struct lines *l, char *line, size_t size)
{
	char *nl = memchr(l->buf, '\n', l->len);
	size_t len, used;

	if (nl)
		used = nl - l->buf + 1;
	else if (l->len == sizeof(l->buf))
		used = l->len;
	else
		return false;

	len = used;
	while (len && (l->buf[len - 1] == '\n' || l->buf[len - 1] == '\r'))
		len--;
	if (len >= size)
		len = size - 1;
	memcpy(line, l->buf, len);
	line[len] = '\0';
	memmove(l->buf, l->buf + used, l->len - used);
	l->len -= used;
	return true;
}

static void fill(struct lines *l)
{
	ssize_t n = read(l->fd, l->buf + l->len, sizeof(l->buf) - l->len);

	if (n > 0)
		l->len += n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		l->eof = true;
}

/* Writes to a descriptor that may be full, but never waits for ever. */
static bool put(int fd, const char *text)
{
	uint64_t until = now_ms() + QMP_TIMEOUT_MS;
	size_t len = strlen(text);

	while (len) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		check_stop();
		if (now_ms() > until)
			return false;
		poll(&p, 1, 200);
	}
	return true;
}

static void see_event(const char *line)
{
	if (strstr(line, "\"event\": \"SHUTDOWN\"")) {
		shut_down = true;
		shut_down_is_reset = strstr(line, "guest-reset") ||
				     strstr(line, "guest-panic");
	}
}

/* Sends a QMP command and puts the answer's line into @answer. */
static bool qmp(const char *command, char *answer, size_t size)
{
	uint64_t until = now_ms() + QMP_TIMEOUT_MS;

	if (!put(qmp_out, command) || !put(qmp_out, "\n"))
		return false;
	for (;;) {
		struct pollfd p = { .fd = qmp_in.fd, .events = POLLIN };

		while (take_line(&qmp_in, answer, size)) {
			if (!strncmp(answer, "{\"return\"", 9))
				return true;
			if (!strncmp(answer, "{\"error\"", 8)) {
				say("QEMU refuses %s: %s", command, answer);
				return true;
			}
			see_event(answer);
		}
		if (qmp_in.eof)
			return false;
		check_stop();
		if (now_ms() > until) {
			say("QEMU does not answer");
			return false;
		}
		if (poll(&p, 1, 200) > 0)
			fill(&qmp_in);
	}
}

/* Runs a command of the human monitor; its output replaces @out. */
static bool hmp(const char *command, char *out, size_t size)
{
	char cmd[1024], *from, *to;
	const char *c;
	size_t n;

	n = snprintf(cmd, sizeof(cmd),
		     "{\"execute\": \"human-monitor-command\", \"arguments\": {\"command-line\": \"");
	for (c = command; *c && n < sizeof(cmd) - 8; c++) {
		if (*c == '"' || *c == '\\')
			cmd[n++] = '\\';
		cmd[n++] = *c;
	}
	snprintf(cmd + n, sizeof(cmd) - n, "\"}}");
	if (!qmp(cmd, out, size))
		return false;

	/* {"return": "text\r\n"}: undo the escapes in place. */
	from = strstr(out, ": \"");
	if (!from) {
		out[0] = '\0';
		return true;
	}
	from += 3;
	for (to = out; *from && *from != '"'; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'n')
			*to++ = '\n';
		else if (*from == 't')
			*to++ = '\t';
		else if (*from == 'r')
			continue;
		else if (*from == '\0')
			break;
		else
			*to++ = *from;
	}
	*to = '\0';
	return true;
}

static unsigned long long field(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/*
 * CPU time that QEMU has used so far: says what a guest's work cost even on a
 * machine that is busy with other things.
 */
static void snapshot_cpu(const char *label)
{
	unsigned long user = 0, sys = 0;
	char path[64], line[1024], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)qemu_pid);
	f = fopen(path, "r");
	if (f && fgets(line, sizeof(line), f)) {
		p = strrchr(line, ')');
		if (p)
			sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			       &user, &sys);
	}
	if (f)
		fclose(f);
	append("cpu", "%s %d %.2f %.2f\n", label, boot,
	       (double)(user + sys) / sysconf(_SC_CLK_TCK), (now_ms() - boot_start) / 1000.0);
}

/* One line per disk into the stats file. */
static void snapshot_stats(const char *label)
{
	static char out[262144];
	char *line, *save = NULL;

	snapshot_cpu(label);
	if (!hmp("info blockstats", out, sizeof(out))) {
		say("no block statistics (%s)", label);
		finish(EXIT_HOST);
	}
	for (line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');

		if (!colon || !strstr(colon, "rd_bytes="))
			continue;
		*colon++ = '\0';
		append("stats", "%s %d %s %llu %llu %llu %llu %llu\n", label, boot, line,
		       field(colon, " rd_operations="), field(colon, "rd_bytes="),
		       field(colon, " wr_operations="), field(colon, "wr_bytes="),
		       field(colon, " flush_operations="));
	}
}

static void start_qemu(int argc, char **argv)
{
	int in[2], out[2], chan[2], err, i, n = 0;
	static char console[4096], channel[64], errlog[4096];
	char **args = calloc(argc + 16, sizeof(*args));

	/* in[1] -> QEMU's stdin, QEMU's stdout -> out[0] */
	if (!args || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, chan)) {
		say("cannot set up pipes: %s", strerror(errno));
		finish(EXIT_HOST);
	}

	for (i = 0; i < argc; i++) {
		char *at = strstr(argv[i], "@BOOT@");

		args[n] = argv[i];
		if (at && asprintf(&args[n], "%.*s%d%s", (int)(at - argv[i]), argv[i],
				   boot, at + 6) < 0)
			finish(EXIT_HOST);
		n++;
	}
	snprintf(console, sizeof(console), "file,id=console,append=on,path=%s/console.log",
		 out_dir);
	snprintf(channel, sizeof(channel), "socket,id=channel,fd=%d", chan[1]);
	args[n++] = "-chardev";
	args[n++] = console;
	args[n++] = "-serial";
	args[n++] = "chardev:console";
	args[n++] = "-chardev";
	args[n++] = channel;
	args[n++] = "-serial";
	args[n++] = "chardev:channel";
	args[n++] = "-qmp";
	args[n++] = "stdio";
	args[n++] = "-no-shutdown";
	args[n++] = "-no-reboot";
	args[n] = NULL;

	append("console.log", "\n======== boot %d ========\n", boot);
	snprintf(errlog, sizeof(errlog), "%s/qemu.log", out_dir);

	qemu_pid = fork();
	if (qemu_pid < 0) {
		say("cannot fork: %s", strerror(errno));
		qemu_pid = 0;
		finish(EXIT_HOST);
	}
	if (!qemu_pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		err = open(errlog, O_WRONLY | O_CREAT | O_APPEND, 0644);
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (err >= 0)
			dup2(err, 2);
		fcntl(chan[1], F_SETFD, 0);
		/* A ^C on the terminal is for vmd, which then stops QEMU. */
		setpgid(0, 0);
		signal(SIGPIPE, SIG_DFL);
		execvp(args[0], args);
		fprintf(stderr, "cannot run %s: %s\n", args[0], strerror(errno));
		_exit(127);
	}
	free(args);
	close(in[0]);
	close(out[1]);
	close(chan[1]);
	qmp_out = in[1];
	qmp_in = (struct lines){ .fd = out[0] };
	chan_in = (struct lines){ .fd = chan[0] };
	fcntl(qmp_out, F_SETFL, O_NONBLOCK);
	fcntl(qmp_in.fd, F_SETFL, O_NONBLOCK);
	fcntl(chan_in.fd, F_SETFL, O_NONBLOCK);
	shut_down = shut_down_is_reset = false;
}

/* Ends QEMU in an orderly way, so that its block layer is flushed. */
static void quit_qemu(bool kill_now)
{
	uint64_t until = now_ms() + QUIT_TIMEOUT_MS;

	if (kill_now)
		kill(qemu_pid, SIGKILL);
	else
		put(qmp_out, "{\"execute\": \"quit\"}\n");
	while (qemu_pid > 0) {
		pid_t pid = waitpid(qemu_pid, NULL, WNOHANG);

		if (pid == qemu_pid || (pid < 0 && errno == ECHILD)) {
			qemu_pid = 0;
			break;
		}
		if (now_ms() > until) {
			say("QEMU does not quit: killed");
			kill_qemu();
			break;
		}
		usleep(20000);
		/* Nobody reads what it still says; keep the pipe empty. */
		qmp_in.len = 0;
		fill(&qmp_in);
	}
	close(qmp_out);
	close(qmp_in.fd);
	close(chan_in.fd);
}

enum verdict { GO_ON, POWER_CUT, DONE_OK, DONE_FAIL };

static enum verdict serve(char *line)
{
	static char out[262144];
	char *rest = strchr(line, ' '), *value;
	char answer[64];

	if (rest)
		*rest++ = '\0';
	else
		rest = "";

	if (!strcmp(line, "result")) {
		value = strchr(rest, ' ');
		if (value)
			*value++ = '\0';
		append("results", "%s=%s\n", rest, value ? value : "");
		put(chan_in.fd, "ok\n");
	} else if (!strcmp(line, "stat")) {
		snapshot_stats(*rest ? rest : "stat");
		put(chan_in.fd, "ok\n");
	} else if (!strcmp(line, "boot")) {
		snprintf(answer, sizeof(answer), "ok %d\n", boot);
		put(chan_in.fd, answer);
	} else if (!strcmp(line, "hmp")) {
		if (!hmp(rest, out, sizeof(out)))
			finish(EXIT_HOST);
		append("hmp.log", "# boot %d: %s\n%s", boot, rest, out);
		put(chan_in.fd, "ok\n");
	} else if (!strcmp(line, "powercut")) {
		return POWER_CUT;
	} else if (!strcmp(line, "finish")) {
		bool ok = !strncmp(rest, "ok", 2) && (!rest[2] || rest[2] == ' ');

		append("results", "host.outcome=%s\n", rest);
		snapshot_stats("finish");
		return ok ? DONE_OK : DONE_FAIL;
	} else if (*line) {
		/* Firmware and early consoles may talk here too. */
		append("channel.log", "boot %d: %s%s%s\n", boot, line, *rest ? " " : "", rest);
	}
	return GO_ON;
}

/* One boot, from start to power-off. */
static enum verdict run_boot(int argc, char **argv)
{
	static char line[262144];
	enum verdict v = GO_ON;

	start_qemu(argc, argv);
	if (!qmp("{\"execute\": \"qmp_capabilities\"}", line, sizeof(line)))
		goto died;

	while (!shut_down && v == GO_ON) {
		struct pollfd p[2] = {
			{ .fd = qmp_in.fd, .events = POLLIN },
			{ .fd = chan_in.eof ? -1 : chan_in.fd, .events = POLLIN },
		};

		check_stop();
		if (poll(p, 2, 500) <= 0)
			continue;
		if (p[0].revents)
			fill(&qmp_in);
		if (p[1].revents)
			fill(&chan_in);
		while (take_line(&qmp_in, line, sizeof(line)))
			see_event(line);
		while (v == GO_ON && take_line(&chan_in, line, sizeof(line)))
			v = serve(line);
		if (qmp_in.eof)
			goto died;
	}
	if (v == GO_ON)
		snapshot_stats("off");
	quit_qemu(v == POWER_CUT);
	return v;

died:
	say("QEMU died in boot %d, see %s/qemu.log", boot, out_dir);
	append("results", "host.outcome=QEMU died in boot %d\n", boot);
	finish(EXIT_HOST);
}

/* Has the kernel of this boot panicked? Its console began at @from. */
static bool panicked(off_t from)
{
	char path[4096], line[1024];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/console.log", out_dir);
	f = fopen(path, "r");
	if (!f || fseeko(f, from, SEEK_SET))
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, "Kernel panic");
	fclose(f);
	return found;
}

static off_t console_size(void)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/console.log", out_dir);
	return stat(path, &st) ? 0 : st.st_size;
}

/* The caller's command between two boots. */
static void run_between(const char *command)
{
	int status = 0;
	char number[16];
	pid_t pid;

	if (!command)
		return;
	snprintf(number, sizeof(number), "%d", boot);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("BOOT", number, 1);
		setenv("OUT", out_dir, 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, WNOHANG) != pid) {
		if (stop_signal || now_ms() >= deadline_ms)
			kill(pid, SIGKILL);
		usleep(20000);
	}
	check_stop();
	if (pid < 0 || status) {
		say("'%s' failed after boot %d", command, boot);
		append("results", "host.outcome=the command after boot %d failed\n", boot);
		finish(EXIT_HOST);
	}
}

static void on_signal(int sig)
{
	stop_signal = sig;
}

static void usage(FILE *to)
{
	fputs("usage: vmd [-o DIR] [-t SECONDS] [-b BOOTS] [-x COMMAND] [-p] -- QEMU [ARGUMENT...]\n"
	      "\n"
	      "Runs QEMU (with serial ports, monitor and -no-shutdown added) and again\n"
	      "after each power-off, until the guest finishes. @BOOT@ in an argument is\n"
	      "replaced by the number of the boot. Normally called by tests/vm/vm.\n"
	      "\n"
	      "  -o DIR      console.log, results, stats, qemu.log go there\n"
	      "  -t SECONDS  time limit for all boots together (600)\n"
	      "  -b BOOTS    most boots there may be (2)\n"
	      "  -x COMMAND  for sh, after each power-off, with BOOT and OUT set\n"
	      "  -p          boot again after a panic, too\n", to);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	const char *between = NULL;
	unsigned long seconds = 600;
	enum verdict v = GO_ON;
	uint64_t start;
	bool after_panic = false;
	off_t console;
	int c;

	while ((c = getopt(argc, argv, "+o:t:b:x:ph")) != -1) {
		switch (c) {
		case 'o':
			out_dir = optarg;
			break;
		case 't':
			seconds = strtoul(optarg, NULL, 10);
			break;
		case 'b':
			max_boots = atoi(optarg);
			break;
		case 'x':
			between = optarg;
			break;
		case 'p':
			after_panic = true;
			break;
		case 'h':
			usage(stdout);
			return EXIT_OK;
		default:
			usage(stderr);
			return EXIT_USAGE;
		}
	}
	if (optind == argc || !seconds || max_boots < 1) {
		usage(stderr);
		return EXIT_USAGE;
	}

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);

	start = now_ms();
	deadline_ms = start + seconds * 1000;

	for (boot = 1; boot <= max_boots; boot++) {
		boot_start = now_ms();
		console = console_size();
		v = run_boot(argc - optind, argv + optind);
		append("results", "host.boot%d_s=%.2f\n", boot, (now_ms() - boot_start) / 1000.0);
		if (v == DONE_OK || v == DONE_FAIL)
			break;
		if (v == GO_ON && shut_down_is_reset)
			append("results", "host.boot%d_reset=1\n", boot);
		if (v == GO_ON && shut_down_is_reset && !after_panic && panicked(console)) {
			append("results", "host.outcome=panic in boot %d\n", boot);
			return EXIT_GUEST;
		}
		run_between(between);
	}
	append("results", "host.total_s=%.2f\n", (now_ms() - start) / 1000.0);
	if (v == DONE_OK)
		return EXIT_OK;
	if (v != DONE_FAIL) {
		say("the guest went off in its last boot (%d) without saying finish", max_boots);
		append("results", "host.outcome=no finish in %d boots\n", max_boots);
	}
	return EXIT_GUEST;
}
