package io.holdfast.vertx;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import org.jspecify.annotations.Nullable;

/** A Vert.x instance that drivers share: made for the first of them, and closed after the last. */
final class OwnVertx {
    private @Nullable Vertx vertx; // guarded by this, as is the next
    private int users;

    synchronized Vertx take() {
        Vertx present = vertx;
        if (present == null) {
            present = Vertx.vertx(new VertxOptions()
                    .setEventLoopPoolSize(1)
                    .setWorkerPoolSize(4)
                    .setInternalBlockingPoolSize(1)
                    .setUseDaemonThread(true)
                    .setFileSystemOptions(
                            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
            vertx = present;
        }
        users++;
        return present;
    }

    synchronized Future<Void> giveBack() {
        users--;
        Vertx present = vertx;
        if (users > 0 || present == null) {
            return Future.succeededFuture();
        }
        vertx = null;
        return present.close();
    }
}
