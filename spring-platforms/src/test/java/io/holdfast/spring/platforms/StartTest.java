package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spring.DoneOnce;
import io.holdfast.spring.IfTaken;
import io.holdfast.spring.Locked;
import io.holdfast.spring.RunsOnce;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An annotation that would have no effect, or a wrong one, fails the start. */
@Timeout(120)
final class StartTest {
    static class PrivateMethod {
        @Locked("a")
        private void work() {}

        void caller() {
            work();
        }
    }

    static class FinalMethod {
        @Locked("a")
        public final void work() {}
    }

    static class StaticMethod {
        @Locked("a")
        public static void work() {}
    }

    static class UnknownVariable {
        @Locked("a/{#ident}")
        public void work(String id) {}
    }

    static class NoVariable {
        @Locked("a/{id}")
        public void work(String id) {}
    }

    static class BadExpression {
        @Locked("a/{#id +}")
        public void work(String id) {}
    }

    static class OpenBrace {
        @Locked("a/{#id")
        public void work(String id) {}
    }

    static class EmptyName {
        @RunsOnce(value = " ", minHold = "1m")
        public void work() {}
    }

    static class OnceForNoTime {
        @RunsOnce("a")
        public void work() {}
    }

    static class OnceForTwoTimes {
        @RunsOnce(value = "a", per = "1h", minHold = "1m")
        public void work() {}
    }

    static class BadSlot {
        @RunsOnce(value = "a", per = "hour")
        public void work() {}
    }

    static class SlotOfAPublisher {
        @RunsOnce(value = "a", per = "1h")
        public reactor.core.publisher.Mono<Void> work() {
            return reactor.core.publisher.Mono.empty();
        }
    }

    static class OncePublished {
        @DoneOnce("a")
        public reactor.core.publisher.Mono<Void> work() {
            return reactor.core.publisher.Mono.empty();
        }
    }

    static class OnceInTwoWays {
        @DoneOnce("a")
        @RunsOnce(value = "a", per = "1h")
        public void work() {}
    }

    static class LockedAndOnce {
        @Locked("a")
        @RunsOnce(value = "a", per = "1h")
        public void work() {}
    }

    static class CalledOnTheBean {
        @jakarta.annotation.PostConstruct
        @Locked("a")
        public void work() {}
    }

    static final class FinalClass {
        @Locked("a")
        public void work() {}
    }

    record FinalRecord() {
        @Locked("a")
        public void work() {}
    }

    static class BadPermits {
        @Locked(value = "a", permits = "6/5")
        public void work() {}
    }

    static class PermitsToRead {
        @Locked(value = "a", permits = "1/5", access = Locked.Access.READ)
        public void work() {}
    }

    static class NoFallback {
        @Locked(value = "a", fallback = "instead")
        public String work() {
            return "";
        }

        int instead() {
            return 1;
        }
    }

    static class TooManyTries {
        @DoneOnce(value = "a", tries = 1_001)
        public void work() {}
    }

    static class OnceWithoutConverter {
        @DoneOnce("a")
        public CompletableFuture<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class KeptForNoTime {
        @DoneOnce(value = "a", keep = "0s")
        public void work() {}
    }

    static class UnknownPlaceholder {
        @Locked("${no.such.property}")
        public void work() {}
    }

    static class BadDuration {
        @Locked(value = "a", leaseDuration = "soon")
        public void work() {}
    }

    static class ShortTerm {
        @Locked(value = "a", leaseDuration = "1ms")
        public void work() {}
    }

    static class SkipsWithResult {
        @Locked(value = "a", ifTaken = IfTaken.SKIP)
        public int work() {
            return 1;
        }
    }

    static class SkipsWithStage {
        @Locked(value = "a", ifTaken = IfTaken.SKIP)
        public CompletableFuture<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class ReturnsFuture {
        @Locked("a")
        public Future<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class ReturnsStream {
        @Locked("a")
        public Stream<String> work() {
            return Stream.of("a");
        }
    }

    static class FencedWithoutTransaction {
        @Locked(value = "a", fenced = true)
        public void work() {}
    }

    static class NoName {
        @Locked({})
        public void work() {}
    }

    static class SeveralAndOneLease {
        @Locked({"a", "b"})
        public void work(io.holdfast.Lease lease) {}
    }

    static class SeveralOfAPublisher {
        @Locked({"a", "b"})
        public reactor.core.publisher.Mono<Void> work() {
            return reactor.core.publisher.Mono.empty();
        }
    }

    static class UnknownClient {
        @Locked(value = "a", client = "nobody")
        public void work() {}
    }

    @Test
    void annotation_thatMeansNothing_failsTheStartAndSaysWhy() {
        Map<Class<?>, String> wrong = Map.ofEntries(
                Map.entry(PrivateMethod.class, "is private"),
                Map.entry(FinalMethod.class, "is final"),
                Map.entry(StaticMethod.class, "is static"),
                Map.entry(UnknownVariable.class, "#ident, and the method has no such parameter"),
                Map.entry(NoVariable.class, "uses 'id', which refers to nothing: put a # before"),
                Map.entry(BadExpression.class, "{#id +} of its name is wrong"),
                Map.entry(OpenBrace.class, "has a { without a }"),
                Map.entry(EmptyName.class, "its name is empty"),
                Map.entry(OnceForNoTime.class, "has neither per nor minHold"),
                Map.entry(OnceForTwoTimes.class, "has both per and minHold"),
                Map.entry(BadSlot.class, "per is 'hour', must be day, or a duration such as 1h"),
                Map.entry(SlotOfAPublisher.class, "so its run cannot be recorded"),
                Map.entry(OncePublished.class, "so its run cannot be recorded"),
                Map.entry(OnceInTwoWays.class, "has both @DoneOnce and @RunsOnce"),
                Map.entry(LockedAndOnce.class, "has both @Locked and @RunsOnce"),
                Map.entry(CalledOnTheBean.class, "has @PostConstruct: Spring calls it on the bean itself"),
                Map.entry(FinalClass.class, "its class is final: Spring puts the lock around the method"),
                Map.entry(NoName.class, "it names no lock"),
                Map.entry(SeveralAndOneLease.class, "has several locks, and a parameter for one lease"),
                Map.entry(SeveralOfAPublisher.class, "has several locks, and returns a publisher"),
                Map.entry(FinalRecord.class, "its class is final, as records are"),
                Map.entry(BadPermits.class, "permits is '6/5', must be K/N, as in 1/5"),
                Map.entry(PermitsToRead.class, "it has both access and permits"),
                Map.entry(NoFallback.class, "fallback is 'instead', but the class has no method of that name"),
                Map.entry(TooManyTries.class, "tries is 1001, must be 1 to 1000"),
                Map.entry(OnceWithoutConverter.class, "no ResultConverter turns results into text"),
                Map.entry(KeptForNoTime.class, "keep is '0s', must be 1ms to 365d"),
                Map.entry(UnknownPlaceholder.class, "no.such.property"),
                Map.entry(BadDuration.class, "leaseDuration is 'soon'"),
                Map.entry(ShortTerm.class, "leaseDuration is PT0.001S, must be from"),
                Map.entry(SkipsWithResult.class, "skips, and returns int"),
                Map.entry(SkipsWithStage.class, "skips, and returns"),
                Map.entry(ReturnsFuture.class, "whose end Spring cannot see"),
                Map.entry(ReturnsStream.class, "whose end Spring cannot see"),
                Map.entry(FencedWithoutTransaction.class, "is fenced, and begins no transaction"),
                Map.entry(UnknownClient.class, "names the client 'nobody'"));
        for (Map.Entry<Class<?>, String> each : wrong.entrySet()) {
            Throwable thrown = assertThrows(
                    Exception.class,
                    () -> Apps.with(Apps.Starter.class, 1, Map.of("wrong", each.getKey()), "holdfast.mode=granting")
                            .close(),
                    each.getKey().toString());
            StringBuilder told = new StringBuilder();
            for (Throwable at = thrown; at != null; at = at.getCause()) {
                told.append(at.getMessage()).append('\n');
            }
            assertTrue(told.toString().contains(each.getValue()), each.getKey() + ": " + told);
            assertTrue(told.toString().contains(each.getKey().getSimpleName() + ".work"), told.toString());
        }
    }

    @Test
    void property_thatIsWrong_isNamed() {
        Map<String, String> wrong = Map.of(
                "holdfast.lock.lease-duration=1ms", "holdfast.lock.lease-duration is PT0.001S, must be from",
                "holdfast.locks[billing/*].lease-duration=1ms", "holdfast.locks[billing/*].lease-duration is PT0.001S",
                "holdfast.command-timeout=0s", "holdfast.command-timeout is PT0S",
                "holdfast.lock.wait-limit=10 apples", "holdfast.lock.wait-limit",
                "holdfast.lock.lease-duratoin=10s", "holdfast.lock.lease-duratoin",
                "holdfast.locks[billing/*].lease-duratoin=10s", "lease-duratoin");
        wrong.forEach((property, told) -> {
            Throwable thrown = assertThrows(
                    Exception.class,
                    () -> Apps.start(Apps.Starter.class, "holdfast.mode=granting", property)
                            .close(),
                    property);
            StringBuilder all = new StringBuilder();
            for (Throwable at = thrown; at != null; at = at.getCause()) {
                all.append(at.getMessage()).append('\n');
            }
            assertTrue(all.toString().contains(told), property + ": " + all);
        });
    }
}
