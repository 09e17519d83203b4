package io.holdfast.internal.wire;

import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A server as one client uses it: connections, calls, scripts, and the server's clock. Behind one driver there may be several
 * servers, of a cluster or one after the other; each lock has one of them at a time.
 */
public final class Server implements AsyncResults.Asker {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private static final String SLOWER =
            "limit the slewing of its clock to less than 0.5 % (chrony: maxslewrate 4000), step it at boot"
                    + " only (makestep), and see docs/safety.md";

    /** What scripts are told in place of a prefix, where each lock has its own channels; see common.lua. */
    private static final String OWN_CHANNELS = "";

    /** How many waiters a look at one lock lists. */
    public static final int WAITERS_LISTED = 100;

    public final HoldfastOptions options;
    public final RedisDriver driver;
    public final ServerClock clock;
    public final ScriptCalls calls;
    public final ExclusiveScripts exclusiveScripts;
    public final SharedScripts sharedScripts;
    public final AdminScripts adminScripts;
    public final PlainScripts plainScripts;
    public final ReportScripts reportScripts;
    public final QuorumScripts quorumScripts;
    private final Ticker ticker;
    private final OwnerIds ids;
    private final @Nullable EmbeddedServer share;
    private final BooleanSupplier closed;
    private volatile ObjIntConsumer<LongUnaryOperator> whenAhead = (lowered, partition) -> {};

    /**
     * A server behind a driver.
     *
     * @param share in the embedded server; null if it is another server
     * @param closed whether its client is
     */
    public Server(
            RedisDriver driver,
            HoldfastOptions options,
            OwnerIds ids,
            Ticker ticker,
            Timers timers,
            @Nullable EmbeddedServer share,
            BooleanSupplier closed) {
        this.driver = driver;
        this.options = options;
        this.ids = ids;
        this.ticker = ticker;
        this.share = share;
        this.closed = closed;
        this.clock = new ServerClock(driver.partitions(), ticker, 1 + options.largestClockDrift(), this::clockRanAhead);
        this.calls = new ScriptCalls(driver, ticker, timers, clock, ids.client(), options.commandTimeout());
        String label = ClientLabel.ofClient(options.application());
        ClientWords words = new ClientWords(ids, channelPrefix(), options, label);
        this.exclusiveScripts = new ExclusiveScripts(calls, words);
        this.sharedScripts = new SharedScripts(calls, words);
        this.adminScripts = new AdminScripts(calls, this::scripts);
        this.plainScripts = new PlainScripts(calls);
        this.reportScripts = new ReportScripts(calls, options.prefix());
        this.quorumScripts = new QuorumScripts(calls, ticker, options.tokenLife(), label);
    }

    /** What it is called, for people. */
    @Override
    public String describe() {
        return driver.describe();
    }

    @Override
    public boolean isClosed() {
        return closed.getAsBoolean();
    }

    /** What is said about a lock with a queue. */
    public LockScripts scripts(Keys keys) {
        return keys.kind().isLine() ? sharedScripts : exclusiveScripts;
    }

    /** All that {@link #scripts} chooses from. */
    public List<LockScripts> allScripts() {
        return List.of(exclusiveScripts, sharedScripts);
    }

    // ---- where a lock is

    /** Whether keys are divided among several servers. */
    public boolean isPartitioned() {
        return driver.partitions() > 1;
    }

    /** See {@link ScriptCalls#atOnce}. */
    public int atOnce(int most) {
        return calls.atOnce(most);
    }

    public int partition(Keys keys) {
        return driver.partition(keys.hold());
    }

    /** The server that has a lock at present; null if none is known. */
    public @Nullable RedisDriver masterOf(Keys keys) {
        return driver.master(partition(keys));
    }

    /** The argument of scripts by which they find the channels. */
    public String channelPrefix() {
        return isPartitioned() ? OWN_CHANNELS : Keys.channelPrefix(options.prefix());
    }

    /** Who holds a lock and who waits for it. Blocks for the answer. */
    public LockInfo look(Keys keys) {
        List<LockInfo> infos =
                AsyncResults.await(this, callback -> adminScripts.info(List.of(keys), WAITERS_LISTED, callback));
        return infos.get(0);
    }

    /** The same without blocking; fails with exceptions of the library. */
    public CompletableFuture<LockInfo> lookAsync(Keys keys) {
        if (isClosed()) {
            return CompletableFuture.failedFuture(new HoldfastClosedException());
        }
        CompletableFuture<LockInfo> looked = new CompletableFuture<>();
        AsyncResults.<List<LockInfo>>to(callback -> adminScripts.info(List.of(keys), WAITERS_LISTED, callback))
                .whenComplete((infos, failure) -> {
                    if (infos != null) {
                        looked.complete(infos.get(0));
                    } else {
                        looked.completeExceptionally(AsyncResults.explained(this, new CompletionException(failure)));
                    }
                });
        return looked;
    }

    /** Tells whoever listens to a channel. Nobody hears whether it could be told. */
    public void publish(String channel, String text) {
        if (!isPartitioned()) {
            calls.send(new Command(null, List.of("PUBLISH", channel, text)), (reply, failure) -> {});
            return;
        }
        // Where the server knows sharded channels, those are subscribed to.
        calls.send(new Command(channel, List.of("SPUBLISH", channel, text)), (reply, failure) -> {
            if (failure != null && failure.code().equals("ERR")) {
                calls.send(new Command(channel, List.of("PUBLISH", channel, text)), (again, unheard) -> {});
            }
        });
    }

    // ---- its clock

    /** The time by the clock of the server that has a lock, for which it is asked: this process may have slept. */
    public CompletableFuture<Instant> timeAsync(Keys keys) {
        return lookAsync(keys)
                .thenApply(asked -> ServerClock.instant(clock.microsAt(partition(keys), ticker.nanoTime())));
    }

    /**
     * Sets what is done when the server's clock has run ahead: leases end by so much earlier. It is called on the thread that
     * reads the reply, with what is left of a deadline of before.
     */
    public void whenClockRunsAhead(ObjIntConsumer<LongUnaryOperator> action) {
        whenAhead = action;
    }

    private void clockRanAhead(int partition, LongUnaryOperator lowered, @Nullable String inWords) {
        if (inWords != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> clockInWords(partition, inWords)
                            + "; that clock was set forward or is slewed, or this process was suspended. Holds would"
                            + " end on that server before their leases end in this process, so leases are renewed now,"
                            + " and end earlier for as long as that clock runs fast; "
                            + SLOWER);
        }
        whenAhead.accept(lowered, partition);
    }

    private String clockInWords(int partition, String ahead) {
        RedisDriver server = driver.master(partition);
        return "the clock of " + (server == null ? driver : server).describe()
                + " has run ahead of that of this process " + ahead;
    }

    /**
     * When a lease ends whose term was granted, or renewed, in the reply to a request that left at {@code sentNanos}; as far as
     * is known now of the server's clock.
     */
    public long deadline(Keys keys, long sentNanos, long termNanos) {
        return clock.deadline(partition(keys), sentNanos, termNanos);
    }

    /** Whether the clock of a partition's server was ever seen to have run ahead. */
    public boolean clockHasRunAhead(int partition) {
        return clock.hasRunAhead(partition);
    }

    /** As {@link Deadlines#ofHandoff}. */
    public OptionalLong deadlineOfHandoff(Keys keys, long grantedMicros, long claimNanos, long receivedNanos) {
        return clock.deadlineOfHandoff(partition(keys), grantedMicros, claimNanos, receivedNanos);
    }

    /** Why nothing is to be asked of a partition's server for its clock; null if there is no reason. */
    public @Nullable ServerRefusedException unfitClock(int partition) {
        return clock.isUnfit(partition)
                ? new ServerRefusedException(
                        clockInWords(partition, clock.aheadInWords(partition))
                                + ", again and again, and largestClockDrift is "
                                + options.largestClockDrift() * 100
                                + " %: holds would end on that server before their leases end in this process, so no"
                                + " lock is acquired on it; "
                                + SLOWER,
                        null)
                : null;
    }

    /** Why a lease that was granted is not handed out, for the server's clock; null if there is no reason. */
    public @Nullable ServerRefusedException unfitClock(Keys keys, LockOptions lock) {
        int partition = partition(keys);
        double rate = clock.rate(partition);
        if (rate == 1) {
            return null;
        }
        ServerRefusedException unfit = unfitClock(partition);
        if (unfit != null) {
            return unfit;
        }
        Duration certain =
                Duration.ofNanos(Deadlines.ofReply(0, lock.leaseDuration().toNanos(), rate));
        return certain.compareTo(lock.minRemaining()) > 0
                ? null
                : new ServerRefusedException(
                        clockInWords(partition, clock.aheadInWords(partition)) + ": of the lease duration of "
                                + lock.leaseDuration()
                                + " only "
                                + certain + " are certain, less than minRemaining, " + lock.minRemaining() + "; "
                                + SLOWER,
                        null);
    }

    // ---- connections

    /** Commands go over new connections: to another server perhaps, or to this one without its memory. */
    public void commandsUp(IntPredicate partitions) {
        // Or this process may be on another machine, or a copy.
        ids.newEpoch();
        clock.drop(partitions, ticker.nanoTime());
        calls.heard();
    }

    /** Messages come over new connections, perhaps from another server than before. */
    public void messagesUp(IntPredicate partitions) {
        clock.drop(partitions, ticker.nanoTime());
    }

    // ---- what it remembers

    /** Refuses a lease of so long, {@code what} in words, of which the server could keep the lock yet when the quarantine is over. */
    public void refuseBeyondQuarantine(String what, LockOptions lock, Duration lease) {
        Duration quarantine = options.quarantine();
        Duration lasts = LockScripts.term(lock, lease);
        if (!quarantine.isZero() && lasts.compareTo(quarantine) > 0) {
            throw new IllegalArgumentException(what + (lock.lockDelay().isZero() ? "" : " with lockDelay") + " is "
                    + lasts + ", must be at most the client's quarantine, " + quarantine
                    + ": others wait for this time after the server may have lost its memory");
        }
    }

    /**
     * What this client holds may stay taken after this process: handed over, left to nobody, or for a shortest time. So that
     * the process has ended must not be taken for the end of its holds.
     */
    public void mayBeOutlived() {
        if (share != null) {
            try {
                share.conceal(ids.client());
            } catch (DriverException e) {
                throw new ServerUnreachableException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    /** After everything else: closes the connections, and leaves the embedded server. */
    public void close() {
        driver.close();
        if (share != null) {
            share.close();
        }
    }
}
