package io.holdfast.vertx;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to connect.
 *
 * @param options where to connect; one after the other, if there are several
 * @param greeting what to say first, each with the code of a refusal that does no harm
 */
record Target(List<RedisOptions> options, List<Greeting> greeting) {
    /**
     * The last of a greeting: Vert.x connects without a password to a server that wants one. A user that may not ping may well
     * be allowed to lock.
     */
    static final Greeting PING = new Greeting(Request.cmd(Command.PING), "NOPERM");

    /**
     * A request of the greeting.
     *
     * @param harmless the code of a refusal after which the connection is as good; null if there is none
     */
    record Greeting(Request request, @Nullable String harmless) {}
}
