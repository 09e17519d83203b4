/** Holdfast over Jedis. */
module io.holdfast.jedis {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive redis.clients.jedis;
    requires jdk.net;
    requires org.apache.commons.pool2;

    // Needed by Jedis, which as an automatic module cannot say so itself.
    requires org.slf4j;

    exports io.holdfast.jedis;

    provides io.holdfast.spi.RedisDriverProvider with
            io.holdfast.jedis.JedisDriverProvider;
}
