/** Holdfast's driver over Lettuce. */
module io.holdfast.lettuce {
    requires transitive io.holdfast;
    requires transitive lettuce.core;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static transitive org.jspecify;

    // Needed by Lettuce from 7.0 on, which as an automatic module cannot say so itself. It brings the rest of Netty
    // along.
    requires io.netty.resolver.dns;

    exports io.holdfast.lettuce;

    provides io.holdfast.spi.RedisDriverProvider with
            io.holdfast.lettuce.LettuceDriverProvider;
}
