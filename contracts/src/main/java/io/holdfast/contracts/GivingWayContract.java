package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.contracts.LockKindSuite.Kinds;
import java.util.concurrent.CompletableFuture;

/** A holder that is told when others wait: of each kind of lock with a queue. */
@Kinds(except = {LockKind.PLAIN, LockKind.QUORUM})
public class GivingWayContract extends LockKindSuite {
    private static CompletableFuture<Void> wanted(AnyLease held) {
        return ((Lease) held.handedOut()).whenWanted().toCompletableFuture();
    }

    private static void giveWay(AnyLease held, CompletableFuture<?> next) throws Exception {
        held.release();
        AnyLease.of(get(next)).release();
    }

    @EachKind
    void whenWanted_anotherClientComes_completes(LockKind kind) throws Exception {
        LockClient other = client(kind);
        AnyLease held = lock(client(kind)).acquire();
        CompletableFuture<Void> wanted = wanted(held);
        CompletableFuture<?> next = against(other).acquireAsync(Wait.upTo(PATIENCE));
        get(wanted);
        giveWay(held, next);
    }

    @EachKind
    void whenWanted_othersWaitAlready_completes(LockKind kind) throws Exception {
        LockClient other = client(kind);
        AnyLease held = lock(client(kind)).acquire();
        CompletableFuture<?> next = against(other).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(other);
        get(wanted(held));
        giveWay(held, next);
    }

    @EachKind
    void whenWanted_theSameClientAsksAgain_completes(LockKind kind) throws Exception {
        LockClient client = client(kind);
        AnyLease held = lock(client).acquire();
        CompletableFuture<Void> wanted = wanted(held);
        CompletableFuture<?> next = against(client).acquireAsync(Wait.upTo(PATIENCE));
        get(wanted);
        giveWay(held, next);
    }

    @EachKind
    void whenWanted_ofALeaseThatHasLeft_neverCompletes(LockKind kind) throws Exception {
        AnyLease held = lock(client(kind)).acquire();
        held.release();
        CompletableFuture<Void> wanted = wanted(held);
        AnyLease next = lock(client(kind)).acquire();
        CompletableFuture<?> waiting = against(client(kind)).acquireAsync(Wait.upTo(PATIENCE));
        get(wanted(next));
        assertFalse(wanted.isDone());
        giveWay(next, waiting);
    }

    @EachKind
    void whenWanted_ofALeaseThatHasEnded_isNotThatOfTheNext(LockKind kind) throws Exception {
        LockClient client = client(kind);
        AnyLease first = lock(client).acquire();
        CompletableFuture<Void> ofFirst = wanted(first);
        first.release();
        AnyLease second = lock(client).acquire();
        CompletableFuture<Void> ofSecond = wanted(second);
        CompletableFuture<?> next = against(client(kind)).acquireAsync(Wait.upTo(PATIENCE));
        get(ofSecond);
        assertFalse(ofFirst.isDone());
        giveWay(second, next);
    }
}
