/** Holdfast's driver over Lettuce. */
module io.holdfast.lettuce {
    requires transitive io.holdfast;
    requires transitive lettuce.core;
    requires io.netty.common;
    requires io.netty.resolver;
    requires io.netty.transport;
    requires static transitive org.jspecify;

    exports io.holdfast.lettuce;

    provides io.holdfast.spi.RedisDriverProvider with
            io.holdfast.lettuce.LettuceDriverProvider;
}
