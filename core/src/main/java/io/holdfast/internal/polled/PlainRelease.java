package io.holdfast.internal.polled;

import io.holdfast.ReleaseResult;
import io.holdfast.internal.lease.TakeBack;
import io.holdfast.internal.polled.PlainLocks.Place;
import io.holdfast.spi.DriverException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Frees a key of the plain protocol, if it has this value.
 *
 * <p>There is no tombstone here, since other programs would not look at it: a copy of an acquire that reaches the server
 * after all this takes the key for nobody, until its term is over. A second look some seconds later ends most of these.
 *
 * @param secondLook whether a copy of the acquire may still be under way
 */
record PlainRelease(PlainLocks plain, Place place, boolean secondLook) implements TakeBack.Release {
    private static final long SECOND_LOOK_NANOS = 5_000_000_000L;

    @Override
    public Object id() {
        return place;
    }

    @Override
    public String key() {
        return place.key();
    }

    @Override
    public boolean mayHold() {
        return true;
    }

    @Override
    public TakeBack.Release after(TakeBack.Release earlier) {
        return earlier instanceof PlainRelease before && before.secondLook ? before : this;
    }

    @Override
    public void send(BiConsumer<@Nullable ReleaseResult, @Nullable DriverException> answer) {
        plain.server.plainScripts.release(place.key(), place.value(), (released, failure) -> {
            answer.accept(
                    released == null ? null : released ? ReleaseResult.RELEASED : ReleaseResult.ALREADY_GONE, failure);
            if (secondLook && released != null) {
                plain.kit.schedule(SECOND_LOOK_NANOS, () -> {
                    if (!plain.isInUse(place)) { // else it belongs to another request by now
                        plain.server.plainScripts.release(place.key(), place.value(), (again, ignored) -> {});
                    }
                });
            }
        });
    }
}
