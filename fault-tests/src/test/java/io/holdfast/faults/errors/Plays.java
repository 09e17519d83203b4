package io.holdfast.faults.errors;

import io.holdfast.Admin.Waiters;
import io.holdfast.Candidacy;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.OnDeadlock;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.PlainOptions;
import io.holdfast.Wait;
import io.holdfast.testkit.MemoryServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What is played in scenes: each way of asking, holding and ending, as small as it shows. */
final class Plays {
    private static final LockOptions TURNS = Scene.TURNS;
    private static final LockOptions STRICT = Scene.STRICT;
    private static final Wait EVER = Wait.forever();

    /** In order, by name. */
    static final Map<String, Consumer<Scene>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("turns", Plays::turns);
        ALL.put("handoff", Plays::handoff);
        ALL.put("endings", Plays::endings);
        ALL.put("loss", Plays::loss);
        ALL.put("kept", Plays::kept);
        ALL.put("readwrite", Plays::readWrite);
        ALL.put("semaphore", Plays::semaphore);
        ALL.put("set", Plays::set);
        ALL.put("election", Plays::election);
        ALL.put("deadlock", Plays::deadlock);
        ALL.put("operator", Plays::operator);
        ALL.put("reentry", Plays::reentry);
        ALL.put("reconnect", Plays::reconnect);
        ALL.put("plain", Plays::plain);
        ALL.put("quorum", Plays::quorum);
        ALL.put("close", Plays::close);
        ALL.put("scoped", Plays::scoped);
        ALL.put("rest", Plays::rest);
        ALL.put("blocking", Plays::blocking);
        ALL.put("adopted", Plays::adopted);
    }

    private Plays() {}

    static Consumer<Scene> named(String play) {
        return Objects.requireNonNull(ALL.get(play), play);
    }

    static boolean isOfQuorum(String play) {
        return play.equals("quorum");
    }

    private static Asked ask(Scene scene, Object client, String name, LockOptions options, Wait wait) {
        return scene.ask(
                client,
                text(scene, client, name),
                () -> Scene.lock(client, name, options).attemptAsync(wait));
    }

    private static Asked passOn(Scene scene, Object client, String name, LockOptions options) {
        return scene.askAndRelease(
                client,
                text(scene, client, name),
                () -> Scene.lock(client, name, options).acquireAsync(EVER));
    }

    private static String text(Scene scene, Object client, String what) {
        return "client " + scene.clients.indexOf(client) + " asks for " + what + " (" + scene.asked.size() + ")";
    }

    private static void turns(Scene scene) {
        scene.uses("a");
        for (int i = 0; i < 3; i++) {
            passOn(scene, scene.one(), "a", TURNS);
        }
        passOn(scene, scene.two(), "a", TURNS);
        scene.pass(200);
        Asked held = ask(scene, scene.one(), "a", TURNS, EVER);
        Asked next = ask(scene, scene.one(), "a", TURNS, EVER);
        Asked other = ask(scene, scene.two(), "a", TURNS, EVER);
        scene.pass(1_300);
        scene.release(held);
        scene.pass(50);
        scene.release(next);
        scene.pass(200);
        scene.release(other);
        scene.pass(200);
    }

    private static void handoff(Scene scene) {
        scene.uses("a");
        Asked first = ask(scene, scene.one(), "a", STRICT, EVER);
        Asked second = ask(scene, scene.two(), "a", STRICT, EVER);
        Asked third = ask(scene, scene.one(), "a", STRICT, EVER);
        scene.pass(100);
        scene.release(first);
        scene.pass(1_500);
        scene.with(second, "an extension", held -> held.lease().extendAsync(Duration.ofSeconds(5)));
        scene.pass(100);
        scene.release(second);
        scene.pass(2_200);
        scene.release(third);
        scene.pass(100);
    }

    private static void endings(Scene scene) {
        scene.uses("a", "b");
        for (LockOptions options : new LockOptions[] {STRICT, TURNS}) {
            String name = options.equals(STRICT) ? "a" : "b";
            Asked held = ask(scene, scene.one(), name, options, EVER);
            scene.pass(50);
            ask(scene, scene.two(), name, options, Wait.upTo(Duration.ofMillis(300)));
            ask(scene, scene.one(), name, options, Wait.upTo(Duration.ofMillis(300)));
            Asked later = ask(scene, scene.two(), name, options, EVER);
            Asked ours = ask(scene, scene.one(), name, options, EVER);
            scene.pass(200);
            scene.cancel(later);
            scene.cancel(ours);
            scene.cancel(ask(scene, scene.two(), name, options, EVER)); // not answered yet
            scene.cancel(ask(scene, scene.one(), name, options, EVER));
            ask(scene, scene.two(), name, options, Wait.none());
            ask(scene, scene.two(), name, options.withQueueLimit(1), Wait.upTo(Duration.ofSeconds(2)));
            scene.pass(400);
            scene.release(held);
            scene.pass(100);
        }
    }

    private static void loss(Scene scene) {
        scene.uses("a", "b");
        Asked held = ask(scene, scene.one(), "a", STRICT, EVER);
        ask(scene, scene.one(), "b", TURNS, EVER);
        scene.pass(50);
        passOn(scene, scene.two(), "a", STRICT);
        passOn(scene, scene.one(), "b", TURNS);
        scene.with(held, "a warning", any -> {
            any.lease().onWarning(left -> {});
            return CompletableFuture.completedFuture("");
        });
        scene.pass(100);
        scene.server().freeze();
        scene.pass(3_600);
        scene.server().thaw();
        scene.pass(2_000);
        Asked gone = ask(scene, scene.one(), "a", STRICT, EVER);
        scene.pass(100);
        scene.forget(scene.server(), scene.one().lock("a").key());
        scene.pass(1_500);
        scene.release(gone);
    }

    private static void kept(Scene scene) {
        scene.uses("a");
        LockOptions kept = STRICT.withKeepFor(Duration.ofSeconds(5));
        passOn(scene, scene.one(), "a", kept);
        scene.pass(100);
        passOn(scene, scene.one(), "a", kept);
        scene.pass(1_200);
        Asked other = ask(scene, scene.two(), "a", kept, EVER);
        scene.pass(300);
        Asked ours = ask(scene, scene.one(), "a", kept, EVER);
        scene.pass(100);
        scene.release(other);
        scene.pass(300);
        scene.release(ours);
        scene.pass(6_000);
    }

    private static void readWrite(Scene scene) {
        scene.mustBeFree("rw", () -> scene.checker().readWriteLock("rw").write().acquireAsync(EVER));
        Asked first = reads(scene, scene.one());
        Asked second = reads(scene, scene.two());
        scene.pass(50);
        DistributedReadWriteLock lock = scene.two().readWriteLock("rw");
        Asked writer =
                scene.ask(scene.two(), "client 1 writes", () -> lock.write().attemptAsync(EVER));
        scene.pass(50);
        Asked third = reads(scene, scene.one());
        scene.pass(100);
        scene.release(first);
        scene.release(second);
        scene.pass(1_200);
        scene.with(writer, "a downgrade", held -> {
            held.left = true;
            return lock.downgradeAsync(held.lease());
        });
        scene.pass(1_200);
        scene.release(third);
        scene.pass(100);
    }

    private static Asked reads(Scene scene, Holdfast client) {
        return scene.ask(
                client,
                text(scene, client, "reading"),
                () -> client.readWriteLock("rw").read().attemptAsync(EVER));
    }

    private static void semaphore(Scene scene) {
        scene.permits = 3;
        scene.mustBeFree(
                "permits", () -> scene.checker().semaphore("s", 3).permits(3).acquireAsync(EVER));
        DistributedSemaphore ours = scene.one().semaphore("s", 3);
        DistributedSemaphore theirs = scene.two().semaphore("s", 3);
        Asked first =
                scene.ask(scene.one(), "two permits", () -> ours.permits(2).attemptAsync(EVER));
        Asked second =
                scene.ask(scene.two(), "one permit", () -> theirs.permits(1).attemptAsync(EVER));
        scene.pass(50);
        Asked third = scene.ask(scene.two(), "two more", () -> theirs.permits(2).attemptAsync(EVER));
        scene.ask(scene.one(), "a limited wait", () -> ours.permits(1).attemptAsync(Wait.upTo(Duration.ofMillis(200))));
        scene.pass(1_300);
        scene.release(first);
        scene.pass(100);
        scene.release(second);
        scene.release(third);
        scene.pass(100);
    }

    private static void set(Scene scene) {
        scene.uses("a", "b", "c");
        Asked other = ask(scene, scene.two(), "b", STRICT, EVER);
        scene.pass(50);
        Asked all = scene.ask(
                scene.one(),
                "three locks",
                () -> scene.one().locks("a", "b", "c").attemptAsync(EVER));
        scene.ask(
                scene.one(),
                "a limited wait for three",
                () -> scene.one()
                        .allOf(scene.one().lock("a", STRICT), scene.one().lock("b", STRICT))
                        .attemptAsync(Wait.upTo(Duration.ofMillis(300))));
        scene.pass(500);
        scene.forget(scene.server(), scene.one().lock("a").key());
        scene.forget(scene.server(), scene.one().lock("c").key());
        scene.pass(1_500);
        scene.release(other);
        scene.pass(1_500);
        scene.release(all);
        scene.pass(200);
    }

    private static void election(Scene scene) {
        scene.mustBeFree("the election", () -> {
            CompletableFuture<AutoCloseable> led = new CompletableFuture<>();
            Candidacy[] last = new Candidacy[1];
            last[0] = election(scene, scene.checker()).campaign(leadership -> led.complete(() -> last[0].close()));
            return led;
        });
        boolean[] returns = new boolean[1];
        Candidacy[] ours = new Candidacy[2];
        scene.ask(scene.one(), "client 0 campaigns", () -> {
            ours[0] = election(scene, scene.one()).campaign(leadership -> {
                DrivenThread.pause(500);
                DrivenThread.await(() -> returns[0]);
            });
            return CompletableFuture.completedFuture("");
        });
        scene.pass(100);
        scene.ask(scene.two(), "client 1 campaigns", () -> {
            ours[1] = election(scene, scene.two()).campaign(leadership -> DrivenThread.await(() -> false));
            return CompletableFuture.completedFuture("");
        });
        Election.Observation[] watch = new Election.Observation[1];
        scene.ask(scene.two(), "client 1 watches", () -> {
            watch[0] = scene.two().election("e").observe(leader -> {});
            return CompletableFuture.completedFuture("");
        });
        scene.pass(1_300);
        returns[0] = true; // the leader resigns
        scene.pass(300);
        scene.forget(scene.server(), scene.one().election("e").key());
        scene.pass(1_500);
        for (int i = 0; i < 2; i++) {
            Candidacy candidacy = ours[i];
            if (candidacy != null) {
                scene.call(scene.clients.get(i), "client " + i + " resigns", () -> {
                    candidacy.resign();
                    return "";
                });
                scene.pass(300);
            }
        }
        for (int i = 0; i < 2; i++) {
            Candidacy candidacy = ours[i];
            if (candidacy != null) {
                scene.closing(scene.clients.get(i), candidacy);
            }
        }
        if (watch[0] != null) {
            scene.closing(scene.two(), watch[0]);
        }
        scene.pass(100);
    }

    private static Election election(Scene scene, Holdfast client) {
        return client.election("e", STRICT).withGrace(Duration.ofSeconds(1)).withThreads(scene::thread);
    }

    private static void deadlock(Scene scene) {
        scene.uses("a", "b");
        LockOptions breaks = STRICT.withDeadlock(OnDeadlock.BREAK);
        Asked ours = as(scene, scene.one(), "a", "x", STRICT);
        Asked theirs = as(scene, scene.two(), "b", "y", STRICT);
        scene.pass(50);
        Asked second = as(scene, scene.one(), "b", "x", STRICT);
        Asked third = as(scene, scene.two(), "a", "y", breaks);
        scene.pass(2_500);
        scene.release(theirs);
        scene.pass(200);
        scene.release(second);
        scene.release(ours);
        scene.pass(200);
        scene.release(third);
    }

    private static Asked as(Scene scene, Holdfast client, String name, String actor, LockOptions options) {
        return scene.ask(
                client,
                actor + " asks for " + name,
                () -> client.lock(name, options).withActor(actor).attemptAsync(EVER));
    }

    private static void operator(Scene scene) {
        scene.uses("a");
        ask(scene, scene.one(), "a", STRICT, EVER);
        scene.pass(50);
        ask(scene, scene.two(), "a", STRICT, EVER);
        ask(scene, scene.one(), "a", TURNS, EVER);
        ask(scene, scene.two(), "a", TURNS, EVER);
        scene.pass(50);
        scene.held.forEach(each -> each.given = true); // known at the next renewal at the latest
        scene.call(scene.two(), "a release by name", () -> scene.two().admin().release("a", Waiters.HAND_OFF));
        scene.pass(1_200);
        scene.call(
                scene.one(), "a release of waiters", () -> scene.one().admin().release("a", Waiters.DROP));
        scene.pass(1_200);
        scene.call(scene.one(), "a cleaning", () -> scene.one().admin().clean("a"));
        scene.pass(200);
    }

    private static void reentry(Scene scene) {
        scene.nested = true;
        scene.uses("a");
        LockOptions again = STRICT.withReentrancy(Reentrancy.REENTER);
        Asked first = as(scene, scene.one(), "a", "x", again);
        scene.pass(50);
        Asked second = as(scene, scene.one(), "a", "x", again);
        Asked other = as(scene, scene.two(), "a", "y", again);
        as(scene, scene.one(), "a", "x", STRICT.withReentrancy(Reentrancy.REFUSE));
        scene.pass(1_200);
        scene.release(first);
        scene.pass(50);
        scene.release(second);
        scene.pass(100);
        scene.release(other);
        scene.pass(100);
    }

    private static void reconnect(Scene scene) {
        scene.uses("a", "b", "c", "d");
        Asked held = ask(scene, scene.one(), "a", STRICT, EVER);
        ask(scene, scene.one(), "c", TURNS, EVER);
        ask(scene, scene.two(), "b", STRICT, EVER);
        scene.pass(50);
        ask(scene, scene.two(), "a", STRICT, EVER);
        ask(scene, scene.one(), "b", TURNS, EVER);
        scene.pass(50);
        Asked unanswered = ask(scene, scene.one(), "d", STRICT, EVER);
        scene.server().disconnect();
        ask(scene, scene.two(), "d", TURNS, Wait.upTo(Duration.ofMillis(200)));
        scene.pass(500);
        scene.release(held);
        scene.pass(100);
        scene.server().connect();
        scene.pass(1_500);
        scene.release(unanswered);
        scene.server().restart(null);
        scene.pass(1_500);
    }

    private static void plain(Scene scene) {
        PlainOptions options =
                PlainOptions.defaults().withLeaseDuration(Scene.TERM).withWaitLimit(EVER);
        scene.mustBeFree("plain", () -> scene.checker().plainLock("k", options).acquireAsync(EVER));
        Asked held = scene.ask(
                scene.one(),
                "client 0 asks for k",
                () -> scene.one().plainLock("k", options).attemptAsync(EVER));
        scene.pass(50);
        Asked other = scene.ask(
                scene.two(),
                "client 1 asks for k",
                () -> scene.two().plainLock("k", options).attemptAsync(EVER));
        scene.ask(
                scene.two(),
                "a limited wait",
                () -> scene.two().plainLock("k", options).attemptAsync(Wait.upTo(Duration.ofMillis(300))));
        scene.pass(1_500);
        scene.release(held);
        scene.pass(1_500);
        scene.cancel(scene.ask(
                scene.one(),
                "cancelled",
                () -> scene.one().plainLock("k", options).acquireAsync(EVER)));
        scene.forget(scene.server(), "k");
        scene.pass(1_500);
        scene.release(other);
        scene.pass(100);
    }

    private static void quorum(Scene scene) {
        scene.uses("a");
        Asked held = ask(scene, scene.clients.get(0), "a", STRICT, EVER);
        scene.pass(50);
        Asked other = ask(scene, scene.clients.get(1), "a", STRICT, EVER);
        ask(scene, scene.clients.get(1), "a", STRICT, Wait.upTo(Duration.ofMillis(300)));
        scene.pass(1_500);
        scene.servers.get(2).disconnect();
        scene.release(held);
        scene.pass(1_500);
        scene.servers.get(2).connect();
        scene.pass(1_000);
        scene.servers.forEach(MemoryServer::freeze);
        scene.pass(3_500);
        scene.servers.forEach(MemoryServer::thaw);
        scene.pass(1_000);
        scene.release(other);
        scene.pass(100);
    }

    private static void close(Scene scene) {
        scene.uses("a", "b", "c");
        ask(scene, scene.one(), "a", STRICT, EVER);
        ask(scene, scene.one(), "b", TURNS, EVER);
        passOn(scene, scene.one(), "c", STRICT.withKeepFor(Duration.ofSeconds(5)));
        scene.pass(50);
        ask(scene, scene.two(), "a", STRICT, EVER);
        ask(scene, scene.one(), "a", STRICT, EVER);
        ask(scene, scene.one(), "b", TURNS, EVER);
        scene.pass(50);
        scene.closed.add(scene.one());
        scene.closing(scene.one(), scene.one());
        scene.pass(100);
        ask(scene, scene.one(), "b", TURNS, EVER);
        scene.pass(500);
    }

    private static void scoped(Scene scene) {
        scene.uses("a");
        scene.ask(scene.one(), "work", () -> scene.one().lock("a", TURNS).callAsync(lease -> scene.after(300, "done")));
        scene.ask(
                scene.one(),
                "work in turn",
                () -> scene.one().lock("a", TURNS).callAsync(lease -> CompletableFuture.completedFuture("")));
        scene.ask(
                scene.two(),
                "work that fails",
                () -> scene.two().lock("a", STRICT).callAsync(lease -> {
                    throw new Scene.PlayException();
                }));
        scene.pass(800);
        LockOptions limited =
                STRICT.withInterruptBefore(Duration.ofSeconds(1)).withMaxScopedHold(Duration.ofSeconds(1));
        scene.call(
                scene.two(),
                "work on a thread",
                () -> scene.two().lock("a", limited).call(lease -> {
                    DrivenThread.pause(10_000);
                    return "";
                }));
        scene.call(
                scene.one(),
                "a limited wait for work",
                () -> scene.one().lock("a", TURNS).tryCall(Wait.upTo(Duration.ofMillis(200)), lease -> ""));
        scene.pass(4_000);
    }

    private static void rest(Scene scene) {
        scene.uses("a");
        passOn(scene, scene.one(), "a", TURNS.withMinHold(Duration.ofMillis(800)));
        scene.pass(50);
        Asked other = ask(scene, scene.two(), "a", TURNS, EVER);
        scene.pass(1_200);
        scene.with(other, "a release to rest", held -> {
            held.left = true;
            return held.lease().releaseToRestAsync(Duration.ofMillis(500));
        });
        Asked last = ask(scene, scene.one(), "a", STRICT, EVER);
        scene.pass(1_000);
        scene.release(last);
        scene.pass(100);
    }

    private static void blocking(Scene scene) {
        scene.uses("a", "b");
        Holdfast one = scene.one();
        for (LockOptions options : new LockOptions[] {STRICT, TURNS}) {
            String name = options.equals(STRICT) ? "a" : "b";
            scene.call(one, "acquire, extend, release", () -> {
                Lease lease = one.lock(name, options).acquire();
                try {
                    lease.extend(Duration.ofSeconds(4));
                    DrivenThread.pause(500);
                    return lease.isHeldOnServer();
                } finally {
                    again(lease::release);
                }
            });
            scene.call(scene.two(), "a java lock", () -> {
                java.util.concurrent.locks.Lock lock =
                        scene.two().lock(name, options).asJavaLock();
                if (lock.tryLock(2, TimeUnit.SECONDS)) {
                    DrivenThread.pause(100);
                    again(lock::unlock);
                }
                return "";
            });
            scene.call(one, "a limited wait", () -> {
                one.lock(name, options)
                        .tryAcquire(Wait.upTo(Duration.ofMillis(200)))
                        .ifPresent(lease -> again(lease::release));
                return "";
            });
            scene.pass(1_000);
        }
        scene.call(one, "looking", () -> one.inspect().lock("a"));
        scene.pass(100);
    }

    /** A caller whose release throws releases again. */
    private static void again(Runnable release) {
        try {
            release.run();
        } catch (Injected e) {
            Scene.quietly(release); // it may have been released after all, of which a java lock complains
        }
    }

    private static void adopted(Scene scene) {
        scene.uses("a");
        Asked held = ask(scene, scene.one(), "a", STRICT, EVER);
        scene.pass(100);
        Held lease = held.held;
        if (lease == null) {
            return;
        }
        lease.left = true;
        lease.given = true;
        scene.call(scene.one(), "a ticket, and its adoption", () -> {
            var ticket = lease.lease().ticket();
            scene.call(scene.two(), "an adoption", () -> scene.two().adopt(ticket));
            return "";
        });
        scene.pass(1_500);
        scene.call(scene.one(), "a detached lease", () -> {
            lease.lease().detach();
            return "";
        });
        scene.pass(500);
    }
}
