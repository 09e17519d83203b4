package io.holdfast.lettuce;

import io.holdfast.contracts.FaultyConnectionContract;
import io.holdfast.contracts.Fuse;
import io.holdfast.spi.RedisDriver;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.HashedWheelTimer;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Points before and after each read, write and flush on both sides of Lettuce's handlers, and each buffer that is made. */
final class LettuceFaultyConnectionTest extends FaultyConnectionContract {
    /** Lettuce's own has ticks of 100 ms, which each reconnect would wait for. */
    private final HashedWheelTimer timer = new HashedWheelTimer(1, TimeUnit.MILLISECONDS);

    private @Nullable RedisClient client;
    private @Nullable ClientResources resources;

    /** That of the channels that are made now. */
    private volatile Fuse fuse = new Fuse();

    @Override
    protected RedisDriver connect(int port, Fuse passed) {
        fuse = passed;
        RedisClient shared = client;
        if (shared == null) {
            shared = client();
            client = shared;
        }
        return LettuceDriver.over(shared, RedisURI.create("127.0.0.1", port));
    }

    private RedisClient client() {
        ClientResources made = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .reconnectDelay(new ReconnectDelay())
                .timer(timer)
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        Fuse passed = fuse;
                        channel.pipeline().addFirst(new FaultyHandler(passed));
                        channel.pipeline().addLast(new FaultyHandler(passed));
                        // Around them, as in the driver's own clients.
                        new OwnChannels(() -> true, LettuceFaultyConnectionTest::noEngine)
                                .afterChannelInitialized(channel);
                        channel.config().setAllocator(new FaultyAllocator(passed));
                    }
                })
                .build();
        resources = made;
        RedisClient created = RedisClient.create(made);
        created.setOptions(
                ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
        return created;
    }

    @AfterEach
    void shutDown() {
        if (client != null) {
            client.shutdown();
        }
        if (resources != null) {
            var unused = resources.shutdown();
        }
        timer.stop();
    }

    private static final class FaultyHandler extends ChannelDuplexHandler {
        private final Fuse fuse;

        FaultyHandler(Fuse fuse) {
            this.fuse = fuse;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            fuse.pass();
            super.channelRead(context, message);
            fuse.pass();
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
            fuse.pass();
            super.write(context, message, promise);
            fuse.pass();
        }

        @Override
        public void flush(ChannelHandlerContext context) throws Exception {
            fuse.pass();
            super.flush(context);
            fuse.pass();
        }
    }

    private static final class FaultyAllocator extends AbstractByteBufAllocator {
        private final Fuse fuse;

        FaultyAllocator(Fuse fuse) {
            super(true);
            this.fuse = fuse;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            fuse.pass();
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            fuse.pass();
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    private static SSLEngine noEngine() {
        throw new IllegalStateException("nothing is encrypted here");
    }
}
