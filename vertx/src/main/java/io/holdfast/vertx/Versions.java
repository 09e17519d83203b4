package io.holdfast.vertx;

import io.vertx.core.Future;
import io.vertx.redis.client.Redis;
import java.lang.reflect.Method;

/** The one place that knows how Vert.x 4.5 and 5 differ. This module is compiled against 5. */
final class Versions {
    /** It returns nothing in 4.5, and a future in 5. So the compiled call of one is unknown in the other. */
    private static final Method CLOSE = closing();

    private Versions() {}

    private static Method closing() {
        try {
            return Redis.class.getMethod("close");
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(
                    "this version of Vert.x's Redis client cannot be closed: it has no method close", e);
        }
    }

    /** Closes a client and its connections. Answers what completes when they are closed, or in 4.5 when that has begun. */
    static Future<Void> close(Redis client) {
        try {
            return CLOSE.invoke(client) instanceof Future<?> closing ? closing.mapEmpty() : Future.succeededFuture();
        } catch (ReflectiveOperationException e) {
            return Future.failedFuture(e);
        }
    }
}
