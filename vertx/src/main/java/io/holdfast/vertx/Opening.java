package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One attempt to open a connection, which ends once: with the connection, or with a reason. All of it runs on the lane. */
final class Opening {
    private final Opener opener;
    private final Consumer<Line> opened;
    private final Consumer<DriverException> failed;
    private @Nullable Redis client;
    private boolean over;

    private Opening(Opener opener, Consumer<Line> opened, Consumer<DriverException> failed) {
        this.opener = opener;
        this.opened = opened;
        this.failed = failed;
    }

    static Opening begin(Opener opener, Consumer<Line> opened, Consumer<DriverException> failed) {
        Opening opening = new Opening(opener, opened, failed);
        Lane lane = opener.lane();
        // Vert.x limits the connecting, but not the greeting.
        lane.later(opener.limit().toNanos(), () -> opening.fail(opener.silent(new TimeoutException())));
        lane.blocking(opener.target())
                .onComplete(target -> lane.now(() -> {
                    if (target.succeeded()) {
                        opening.connect(target.result(), 0);
                    } else {
                        opening.fail(target.cause());
                    }
                }));
        return opening;
    }

    /** Gives the attempt up. */
    void abandon() {
        over = true;
        closeClient();
    }

    private void fail(Throwable reason) {
        if (!over) {
            abandon();
            failed.accept(Failures.ofConnect(reason, opener.where(), opener.tls()));
        }
    }

    private void closeClient() {
        Redis connecting = client;
        client = null;
        if (connecting != null) {
            var unused = Versions.close(connecting);
        }
    }

    private void connect(Target target, int number) {
        if (over) {
            return;
        }
        Redis connecting;
        try {
            connecting =
                    Redis.createClient(opener.lane().vertx(), target.options().get(number));
        } catch (RuntimeException e) {
            fail(e);
            return;
        }
        client = connecting;
        connecting
                .connect()
                .onComplete(result -> opener.lane().now(() -> {
                    if (over) {
                        return;
                    }
                    if (result.succeeded()) {
                        greet(target, connecting, result.result());
                    } else if (number + 1 < target.options().size()) {
                        closeClient();
                        connect(target, number + 1);
                    } else {
                        fail(result.cause());
                    }
                }));
    }

    private void greet(Target target, Redis connected, RedisConnection connection) {
        Line line = new Line(opener.lane(), opener.where(), connected, connection);
        line.follow(this::fail);
        greet(line, target, 0);
    }

    /** One by one: the first refusal is the reason. */
    private void greet(Line line, Target target, int number) {
        if (over) {
            return;
        }
        if (number == target.greeting().size()) {
            over = true;
            line.follow(ended -> {});
            opened.accept(line);
            return;
        }
        Target.Greeting next = target.greeting().get(number);
        line.ask(next.request(), answer -> greet(line, target, number + 1), refusal -> {
            if (refusal.code().equals(next.harmless())) {
                greet(line, target, number + 1);
            } else {
                fail(refusal);
            }
        });
    }
}
