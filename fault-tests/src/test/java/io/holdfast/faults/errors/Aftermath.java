package io.holdfast.faults.errors;

import static io.holdfast.contracts.Outcomes.isRefused;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.PlainLease;
import io.holdfast.Quorum;
import io.holdfast.Wait;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What must be true after a scene, wherever an Error came. */
final class Aftermath {
    private static final long AVAILABLE_MILLIS =
            Scene.TERM.plus(Scene.CLAIM).plus(Scene.REFRESH).toMillis() + 2_000;
    private static final long END_MILLIS = Scene.TERM.multipliedBy(3).toMillis() + 10_000;
    private static final String PROBE = "probe";

    private final Scene scene;

    Aftermath(Scene scene) {
        this.scene = scene;
    }

    void check() {
        scene.releaseAll(); // also what a release that threw has not released
        available();
        scene.passUntil(
                END_MILLIS, () -> allEnded(scene.asked) && scene.held.stream().noneMatch(Held::isValid));
        ended();
        losses();
        scene.open();
        for (int i = 0; i < 2; i++) {
            if (!scene.closed.contains(scene.clients.get(i))) {
                alive(i);
            }
        }
        nothingIsLeft();
    }

    /** Another client obtains each lock in time. */
    private void available() {
        List<Asked> taken = new ArrayList<>();
        for (Scene.Free each : scene.free) {
            taken.add(take(each));
        }
        if (!scene.passUntil(AVAILABLE_MILLIS, () -> allEnded(taken))) {
            System.gc(); // a lease that no caller has is noticed with the next renewal after a collection
            if (scene.passUntil(2 * AVAILABLE_MILLIS, () -> allEnded(taken))) {
                return;
            }
            scene.found("HELD", "not to be had within " + AVAILABLE_MILLIS + " ms: " + open(taken));
            if (!scene.passUntil(END_MILLIS, () -> allEnded(taken))) {
                scene.found("HELD FOR EVER", "not to be had at all: " + open(taken));
            }
        }
        for (Asked each : taken) {
            Throwable thrown = each.thrown;
            if (thrown != null) {
                scene.found("HELD", each + " failed: " + thrown);
            }
        }
    }

    private Asked take(Scene.Free what) {
        CompletableFuture<Object> got = new CompletableFuture<>();
        what.take().get().whenComplete((lease, failure) -> {
            if (failure != null) {
                got.completeExceptionally(failure);
            } else {
                got.complete("got");
                if (lease instanceof Lease one) {
                    one.releaseAsync();
                } else if (lease instanceof PlainLease plain) {
                    plain.releaseAsync();
                } else {
                    scene.closing(this, lease);
                }
            }
        });
        return scene.ask(this, what.what(), () -> got);
    }

    private static boolean allEnded(List<Asked> all) {
        return all.stream().allMatch(each -> each.over);
    }

    private static List<Asked> open(List<Asked> all) {
        return all.stream().filter(each -> !each.over).toList();
    }

    /** Whatever was called has ended, and in a way that callers may expect. */
    private void ended() {
        List<Asked> open = open(scene.asked);
        if (!open.isEmpty()) {
            scene.found("ENDS", "never ends: " + open);
        }
        for (Asked each : scene.asked) {
            Throwable thrown = each.thrown;
            if (thrown != null && !Scene.isExpected(thrown)) {
                scene.found("ANSWER", each + " fails with " + thrown);
            }
        }
    }

    private void losses() {
        for (Held each : scene.held) {
            if (each.isValid()) {
                scene.found("VALID", "still valid, though released: " + each);
            } else if (!each.left && !each.told) {
                scene.found("TOLD", "over, and neither released nor reported lost: " + each);
            }
        }
    }

    /** A client's timers, messages and events still work: a wait ends in time, and a lease is renewed. */
    private void alive(int number) {
        Object client = scene.clients.get(number);
        DistributedLock theirs = Scene.lock(scene.clients.get(2), PROBE, Scene.STRICT);
        DistributedLock lock = Scene.lock(client, PROBE, Scene.TURNS);
        CompletableFuture<Lease> blocker = theirs.acquireAsync(Wait.forever());
        scene.passUntil(END_MILLIS, blocker::isDone);
        if (!blocker.isDone()) {
            scene.found("ALIVE", "the checker has no lock to wait for");
            return;
        }
        CompletableFuture<Attempt<Lease>> limited = lock.attemptAsync(Wait.upTo(Duration.ofMillis(500)));
        scene.pass(400);
        if (limited.isDone()) {
            scene.found("ALIVE", "client " + number + ": a wait of 500 ms ends too early: " + shown(limited));
        }
        scene.pass(700);
        if (!limited.isDone()) {
            scene.found("ALIVE", "client " + number + ": a wait of 500 ms does not end");
        } else if (limited.isCompletedExceptionally() || !isRefused(Reason.TIMED_OUT, limited.join())) {
            scene.found("ALIVE", "client " + number + ": a wait of 500 ms ends as " + shown(limited));
        }
        blocker.join().releaseAsync();
        int obtained = heard(number, "Obtained");
        CompletableFuture<Attempt<Lease>> next = lock.attemptAsync(Wait.upTo(Duration.ofSeconds(4)));
        scene.pass(4_500);
        if (!next.isDone()
                || next.isCompletedExceptionally()
                || next.join().asOptional().isEmpty()) {
            scene.found("ALIVE", "client " + number + ": no lease of a free lock: " + shown(next));
            return;
        }
        if (heard(number, "Obtained") == obtained) {
            scene.found("EVENTS", "client " + number + ": its listener hears nothing any more");
        }
        scene.pass(Scene.TERM.toMillis() + 1_500);
        if (!next.join().orElseThrow().isValid()) {
            scene.found("ALIVE", "client " + number + ": a lease is not renewed");
        }
        CompletableFuture<?> released = next.join().orElseThrow().releaseAsync();
        scene.pass(500);
        if (!released.isDone()) {
            scene.found("ALIVE", "client " + number + ": a release does not end");
        }
    }

    private static String shown(CompletableFuture<?> future) {
        return future.handle((value, failure) -> String.valueOf(failure == null ? value : failure))
                .getNow("no answer");
    }

    private int heard(int client, String event) {
        return scene.heard.getOrDefault(client + " " + event + " " + PROBE, 0);
    }

    private void nothingIsLeft() {
        if (Steps.locked() != 0) {
            scene.found("MONITOR", Steps.locked() + " locks of the client are taken and not given back");
        }
        for (int i = 0; i < 2; i++) {
            Object client = scene.clients.get(i);
            if (!scene.closed.contains(client) && count(client) != 0) {
                scene.found(
                        "COUNTS", "client " + i + " says it holds " + holding(client) + ", waits " + waiting(client));
            }
        }
        scene.closeAll();
        scene.pass(Scene.TERM.toMillis() + 6_000); // and the life of tokens
        for (MemoryServer server : scene.servers) {
            List<String> keys = server.command("KEYS", "*").asList().stream()
                    .map(Reply::asString)
                    .filter(key -> !key.equals("hf:node") && !expires(server, key)) // the name of a quorum's node lasts
                    .toList();
            List<Reply> channels = server.command("PUBSUB", "CHANNELS", "*").asList();
            if (!keys.isEmpty() || !channels.isEmpty()) {
                scene.found("LEFT", "on the server: " + keys + " " + channels);
            }
        }
    }

    private static boolean expires(MemoryServer server, String key) {
        return server.command("PTTL", key).asLong() >= 0;
    }

    private static int count(Object client) {
        return holding(client) + waiting(client);
    }

    private static int holding(Object client) {
        return client instanceof Quorum quorum ? quorum.leaseCount() : ((Holdfast) client).leaseCount();
    }

    private static int waiting(Object client) {
        return client instanceof Quorum quorum ? quorum.waiterCount() : ((Holdfast) client).waiterCount();
    }
}
