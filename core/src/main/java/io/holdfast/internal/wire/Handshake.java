package io.holdfast.internal.wire;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Looks at a server before any lock is asked for, so that what cannot work is told at once, with what to do. */
public final class Handshake {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private Handshake() {}

    /**
     * Checks version, role, eviction policy, and the permissions for scripts and for the client's channel.
     *
     * @param listening completes when messages can come
     * @throws ServerRefusedException if the server will not do
     * @throws ServerUnreachableException if it does not answer
     */
    public static void with(
            RedisDriver driver,
            HoldfastOptions options,
            ScriptCalls calls,
            AdminScripts scripts,
            CompletableFuture<Void> listening)
            throws InterruptedException {
        String server = driver.describe();
        Duration limit = options.connectTimeout();
        Map<RedisDriver, CompletableFuture<String>> infos = new LinkedHashMap<>();
        for (RedisDriver master : driver.masters()) {
            infos.put(
                    master,
                    AsyncResults.<Reply>to(callback -> calls.send(master, Command.of("INFO"), callback))
                            .thenApply(Reply::asString));
        }
        CompletableFuture<List<LockInfo>> script =
                AsyncResults.to(callback -> scripts.info(some(driver, options.prefix()), 0, callback));
        for (Map.Entry<RedisDriver, CompletableFuture<String>> info : infos.entrySet()) {
            String master = info.getKey().describe();
            try {
                examine(driver, options, master, await(server, limit, info.getValue()));
            } catch (ServerRefusedException e) {
                if (e.getCause() instanceof DriverException refused
                        && refused.code().equals("NOPERM")) {
                    LOG.log(
                            System.Logger.Level.INFO,
                            () -> master + " does not allow INFO: version, role and eviction policy are not checked");
                } else {
                    throw e;
                }
            }
        }
        await(server, limit, script);
        await(server, limit, listening);
    }

    private static <T> T await(String server, Duration limit, CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            String silence = new ConnectOptions(limit, "holdfast").silence();
            throw new ServerUnreachableException(server + ": " + silence, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException failure) {
                throw Refusals.of(server, failure);
            }
            throw new ServerUnreachableException(server + " gave no usable answer: " + e.getCause(), e.getCause());
        }
    }

    /** What one call may ask about: one lock of a cluster; of what looks like one server two, so that it is seen if its keys are divided. */
    public static List<Keys> some(RedisDriver driver, String prefix) {
        Keys one = Keys.of(prefix, "holdfast");
        return driver.partitions() > 1 ? List.of(one) : List.of(one, Keys.of(prefix, "holdfast, too"));
    }

    public static void examine(RedisDriver driver, HoldfastOptions options, String server, String info) {
        Map<String, String> facts = parse(info);
        if (driver.partitions() == 1 && "1".equals(facts.get("cluster_enabled"))) {
            throw new ServerRefusedException(
                    server + " is a node of a cluster: connect to redis-cluster://" + server + " instead", null);
        }
        if ("sentinel".equals(facts.get("redis_mode"))) {
            throw new ServerRefusedException(
                    server + " is a Sentinel: connect to redis-sentinel://" + server
                            + "/MASTER instead, where MASTER is its name for the master",
                    null);
        }
        String version = facts.getOrDefault("redis_version", "");
        if (!version.isEmpty() && !atLeast62(version)) {
            throw new ServerRefusedException(
                    server + " runs version " + version + ", the oldest that works is 6.2: upgrade it", null);
        }
        if ("slave".equals(facts.get("role"))) {
            throw new ServerRefusedException(
                    server + " is a read-only replica of " + facts.getOrDefault("master_host", "?") + ":"
                            + facts.getOrDefault("master_port", "?") + ": give the address of the master",
                    null);
        }
        String policy = facts.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            String problem = server + " has maxmemory-policy " + policy
                    + ", with which it may drop locks when its memory is full: set the policy to noeviction";
            switch (options.eviction()) {
                case IGNORE -> {}
                case WARN -> LOG.log(System.Logger.Level.WARNING, problem);
                case REFUSE -> throw new ServerRefusedException(problem, null);
            }
        }
    }

    public static boolean atLeast62(String version) {
        String[] parts = version.split("\\.", 3);
        try {
            int major = Integer.parseInt(parts[0]);
            return major > 6 || (major == 6 && parts.length > 1 && Integer.parseInt(parts[1]) >= 2);
        } catch (NumberFormatException e) {
            return true; // a version in words, of a server that says it speaks the protocol
        }
    }

    /** The reply of INFO, by name. */
    public static Map<String, String> parse(String info) {
        Map<String, String> facts = new HashMap<>();
        for (String line : info.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                facts.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return facts;
    }
}
