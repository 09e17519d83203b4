package io.holdfast;

import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Keys;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An observation of one election for one listener. It looks when a new leader announces itself, and at every refresh interval.
 *
 * <p>There is one look at a time, and the next begins when the listener has returned. So the listener is called in the order of
 * the looks. Requests for a look that arrive meanwhile are combined into one more look.
 */
final class Watching implements Election.Observation {
    private static final String NOBODY = ""; // owners are not empty
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final Engine engine;
    private final Kit kit;
    private final Keys keys;
    private final Consumer<Optional<Holder>> listener;
    private final Runnable reader = this::lookSoon;
    private final AtomicInteger wanted = new AtomicInteger(); // looks requested since the last one began
    private @Nullable String told; // owner and token of the last one reported: an owner can be granted again, later
    private volatile boolean closed;
    private volatile @Nullable Runnable timer;

    Watching(Engine engine, Keys keys, Consumer<Optional<Holder>> listener) {
        this.engine = engine;
        this.kit = engine.kit();
        this.keys = keys;
        this.listener = listener;
    }

    void begin() {
        engine.bulletins().listen(keys.electedChannel(), reader);
        tick();
    }

    private void tick() {
        if (closed || kit.isClosed()) {
            return;
        }
        timer = kit.schedule(kit.options.refreshInterval().toNanos(), () -> {
            engine.bulletins().tryAgain(keys.electedChannel());
            tick();
        });
        lookSoon();
    }

    private void lookSoon() {
        if (wanted.getAndIncrement() == 0) {
            look(1);
        }
    }

    private void look(int covered) {
        if (closed || kit.isClosed()) {
            return;
        }
        engine.lookAsync(keys)
                .whenComplete((info, failure) -> kit.execute(() -> {
                    try {
                        if (info != null && !closed) {
                            tell(Election.leaderOf(info));
                        } else if (failure != null) {
                            LOG.log(System.Logger.Level.DEBUG, "the leader is not known at present", failure);
                        }
                    } finally {
                        int left = wanted.addAndGet(-covered);
                        if (left > 0) {
                            look(left);
                        }
                    }
                }));
    }

    private void tell(Optional<Holder> leader) {
        String owner =
                leader.map(holder -> holder.owner() + " " + holder.token()).orElse(NOBODY);
        if (!owner.equals(told)) {
            told = owner;
            listener.accept(leader);
        }
    }

    @Override
    public void close() {
        closed = true;
        engine.bulletins().leave(keys.electedChannel(), reader);
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }
}
