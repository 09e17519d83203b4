package io.holdfast.lettuce;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * Turns a reset into an ordinary close. Lettuce would log the exception with its stack trace; that the connection broke is
 * an event, and reported as one.
 */
final class QuietBreak implements NettyCustomizer {
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
