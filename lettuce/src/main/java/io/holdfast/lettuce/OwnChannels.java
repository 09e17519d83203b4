package io.holdfast.lettuce;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/** What an own client's channels do differently. */
final class OwnChannels implements NettyCustomizer {
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
     */
    @Override
    public void afterChannelInitialized(Channel channel) {
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
    }
}
