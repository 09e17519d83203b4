package io.holdfast.lettuce;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509TrustManager;
import jdk.net.ExtendedSocketOptions;

/** What an own client's channels do differently. */
final class OwnChannels implements NettyCustomizer {
    private final BooleanSupplier prepared;
    private final Supplier<SSLEngine> engines;
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();

    /**
     * @param prepared whether a channel that is made now may be connected
     * @param engines makes an engine for each channel that is encrypted
     */
    OwnChannels(BooleanSupplier prepared, Supplier<SSLEngine> engines) {
        this.prepared = prepared;
        this.engines = engines;
    }

    /** Closes all that are open. On their event loop, where none can be made meanwhile. */
    void closeAll() {
        List.copyOf(open).forEach(channel -> {
            var unused = channel.close();
        });
    }

    /**
     * So many commands go out at once at the most: a system call for each costs both sides, and with all that are at hand in
     * one, client and server wait for each other in turns.
     */
    private static final int MOST_AT_ONCE = 32;

    /**
     * Addresses come resolved from {@link JvmResolver}. Netty's resolvers, even one that does nothing, listen for the end
     * of the event loop, and are told of it on Netty's global executor.
     */
    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        bootstrap.disableResolver();
    }

    /**
     * Turns a reset into an ordinary close. Lettuce would log the exception with its stack trace; that the connection
     * broke is an event, and reported as one.
     *
     * <p>And puts off each flush to the end of what the event loop has at hand. Lettuce flushes each command that comes
     * from another thread by itself, which costs both sides a system call for each.
     *
     * <p>And closes a channel in whose handlers anything was thrown that Lettuce would only log: while something is read
     * and no command waits for an answer, or behind Lettuce's handlers while something is flushed. Part of a message may
     * have been read then, or a command is never sent.
     */
    @Override
    public void afterChannelInitialized(Channel channel) {
        if (!prepared.getAsBoolean()) {
            var unused = channel.close(); // before it is connected: the attempt fails, and the next comes after a pause
            return;
        }
        keepAlive(channel);
        open.add(channel);
        channel.closeFuture().addListener(closed -> open.remove(channel));
        encrypt(channel.pipeline());
        channel.pipeline().addFirst(new FlushConsolidationHandler(MOST_AT_ONCE, true));
        // First, so it sees what the socket throws and not what TLS does.
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                if (cause instanceof IOException) {
                    var unused = context.close();
                } else {
                    context.fireExceptionCaught(cause);
                }
            }
        });
        ChannelHandlerContext reader = channel.pipeline().context(CommandHandler.class);
        channel.pipeline().addBefore(reader.name(), null, new Reading(reader, (CommandHandler) reader.handler()));
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                var unused = context.close();
            }
        });
    }

    /**
     * A peer that vanished without a word is noticed after 5 s of silence and three probes, 2 s apart; over a native transport, after as
     * long as the system takes. Lettuce does so by itself from 7.5 on.
     */
    private static void keepAlive(Channel channel) {
        ChannelConfig config = channel.config();
        config.setOption(ChannelOption.SO_KEEPALIVE, true);
        if (channel instanceof NioSocketChannel) {
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), 5);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), 2);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), 3);
        }
    }

    /** Puts an engine of ours in the place of Lettuce's, which trusts nobody and cannot be made from an SSLContext. */
    private void encrypt(ChannelPipeline pipeline) {
        SslHandler theirs = pipeline.get(SslHandler.class);
        if (theirs == null) {
            return;
        }
        // A handler that is removed tells those behind it that its handshake has failed: not them.
        ChannelInboundHandlerAdapter silence = new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                // Ends here.
            }
        };
        pipeline.addAfter(pipeline.context(theirs).name(), null, silence);
        pipeline.remove(theirs);
        SslHandler ours = new SslHandler(engines.get());
        ours.setHandshakeTimeoutMillis(theirs.getHandshakeTimeoutMillis());
        pipeline.replace(silence, null, ours);
    }

    /** For the engine of Lettuce's that is never used: were it, nothing would be connected to. */
    static final class NoTrust implements X509TrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no certificate is trusted here");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Hands what was read to Lettuce by itself, because Netty tells what Lettuce throws at it to nobody but Lettuce. */
    private static final class Reading extends ChannelInboundHandlerAdapter {
        private final ChannelHandlerContext context;
        private final CommandHandler lettuce;

        Reading(ChannelHandlerContext context, CommandHandler lettuce) {
            this.context = context;
            this.lettuce = lettuce;
        }

        @Override
        public void channelRead(ChannelHandlerContext own, Object message) throws Exception {
            try {
                lettuce.channelRead(context, message);
            } catch (Throwable e) {
                exceptionCaught(own, e);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext own, Throwable cause) throws Exception {
            try {
                lettuce.exceptionCaught(context, cause);
            } finally {
                var unused = own.close();
            }
        }
    }
}
