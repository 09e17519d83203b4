package io.holdfast.internal.wire;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one way of a command: sends it, loads a script where the server does not know it, sets the time limit, and connects
 * again to a server that is silent. The arguments and replies of each script stand in {@link LockScripts},
 * {@link AdminScripts}, {@link PlainScripts}, {@link QuorumScripts} and {@link FenceScript}.
 *
 * <p>Answers go to a callback with either a value or a {@link DriverException}, exactly once, on a thread of the driver
 * or of the timers, or on one that blocks for an answer and reads for the driver. Every reply of a script carries the server's time, which is noted.
 *
 * <p><b>Whose reply it is.</b> Replies have no address: a driver pairs them with requests by counting. One mistake there, or
 * in a client library, or in a proxy, and a grant of one lock would be taken for one of another. So every call of a script
 * has a number, its last argument, which is the last element of its reply, or its last word. A reply without it is not believed: the outcome
 * of the call is unknown, and the connections to that server are opened anew.
 */
public final class ScriptCalls {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /** After so many times the limit without any answer, the connection is opened anew. */
    private static final int SILENT_LIMITS = 3;

    /** Numbers of calls begin at one of a million places, and have room for a thousand million before the next. */
    private static final long PLACES = 1L << 20;

    private static final int RANGE_BITS = 30;

    /** A script with what it is given, for one server. */
    private record Call(RedisDriver to, Script script, List<String> keys, List<String> args) {
        Command bySha1() {
            return command("EVALSHA", script.sha1());
        }

        String number() {
            return args.get(args.size() - 1);
        }

        Command byText() {
            return command("EVAL", script.text());
        }

        private Command command(String name, String which) {
            String[] words = new String[3 + keys.size() + args.size()];
            int at = 0;
            words[at++] = name;
            words[at++] = which;
            words[at++] = Integer.toString(keys.size());
            for (String key : keys) {
                words[at++] = key;
            }
            for (String arg : args) {
                words[at++] = arg;
            }
            return new Command(keys.get(0), List.of(words)); // of a list that can change, two more copies would be made
        }
    }

    /** One command under way. Whoever sets it first calls the callback. */
    private static final class Flight extends AtomicBoolean {
        private static final long serialVersionUID = 1L;
        final transient BiConsumer<@Nullable Reply, @Nullable DriverException> callback;
        final long sentNanos;

        Flight(BiConsumer<@Nullable Reply, @Nullable DriverException> callback, long sentNanos) {
            this.callback = callback;
            this.sentNanos = sentNanos;
        }

        void land(@Nullable Reply reply, @Nullable DriverException failure) {
            if (!compareAndSet(false, true)) {
                return;
            }
            try {
                callback.accept(reply, failure);
            } catch (RuntimeException | Error e) {
                lose(e);
            }
        }

        /**
         * A reply that could not be handled, mostly because memory was short, is as good as one that was lost on its way: what follows
         * from that is to ask again, or to take back.
         */
        private void lose(Throwable e) {
            Trouble.report("handling a reply failed: the reply counts as lost", e);
            try {
                callback.accept(null, DriverException.unknown("the reply could not be handled: " + e, e));
            } catch (RuntimeException | Error again) {
                e.addSuppressed(again);
            }
        }
    }

    private final RedisDriver driver;
    private final Ticker ticker;
    private final Timers timers;
    private final ServerClock clock;
    private final long timeoutNanos;
    /** The number of the last call. Begins anywhere, so that clients that share a driver do not count in step. */
    private final AtomicLong numbers;
    /** When connections were given up last because of what was replied. */
    private final AtomicLong gaveUp;

    private final ConcurrentLinkedQueue<Flight> flights = new ConcurrentLinkedQueue<>(); // in the order of sending
    private final Set<Script> loading = ConcurrentHashMap.newKeySet(); // those whose text is on its way
    private final Announced sweeping = new Announced();
    private final SilentServers silences;
    /** Whether this one address divides its keys: it has refused a call about several locks. Once known it counts for good. */
    private final AtomicBoolean divided = new AtomicBoolean();

    /**
     * The calls of one client.
     *
     * @param client the client's id
     */
    public ScriptCalls(
            RedisDriver driver, Ticker ticker, Timers timers, ServerClock clock, String client, Duration timeout) {
        this.driver = driver;
        this.ticker = ticker;
        this.timers = timers;
        this.clock = clock;
        this.timeoutNanos = timeout.toNanos();
        this.silences = new SilentServers(driver, SILENT_LIMITS * timeoutNanos);
        this.numbers = new AtomicLong(Math.floorMod(client.hashCode(), PLACES) << RANGE_BITS);
        this.gaveUp = new AtomicLong(ticker.nanoTime());
    }

    // ---- scripts

    /** Calls a script. */
    public <T> void call(
            Script script,
            List<String> keys,
            Arguments args,
            Function<ScriptReply, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        call(driver, script, keys, args, ticker.nanoTime(), decode, callback);
    }

    /** The same, where what follows counts from a time that the caller has read. */
    public <T> void call(
            Script script,
            List<String> keys,
            Arguments args,
            long sentNanos,
            Function<ScriptReply, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        call(driver, script, keys, args, sentNanos, decode, callback);
    }

    /** The same, on one of several servers. */
    public <T> void call(
            RedisDriver to,
            Script script,
            List<String> keys,
            Arguments args,
            long sentNanos,
            Function<ScriptReply, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        Call call = numbered(to, script, keys, args);
        BiConsumer<@Nullable Reply, @Nullable DriverException> decoding = decoding(call, sentNanos, decode, callback);
        send(to, call.bySha1(), (reply, failure) -> {
            if (isUnknownScript(failure)) {
                load(call, decoding);
            } else {
                decoding.accept(reply, failure);
            }
        });
    }

    /**
     * Sends the text along, which is for scripts that are called seldom: the server never asks for it, so that the call keeps its place
     * before what is sent after it on the same connection.
     */
    public <T> void callByText(
            Script script,
            List<String> keys,
            Arguments args,
            Function<ScriptReply, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        Call call = numbered(driver, script, keys, args);
        send(driver, call.byText(), decoding(call, ticker.nanoTime(), decode, callback));
    }

    private Call numbered(RedisDriver to, Script script, List<String> keys, Arguments args) {
        String number = Long.toString(numbers.incrementAndGet(), Character.MAX_RADIX);
        return new Call(to, script, keys, args.add(number).words());
    }

    private <T> BiConsumer<@Nullable Reply, @Nullable DriverException> decoding(
            Call call,
            long sentNanos,
            Function<ScriptReply, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        return (reply, failure) -> {
            if (reply == null) {
                callback.accept(null, failure);
                return;
            }
            @Nullable T value = null;
            try {
                ScriptReply own = ScriptReply.of(reply, call.number());
                if (own != null) {
                    clock.read(driver.partition(call.keys().get(0)), sentNanos, own.timeMicros());
                    value = decode.apply(own);
                }
            } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException | Error e) {
                callback.accept(
                        null,
                        DriverException.unknown(
                                "the reply of " + call.script().fileName() + " has an unknown form: " + reply, e));
                return;
            }
            if (value == null) {
                try {
                    giveUp(call.keys().get(0), sentNanos);
                } finally {
                    callback.accept(
                            null,
                            DriverException.unknown(
                                    driver.describe() + " sent the reply of another call in place of that of "
                                            + call.script().fileName(),
                                    null));
                }
            } else {
                callback.accept(value, null);
            }
        };
    }

    /** Opens the connections to a key's server anew; once for all calls that were under way on them. */
    private void giveUp(String key, long sentNanos) {
        if (!isFirst(sentNanos, 0)) {
            return;
        }
        LOG.log(
                System.Logger.Level.ERROR,
                () -> driver.describe() + " has sent the reply of another call; it is ignored: connecting again");
        RedisDriver server = driver.master(driver.partition(key));
        (server == null ? driver : server).reconnect();
    }

    /** Whether nobody has given the connections up since a call left on them, nor within a pause. */
    private boolean isFirst(long sentNanos, long pauseNanos) {
        long before = gaveUp.get();
        long now = ticker.nanoTime();
        return sentNanos - before >= 0 && now - before >= pauseNanos && gaveUp.compareAndSet(before, now);
    }

    /**
     * The server is a replica by now. Whoever has its place may be where the server's name leads to today: connecting again finds it, and
     * asking on the same connection never would. From time to time, until it is found.
     */
    private void demoted(long sentNanos) {
        if (isFirst(sentNanos, timeoutNanos)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> driver.describe() + " is a replica by now, and takes no writes: connecting again");
            driver.reconnect();
        }
    }

    /**
     * Runs a script that a restarted server, or one after SCRIPT FLUSH, does not know. The text goes along with the first
     * call only: of thousands that meet such a server together, the others follow it and find the script there.
     */
    private void load(Call call, BiConsumer<@Nullable Reply, @Nullable DriverException> decoding) {
        if (loading.add(call.script())) {
            send(call.to(), call.byText(), (reply, failure) -> {
                loading.remove(call.script());
                decoding.accept(reply, failure);
            });
            return;
        }
        send(call.to(), call.bySha1(), (reply, failure) -> {
            if (isUnknownScript(failure)) {
                send(call.to(), call.byText(), decoding); // overtook the text, or went elsewhere
            } else {
                decoding.accept(reply, failure);
            }
        });
    }

    private static boolean isUnknownScript(@Nullable DriverException failure) {
        return failure != null && failure.code().equals("NOSCRIPT");
    }

    // ---- any command

    /** Any command, with the client's time limit. */
    public void send(Command command, BiConsumer<@Nullable Reply, @Nullable DriverException> callback) {
        send(driver, command, callback);
    }

    /** The same, to one of several servers. */
    public void send(RedisDriver to, Command command, BiConsumer<@Nullable Reply, @Nullable DriverException> callback) {
        Flight flight = new Flight(callback, ticker.nanoTime());
        flights.add(flight);
        AtomicLong silence = silences.asked(to, command, flight.sentNanos);
        try {
            to.send(command).whenComplete((reply, failure) -> {
                DriverException known = failure == null ? null : asDriverException(failure);
                if (known == null || known.kind() == DriverException.Kind.REJECTED) {
                    SilentServers.answered(silence);
                }
                if (known != null && known.code().equals("CROSSSLOT")) {
                    dividesItsKeys(); // first: what was refused is repeated from the callback
                }
                flight.land(reply, known);
                flights.remove(flight); // mostly the first, since answers come in order
                if (known != null && known.code().equals("READONLY") && to == driver && driver.partitions() == 1) {
                    demoted(flight.sentNanos);
                }
            });
            if (!flight.get()) {
                sweepLater();
            }
        } catch (RuntimeException | Error e) {
            // Perhaps it was sent: a heap or a stack can be too small for any step.
            flight.land(null, asDriverException(e));
            flights.remove(flight);
        }
    }

    /**
     * How many locks one call may speak of, where so many would be put together: one, as soon as the server has refused a call because
     * its keys belong to different places. By slot would mean the same: names have hash tags of their own, and a proxy may have other
     * rules for what belongs together than a cluster has.
     */
    public int atOnce(int most) {
        return divided.get() ? 1 : most;
    }

    private void dividesItsKeys() {
        if (divided.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    () -> driver.describe()
                            + " divides its keys among servers behind one address: each lock gets calls of its own");
        }
    }

    private static DriverException asDriverException(Throwable failure) {
        if (failure instanceof DriverException known) {
            return known;
        }
        if (failure.getCause() instanceof DriverException known) {
            return known;
        }
        return DriverException.unknown("the driver failed: " + failure, failure);
    }

    /** The servers are to be given time anew. */
    void heard() {
        silences.clear();
    }

    private void sweepLater() {
        sweeping.announce(() -> timers.schedule(timeoutNanos / 4, this::sweep));
    }

    /** Ends commands that took too long. They are in the order of sending, so it stops at the first young one. */
    private void sweep() {
        long now = ticker.nanoTime();
        try {
            for (Iterator<Flight> i = flights.iterator(); i.hasNext(); ) {
                Flight flight = i.next();
                if (!flight.get() && now - flight.sentNanos < timeoutNanos) {
                    break;
                }
                i.remove();
                flight.land(
                        null,
                        DriverException.unknown(
                                driver.describe() + " did not answer within " + timeoutNanos / 1_000_000 + " ms",
                                null));
            }
            silences.check(now);
        } finally { // a driver may fail at connecting again, and later commands have a time limit, too
            sweeping.begins();
            if (!flights.isEmpty()) {
                sweepLater();
            }
        }
    }
}
