package io.holdfast.model.conformance;

import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The testkit's server in memory, in virtual time. */
public final class MemoryScriptServer implements ScriptServer {
    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final RedisDriver driver = server.driver();
    private final Map<String, String> loaded = new HashMap<>();
    private List<String> heard = new ArrayList<>();

    @Override
    public Reply command(String... words) {
        return server.command(words);
    }

    @Override
    public Reply run(String script, List<String> keys, List<String> args) {
        String sha1 = loaded.computeIfAbsent(
                script, text -> server.command("SCRIPT", "LOAD", text).asString());
        String[] words = new String[3 + keys.size() + args.size()];
        words[0] = "EVALSHA";
        words[1] = sha1;
        words[2] = Integer.toString(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            words[3 + i] = keys.get(i);
        }
        for (int i = 0; i < args.size(); i++) {
            words[3 + keys.size() + i] = args.get(i);
        }
        return server.command(words);
    }

    @Override
    public void listen(String channel, boolean begin) {
        CompletableFuture<Void> done = (begin
                        ? driver.subscribe(channel, text -> heard.add(channel + " " + text))
                        : driver.unsubscribe(channel))
                .toCompletableFuture();
        if (!done.isDone()) {
            throw new IllegalStateException("the server in memory answers at once");
        }
    }

    @Override
    public List<String> heard() {
        List<String> all = heard;
        heard = new ArrayList<>();
        return all;
    }

    @Override
    public void pass(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    @Override
    public void close() {
        server.close();
    }
}
