import io.holdfast.Backoff;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets Holdfast and other clients of the plain protocol contend for the same keys, each in processes of its own, and checks
 * that nobody ever enters together with anybody else; then shows expiry, release and extension as seen from both sides.
 *
 * <p>Arguments: the folder with the worker and its packages, and the number of rounds of each process. As a contending
 * process of Holdfast: {@code contend}, a port, a key, and the number of rounds.
 */
public final class Interop {
    private static final int PROCESSES = 2; // of each side
    private static final long TERM_MILLIS = 10_000; // longer than any pause here: this is no test of expiry

    /** A client and the key that it uses for a resource. */
    private record Other(String library, String keyPrefix, boolean extendsHolds) {}

    private static final List<Other> OTHERS = List.of(
            new Other("redis-exp-lock", "", false),
            new Other("redlock", "", true),
            new Other("redis-semaphore", "mutex:", true));

    private static final String ROW = "%-31s %-16s %9s %8s %8s %8s %11s %9s%n";
    private static final String[] FIELDS = {"rounds", "refused", "turns", "violations", "notOurs"};

    private static int failures;

    /** Runs the program. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("contend")) {
            contend(Integer.parseInt(args[1]), args[2], Integer.parseInt(args[3]));
            return;
        }
        Path work = Path.of(args[0]);
        int rounds = Integer.parseInt(args[1]);
        System.out.printf(
                ROW, "contending for one key", "side", "processes", "rounds", "refused", "turns", "violations", "not ours");
        for (Other other : OTHERS) {
            contest(work, List.of(other), other.keyPrefix + "job", rounds);
        }
        // Those that use the same key for the same resource can all meet there.
        contest(work, OTHERS.stream().filter(o -> o.keyPrefix.isEmpty()).toList(), "job", rounds);
        // The check must be able to fail: with a key that the other side does not use, nobody is excluded.
        control(work, rounds);
        for (Other other : OTHERS) {
            stepByStep(work, other);
        }
        System.out.println(failures == 0 ? "all as it should be" : failures + " failures");
        System.exit(failures == 0 ? 0 : 1);
    }

    // ---- contending

    private static void contest(Path work, List<Other> others, String key, int rounds) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            List<String> names = new ArrayList<>(List.of("holdfast"));
            others.forEach(other -> names.add(other.library));
            long[][] sums = contend(work, server, others, key, rounds);
            String what = "'" + key + "': " + String.join(", ", names.subList(1, names.size()));
            for (int i = 0; i < names.size(); i++) {
                String name = names.get(i);
                long[] sum = sums[i];
                System.out.printf(ROW, what, name, PROCESSES, sum[0], sum[1], sum[2], sum[3], sum[4]);
                what = "";
                check(name + " made all its rounds", sum[0] == (long) PROCESSES * rounds);
                check(name + " was refused at times, or nothing was contended for", sum[1] > 0);
                check(name + " came after another side at times", sum[2] > 0);
                check(name + " never met anybody inside", sum[3] == 0);
                check(name + " always released what was its own", sum[4] == 0);
            }
            long updates = server.command("GET", "total").asLong();
            long expected = (long) names.size() * PROCESSES * rounds;
            long left = server.command("EXISTS", key).asLong();
            System.out.printf("    updates: %d of %d; keys of the lock left: %d%n", updates, expected, left);
            check("no update was lost", updates == expected);
            check("no key of the lock is left", left == 0);
        }
    }

    private static void control(Path work, int rounds) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            long[][] sums = contend(work, server, List.of(OTHERS.get(1)), "not-the-same-key", rounds);
            long violations = sums[0][3] + sums[1][3];
            long lost = 2L * PROCESSES * rounds - server.command("GET", "total").asLong();
            System.out.printf(
                    "control, two different keys: %d violations and %d lost updates, as there must be%n", violations, lost);
            check("the check sees violations", violations > 0 && lost > 0);
        }
    }

    /** Lets all processes begin together; returns the sums of each side, Holdfast's first, in the order of FIELDS. */
    private static long[][] contend(Path work, RedisServer server, List<Other> others, String key, int rounds)
            throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(start(new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Interop.class.getName(),
                    "contend",
                    Integer.toString(server.port()),
                    key,
                    Integer.toString(rounds))));
            for (Other other : others) {
                processes.add(start(worker(work, server, other, "job", rounds)));
            }
        }
        while (!server.command("GET", "ready").toString().equals(Integer.toString(processes.size()))) {
            for (Process process : processes) {
                if (!process.isAlive()) {
                    throw new IllegalStateException("a process ended before it began: see above");
                }
            }
            Thread.sleep(5);
        }
        server.command("SET", "go", "1");
        long[][] sums = new long[others.size() + 1][FIELDS.length];
        for (int i = 0; i < processes.size(); i++) {
            Process process = processes.get(i);
            String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            check("a process ended well", process.waitFor() == 0);
            for (int f = 0; f < FIELDS.length; f++) {
                sums[i % sums.length][f] += count(told, FIELDS[f]);
            }
        }
        return sums;
    }

    private static void contend(int port, String key, int rounds) throws Exception {
        long refused = 0;
        long turns = 0;
        long violations = 0;
        long notOurs = 0;
        PlainOptions options = PlainOptions.defaults()
                .withLeaseDuration(Duration.ofMillis(TERM_MILLIS))
                .withWaitLimit(Wait.forever())
                .withBackoff(Backoff.fixed(Duration.ofMillis(3)).withJitter(1));
        try (Holdfast holdfast = Holdfast.connect("redis://127.0.0.1:" + port);
                RespClient data = RespClient.connect("127.0.0.1", port)) {
            PlainLock lock = holdfast.plainLock(key, options);
            data.command("INCR", "ready");
            while (data.command("EXISTS", "go").asLong() == 0) {
                Thread.sleep(5);
            }
            for (int i = 0; i < rounds; i++) {
                PlainLease lease = lock.acquire();
                refused += lease.attempts() - 1;
                violations += data.command("INCR", "inside").asLong() == 1 ? 0 : 1;
                var last = data.command("GETSET", "last", "holdfast");
                turns += last.isNull() || last.asString().equals("holdfast") ? 0 : 1;
                var before = data.command("GET", "total");
                data.command("SET", "total", Long.toString(before.isNull() ? 1 : before.asLong() + 1));
                violations += data.command("DECR", "inside").asLong() == 0 ? 0 : 1;
                notOurs += lease.release() == ReleaseResult.RELEASED ? 0 : 1;
            }
        }
        System.out.printf(
                "{\"rounds\":%d,\"refused\":%d,\"turns\":%d,\"violations\":%d,\"notOurs\":%d}%n",
                rounds, refused, turns, violations, notOurs);
    }

    // ---- step by step

    /** A worker that does one step at a time. */
    private static final class Puppet implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;

        Puppet(Process process) {
            this.process = process;
            this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        String does(String step) throws IOException {
            process.outputWriter().write(step + "\n");
            process.outputWriter().flush();
            String line = out.readLine();
            Matcher answer = Pattern.compile("\"answer\":\"?(\\w+)").matcher(line == null ? "" : line);
            return answer.find() ? answer.group(1) : "nothing: " + line;
        }

        @Override
        public void close() throws Exception {
            process.getOutputStream().close();
            process.waitFor();
        }
    }

    private static void stepByStep(Path work, Other other) throws Exception {
        System.out.println(other.library + " and holdfast, step by step:");
        try (RedisServer server = RedisServer.start();
                Holdfast holdfast = Holdfast.connect(server.url());
                Puppet they = new Puppet(start(worker(work, server, other, "job", 0)))) {
            String key = other.keyPrefix + "job";
            PlainLock lock = holdfast.plainLock(
                    key,
                    PlainOptions.defaults()
                            .withLeaseDuration(Duration.ofSeconds(30))
                            .withRenewal(false)
                            .withBackoff(Backoff.fixed(Duration.ofMillis(5))));

            step("they acquire", they.does("acquire 60000").equals("true"));
            step("we are refused, and told their value and term", lock.tryAcquire().isEmpty()
                    && lock.holder().orElseThrow().value().equals(server.command("GET", key).asString())
                    && lock.remaining().compareTo(Duration.ofSeconds(50)) > 0);
            if (other.extendsHolds) {
                server.command("PEXPIRE", key, "20000");
                step("they extend, and we see the new term", they.does("extend 90000").equals("true")
                        && lock.remaining().compareTo(Duration.ofSeconds(50)) > 0);
            }
            step("they release", they.does("release").equals("true"));
            PlainLease lease = lock.acquire(Wait.none());
            step("we acquire, and they are refused", they.does("acquire 60000").equals("false"));
            lease.extend(Duration.ofMinutes(10));
            step("we extend, and they are refused yet", they.does("acquire 60000").equals("false")
                    && lease.isValid()
                    && server.command("PTTL", key).asLong() > 300_000);
            step("we release, and they acquire", lease.release() == ReleaseResult.RELEASED
                    && they.does("acquire 300").equals("true"));
            Optional<PlainLease> after = lock.tryAcquire(Wait.upTo(Duration.ofSeconds(10)));
            step("their term ends, and we acquire", after.isPresent() && after.get().attempts() > 1);
            step("they release too late, which frees nothing of ours",
                    they.does("release").equals("false") && after.get().isHeldOnServer());
            if (other.extendsHolds) {
                step("they extend too late, which takes nothing of ours", they.does("extend 60000").equals("false")
                        && after.get().isHeldOnServer());
            }
            after.get().release();
            PlainLease brief = lock.with(lock.options().withLeaseDuration(Duration.ofMillis(300))).acquire();
            step("our term ends by our own clock", waitFor(brief));
            step("they acquire", they.does("acquire 60000").equals("true"));
            step("we release and extend too late, which frees nothing of theirs",
                    brief.release() == ReleaseResult.ALREADY_GONE
                            && extendsNothing(brief)
                            && lock.tryAcquire().isEmpty());
            step("they release what is still theirs", they.does("release").equals("true"));
        }
    }

    private static boolean extendsNothing(PlainLease lease) {
        try {
            lease.extend(Duration.ofHours(1));
            return false;
        } catch (LeaseLostException e) {
            return true;
        }
    }

    private static boolean waitFor(PlainLease lease) throws Exception {
        return lease.whenLost().thenApply(reason -> !lease.isValid()).toCompletableFuture().get();
    }

    private static void step(String what, boolean so) {
        System.out.println("    " + (so ? "ok    " : "WRONG ") + what);
        check(what, so);
    }

    // ----

    private static ProcessBuilder worker(Path work, RedisServer server, Other other, String resource, int rounds) {
        return new ProcessBuilder(
                        "node",
                        "worker.js",
                        "{\"library\":\"" + other.library + "\",\"port\":" + server.port() + ",\"key\":\"" + resource
                                + "\",\"term\":" + TERM_MILLIS + ",\"rounds\":" + rounds + "}")
                .directory(work.toFile());
    }

    private static Process start(ProcessBuilder program) throws IOException {
        Process process =
                program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return process;
    }

    private static long count(String json, String field) {
        Matcher matcher = Pattern.compile("\"" + field + "\":(\\d+)").matcher(json);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    }

    private static void check(String what, boolean so) {
        if (!so) {
            failures++;
            System.out.println("    FAILED: " + what);
        }
    }
}
