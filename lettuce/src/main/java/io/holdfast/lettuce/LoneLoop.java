package io.holdfast.lettuce;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.nio.NioEventLoopGroup;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes one event loop that belongs to no group. A group listens for the end of its loops, and hears of it on Netty's global
 * executor, a thread that keeps the JVM alive for another second. So the group that makes the loop is given another one to
 * listen to, which has no thread and never ends.
 *
 * <p>Only Netty 4.2 has a public constructor of such a loop; this way is open in 4.1 as well.
 */
@SuppressWarnings("deprecation") // in Netty 4.2, where it still does what it did in 4.1
final class LoneLoop extends NioEventLoopGroup {
    /** Set while the constructor of the group runs, hence without an initial value. */
    private @Nullable EventLoop made;

    private LoneLoop(ThreadFactory threads) {
        super(1, threads);
    }

    static EventLoop make(ThreadFactory threads) {
        return Objects.requireNonNull(new LoneLoop(threads).made);
    }

    @Override
    protected EventLoop newChild(Executor executor, Object... args) throws Exception {
        made = super.newChild(executor, args);
        return new DefaultEventLoop();
    }
}
