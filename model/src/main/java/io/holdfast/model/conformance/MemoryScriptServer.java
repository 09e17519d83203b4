package io.holdfast.model.conformance;

import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The testkit's server in memory. Its time stands still. */
public class MemoryScriptServer implements ScriptServer {
    private final MemoryServer server = MemoryServer.start(new VirtualTime());
    private final RedisDriver driver = server.driver();
    private final long now = QueueBench.millisOf(command(QueueBench.TIME));
    private final Map<String, String> loaded = new HashMap<>();
    private List<String> heard = new ArrayList<>();

    @Override
    public long soon() {
        return now;
    }

    @Override
    public final List<Reply> ask(List<List<String>> commands) {
        List<Reply> replies = new ArrayList<>(commands.size());
        for (List<String> words : commands) {
            replies.add(words.get(0).equals("EVAL") ? evaluate(words) : command(words));
        }
        return replies;
    }

    /** Runs a script, by an {@code EVAL}. */
    protected Reply evaluate(List<String> words) {
        List<String> known = new ArrayList<>(words);
        known.set(0, "EVALSHA");
        known.set(
                1,
                loaded.computeIfAbsent(
                        words.get(1),
                        text -> command(List.of("SCRIPT", "LOAD", text)).asString()));
        return command(known);
    }

    protected final Reply command(List<String> words) {
        return server.command(words.toArray(String[]::new));
    }

    @Override
    public final void listen(String channel, boolean begin) {
        CompletableFuture<Void> done = (begin
                        ? driver.subscribe(channel, text -> heard.add(channel + " " + text))
                        : driver.unsubscribe(channel))
                .toCompletableFuture();
        if (!done.isDone()) {
            throw new IllegalStateException("the server in memory answers at once");
        }
    }

    @Override
    public final List<String> heard() {
        List<String> all = heard;
        heard = new ArrayList<>();
        return all;
    }

    @Override
    public void close() {
        server.close();
    }
}
