/** Distributed locks on Redis and Valkey. */
module io.holdfast {
    requires static transitive org.jspecify;

    exports io.holdfast;
    exports io.holdfast.routing;
    exports io.holdfast.spi;

    uses io.holdfast.spi.RedisDriverProvider;
    uses io.holdfast.spi.EmbeddedServerProvider;
}
