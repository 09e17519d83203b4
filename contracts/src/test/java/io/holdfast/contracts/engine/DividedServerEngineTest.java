package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.routing.Slots;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that looks like one, and refuses calls about several locks: what it is asked when that is known. */
@SuppressWarnings("NullAway.Init")
final class DividedServerEngineTest {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver server = new FakeDriver(time);
    private final Divided divided = new Divided(server);
    private final List<Lease> leases = new ArrayList<>(); // or they would not be renewed
    private Holdfast holdfast; // each test connects

    /** Refuses what a sharded server would. */
    private static final class Divided extends ForwardingDriver {
        private boolean on;
        private int refused;

        Divided(FakeDriver driver) {
            super(driver);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            if (on && slots(command.words()).size() > 1) {
                refused++;
                return CompletableFuture.failedFuture(
                        DriverException.rejected("CROSSSLOT Keys in request don't hash to the same slot"));
            }
            return super.send(command);
        }

        private static Set<Integer> slots(List<String> words) {
            List<String> keys = switch (words.get(0)) {
                case "EVALSHA", "EVAL" -> words.subList(3, 3 + Integer.parseInt(words.get(2)));
                case "MGET" -> words.subList(1, words.size());
                default -> List.of();
            };
            return keys.stream().map(Slots::of).collect(Collectors.toSet());
        }
    }

    private void connect() {
        holdfast = Holdfast.over(divided, EngineFixture.OPTIONS, time.environment(1));
    }

    @AfterEach
    void close() {
        server.answer("release", call -> server.released("GONE"));
        holdfast.close();
    }

    private void hold() {
        server.answer("acquire", call -> server.granted(100));
        NAMES.forEach(
                name -> leases.add(holdfast.lock(name).acquireAsync(Wait.none()).join()));
        server.stopAnswering("acquire");
    }

    private void waitFor() {
        for (String name : List.of("x", "y")) {
            CompletableFuture<Lease> waiting =
                    holdfast.lock(name, EngineFixture.STRICT).acquireAsync(Wait.forever());
            server.next("acquire").answer(server.queued(1, Duration.ofSeconds(20)));
            assertFalse(waiting.isDone());
        }
    }

    @Test
    void firstRefusal_isTheLast() {
        connect();
        server.answer("renew", server::renewed);
        server.answer("refresh", server::refreshed);
        server.answer("release", call -> server.released("WITHDRAWN"));
        hold();
        time.advance(Duration.ofSeconds(11));
        assertEquals(1, server.count("renew"), "all in one call");
        divided.on = true;
        time.advance(Duration.ofSeconds(11));
        assertEquals(1, divided.refused);
        assertEquals(1 + NAMES.size(), server.count("renew"));
        waitFor();
        time.advance(Duration.ofMinutes(5));
        assertEquals(1, divided.refused, "no call about several locks");
        assertTrue(leases.stream().allMatch(Lease::isValid));
        assertTrue(server.count("renew") > 20 * NAMES.size());
        assertTrue(server.count("refresh") > 100);
    }

    @Test
    void handshake_findsIt_andListingsWork() {
        divided.on = true;
        connect();
        assertEquals(1, divided.refused);
        server.answer("renew", server::renewed);
        hold();
        time.advance(Duration.ofSeconds(11));
        assertEquals(NAMES.size(), server.count("renew"));
        assertEquals(NAMES, listed());
        assertEquals(1, divided.refused);
    }

    @Test
    void listing_thatIsRefusedFirst_isRepeated() {
        connect();
        divided.on = true;
        assertEquals(NAMES, listed());
        assertEquals(1, divided.refused);
        assertEquals(NAMES, listed());
        assertEquals(1, divided.refused);
    }

    private List<String> listed() {
        server.answer(
                "SCAN",
                call -> Reply.of(List.of(
                        Reply.of("0"),
                        Reply.of(NAMES.stream()
                                .map(name -> Reply.of("hf:{" + name + "}"))
                                .toList()))));
        server.answer("info", call -> Reply.of(held(call)));
        return holdfast.inspect().scanning().locks().map(LockInfo::name).toList();
    }

    /** What info.lua says of locks that somebody holds, and nobody waits for. */
    private List<Reply> held(Call call) {
        List<Reply> locks = new ArrayList<>();
        for (int i = 0; i < call.keys().size() / 4; i++) {
            locks.add(Reply.of(List.of(
                    Reply.of(0),
                    Reply.of("held"),
                    Reply.of(0),
                    Reply.of(20_000),
                    Reply.of("somebody.0-1"),
                    Reply.of(5),
                    Reply.of(server.serverMicros()),
                    Reply.of(30_000),
                    Reply.of("app/host/1/main"))));
        }
        return locks;
    }
}
