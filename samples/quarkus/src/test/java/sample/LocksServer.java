package sample;

import io.holdfast.contracts.servers.RedisServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;

/** A Redis server for the tests. */
public final class LocksServer implements QuarkusTestResourceLifecycleManager {
    private RedisServer server;

    @Override
    public Map<String, String> start() {
        server = RedisServer.start();
        return Map.of("locks.url", "redis://127.0.0.1:" + server.port());
    }

    @Override
    public void stop() {
        server.close();
    }
}
