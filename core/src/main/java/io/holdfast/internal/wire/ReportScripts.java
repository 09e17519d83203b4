package io.holdfast.internal.wire;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where clients report what they hold and wait for. On a cluster all reports are in one slot: one server is asked, and a report and
 * its place in the set of clients change together.
 */
public final class ReportScripts {
    private final ScriptCalls calls;
    private final String prefix;

    ReportScripts(ScriptCalls calls, String prefix) {
        this.calls = calls;
        this.prefix = prefix;
    }

    /** Keeps a report; with no life, there is none any more. The answer says nothing. */
    public void write(
            String client,
            Duration life,
            String text,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.call(
                Script.REPORT,
                List.of(Keys.clients(prefix), Keys.report(prefix, client)),
                new Arguments().add(client).add(life).add(text),
                reply -> true,
                callback);
    }

    /** The ids of all clients that have reported. */
    public void clients(BiConsumer<@Nullable List<String>, @Nullable DriverException> callback) {
        String key = Keys.clients(prefix);
        calls.send(new Command(key, List.of("ZRANGE", key, "0", "-1")), (reply, failure) -> {
            List<String> ids = reply == null
                    ? null
                    : reply.asList().stream().map(Reply::asString).toList();
            callback.accept(ids, failure);
        });
    }

    /** The reports of some clients, in their order; an empty text for each that has none. */
    public void read(List<String> clients, BiConsumer<@Nullable List<String>, @Nullable DriverException> callback) {
        List<String> words = new ArrayList<>(List.of("MGET"));
        clients.forEach(client -> words.add(Keys.report(prefix, client)));
        calls.send(new Command(words.get(1), words), (reply, failure) -> {
            List<String> texts = reply == null
                    ? null
                    : reply.asList().stream()
                            .map(text -> text.isNull() ? "" : text.asString())
                            .toList();
            callback.accept(texts, failure);
        });
    }
}
