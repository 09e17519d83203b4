package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Backoff;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.NodeFailure;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** A client of three nodes that answer what the test says, in virtual time and in the thread of the test. */
abstract class QuorumFixture {
    static final Duration TERM = LockOptions.defaults().leaseDuration();
    /** A term of 30 s, less 1 % and 2 ms. */
    static final Duration VALIDITY = Duration.ofMillis(29_698);

    static final String ACQUIRE = "quorum_acquire";
    static final String RAISE = "quorum_raise";
    static final String RELEASE = "quorum_release";

    final VirtualTime time = new VirtualTime();
    final List<FakeDriver> nodes = List.of(new FakeDriver(time), new FakeDriver(time), new FakeDriver(time));
    final QuorumOptions options = QuorumOptions.defaults()
            .withClient(HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ofMillis(50)))
            .withBackoff(Backoff.fixed(Duration.ofMillis(500)));
    final Quorum quorum = Quorum.connect(nodes.stream().map(QuorumNode::over).toList(), options, time.environment(1));

    @AfterEach
    void close() {
        for (FakeDriver node : nodes) {
            node.answer("release", call -> node.released("GONE"));
            node.answer(RELEASE, call -> node.gone());
        }
        quorum.close();
    }

    FakeDriver node(int index) {
        return nodes.get(index);
    }

    Reply granted(long token) {
        return list("GRANTED", token);
    }

    /** Another has it on this node, for so long yet. */
    Reply taken(String owner, long remainingMillis) {
        return Reply.of(List.of(
                Reply.of("TAKEN"),
                Reply.of(remainingMillis),
                Reply.of(owner),
                Reply.of(5),
                Reply.of(node(0).serverMicros()),
                Reply.of(30_000),
                Reply.of("app/host/1/main")));
    }

    Reply fresh(long remainingMillis) {
        return list("FRESH", remainingMillis);
    }

    Reply releasedReply() {
        return Reply.of(List.of(Reply.of("RELEASED")));
    }

    private Reply list(String word, long number) {
        return Reply.of(List.of(Reply.of(word), Reply.of(number)));
    }

    /** A lease that all nodes have granted with one token. */
    Lease lease(String name) {
        CompletableFuture<Lease> future = quorum.lock(name).acquireAsync(Wait.none());
        nodes.forEach(node -> node.next(ACQUIRE).answer(granted(100)));
        return obtained(future);
    }

    static Lease obtained(CompletableFuture<Lease> future) {
        assertTrue(future.isDone() && !future.isCompletedExceptionally(), "no lease: " + future);
        Lease lease = future.join();
        assertTrue(lease.isValid(), "over already: " + lease);
        return lease;
    }

    static <T> T done(CompletableFuture<T> future) {
        assertTrue(future.isDone(), "not done");
        return future.join();
    }

    static void assertOpen(CompletableFuture<?> future) {
        assertFalse(future.isDone(), "done: " + future);
    }

    /** How many commands of this name were sent to each node. */
    List<Integer> counts(String name) {
        return nodes.stream().map(node -> node.count(name)).toList();
    }

    /** The same client, which waits for its releases when it is closed. */
    Quorum patient() {
        return Quorum.connect(
                nodes.stream().map(QuorumNode::over).toList(),
                options.withClient(options.client().withCloseTimeout(Duration.ofMinutes(1))),
                time.environment(2));
    }

    /** Begins to close, and returns when each node waits for its releases or is closed. */
    static void letClose(Thread closing) {
        closing.start();
        while (!isWaitingOrOver(closing)
                || !Thread.getAllStackTraces().keySet().stream()
                        .filter(each -> each.getName().startsWith("holdfast-close-"))
                        .allMatch(QuorumFixture::isWaitingOrOver)) {
            Thread.onSpinWait();
        }
    }

    private static boolean isWaitingOrOver(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.TERMINATED;
    }

    static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    static Attempt.Unknown<?> unknown(CompletableFuture<Attempt<Lease>> future) {
        return assertInstanceOf(Attempt.Unknown.class, done(future));
    }

    static List<String> names(Stream<NodeFailure> failures) {
        return failures.map(each -> each.error().getClass().getSimpleName()).toList();
    }
}
