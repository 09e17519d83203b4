/** Holdfast over Jedis. */
module io.holdfast.jedis {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive redis.clients.jedis;
    requires jdk.net;

    exports io.holdfast.jedis;

    provides io.holdfast.spi.RedisDriverProvider with
            io.holdfast.jedis.JedisDriverProvider;
}
