package io.holdfast.internal.wire;

import io.holdfast.spi.DriverException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls that speak of many locks: each of one partition and of a bounded number, and one bad lock does not stop the others. */
public final class Batches {
    /** Refusals that have nothing to do with what was asked: each lock alone would be refused as well. */
    private static final Set<String> OF_THE_SERVER =
            Set.of("LOADING", "BUSY", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "READONLY");

    private Batches() {}

    /** Sends all, in batches of one partition and of so many at most. */
    public static <T> void send(
            Server server, Collection<T> all, Function<T, String> keyOf, int most, Consumer<List<T>> sending) {
        Map<Integer, List<T>> byPartition = new HashMap<>();
        for (T one : all) {
            int partition = server.driver.partition(keyOf.apply(one));
            byPartition.computeIfAbsent(partition, p -> new ArrayList<>()).add(one);
        }
        byPartition.values().forEach(partition -> inParts(partition, server.atOnce(most), sending));
    }

    /** Sends all, in batches of so many at most. */
    public static <T> void inParts(List<T> all, int most, Consumer<List<T>> sending) {
        for (int from = 0; from < all.size(); from += most) {
            sending.accept(List.copyOf(all.subList(from, Math.min(all.size(), from + most))));
        }
    }

    /**
     * After a failure: sends each alone if one of several may have made the server refuse the call, because the others must
     * not suffer for it. Answers whether it has.
     */
    public static <T> boolean sendAlone(List<T> batch, @Nullable DriverException failure, Consumer<List<T>> sending) {
        if (batch.size() < 2
                || failure == null
                || failure.kind() != DriverException.Kind.REJECTED
                || OF_THE_SERVER.contains(failure.code())) {
            return false;
        }
        for (T one : batch) {
            sending.accept(List.of(one));
        }
        return true;
    }

    /** Asks for each alone, without waiting in between. The answers come together, in order; or, when all are there, a failure. */
    public static <T, R> void askAlone(
            List<T> all,
            BiConsumer<List<T>, BiConsumer<@Nullable List<R>, @Nullable DriverException>> asking,
            BiConsumer<@Nullable List<R>, @Nullable DriverException> callback) {
        Map<Integer, List<R>> answers = new ConcurrentHashMap<>(); // by place
        AtomicReference<@Nullable DriverException> failed = new AtomicReference<>();
        AtomicInteger open = new AtomicInteger(all.size());
        for (int i = 0; i < all.size(); i++) {
            int place = i;
            asking.accept(List.of(all.get(i)), (answer, failure) -> {
                if (answer == null) {
                    failed.set(failure);
                } else {
                    answers.put(place, answer);
                }
                if (open.decrementAndGet() > 0) {
                    return;
                }
                if (failed.get() != null) {
                    callback.accept(null, failed.get());
                    return;
                }
                List<R> together = new ArrayList<>();
                for (int k = 0; k < all.size(); k++) {
                    together.addAll(Objects.requireNonNull(answers.get(k)));
                }
                callback.accept(together, null);
            });
        }
    }
}
