package io.holdfast.cli;

import io.holdfast.DistributedSemaphore;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The words of the help pages. */
final class Pages {
    static final Map<String, String> RUN_OPTIONS = runOptions();
    static final Map<String, String> LEAD_OPTIONS = leadOptions();

    private Pages() {}

    static void root(UsageMessageSpec page) {
        page.customSynopsis(
                        "holdfast run NAME [OPTIONS] -- COMMAND [ARGUMENT...]",
                        "       holdfast lead NAME [OPTIONS] -- COMMAND [ARGUMENT...]",
                        "       ticket=$(holdfast acquire NAME [OPTIONS])",
                        "       holdfast COMMAND [NAME] [OPTIONS]",
                        "       holdfast help [COMMAND]",
                        "       holdfast --version")
                .description(
                        "",
                        "Locks across machines, on a Redis or Valkey server. Without a server's address, a lock covers"
                                + " only the processes of one user on this machine.",
                        "",
                        "  run      runs a command while it holds a lock",
                        "  lead     runs a command on one of several machines at a time",
                        "  acquire  acquires a lock for the calling script, and prints a ticket",
                        "  check    reports whether the lock of a ticket is still held",
                        "  release  releases that lock, with --ticket",
                        "",
                        "  ls       lists held locks and their holders",
                        "  info     shows one lock with its queue",
                        "  why      explains why a lock is not free, and what would free it",
                        "  queue    lists the waiters of a lock",
                        "  top      shows the locks with the most waiters, and refreshes the list",
                        "  clients  lists the clients that hold, wait or listen",
                        "  dashboard    shows all of this live, in a browser",
                        "",
                        "  release  releases locks by name, regardless of the holder",
                        "  extend   extends a hold, regardless of the holder",
                        "  limit    limits the permits of a semaphore for a time",
                        "  unlimit  ends the limit",
                        "  pause    stops granting a lock for a time",
                        "  resume   ends a pause",
                        "  clear    removes dead waiters",
                        "",
                        "  doctor   checks the server",
                        "  demo     runs sample programs that use locks",
                        "  install, uninstall    a copy that needs neither source code nor Maven",
                        "  help     shows the help page of a command")
                .footer(
                        "",
                        "Give the server's address with --url or in HOLDFAST_URL. With --require-server or"
                                + " HOLDFAST_REQUIRE_SERVER=1, a missing address is an error. Addresses:",
                        "  redis://[user[:password]@]host[:port][/database], or rediss:// for TLS; or host:port",
                        "  redis-cluster://host:port,host:port for a cluster",
                        "  redis-sentinel://host:port,host:port/master for a master that Sentinels watch",
                        "  local for locks of this user on this machine",
                        "Give the password in HOLDFAST_PASSWORD, or with --password-file or --password-command, and not"
                                + " in --url, which every user of this machine can read. Give certificates for rediss:// with"
                                + " --cacert, --cert and --key.");
    }

    static void run(UsageMessageSpec page) {
        Map<String, String> statuses = new LinkedHashMap<>();
        statuses.put("n", "the command's own status; 128+n if signal n ended the command or the wait for the lock");
        statuses.put("0", "also, with --once or --once-per: the command was run before");
        statuses.put("64", "the command line is wrong");
        statuses.put("69", "the server cannot be reached, or refuses the request; the command was not run");
        statuses.put("70", "something is wrong with holdfast itself");
        statuses.put(
                "75",
                "the lock was not obtained: it is taken, was not free in time, too many wait, or an operator dropped the request (see --busy-exit); the command was not run");
        statuses.put("76", "the lock was lost while the command ran; the command was ended");
        statuses.put(
                "77",
                "with --tries: the work was given up after that many runs without success; the command was not run");
        statuses.put("126", "the command cannot be executed");
        statuses.put("127", "the command was not found");
        page.customSynopsis("holdfast run NAME [OPTIONS] -- COMMAND [ARGUMENT...]")
                .description(
                        "",
                        "Waits for the lock NAME, runs the command while it holds the lock, and releases the lock when"
                                + " the command has ended. The lock is renewed while the command runs. Holdfast does not wait for"
                                + " background processes that the command leaves running, unless --hold-for-children is given.",
                        "")
                .exitCodeList(statuses)
                .footer(
                        "",
                        "The command gets the lock's name in HOLDFAST_LOCK and its fencing token in HOLDFAST_TOKEN. The"
                                + " token is a number that grows with each holder: a store that checks it can refuse a smaller one"
                                + " than it has already seen. Holdfast passes INT, TERM, HUP and USR1 on to the command. Standard"
                                + " input, output and error are the command's own. No other open file is passed on, except a pipe"
                                + " as descriptor 9 with --hold-for-children.",
                        "",
                        "With --also, the command gets the name and token of the second lock in HOLDFAST_LOCK_2 and"
                                + " HOLDFAST_TOKEN_2, and so on, in the order of the command line. This page applies to each of"
                                + " the locks: --wait limits the wait for all of them together, and the loss of one ends the"
                                + " command.",
                        "",
                        "If the lock is lost while the command runs, the command and its descendants get TERM, and KILL"
                                + " after --kill-after. A lock is lost if the server is away for longer than the lease duration,"
                                + " or if this machine stands still for that long.",
                        "",
                        "If holdfast itself is killed (by kill -9, or for lack of memory), a small shell that runs next"
                                + " to it ends the command and its descendants in the same way, with KILL after a third of the"
                                + " lease duration at the latest. The lock becomes free at the end of its lease. Holdfast cannot"
                                + " end a command of another user (sudo). In both cases, processes that have detached from the"
                                + " command are ended only with --hold-for-children.",
                        "",
                        "Examples:",
                        "  A cron job on several machines that must run only once, even if their clocks differ by some"
                                + " seconds:",
                        "    * * * * *  holdfast run nightly --url redis://locks --require-server --try --min-hold 55s"
                                + " --busy-exit 0 -q -- report.sh",
                        "  A job that runs once an hour; a failed run is repeated in the next minute:",
                        "    * * * * *  holdfast run hourly --once-per 1h --url redis://locks --require-server --try"
                                + " --busy-exit 0 -q -- report.sh",
                        "  A deployment that waits for the previous one:",
                        "    holdfast run deploy --wait 5m --url redis://locks -- ./deploy.sh production",
                        "  A deployment with a higher priority and a ticket number, which does not join a long queue:",
                        "    holdfast run deploy --priority 10 --meta ticket=OPS-7 --queue-limit 3 -- ./deploy.sh",
                        "  A move between two warehouses, while no other process works in either of them:",
                        "    holdfast run warehouse/north --also warehouse/south --url redis://locks -- ./move.sh",
                        "  Reports that may run together, but not while the import runs:",
                        "    holdfast run warehouse --read --url redis://locks -- ./report.sh",
                        "    holdfast run warehouse --write --url redis://locks -- ./import.sh",
                        "  At most five conversions at a time, on all machines together:",
                        "    holdfast run convert --permits 1/5 --url redis://locks -- ./convert.sh film.mov",
                        "  An import that resumes where the last run, on any machine, was interrupted:",
                        "    holdfast run import --notes --url redis://locks -- sh -c './import.sh --from \"$(cat"
                                + " $HOLDFAST_NOTE)\"'",
                        "  Instead of 'flock /tmp/build.lock make', on one machine:",
                        "    holdfast run build --url local --hold-for-children -- make");
    }

    static void lead(UsageMessageSpec page) {
        Map<String, String> statuses = new LinkedHashMap<>();
        statuses.put(
                "n",
                "the command's own status, if it ended by itself or because holdfast got a signal; 128+n for"
                        + " signal n");
        statuses.put("64", "the command line is wrong");
        statuses.put("69", "the server cannot be reached, or refuses the request, when holdfast starts");
        statuses.put("70", "something is wrong with holdfast itself");
        statuses.put("126", "the command cannot be executed");
        statuses.put("127", "the command was not found");
        page.customSynopsis("holdfast lead NAME [OPTIONS] -- COMMAND [ARGUMENT...]")
                .description(
                        "",
                        "Takes part in the election NAME, and runs the command while it leads: on one of the machines at"
                                + " a time. If the leadership is lost, holdfast ends the command and queues again, behind the"
                                + " candidates that have waited longer; when it leads again, it runs the command again. If the"
                                + " command ends by itself, holdfast resigns and ends with the command's status.",
                        "")
                .exitCodeList(statuses)
                .footer(
                        "",
                        "The command gets the election's name in HOLDFAST_ELECTION and the fencing token of the"
                                + " leadership in HOLDFAST_TOKEN. The token is a number that grows with each leader: a store that"
                                + " checks it can refuse a smaller one than it has already seen. Holdfast passes INT, TERM, HUP"
                                + " and USR1 on to the command. After INT, TERM or HUP, holdfast ends when the command has ended.",
                        "",
                        "If the server does not answer, the command and its descendants get TERM a third of the lease"
                                + " duration before another candidate could lead. They get KILL after --kill-after, and at that"
                                + " moment at the latest. If an operator ends the leadership, or this machine stood still, they"
                                + " get TERM as soon as holdfast knows, and KILL after --kill-after. If holdfast itself is killed,"
                                + " a small shell that runs next to it ends them. The next candidate leads at the end of the lease.",
                        "",
                        "Examples:",
                        "  A scheduler that runs on one of three machines, started on each by its service manager:",
                        "    holdfast lead scheduler --url redis://locks --require-server -- ./scheduler",
                        "  If a machine dies, another one leads within 5 s; the machine with the large disk is preferred:",
                        "    holdfast lead backup --lease 5s --priority 10 --url redis://locks -- ./backup-daemon",
                        "  A leader that publishes its address:",
                        "    holdfast lead api --meta url=http://$(hostname):8080 --url redis://locks -- ./api");
    }

    private static Map<String, String> leadOptions() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(
                "--lease",
                "How long there is no leader after a leader has died; 15s by default, 100ms to 365d. With a"
                        + " short lease, another candidate leads sooner after a crash, and a leadership is lost sooner"
                        + " when the server is away.");
        words.put(
                "--kill-after",
                "Time from TERM to KILL when the command must end; 10s by default. With 0s, KILL follows at once.");
        words.put("--priority", "Lead before all candidates of lower priority; -100 to 100, 0 by default.");
        words.put(
                "--meta",
                "Metadata of the candidate and the leader, shown in listings, as in --meta url=http://a:80; may"
                        + " be given more than once.");
        for (String same : new String[] {LockRequest.AS, "--url", Server.PREFIX, Server.REQUIRE, Access.PASS_SECRETS}) {
            words.put(same, RUN_OPTIONS.get(same));
        }
        Access.OPTIONS.forEach((name, option) -> words.put(name, option[1]));
        words.put("--quiet", "Print no message about a leadership that ends, or a server that may drop locks.");
        words.put("--verbose", "Print a message when the leadership begins, and more about errors.");
        words.put("--help", "Show this page.");
        return words;
    }

    /** The statuses of a command that has these of its own, in pairs of number and words. */
    static Map<String, String> statuses(String... own) {
        Map<String, String> statuses = new LinkedHashMap<>();
        for (int i = 0; i < own.length; i += 2) {
            statuses.put(own[i], own[i + 1]);
        }
        statuses.put("64", "the command line is wrong");
        statuses.put("69", "the server cannot be reached, or refuses the request");
        statuses.put("70", "something is wrong with holdfast itself");
        statuses.put("74", "the output could not be written");
        return statuses;
    }

    private static Map<String, String> runOptions() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(
                LockRequest.ALSO,
                "Hold this lock as well: all of them or none. Every command acquires its locks in the same"
                        + " order, so commands that need the same locks never wait for each other in a circle. May be"
                        + " given more than once.");
        words.put(
                Wanted.READ,
                "Acquire the read/write lock NAME for reading, together with other readers, but not with a writer"
                        + " (--write). This lock has nothing to do with the lock NAME of a run without --read"
                        + " or --write.");
        words.put(Wanted.WRITE, "Acquire the read/write lock NAME for writing, alone.");
        words.put(
                Wanted.PERMITS,
                "Acquire K of the N permits of the semaphore NAME together: with --permits 1/5, five commands"
                        + " run at a time. HOLDFAST_SLOT contains a number from 0 to N-1 that no other holder has"
                        + " meanwhile; for K > 1, K numbers, separated by spaces. It is not set for N > "
                        + DistributedSemaphore.MAX_SLOTS
                        + ".");
        words.put(
                OnceWish.ONCE,
                "Run the command unless a run for NAME has already ended with 0. Such a run is recorded for"
                        + " the time of --keep; meanwhile no run begins, and the status is 0. After a run that"
                        + " failed, the next request runs the command again.");
        words.put(
                OnceWish.PER,
                "As --once, but once in each time slot by the server's clock. A slot is 1s to 365d long, for"
                        + " example 1h, or 'day' for each day in this machine's time zone.");
        words.put(
                OnceWish.KEEP,
                "With --once or --once-per: how long the record is kept; 1d by default, or two time slots if"
                        + " that is longer.");
        words.put(
                OnceWish.TRIES,
                "With --once or --once-per: how many runs may fail or die. After that the work is given up: no"
                        + " run begins, and the status is 77, until --keep has passed, or until 'holdfast release NAME"
                        + " --kind once' permits another try.");
        words.put("--wait", "Wait this long at most; 'forever', the default, has no limit.");
        words.put("--try", "Do not wait: end with 75 if the lock is taken.");
        words.put(
                "--lease",
                "How long the lock stays taken if this process dies; 30s by default, 100ms to 365d. With a short"
                        + " lease, the lock is free sooner after a crash, and lost sooner when the server is away.");
        words.put(
                "--min-hold",
                "Keep the lock taken until this long after it was obtained, even if the command has ended. Then"
                        + " a short job does not run again on a machine whose clock is late. Not after a command that"
                        + " could not be started (126, 127).");
        words.put(
                LockRequest.LOCK_DELAY,
                "If the lock is lost, or this process dies, keep the lock taken for this much longer. A late"
                        + " write to a store that cannot check tokens then arrives before the next holder begins. 1ms to"
                        + " 365d, none by default. A lock that is released is free at once.");
        words.put(
                "--kill-after",
                "Time from TERM to KILL after the lock was lost; 10s by default. With 0s, KILL follows at once.");
        words.put(
                "--hold-for-children",
                "Hold the lock until all descendants of the command have ended, in the background too, as flock"
                        + " does. A process that closes descriptor 9, as daemons do, does not count. Linux only.");
        words.put(
                RunRequest.NOTES,
                "Publish what the command writes to the file that "
                        + NoteFile.VARIABLE
                        + " names. The text is shown with the lock's holder, and the next run finds it in its own"
                        + " file, until a run ends with 0.");
        words.put(
                "--order",
                "Where the request enters the queue, among those of the same priority: fifo (the default), lifo"
                        + " or random.");
        words.put(
                "--group",
                "Group of the request, such as a tenant or a customer. While several groups wait, each gets its"
                        + " share of the grants, however many requests it has.");
        words.put("--group-weight", "Share of the group, relative to a group of weight 1; 1 to 100, 1 by default.");
        words.put("--priority", "Be served before all requests of lower priority; -100 to 100, 0 by default.");
        words.put(
                "--queue-limit",
                "Do not wait if this many requests wait already: end with 75. 1 to 1000000; no limit by default.");
        words.put(
                "--meta",
                "Metadata of the hold, shown in listings, as in --meta ticket=OPS-7; may be given more than once.");
        words.put("--busy-exit", "End with this status instead of 75 if the lock was not obtained; 0 to 255.");
        words.put(
                LockRequest.AS,
                "Name of the holder in listings, 1 to 100 characters; by default the name of the command or of"
                        + " its script.");
        words.put(
                "--url",
                "Address of the server; by default from HOLDFAST_URL, else 'local': a server for this user on"
                        + " this machine only.");
        words.put(
                Server.PREFIX,
                "Prefix of the server's keys, as the applications that use the lock give it to withPrefix; by"
                        + " default from HOLDFAST_PREFIX, else the library's own.");
        words.put(
                Server.REQUIRE,
                "End with 64 if no server's address is given, instead of using a lock of this machine only."
                        + " HOLDFAST_REQUIRE_SERVER=1 does the same.");
        words.put(
                Access.PASS_SECRETS,
                "Pass the password in HOLDFAST_PASSWORD and in HOLDFAST_URL on to the command; without this"
                        + " option the command gets only the address.");
        Access.OPTIONS.forEach((name, option) -> words.put(name, option[1]));
        words.put(
                "--quiet",
                "Print no message about waiting, a lock that is taken, or a server that may drop locks when its"
                        + " memory is full.");
        words.put(
                "--verbose",
                "Print the current holder at once and at each change while waiting, as on a terminal (otherwise"
                        + " once, after 5s), and more about errors.");
        words.put("--help", "Show this page.");
        return words;
    }
}
