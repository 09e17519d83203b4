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
                        "Locks among machines, on a Redis or Valkey server; without a server's address, among the"
                                + " processes of one user on this machine.",
                        "",
                        "  run      runs a command while it holds a lock",
                        "  lead     runs a command on one machine of several at a time, on another if that fails",
                        "  acquire  takes a lock for the script that calls it, and prints a ticket",
                        "  check    says whether the lock of a ticket is still held",
                        "  release  gives it back, with --ticket",
                        "",
                        "  ls       lists the locks that are held, and by whom",
                        "  info     shows one lock with its queue",
                        "  why      explains why a lock is not free, and what would free it",
                        "  queue    lists who waits for a lock",
                        "  top      shows the locks with the most waiters, again and again",
                        "  clients  lists the clients that hold, wait or listen",
                        "  dashboard    shows all of that in a browser, live",
                        "",
                        "  release  releases locks by name, for any holder",
                        "  extend   makes a hold last longer, for any holder",
                        "  limit    limits the permits of a semaphore for a time",
                        "  unlimit  ends such a limit",
                        "  pause    keeps a lock from being granted for a time",
                        "  resume   ends a pause",
                        "  clear    removes waiters that are dead",
                        "",
                        "  doctor   examines the server",
                        "  demo     plays programs that use locks, to look at",
                        "  install, uninstall    a copy that needs neither source nor Maven",
                        "  help     shows more about one of these")
                .footer(
                        "",
                        "The server's address is given with --url or in HOLDFAST_URL; HOLDFAST_REQUIRE_SERVER=1 or"
                                + " --require-server insists on one:",
                        "  redis://[user[:password]@]host[:port][/database], or rediss:// for TLS; or host:port",
                        "  redis-cluster://host:port,host:port for a cluster",
                        "  redis-sentinel://host:port,host:port/master for a master that Sentinels watch",
                        "  local for locks of this user on this machine",
                        "Its password is given in HOLDFAST_PASSWORD, or with --password-file or --password-command, and not"
                                + " in --url, which every user of this machine can read. Certificates for rediss:// are"
                                + " given with --cacert, --cert and --key.");
    }

    static void run(UsageMessageSpec page) {
        Map<String, String> statuses = new LinkedHashMap<>();
        statuses.put("n", "the command's own status; 128+n if signal n ended it, or ended the wait for the lock");
        statuses.put("0", "also, with --once or --once-per: it was done before");
        statuses.put("64", "the command line is wrong");
        statuses.put("69", "the server cannot be reached, or refuses; the command was not run");
        statuses.put("70", "something is wrong with holdfast itself");
        statuses.put(
                "75",
                "the lock was not obtained: it is taken, was not free in time, too many wait, or an operator dropped the request (see --busy-exit); the command was not run");
        statuses.put("76", "the lock was lost while the command ran; the command was ended");
        statuses.put("77", "with --tries: it was given up, after as many runs that failed; the command was not run");
        statuses.put("126", "the command cannot be executed");
        statuses.put("127", "the command was not found");
        page.customSynopsis("holdfast run NAME [OPTIONS] -- COMMAND [ARGUMENT...]")
                .description(
                        "",
                        "Waits for its turn, runs the command while it holds the lock NAME, and gives the lock back"
                                + " when the command has ended. The lock is renewed as long as the command runs. What it"
                                + " has started in the background and left running has no part in that, unless"
                                + " --hold-for-children is given.",
                        "")
                .exitCodeList(statuses)
                .footer(
                        "",
                        "The command has the lock's name in HOLDFAST_LOCK and its fencing token in HOLDFAST_TOKEN: a"
                                + " number that grows with each holder, for stores that can refuse a smaller one than"
                                + " they have seen. INT, TERM, HUP and USR1 are passed on to it. Standard input, output"
                                + " and error are its own; further open files are not passed on, but for a pipe with"
                                + " the number 9 if --hold-for-children is given.",
                        "",
                        "With --also it has the second lock's name and token in HOLDFAST_LOCK_2 and HOLDFAST_TOKEN_2, and so"
                                + " on, in the order of the command line. All that is said here of the lock is then said of"
                                + " each: --wait limits the wait for all together, and the loss of one ends the command.",
                        "",
                        "If the lock is lost while the command runs (the server was away for longer than the lease duration,"
                                + " or this machine stood still), the command and the processes below it get TERM, and"
                                + " KILL after --kill-after.",
                        "",
                        "If holdfast itself is killed (kill -9, or for want of memory), a small shell beside it ends the"
                                + " command and the processes below it in the same way, KILL coming after a third of the"
                                + " lease duration at the latest; the lock is free at the end of its lease. Nothing ends a command"
                                + " of another user (sudo), and children that are no longer below the command are"
                                + " ended, in both cases, with --hold-for-children only.",
                        "",
                        "Examples:",
                        "  A cron job on several machines that must run once, even if their clocks differ by some"
                                + " seconds:",
                        "    * * * * *  holdfast run nightly --url redis://locks --require-server --try --min-hold 55s"
                                + " --busy-exit 0 -q -- report.sh",
                        "  The same once an hour, where a failed run is repeated at the next minute, and a good one never:",
                        "    * * * * *  holdfast run hourly --once-per 1h --url redis://locks --require-server --try"
                                + " --busy-exit 0 -q -- report.sh",
                        "  A deployment that waits for the one before:",
                        "    holdfast run deploy --wait 5m --url redis://locks -- ./deploy.sh production",
                        "  A deployment that goes before others, says why, and does not join a long queue:",
                        "    holdfast run deploy --priority 10 --meta ticket=OPS-7 --queue-limit 3 -- ./deploy.sh",
                        "  A move from one warehouse to another, while no other works in either:",
                        "    holdfast run warehouse/north --also warehouse/south --url redis://locks -- ./move.sh",
                        "  Reports that may run together, but not while the import runs:",
                        "    holdfast run warehouse --read --url redis://locks -- ./report.sh",
                        "    holdfast run warehouse --write --url redis://locks -- ./import.sh",
                        "  Five conversions at a time, on all machines together:",
                        "    holdfast run convert --permits 1/5 --url redis://locks -- ./convert.sh film.mov",
                        "  An import that goes on where the last run, on any machine, was interrupted:",
                        "    holdfast run import --notes --url redis://locks -- sh -c './import.sh --from \"$(cat"
                                + " $HOLDFAST_NOTE)\"'",
                        "  In place of flock /tmp/build.lock make, on one machine:",
                        "    holdfast run build --url local --hold-for-children -- make");
    }

    static void lead(UsageMessageSpec page) {
        Map<String, String> statuses = new LinkedHashMap<>();
        statuses.put(
                "n", "the command's own status, if it ended by itself or by a signal to holdfast; 128+n for signal n");
        statuses.put("64", "the command line is wrong");
        statuses.put("69", "the server cannot be reached, or refuses, when holdfast starts");
        statuses.put("70", "something is wrong with holdfast itself");
        statuses.put("126", "the command cannot be executed");
        statuses.put("127", "the command was not found");
        page.customSynopsis("holdfast lead NAME [OPTIONS] -- COMMAND [ARGUMENT...]")
                .description(
                        "",
                        "Takes part in the election NAME, and runs the command while it leads: on one of all machines"
                                + " where this runs at a time. If the leadership is lost, the command is ended, and run"
                                + " again when this leads again: behind those that have waited longer. If the command ends"
                                + " by itself, this resigns and ends with its status.",
                        "")
                .exitCodeList(statuses)
                .footer(
                        "",
                        "The command has the election's name in HOLDFAST_ELECTION and the leadership's fencing token in"
                                + " HOLDFAST_TOKEN: a number that grows with each leader, for stores that can refuse a"
                                + " smaller one than they have seen. INT, TERM, HUP and USR1 are passed on to it; after the"
                                + " first three this ends when the command has ended.",
                        "",
                        "When the server does not answer, the command and the processes below it get TERM a third of the"
                                + " lease duration before another could lead, and KILL after --kill-after, or when that moment has"
                                + " come. If an operator ends the leadership, or this machine stood still, they get TERM when"
                                + " it is known, and KILL after --kill-after. If holdfast itself is killed, a small shell"
                                + " beside it ends them; the next leads at the end of the lease.",
                        "",
                        "Examples:",
                        "  A scheduler that runs on one of three machines, started on each by its service manager:",
                        "    holdfast lead scheduler --url redis://locks --require-server -- ./scheduler",
                        "  The next leads after 5 s at most if a machine dies; the one with the large disk is preferred:",
                        "    holdfast lead backup --lease 5s --priority 10 --url redis://locks -- ./backup-daemon",
                        "  Others find out where the leader is:",
                        "    holdfast lead api --meta url=http://$(hostname):8080 --url redis://locks -- ./api");
    }

    private static Map<String, String> leadOptions() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(
                "--lease",
                "Time without a leader after a leader dies; 15s by default, 100ms to 365d. A short lease makes another"
                        + " lead sooner after a crash, and loses a leadership sooner when the server is away.");
        words.put(
                "--kill-after",
                "Time from TERM to KILL when the command has to end; 10s by default, 0s kills at once after TERM.");
        words.put("--priority", "Lead before all candidates of lower priority; -100 to 100, 0 by default.");
        words.put(
                "--meta",
                "Put this beside the candidate and the leader for all to see, as in --meta url=http://a:80; may be given"
                        + " more than once.");
        for (String same : new String[] {LockRequest.AS, "--url", Server.PREFIX, Server.REQUIRE, Access.PASS_SECRETS}) {
            words.put(same, RUN_OPTIONS.get(same));
        }
        Access.OPTIONS.forEach((name, option) -> words.put(name, option[1]));
        words.put("--quiet", "Say nothing of a leadership that ends, or of a server that may drop locks.");
        words.put("--verbose", "Say when it leads, and more about errors.");
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
        statuses.put("69", "the server cannot be reached, or refuses");
        statuses.put("70", "something is wrong with holdfast itself");
        statuses.put("74", "what was asked for could not be written to standard output");
        return statuses;
    }

    private static Map<String, String> runOptions() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(
                LockRequest.ALSO,
                "Hold this lock, too: all or none, obtained in an order that is the same for everybody, so that commands which"
                        + " need the same locks never wait for each other in a circle. May be given more than once.");
        words.put(
                Wanted.READ,
                "Take NAME as a read/write lock, to read: beside others that read, and no writer. It has nothing to do"
                        + " with the lock NAME of a run without this: a writer says --write.");
        words.put(Wanted.WRITE, "Take NAME as a read/write lock, to write: alone.");
        words.put(
                Wanted.PERMITS,
                "Take NAME as a semaphore, and K permits of it at once, if no more than N are out then: --permits 1/5 lets"
                        + " five commands run at a time. HOLDFAST_SLOT says which of them a command has: a number from 0 to"
                        + " N-1 that no other has meanwhile; for K > 1 so many, with blanks between; nothing for N > "
                        + DistributedSemaphore.MAX_SLOTS + ".");
        words.put(
                OnceWish.ONCE,
                "Run the command unless it was run for NAME and ended with 0. That is recorded, and known for --keep; then"
                        + " nothing is run, and the status is 0. A command that fails is run again by the next that asks.");
        words.put(
                OnceWish.PER,
                "The same once in each slot of time, by the server's clock: 1s to 365d, as in 1h, or 'day' for each day of"
                        + " this machine's time zone.");
        words.put(
                OnceWish.KEEP,
                "With these: how long it is known that the command was run; 1d by default, for slots two of them if that is"
                        + " longer.");
        words.put(
                OnceWish.TRIES,
                "With these: how often it is run at most, if it fails, or dies. Then it is given up: nothing is run, and the status is 77,"
                        + " until --keep is over, or 'holdfast release NAME --kind once' lets it be tried again.");
        words.put("--wait", "Wait this long at most; 'forever', which is the default, waits as long as it takes.");
        words.put("--try", "Do not wait: end with 75 if another holds the lock.");
        words.put(
                "--lease",
                "How long the lock stays taken if this process dies; 30s by default, 100ms to 365d. A short lease frees"
                        + " the lock sooner after a crash, and loses it sooner when the server is away.");
        words.put(
                "--min-hold",
                "Keep the lock taken until this long after it was obtained, although the command has ended: so that a"
                        + " short job does not run again on a machine whose clock is late. Not after a command that could"
                        + " not be started (126, 127).");
        words.put(
                LockRequest.LOCK_DELAY,
                "Keep the lock taken for this much longer if it is lost, or this process dies, so that a late write to a store"
                        + " that cannot check tokens arrives before the next holder begins; 1ms to 365d, none by default. A"
                        + " lock that is given back is free at once.");
        words.put(
                "--kill-after",
                "After the lock was lost: time from TERM to KILL; 10s by default, 0s kills at once after TERM.");
        words.put(
                "--hold-for-children",
                "Hold the lock until all that descends from the command has ended, in the background too, as flock does;"
                        + " not what closes its descriptor 9, as daemons do. Linux only.");
        words.put(
                RunRequest.NOTES,
                "Show what the command writes to the file " + NoteFile.VARIABLE
                        + " names: where the lock's holder is shown, and to"
                        + " the next run, which finds it in its own file; until a run ends with 0.");
        words.put(
                "--order",
                "Where to enter the queue, among those of the same priority: fifo (the default), lifo or random.");
        words.put(
                "--group",
                "Of which tenant or customer it is: while several wait, each is granted its share, however many requests it has.");
        words.put("--group-weight", "How much the group gets, beside one of weight 1; 1 to 100, 1 by default.");
        words.put("--priority", "Be served before all of lower priority; -100 to 100, 0 by default.");
        words.put(
                "--queue-limit",
                "Do not wait if so many wait already: end with 75. 1 to 1000000; no limit by default.");
        words.put(
                "--meta",
                "Put this beside the lock for all to see, as in --meta ticket=OPS-7; may be given more than once.");
        words.put("--busy-exit", "End with this status in place of 75 if the lock was not obtained; 0 to 255.");
        words.put(
                LockRequest.AS,
                "What others see as the holder, 1 to 100 characters; by default the command's name, or its script's.");
        words.put(
                "--url",
                "The server; by default from HOLDFAST_URL, else 'local': one for this user on this machine only.");
        words.put(
                Server.PREFIX,
                "What the applications that use the lock give to withPrefix; by default from HOLDFAST_PREFIX, else the"
                        + " library's own.");
        words.put(
                Server.REQUIRE,
                "Fail with 64 if no server's address is given, in place of a lock on this machine only; so does"
                        + " HOLDFAST_REQUIRE_SERVER=1.");
        words.put(
                Access.PASS_SECRETS,
                "Leave the password in HOLDFAST_PASSWORD and in HOLDFAST_URL to the command; without this it gets the address"
                        + " only.");
        Access.OPTIONS.forEach((name, option) -> words.put(name, option[1]));
        words.put(
                "--quiet",
                "Say nothing of waiting, of a lock that is taken, or of a server that may drop locks when its memory is full.");
        words.put(
                "--verbose",
                "Say who is waited for at once and at each change, as on a terminal (else once, after 5s), and more about"
                        + " errors.");
        words.put("--help", "Show this page.");
        return words;
    }
}
