package io.holdfast.contracts;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * What the tests of sharded channels stand on: a real server that serves all slots of a cluster until a test takes one
 * away. The tests share it, since a cluster needs seconds to form.
 */
@Timeout(60)
@TestInstance(Lifecycle.PER_CLASS)
abstract class ShardChannelFixture extends DriverFixture {
    static final String[] CLUSTERED = {"--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"};

    private RedisServer shared;
    private List<RedisDriver> opened;
    private List<String> takenAway;

    /** A subscription to a sharded channel, as its receiver sees it. */
    record Shard(String channel, BlockingQueue<String> messages, BlockingQueue<String> ends) {}

    @BeforeAll
    void startCluster() {
        shared = RedisServer.start(CLUSTERED);
        serveAll(shared);
    }

    @AfterAll
    void closeCluster() {
        shared.close();
    }

    @Override
    @BeforeEach
    void connectToFreshServer() {
        loadTheClient();
        server = shared;
        opened = new ArrayList<>();
        takenAway = new ArrayList<>();
        driver = provider().connect(server.address(), OPTIONS);
        events = listen(driver);
    }

    @Override
    @AfterEach
    void closeDriverAndServer() {
        opened.forEach(RedisDriver::close);
        driver.close();
        takenAway.forEach(slot -> server.command("CLUSTER", "ADDSLOTS", slot));
        awaitTrue(() -> !clients().contains("name=holdfast"));
    }

    // ---- the server

    static void serveAll(RedisServer server) {
        server.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        awaitTrue(() -> server.command("CLUSTER", "INFO").asString().contains("cluster_state:ok"));
    }

    String slot(String channel) {
        return server.command("CLUSTER", "KEYSLOT", channel).toString();
    }

    /** Lets the server end what is subscribed in the channel's slot, and reject what comes. */
    void takeAway(String channel) {
        server.command("CLUSTER", "DELSLOTS", slot(channel));
        takenAway.add(slot(channel));
    }

    void giveBack() {
        takenAway.forEach(slot -> server.command("CLUSTER", "ADDSLOTS", slot));
        takenAway.clear();
    }

    long publish(String channel, String message) {
        return server.command("SPUBLISH", channel, message).asLong();
    }

    List<String> shardChannels() {
        return server.command("PUBSUB", "SHARDCHANNELS").asList().stream()
                .map(Reply::asString)
                .sorted()
                .toList();
    }

    // ---- the driver

    RedisDriver keep(RedisDriver another) {
        opened.add(another);
        return another;
    }

    RedisDriver connect(TcpProxy proxy) {
        return keep(provider().connect(proxy.address(), OPTIONS));
    }

    RedisDriver connectAs(String user, String channels, RedisAddress to) {
        server.command("ACL", "SETUSER", user, "on", ">pw", "~*", "resetchannels", channels, "+@all");
        return keep(provider().connect(new RedisAddress(to.host(), to.port(), false, user, "pw", 0), OPTIONS));
    }

    static Shard shard(String channel) {
        return new Shard(channel, new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>());
    }

    static CompletionStage<Void> subscribe(RedisDriver driver, Shard shard) {
        return driver.subscribeShard(shard.channel, shard.messages::add, () -> shard.ends.add("ended"));
    }

    static Shard subscribeShard(RedisDriver driver, String channel) {
        Shard shard = shard(channel);
        get(subscribe(driver, shard));
        return shard;
    }

    /** A request that begins with these words. */
    static Predicate<String> is(String words) {
        return text -> text.toUpperCase(Locale.ROOT).startsWith(words.toUpperCase(Locale.ROOT));
    }
}
