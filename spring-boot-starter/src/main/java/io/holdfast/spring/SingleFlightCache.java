package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockNotObtainedException;
import io.holdfast.Once;
import io.holdfast.OnceResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.support.SimpleValueWrapper;

/**
 * A cache that all instances share, in which one of them loads a value that is missing, and the others wait and find it. The load is
 * work that is done once; what it results in is in the cache, so that the record can end with its answers. The cache is more
 * important than the single load: if the server of locks cannot say, or another loads for longer than requests wait, an instance loads
 * by itself.
 */
final class SingleFlightCache implements Cache {
    private static final AtomicLong LOADS = new AtomicLong();
    private static final int LONGEST_KEY = 200;
    private static final Duration NO_TIME = Duration.ofMillis(1);

    private final Cache cache;
    private final Supplier<Holdfast> client;

    SingleFlightCache(Cache cache, Supplier<Holdfast> client) {
        this.cache = cache;
        this.client = client;
    }

    private Once load(Object key) {
        String text = String.valueOf(key);
        // Keys that share a name wait for each other, and find nothing that is not theirs.
        String shown = text.length() <= LONGEST_KEY
                ? text
                : UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
        return client.get().once("cache/" + cache.getName() + "/" + shown).withKeep(NO_TIME);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // as the contract says; and a value may be null
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        ValueWrapper present = cache.get(key);
        if (present != null) {
            return (T) present.get();
        }
        AtomicReference<@Nullable ValueWrapper> loaded = new AtomicReference<>();
        try {
            OnceResult result = load(key).run(lease -> {
                loaded.set(new SimpleValueWrapper(cache.get(key, loader))); // looks again
                return "";
            });
            if (result instanceof OnceResult.Done) {
                loaded.set(cache.get(key));
            }
        } catch (LeaseLostException | LockNotObtainedException e) {
            // Then it may have been loaded all the same.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ValueRetrievalException(key, loader, e);
        }
        ValueWrapper found = loaded.get();
        return found == null ? cache.get(key, loader) : (T) found.get();
    }

    @Override
    @SuppressWarnings("NullAway") // it does not see that a value may be null
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
        CompletableFuture<?> present = cache.retrieve(key);
        return (present == null ? CompletableFuture.completedFuture(null) : present)
                .thenCompose(found -> found == null ? loadAsync(key, loader) : unwrapped(found));
    }

    @SuppressWarnings("NullAway")
    private <T> CompletableFuture<T> loadAsync(Object key, Supplier<CompletableFuture<T>> loader) {
        AtomicReference<@Nullable ValueWrapper> loaded = new AtomicReference<>();
        return load(key)
                .withActor("cache#" + LOADS.incrementAndGet()) // the thread may be an event loop's
                .runAsync(lease -> cache.retrieve(key, loader).thenApply(value -> {
                    loaded.set(new SimpleValueWrapper(value));
                    return "";
                }))
                .handle((result, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    ValueWrapper found = loaded.get();
                    if (found != null) {
                        return SingleFlightCache.<T>unwrapped(found);
                    } else if (cause == null
                            || cause instanceof LockNotObtainedException
                            || cause instanceof LeaseLostException) {
                        return cache.retrieve(key, loader); // looks again
                    }
                    return CompletableFuture.<T>failedFuture(cause);
                })
                .thenCompose(answer -> answer);
    }

    /** A cache that keeps null has its values in wrappers. */
    @SuppressWarnings({"unchecked", "NullAway"})
    private static <T> CompletableFuture<T> unwrapped(Object found) {
        return CompletableFuture.completedFuture((T) (found instanceof ValueWrapper wrapper ? wrapper.get() : found));
    }

    // ---- all else is the cache's own

    @Override
    public String getName() {
        return cache.getName();
    }

    @Override
    public Object getNativeCache() {
        return cache.getNativeCache();
    }

    @Override
    public @Nullable ValueWrapper get(Object key) {
        return cache.get(key);
    }

    @Override
    public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
        return cache.get(key, type);
    }

    @Override
    public @Nullable CompletableFuture<?> retrieve(Object key) {
        return cache.retrieve(key);
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        cache.put(key, value);
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        return cache.putIfAbsent(key, value);
    }

    @Override
    public void evict(Object key) {
        cache.evict(key);
    }

    @Override
    public boolean evictIfPresent(Object key) {
        return cache.evictIfPresent(key);
    }

    @Override
    public void clear() {
        cache.clear();
    }

    @Override
    public boolean invalidate() {
        return cache.invalidate();
    }

    @Override
    public String toString() {
        return "SingleFlight[" + cache + "]";
    }
}
