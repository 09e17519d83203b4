package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.internal.wire.Arguments;
import io.holdfast.internal.wire.Script;
import io.holdfast.internal.wire.ScriptCalls;
import io.holdfast.internal.wire.ScriptReply;
import io.holdfast.internal.wire.ServerClock;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Every command ends, answered or not, also where a driver fails in what it must not fail in. */
final class ScriptCallsTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private boolean anothers; // whether replies are those of other calls
    private final ForwardingDriver driver = new ForwardingDriver(new FakeDriver(time)) {
        @Override
        public CompletionStage<Reply> send(Command command) {
            return anothers ? CompletableFuture.completedFuture(Reply.of("OK")) : new CompletableFuture<>();
        }

        @Override
        public void reconnect() {
            throw new IllegalStateException("cannot connect anew");
        }
    };
    private final ScriptCalls calls = new ScriptCalls(
            driver, time.environment(1).ticker(), time.timers(), new ServerClock(1, time), "client", LIMIT);

    private CompletableFuture<Reply> ask() {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        calls.send(Command.of("PING"), (reply, failure) -> answer.completeExceptionally(failure));
        return answer;
    }

    /** The server is silent, so it is to be connected to anew, and that throws. */
    @Test
    void send_connectingAnewThrew_stillHasItsTimeLimit() {
        ask();
        time.advance(LIMIT.multipliedBy(3).minusMillis(1));
        ask();
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> time.advance(LIMIT));
        assertEquals("cannot connect anew", thrown.getMessage());
        CompletableFuture<Reply> next = ask();
        assertFalse(next.isDone());
        time.advance(LIMIT.multipliedBy(2));
        assertTrue(next.isCompletedExceptionally(), "it waits for ever");
    }

    /** The reply of another call is not believed: connections are given up, and that throws. */
    @Test
    void call_connectingAnewThrewAfterTheReplyOfAnother_isToldThatItsOutcomeIsUnknown() {
        anothers = true;
        CompletableFuture<DriverException> told = new CompletableFuture<>();
        calls.call(
                Script.INFO,
                List.of("hf:{a}"),
                new Arguments(),
                ScriptReply::timeMicros,
                (value, failure) -> told.complete(failure));
        assertTrue(told.isDone(), "nobody was told");
        assertEquals(DriverException.Kind.UNKNOWN, told.join().kind());
    }
}
