package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.wire.AdminScripts;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.ExclusiveScripts;
import io.holdfast.internal.wire.FenceScript;
import io.holdfast.internal.wire.FenceScript.FenceAct;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.LockScripts.ConfirmEntry;
import io.holdfast.internal.wire.LockScripts.RefreshEntry;
import io.holdfast.internal.wire.LockScripts.Release;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.PlainScripts;
import io.holdfast.internal.wire.QuorumScripts;
import io.holdfast.internal.wire.Script;
import io.holdfast.internal.wire.SharedScripts;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A driver that has lost count: each reply goes to the request before. Whatever is asked, it is not believed. */
class ShiftedRepliesTest {
    private static final Duration TERM = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);

    @AfterEach
    void stop() {
        server.close();
    }

    /** From the first script call after the handshake on, the request is not sent, and each later reply goes to the one before. */
    private static final class Shifting extends ForwardingDriver {
        private final boolean forging;
        private boolean shifted;
        private int reconnects;
        private @Nullable CompletableFuture<Reply> before;
        private @Nullable String numberBefore;

        /** @param forging whether replies get the number that is looked for: a client that does not look sees it so */
        Shifting(RedisDriver driver, boolean forging) {
            super(driver);
            this.forging = forging;
        }

        void shift() {
            shifted = true;
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            if (!shifted) {
                return driver.send(command);
            }
            CompletableFuture<Reply> former = before;
            String number = numberBefore;
            CompletableFuture<Reply> mine = new CompletableFuture<>();
            before = mine;
            numberBefore = command.words().get(command.words().size() - 1);
            if (former != null) {
                driver.send(command).whenComplete((reply, failure) -> {
                    if (failure != null) {
                        former.completeExceptionally(failure);
                    } else {
                        former.complete(forging ? numbered(reply, String.valueOf(number)) : reply);
                    }
                });
            }
            return mine;
        }

        private static Reply numbered(Reply reply, String number) {
            if (!reply.isList()) {
                String words = reply.asString();
                return Reply.of(words.substring(0, words.lastIndexOf(' ') + 1) + number);
            }
            List<Reply> elements = new ArrayList<>(reply.asList());
            elements.set(elements.size() - 1, Reply.of(number));
            return Reply.of(elements);
        }

        @Override
        public void reconnect() {
            reconnects++;
        }
    }

    private record Heard(@Nullable Object value, @Nullable DriverException failure) {}

    @ParameterizedTest
    @EnumSource(Script.class)
    void call_replyOfAnotherOfItsKind_isUnknownAndTheConnectionGivenUp(Script script) {
        Shifting driver = new Shifting(server.driver(), false);
        Heard heard = askTwice(driver, script);
        assertNull(heard.value());
        DriverException failure = heard.failure();
        assertNotNull(failure);
        assertEquals(DriverException.Kind.UNKNOWN, failure.kind());
        assertTrue(String.valueOf(failure.getMessage()).contains("another call"), failure.toString());
        assertEquals(1, driver.reconnects);
    }

    /** The same, but nobody looks at numbers: so it is the number that the test above relies on. */
    @ParameterizedTest
    @EnumSource(Script.class)
    void call_numberIsNotLookedAt_isBelieved(Script script) {
        Shifting driver = new Shifting(server.driver(), true);
        assertNotNull(askTwice(driver, script).value());
        assertEquals(0, driver.reconnects);
    }

    private Heard askTwice(Shifting driver, Script script) {
        Client client = new Client(driver, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
        client.queue.mailboxes.open();
        CompletableFuture<Heard> first = new CompletableFuture<>();
        ask(client, script, Keys.of("hf", "known"), (value, failure) -> {});
        time.advance(Duration.ofMillis(1));
        driver.shift();
        ask(client, script, Keys.of("hf", "one"), (value, failure) -> first.complete(new Heard(value, failure)));
        ask(client, script, Keys.of("hf", "two"), (value, failure) -> {});
        time.advance(Duration.ofMillis(1));
        return first.join();
    }

    private static void ask(
            Client client, Script script, Keys keys, BiConsumer<@Nullable Object, @Nullable DriverException> heard) {
        ExclusiveScripts locks = client.server.exclusiveScripts;
        SharedScripts lines = client.server.sharedScripts;
        Keys line = Keys.of(keys.prefix(), Keys.Kind.READ_WRITE, keys.name());
        AdminScripts steering = client.server.adminScripts;
        PlainScripts plain = client.server.plainScripts;
        QuorumScripts quorum = client.server.quorumScripts;
        String owner = client.kit.ids.next();
        long now = client.kit.nanoTime();
        switch (script) {
            case ACQUIRE -> locks.acquire(acquire(keys, owner), now, heard::accept);
            case LINE_ACQUIRE -> lines.acquire(acquire(line, owner), now, heard::accept);
            case LINE_RELEASE ->
                lines.release(
                        new Release(line, owner, Duration.ZERO, Duration.ZERO, Duration.ZERO, 7, 0, null),
                        heard::accept);
            case LINE_CONFIRM -> lines.confirm(line, new ConfirmEntry(owner, 7, TERM.toMillis()), now, heard::accept);
            case LINE_RENEW ->
                lines.renew(List.of(new RenewEntry(line, owner, 7, TERM.toMillis())), now, heard::accept);
            case LINE_DOWNGRADE -> lines.downgrade(line, owner, 7, TERM, now, heard::accept);
            case LINE_REFRESH ->
                lines.refresh(List.of(new RefreshEntry(line, 1, List.of(owner))), "0", now, heard::accept);
            case LINE_INFO -> steering.info(List.of(line), 1, heard::accept);
            case LINE_REVOKE -> steering.revoke(line, 0, true, TERM, heard::accept);
            case LINE_PROLONG -> steering.prolong(line, TERM, heard::accept);
            case LINE_LIMIT -> lines.limit(line, 0, TERM, heard::accept);
            case LINE_CLEAN -> steering.clean(line, heard::accept);
            case RELEASE ->
                locks.release(
                        Release.of(keys, owner, Duration.ZERO, Duration.ZERO, Duration.ZERO, null), heard::accept);
            case CONFIRM -> locks.confirm(keys, new ConfirmEntry(owner, 7, TERM.toMillis()), now, heard::accept);
            case RENEW -> locks.renew(List.of(new RenewEntry(keys, owner, 7, 1_000)), now, heard::accept);
            case REFRESH -> locks.refresh(List.of(new RefreshEntry(keys, 0, List.of())), "0", now, heard::accept);
            case REPORT -> client.server.reportScripts.write(keys.name(), TERM, "1", heard::accept);
            case INFO -> steering.info(List.of(keys), 10, heard::accept);
            case REVOKE -> steering.revoke(keys, 0, false, Duration.ZERO, heard::accept);
            case PROLONG -> steering.prolong(keys, TERM, heard::accept);
            case CLEAN -> steering.clean(keys, heard::accept);
            case PAUSE -> steering.pause(keys, TERM, "", heard::accept);
            case PLAIN_ACQUIRE -> plain.acquire(keys.hold(), "v", TERM, false, null, now, heard::accept);
            case PLAIN_RELEASE -> plain.release(keys.hold(), "v", heard::accept);
            case PLAIN_EXTEND -> plain.extend(keys, "v", TERM, now, heard::accept);
            case PLAIN_INFO -> plain.info(keys.hold(), "", heard::accept);
            case FENCE -> new FenceScript(client.server.calls, keys, TERM).act(FenceAct.SET, 7, "text", heard::accept);
            case QUORUM_ACQUIRE ->
                quorum.acquire(
                        new QuorumScripts.Acquire(keys, owner, TERM, 0, Duration.ZERO, false, "3", "actor"),
                        now,
                        heard::accept);
            case QUORUM_RAISE -> quorum.raise(keys, owner, 7, 8, TERM, now, heard::accept);
            case QUORUM_RELEASE -> quorum.release(keys, owner, Duration.ZERO, heard::accept);
            case ADOPT ->
                locks.adopt(
                        new ExclusiveScripts.Adopt(
                                keys, owner, 7, 7, client.kit.ids.next(), TERM, "actor", Duration.ZERO),
                        now,
                        heard::accept);
            case ADOPTED -> locks.adopted(keys, owner, 7, heard::accept);
            case NOTE -> locks.note(keys, owner, 7, "actor", TERM, heard::accept);
            case MEMORY -> quorum.memory(client.server.driver, "hf:node", Duration.ZERO, false, "", heard::accept);
        }
    }

    private static LockScripts.Acquire acquire(Keys keys, String owner) {
        return new LockScripts.Acquire(keys, owner, Asked.SHARED, LockOptions.defaults(), true, 1, false, "actor");
    }
}
