package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A request about a channel. The acknowledgement of the last of its commands answers it.
 *
 * @param commands one, or two of which the first has no answer of its own
 * @param kind the word of the acknowledgement
 */
record Asked(
        List<Command> commands,
        String kind,
        String channel,
        boolean leavesShard,
        Runnable done,
        Consumer<DriverException> failed) {
    /** A channel to which nobody subscribes. */
    static final String MARK = "holdfast:left";

    static Asked of(Command command, String channel, Runnable done, Consumer<DriverException> failed) {
        return new Asked(List.of(command), word(command), channel, false, done, failed);
    }

    /** Always answered, with the same words whether there are subscriptions or not. */
    static Asked mark(Runnable done, Consumer<DriverException> failed) {
        return of(Command.UNSUBSCRIBE, MARK, done, failed);
    }

    /** Leaves a sharded channel: see {@link Messages}. */
    static Asked leaveShard(String channel, Runnable done) {
        return new Asked(
                List.of(Command.SUNSUBSCRIBE, Command.UNSUBSCRIBE),
                "unsubscribe",
                channel,
                true,
                done,
                failure -> done.run());
    }

    private static String word(Command command) {
        return command.toString().toLowerCase(Locale.ROOT);
    }

    List<Request> requests() {
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            boolean marks = leavesShard && i > 0;
            requests.add(Request.cmd(commands.get(i)).arg(marks ? MARK : channel));
        }
        return requests;
    }

    boolean isAcknowledgedBy(String word, String name) {
        return kind.equals(word) && (leavesShard ? MARK : channel).equals(name);
    }
}
