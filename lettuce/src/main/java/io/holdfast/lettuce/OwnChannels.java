package io.holdfast.lettuce;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.io.IOException;

/** What an own client's channels do differently. */
final class OwnChannels implements NettyCustomizer {
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
