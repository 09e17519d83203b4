/** A real server for one machine, shared by the processes of one user. */
module io.holdfast.embedded {
    requires static org.jspecify;
    requires io.holdfast;
    // Only for the server programs that this jar carries: unless something requires it, it is not on the module path.
    requires embedded.redis;

    provides io.holdfast.spi.EmbeddedServerProvider with
            io.holdfast.embedded.SharedServerProvider;
}
