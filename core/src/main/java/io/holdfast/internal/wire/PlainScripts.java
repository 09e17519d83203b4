package io.holdfast.internal.wire;

import io.holdfast.PlainHolder;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.LockScripts.Renewed;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The scripts of the plain protocol: what is said to each of them, in the order of its header, and what it replies. */
public final class PlainScripts {
    /**
     * Whether a key was granted, or who holds it.
     *
     * @param timeMicros the server's time
     * @param replaced whether the value was put in the place of the holder's that the call named
     * @param holder who holds the key; null if it was granted
     */
    public record PlainAcquireReply(
            long timeMicros, boolean replaced, @Nullable PlainHolder holder) {}

    private final ScriptCalls calls;

    PlainScripts(ScriptCalls calls) {
        this.calls = calls;
    }

    /**
     * Sets a key to a value if it is free, or if it has that value or the one to be replaced.
     *
     * @param mayBeMine whether an earlier copy may have put the value there
     * @param replace the value of the holder to replace; null for none
     */
    public void acquire(
            String key,
            String value,
            Duration term,
            boolean mayBeMine,
            @Nullable String replace,
            long sentNanos,
            BiConsumer<@Nullable PlainAcquireReply, @Nullable DriverException> callback) {
        calls.call(
                Script.PLAIN_ACQUIRE,
                List.of(key),
                new Arguments()
                        .add(value)
                        .add(term)
                        .add(mayBeMine)
                        .add(replace != null)
                        .add(replace == null ? "" : replace),
                sentNanos,
                reply -> reply.says("GRANTED")
                        ? new PlainAcquireReply(reply.timeMicros(), reply.flag(1), null)
                        : new PlainAcquireReply(reply.timeMicros(), false, holder(reply)),
                callback);
    }

    /** The answer is whether the key had the value. */
    public void release(String key, String value, BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        Arguments args = new Arguments().add(value);
        calls.call(Script.PLAIN_RELEASE, List.of(key), args, reply -> reply.says("RELEASED"), callback);
    }

    /** The answer is whether the key has the value, and so the term. Zero takes the expiry away. */
    public void extend(
            Keys keys,
            String value,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        extend(
                List.of(new RenewEntry(keys, value, 0, term.toMillis())),
                sentNanos,
                (held, failure) -> callback.accept(held == null ? null : held.get(0) == Renewed.HELD, failure));
    }

    /** The answers come in the order of the entries. All entries are of one partition. */
    public void extend(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(entries.size());
        Arguments args = new Arguments();
        for (RenewEntry entry : entries) {
            keys.add(entry.keys().hold());
            args.add(entry.owner()).add(entry.leaseDurationMillis());
        }
        calls.call(Script.PLAIN_EXTEND, keys, args, sentNanos, Renewed::of, callback);
    }

    /**
     * Who holds a key; empty if it is free.
     *
     * @param whole a value that is told whole however long it is; empty for none
     */
    public void info(
            String key, String whole, BiConsumer<@Nullable Optional<PlainHolder>, @Nullable DriverException> callback) {
        calls.call(
                Script.PLAIN_INFO,
                List.of(key),
                new Arguments().add(whole),
                reply -> reply.says("HELD") ? Optional.of(holder(reply)) : Optional.empty(),
                callback);
    }

    private static PlainHolder holder(ScriptReply reply) {
        long millis = reply.number(2);
        return new PlainHolder(
                reply.text(1), millis == -1 ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis))));
    }
}
