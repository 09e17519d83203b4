package io.holdfast.contracts;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** What the suites of quorums share: independent real servers as nodes, and clients of them. */
abstract class QuorumSuite extends LockSuite {
    static final Duration TERM = Duration.ofSeconds(2);
    static final Duration BRIEF = Duration.ofMillis(500);
    static final LockOptions LOCK = LockOptions.defaults().withLeaseDuration(TERM);
    static final QuorumOptions OPTIONS = QuorumOptions.defaults()
            .withClient(HoldfastOptions.defaults()
                    .withLockDefaults(LOCK)
                    .withCommandTimeout(Duration.ofMillis(500))
                    .withCloseTimeout(Duration.ofMillis(300)))
            .withMaxLeaseDuration(TERM);

    /** Nodes that have their memory since the beginning of time: no quarantine is awaited. */
    List<RedisServer> nodes(int count) {
        List<RedisServer> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RedisServer node = startServer();
            node.admit();
            nodes.add(node);
        }
        return nodes;
    }

    /** What is to be gone when nobody holds: neither markers nor tombstones of rounds that were decided early. */
    static boolean isNoTombstone(String key) {
        return !key.equals("hf:node") && !key.contains("}:x:");
    }

    Quorum quorum(List<RedisServer> nodes, QuorumOptions options) {
        return closeLater(Quorum.connect(
                nodes.stream()
                        .map(node -> QuorumNode.over(driver(node.address())))
                        .toList(),
                options));
    }

    Quorum quorum(List<RedisServer> nodes) {
        return quorum(nodes, OPTIONS);
    }

    Quorum quorum(List<RedisServer> nodes, UnaryOperator<String> rewrite, QuorumOptions options) {
        return closeLater(Quorum.connect(
                nodes.stream()
                        .map(node -> QuorumNode.over(new RewritingDriver(driver(node.address()), rewrite)))
                        .toList(),
                options));
    }

    /** Threads that end with the test. */
    record Threads(ExecutorService executor) implements AutoCloseable {
        Threads(int count) {
            this(Executors.newFixedThreadPool(count));
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }
}
