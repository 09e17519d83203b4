package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a lock promises when the server has no memory left, does not allow everything, or is left alone by its clients. */
public class ServerLimitsContract extends FaultSuite {

    // ---- no memory left

    private void fillMemory() {
        server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        server.command("CONFIG", "SET", "maxmemory", "1");
    }

    @Test
    void acquire_memoryFull_isRefusedAndLeavesNothingHalfDone() throws Exception {
        Holdfast holdfast = local(LAZY);
        Lease lease = local(LAZY).lock("a").acquire();
        fillMemory();
        Map<String, String> before = contents();
        for (String name : List.of("a", "b")) {
            ServerRefusedException failure = assertThrows(ServerRefusedException.class, () -> {
                // Queueing behind the holder of a, and taking b, which is free.
                holdfast.lock(name).acquire();
            });
            assertTrue(String.valueOf(failure.getMessage()).contains("OOM"), failure.toString());
            assertTrue(String.valueOf(failure.getMessage()).contains("maxmemory"), failure.toString());
        }
        assertThrows(ServerRefusedException.class, () -> holdfast.lock("b").tryAcquire());
        assertEquals(before, contents());
        assertHeldBy(lease);
        server.command("CONFIG", "SET", "maxmemory", "0");
        holdfast.lock("b").acquire().close();
        lease.release();
        awaitNothingLeft(server);
    }

    @Test
    void release_memoryFull_frees() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        fillMemory();
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    void release_memoryFullAndShortestHoldNotOver_keepsTheLockTaken() throws Exception {
        LockOptions options = LockOptions.defaults().withMinHold(Duration.ofMinutes(1));
        Lease lease = local(LAZY).lock("a", options).acquire();
        fillMemory();
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertTrue(server.command("GET", "hf:{a}").asString().startsWith("- "));
        assertEveryKeyExpires(server);
    }

    @Test
    void handoff_memoryFull_servesEveryWaiterInItsTurn() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            waiting.add(local(LAZY).lock("a").acquireAsync());
            awaitQueued(i);
        }
        fillMemory();
        Lease present = lease;
        for (CompletableFuture<Lease> next : waiting) {
            assertEquals(ReleaseResult.RELEASED, present.release());
            Lease last = present;
            present = get(next);
            assertTrue(present.token() > last.token());
        }
        Lease confirmed = present;
        await("it is confirmed", () -> confirmed.remaining().toSeconds() > 5 || !confirmed.isValid());
        assertHeldBy(confirmed);
        confirmed.release();
        awaitNothingLeft(server);
    }

    @Test
    void handoff_memoryFullAndWaiterAway_parksIt() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        CompletableFuture<Lease> away = remote(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        CompletableFuture<Lease> second = local(LAZY).lock("a").acquireAsync();
        awaitQueued(2);
        fillMemory();
        proxy.refuse();
        proxy.killConnections(Kind.ANY);
        awaitListening(2);
        lease.release();
        Lease next = get(second);
        awaitParked(1);
        assertEveryKeyExpires(server);
        next.release();
        proxy.accept();
        get(away).release();
        awaitNothingButTombstones();
    }

    @Test
    void renewal_memoryFull_goesOn() throws Exception {
        Lease lease = local(LAZY).lock("a", BRIEF).acquire();
        fillMemory();
        CompletableFuture<LossReason> lost = lease.whenLost().toCompletableFuture();
        for (int i = 0; i < 2; i++) {
            await("the term runs", () -> lease.remaining().toMillis() < 1_100 || lost.isDone());
            await("it is renewed", () -> lease.remaining().toMillis() > 1_100 || lost.isDone());
        }
        lease.extend(Duration.ofMinutes(2));
        assertHeldBy(lease);
        assertTrue(lease.remaining().toSeconds() > 100);
        lease.release();
        awaitNothingLeft(server);
    }

    @Test
    void refresh_memoryFull_keepsWaitersBeyondTheirDeadline() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        HoldfastOptions options = HoldfastOptions.defaults()
                .withRefreshInterval(Duration.ofMillis(200))
                .withWaiterDeadline(Duration.ofMillis(1_000));
        CompletableFuture<Lease> waiting = remote(options).lock("a").acquireAsync();
        awaitQueued(1);
        fillMemory();
        CountDownLatch refreshes = new CountDownLatch(10);
        proxy.watch(request -> {
            if (ScriptCalls.REFRESH.test(request)) {
                refreshes.countDown();
            }
        });
        assertTrue(refreshes.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        awaitQueued(1);
        assertEveryKeyExpires(server);
        lease.release();
        get(waiting).release();
        awaitNothingLeft(server);
    }

    @Test
    void settle_memoryFullAndHoldExpired_handsOff() throws Exception {
        Lease lease = local(LAZY).lock("a", BRIEF).acquire();
        CompletableFuture<Lease> waiting =
                local(LAZY.withRefreshInterval(Duration.ofSeconds(1))).lock("a").acquireAsync();
        awaitQueued(1);
        lease.detach(); // nobody releases it: its end is found by the one who waits
        fillMemory();
        Lease next = get(waiting);
        assertHeldBy(next);
        next.release();
        awaitNothingLeft(server);
    }

    @Test
    void withdraw_memoryFull_leavesTheQueue() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        CompletableFuture<Lease> waiting = local(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        fillMemory();
        waiting.cancel(true);
        awaitNobodyQueued();
        assertHeldBy(lease);
    }

    @Test
    void takeBack_memoryFull_leavesATombstone() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<Lease> acquired =
                remote(LAZY.withCloseTimeout(Duration.ZERO)).lock("a").acquireAsync();
        get(acquire);
        fillMemory();
        acquired.cancel(true);
        awaitNothingButTombstones();
        assertEquals("GONE", get(acquire).deliver().asString().split(" ", 2)[0]);
    }

    // ---- permissions

    private RedisAddress user(String... rules) {
        List<String> words =
                new ArrayList<>(List.of("ACL", "SETUSER", "limited", "reset", "resetchannels", "on", ">secret"));
        words.addAll(List.of(rules));
        server.command(words.toArray(String[]::new));
        return new RedisAddress("127.0.0.1", server.port(), false, "limited", "secret", 0);
    }

    private void change(String... rules) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "limited"));
        words.addAll(List.of(rules));
        server.command(words.toArray(String[]::new));
    }

    @Test
    void connect_allThatIsNeededAndNoMore_works() throws Exception {
        // As docs/operations.md tells it.
        List<String> rules = new ArrayList<>(Permissions.LEAST);
        rules.add("&hf:to:*");
        RedisAddress address = user(rules.toArray(String[]::new));
        Holdfast first = client(address, LAZY);
        Lease lease = first.lock("a").acquire();
        CompletableFuture<Lease> waiting = client(address, LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        lease.release();
        Lease next = get(waiting);
        assertTrue(next.waited().toSeconds() < 9, () -> "by a refresh: " + next.waited());
        first.inspect().locks().forEach(info -> assertEquals("a", info.name()));
        next.release();
        awaitNothingLeft(server);
    }

    @Test
    void line_allThatIsNeededAndNoMore_isKept() throws Exception {
        List<String> rules = new ArrayList<>(Permissions.LEAST);
        rules.add("&hf:to:*");
        Holdfast limited = client(user(rules.toArray(String[]::new)), LAZY);
        Lease reading = limited.readWriteLock("a").read().acquire();
        CompletableFuture<Lease> writing = limited.readWriteLock("a").write().acquireAsync();
        await("it waits", () -> limited.inspect().of(LockInfo.Kind.READ_WRITE).isQueued("a"));
        reading.extend(Duration.ofMinutes(30));
        reading.release();
        get(writing).release();
        Lease permits = limited.semaphore("a", 5).permits(2).acquire();
        permits.extend(Duration.ofMinutes(30));
        assertTrue(permits.remaining().toMinutes() > 20);
        permits.release();
        awaitNothingLeft(server);
    }

    @Test
    void line_seldomNeededCommandForbidden_isToldAndLeavesNothingHalfDone() throws Exception {
        RedisAddress address = user("~hf:*", "&hf:*", "+@all", "-hlen");
        Lease reading = client(address, LAZY).readWriteLock("a").read().acquire();
        Map<String, String> before = contents();
        ServerRefusedException failure =
                assertThrows(ServerRefusedException.class, () -> reading.extend(Duration.ofHours(1)));
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("a script may not run a command that it needs"), message);
        assertEquals(before, contents());
        change("+hlen");
        reading.extend(Duration.ofHours(1));
        assertTrue(reading.remaining().toMinutes() > 50);
        reading.release();
        awaitNothingLeft(server);
    }

    @Test
    void election_allThatIsNeededAndNoMore_isWatchedByMessage() throws Exception {
        List<String> rules = new ArrayList<>(Permissions.LEAST);
        rules.add("&hf:to:*");
        rules.add(Permissions.ELECTIONS);
        Holdfast limited = client(user(rules.toArray(String[]::new)), LAZY);
        CompletableFuture<Holder> told = new CompletableFuture<>();
        closeLater(limited.election("a").observe(leader -> leader.ifPresent(told::complete)));
        await("it listens", () -> listeners(server, "hf:led:{%lead:a}") == 1);
        long begin = System.nanoTime();
        closeLater(limited.election("a").campaign(leadership -> get(new CompletableFuture<>())));
        assertEquals("candidate", get(told).actor());
        assertTrue(System.nanoTime() - begin < 9_000_000_000L, "by a look");
    }

    @Test
    void connect_channelsForbidden_isRefused() {
        assertRefused("channel", user("~hf:*", "resetchannels", "+@all"));
    }

    @Test
    void connect_scriptsForbidden_isRefused() {
        assertRefused("EVALSHA", user("~hf:*", "&hf:*", "+@all", "-evalsha", "-eval"));
    }

    @Test
    void connect_keysForbidden_isRefused() {
        assertRefused("keys", user("~other:*", "&hf:*", "+@all"));
    }

    private void assertRefused(String subject, RedisAddress address) {
        Map<String, String> before = contents();
        long connections = connections();
        ServerRefusedException failure =
                assertThrows(ServerRefusedException.class, () -> client(address, HoldfastOptions.defaults()));
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("NOPERM"), message);
        assertTrue(message.contains(subject), message);
        assertTrue(message.contains("127.0.0.1:" + server.port()), message);
        assertFalse(message.contains("secret"), message);
        assertEquals(before, contents());
        await("its connections are closed", () -> connections() <= connections);
    }

    private long connections() {
        return server.command("CLIENT", "LIST").asString().lines().count();
    }

    @Test
    void connect_infoForbidden_worksUnchecked() throws Exception {
        RedisAddress address = user("~hf:*", "&hf:*", "+@all", "-info");
        client(address, HoldfastOptions.defaults()).lock("a").acquire().close();
        awaitNothingLeft(server);
    }

    @Test
    void release_publishingForbidden_handsOffAndTheWaiterFindsItByItsRefresh() throws Exception {
        Lease lease = client(user("~hf:*", "&hf:*", "+@all"), LAZY).lock("a").acquire();
        CompletableFuture<Lease> waiting =
                local(LAZY.withRefreshInterval(Duration.ofSeconds(1))).lock("a").acquireAsync();
        awaitQueued(1);
        change("resetchannels");
        assertEquals(ReleaseResult.RELEASED, lease.release());
        Lease next = get(waiting);
        assertHeldBy(next);
        assertTrue(next.token() > lease.token());
        next.release();
        awaitNothingLeft(server);
    }

    @Test
    void release_countingSubscribersForbidden_handsOff() throws Exception {
        RedisAddress address = user("~hf:*", "&hf:*", "+@all", "-pubsub");
        Lease lease = client(address, LAZY).lock("a").acquire();
        CompletableFuture<Lease> waiting = client(address, LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        lease.release();
        Lease next = get(waiting);
        assertTrue(next.waited().toSeconds() < 9, () -> "by a refresh: " + next.waited());
        next.release();
        awaitNothingLeft(server);
    }

    @Test
    void acquire_permissionTakenAway_isRefusedAndLeavesNothingHalfDone() throws Exception {
        Holdfast holdfast = client(user("~hf:*", "&hf:*", "+@all"), EAGER.withCloseTimeout(Duration.ZERO));
        Lease lease = local(LAZY).lock("a").acquire();
        for (String rule : List.of("~hf:{other}*", "-evalsha")) {
            if (rule.startsWith("~")) {
                change("resetkeys", rule);
            } else {
                change("~*", rule);
            }
            Map<String, String> before = contents();
            for (String name : List.of("a", "b")) {
                assertThrows(
                        ServerRefusedException.class, () -> holdfast.lock(name).acquire());
                assertThrows(
                        ServerRefusedException.class, () -> holdfast.lock(name).attempt(Wait.none()));
            }
            assertEquals(before, contents());
        }
        assertHeldBy(lease);
    }

    @Test
    void acquire_oneCommandOfTheScriptForbidden_isRefusedAndTakenBack() throws Exception {
        Holdfast holdfast = client(user("~hf:*", "&hf:*", "+@all"), EAGER);
        Lease lease = local(LAZY).lock("a").acquire();
        Map<String, String> before = contents();
        for (String command : List.of("zadd", "zcard", "pexpireat", "hset", "set")) {
            change("-" + command);
            assertThrows(
                    ServerRefusedException.class,
                    () -> holdfast.lock(command.equals("set") ? "b" : "a").acquire(),
                    command);
            await(
                    "what the script began with is taken back after -" + command,
                    () -> contents().equals(before));
            change("+" + command);
        }
        assertHeldBy(lease);
    }

    @Test
    void release_permissionTakenAway_isRepeatedUntilAllowed() throws Exception {
        Lease lease = client(user("~hf:*", "&hf:*", "+@all"), EAGER).lock("a").acquire();
        change("-evalsha");
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        assertFalse(lease.isValid());
        assertEquals(List.of("hf:{a}"), keysButTokens(server));
        change("+evalsha");
        awaitNothingLeft(server);
    }

    // ---- nothing is left behind

    @Test
    void keyspace_everyClientGoneAtOnce_isEmptyInTheEnd() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults()
                .withRefreshInterval(Duration.ofMillis(200))
                .withWaiterDeadline(Duration.ofMillis(1_000))
                .withTokenLife(Duration.ofSeconds(1))
                .withCloseTimeout(Duration.ZERO);
        List<RedisDriver> drivers = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RedisDriver driver = driver(i == 3 ? proxy.address() : server.address());
            drivers.add(driver);
            clients.add(closeLater(Holdfast.over(driver, options)));
        }
        // A lock with waiters of three clients, one of which cannot be reached and is parked.
        Lease held = clients.get(0).lock("a", BRIEF).acquire();
        clients.get(3).lock("a", BRIEF).acquireAsync();
        awaitQueued(1);
        for (int i = 0; i < 3; i++) {
            clients.get(1).lock("a", BRIEF.withStrictOrder()).acquireAsync();
            clients.get(2).lock("a", BRIEF.withStrictOrder()).acquireAsync();
        }
        awaitQueued(7);
        proxy.refuse();
        proxy.killConnections(Kind.ANY);
        awaitListening(3);
        held.release();
        awaitParked(1);
        assertEveryKeyExpires(server);
        // A lock that rests, one that is detached, one that was given free.
        clients.get(0)
                .lock("rests", BRIEF.withMinHold(Duration.ofSeconds(2)))
                .acquire()
                .close();
        clients.get(0).lock("detached", BRIEF).acquire().detach();
        clients.get(0).lock("free", BRIEF).acquire().close();
        assertEveryKeyExpires(server);

        // All of them die at one instant.
        drivers.forEach(RedisDriver::close);
        assertEveryKeyExpires(server);
        assertFalse(keysButTokens(server).isEmpty());
        await("every key expires: " + contents(), () -> server.command("DBSIZE").asLong() == 0);
    }

    @Test
    void keyspace_handoffToADeadClient_isEmptyInTheEnd() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults()
                .withRefreshInterval(Duration.ofMillis(200))
                .withWaiterDeadline(Duration.ofMillis(1_000))
                .withTokenLife(Duration.ofSeconds(1))
                .withCloseTimeout(Duration.ZERO);
        RedisDriver driver = driver(server.address());
        Lease lease =
                closeLater(Holdfast.over(driver, options)).lock("a", BRIEF).acquire();
        remote(options).lock("a", BRIEF).acquireAsync();
        awaitQueued(1);
        // It hangs, still connected as the server sees it, gets the lock, and the releaser dies right after.
        proxy.stall(Kind.ANY);
        lease.release();
        driver.close();
        assertTrue(server.command("HGET", "hf:{a}:d", "@claim").asString().length() > 1);
        assertEveryKeyExpires(server);
        await("every key expires: " + contents(), () -> server.command("DBSIZE").asLong() == 0);
        proxy.refuse();
    }

    // ---- names

    @Test
    void name_ofAnyCharacters_isServedInOneSlot() throws Exception {
        Holdfast holder = local(LAZY);
        Holdfast waiter = remote(LAZY);
        for (String name : List.of(
                "{",
                "}",
                "{}",
                "a{b}c",
                "}{",
                "{other}a",
                "%7B",
                " ",
                "a b~c.d",
                "\n",
                "\0\u0001\u007f",
                "*?[a]",
                "\u00e9\u20ac\ud83d\ude00",
                "\u20ac".repeat(1_000),
                "~'\"\\\\")) {
            Lease lease = holder.lock(name).acquire();
            CompletableFuture<Lease> waiting = waiter.lock(name).acquireAsync();
            await(name + " is waited for", () -> holder.inspect().lock(name).waiters() == 1);
            List<Integer> slots = keysButTokens(server).stream()
                    .map(key -> slot(key))
                    .distinct()
                    .toList();
            assertEquals(1, slots.size(), name);
            List<String> listed = new ArrayList<>();
            holder.inspect().locks().forEach(info -> listed.add(info.name()));
            assertEquals(List.of(name), listed);
            lease.release();
            get(waiting).release();
            awaitNothingLeft(server);
            server.command("FLUSHALL"); // forgets the token, so that the next keys stand alone
        }
    }

    /** The slot of a key in Redis Cluster: CRC16 (XMODEM) of what stands in its first braces, or of the whole key. */
    private static int slot(String key) {
        int open = key.indexOf('{');
        int end = key.indexOf('}', open);
        String tag = open >= 0 && end > open + 1 ? key.substring(open + 1, end) : key;
        int crc = 0;
        for (byte b : tag.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (b & 0xff) << 8;
            for (int i = 0; i < 8; i++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
            }
        }
        return (crc & 0xffff) % 16_384;
    }

    @Test
    void slot_knownKey_isThatOfTheSpecification() {
        // The check value in the specification of Redis Cluster; it is less than the number of slots.
        assertEquals(0x31C3, slot("123456789"));
        assertEquals(slot("123456789"), slot("x{123456789}y"));
    }

    // ---- keys of other programs

    @Test
    void acquire_keyOfAnotherProgram_isRefusedAndLeftAlone() throws Exception {
        server.command("SET", "hf:{a}", "not a hold");
        server.command("SADD", "hf:{b}", "member");
        server.command("SET", "hf:{c}:d", "not a hash");
        Map<String, String> before = contents();
        Holdfast holdfast = local(HoldfastOptions.defaults().withCloseTimeout(Duration.ofMinutes(1)));
        for (String name : List.of("a", "b", "c")) {
            ServerRefusedException failure = assertThrows(
                    ServerRefusedException.class, () -> holdfast.lock(name).acquire(), name);
            String message = String.valueOf(failure.getMessage());
            assertTrue(message.contains("used by another program"), name + ": " + message);
        }
        assertEquals(before, contents());
        assertEquals(0, holdfast.inspect().lock("a").waiters());
        // Nothing is left to be taken back again and again: closing would wait for it.
        get(CompletableFuture.runAsync(holdfast::close));
        assertEquals(before, contents());
    }

    @Test
    void waiting_holdOverwrittenByAnotherProgram_doesNotHarmOtherLocks() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults()
                .withRefreshInterval(Duration.ofMillis(200))
                .withWaiterDeadline(Duration.ofMillis(1_000));
        Lease lease = local(LAZY).lock("a").acquire();
        local(LAZY).lock("b").acquire();
        Holdfast holdfast = remote(options);
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> disturbed = holdfast.lock("b").acquireAsync();
        awaitQueued(1);
        await("the other is queued", () -> server.command("ZCARD", "hf:{b}:q").asLong() == 1);
        server.command("SET", "hf:{b}", "a b c d e", "KEEPTTL");
        CountDownLatch refreshes = new CountDownLatch(10);
        proxy.watch(request -> {
            if (ScriptCalls.REFRESH.test(request)) {
                refreshes.countDown();
            }
        });
        assertTrue(refreshes.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        holdfast.inspect().locks().forEach(info -> assertEquals("a", info.name()));
        lease.release();
        Lease next = get(waiting);
        assertEquals(1, next.attempts());
        disturbed.cancel(true);
        next.release();
        await("both leave the queues", () -> keysButTokens(server).equals(List.of("hf:{b}")));
    }
}
