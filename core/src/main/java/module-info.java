/** Distributed locks on Redis and Valkey. */
module io.holdfast {
    requires static transitive org.jspecify;
    // Events for flight recordings, where the application has that module.
    requires static jdk.jfr;

    exports io.holdfast;
    exports io.holdfast.routing;
    exports io.holdfast.spi;

    uses io.holdfast.spi.RedisDriverProvider;
    uses io.holdfast.spi.EmbeddedServerProvider;
}
