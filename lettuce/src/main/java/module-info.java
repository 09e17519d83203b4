/** Holdfast's driver over Lettuce. */
module io.holdfast.lettuce {
    requires transitive io.holdfast;
    requires transitive lettuce.core;
    // Lettuce up to 7.5 needs it to keep connections alive, and as an automatic module cannot say so.
    requires jdk.net;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static transitive org.jspecify;

    // Needed by Lettuce, which as an automatic module cannot say so itself. It brings the rest of Netty along.
    requires io.netty.resolver.dns;

    exports io.holdfast.lettuce;

    provides io.holdfast.spi.RedisDriverProvider with
            io.holdfast.lettuce.LettuceDriverProvider;
}
