package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.testkit.MemoryServer;

/** What is looked at on a server of locks whose holds several leases share, where servers keep what they are told. */
final class KeeperChecks {
    private static final long MILLI = Checks.MILLI;

    private final Checks checks;
    private final Checks.Surroundings world;
    private final ServerChecks server;
    private final MemoryServer memory;
    private final long refresh;

    KeeperChecks(
            Checks checks, Checks.Surroundings world, ServerChecks server, MemoryServer memory, long refreshNanos) {
        this.checks = checks;
        this.world = world;
        this.server = server;
        this.memory = memory;
        this.refresh = refreshNanos;
    }

    /** A lock that its client keeps, though nobody has a lease of it, goes to whoever wants it. */
    void givenBack(View view, long now) {
        Asked asked = server.ownerOf(view.owner);
        Shared shared = asked == null || asked.keepsHold ? null : asked.shared;
        if (shared == null || !shared.isIdle() || !shared.request.machine.isRunning()) {
            return;
        }
        Machine keeper = shared.request.machine;
        if (view.wantedSince != Asked.NEVER) {
            long since = Math.max(view.wantedSince, shared.idleSince);
            if (now - since > ServerChecks.LOOKED_AT_AFTER
                    && world.undisturbed(keeper, view.number, since - Checks.GRACE)) {
                checks.found(
                        Check.LIVENESS,
                        view.key + " is kept by " + shared + " though it was wanted " + (now - since) / MILLI
                                + " ms ago");
            }
        }
        for (String owner : view.queue) {
            Asked other = server.ownerOf(owner);
            long since = other == null ? now : Math.max(shared.idleSince, other.queuedAt);
            if (other != null
                    && other.shared != shared
                    && now - since > tellsAfter(shared, view, other.queuedAt)
                    && server.waitsCalmly(other, now, since)) {
                checks.found(
                        Check.LIVENESS,
                        other + " waits for " + view.key + ", which is kept by " + shared + " since "
                                + (now - shared.idleSince) / MILLI + " ms");
            }
        }
    }

    /** After which time a keeper knows that others want the lock; never if it was disturbed in another way than being deaf. */
    private long tellsAfter(Shared shared, View view, long since) {
        Machine keeper = shared.request.machine;
        if (world.undisturbed(keeper, view.number, since - Checks.GRACE)) {
            return ServerChecks.LOOKED_AT_AFTER;
        }
        boolean knows = world.undisturbedBut(Troubled.How.DEAF, keeper, view.number, since - Checks.GRACE);
        return knows ? unheard(shared) : Asked.NEVER;
    }

    /** By its renewals, or by what those who wait report, whichever takes longer. */
    private long unheard(Shared shared) {
        long third = shared.request.item.options().leaseDuration().toNanos() / 3;
        return Math.max(third, refresh) * 101 / 100 + 300 * MILLI;
    }

    /** A keeper that hears nothing learns in another way that somebody waits, and lends the lock no more from then on. */
    void tellsItself(View view, long now) {
        Asked asked = server.ownerOf(view.owner);
        Shared shared = asked == null ? null : asked.shared;
        if (!view.kept || shared == null || !shared.keeps() || shared.isRecalled()) {
            return;
        }
        for (String owner : view.queue) {
            Asked other = server.ownerOf(owner);
            long since = other == null ? now : Math.max(other.queuedAt, view.grantedAt);
            if (other != null
                    && other.shared != shared
                    && now - since > tellsAfter(shared, view, since)
                    && server.waitsCalmly(other, now, since)) {
                shared.recalled(now);
            }
        }
    }

    /** What a process leaves when it dies lasts a term at most, if its present lease was not extended. */
    void lastsATerm(View view, long now) {
        Asked asked = server.ownerOf(view.owner);
        Shared shared = asked == null || asked.keepsHold ? null : asked.shared;
        if (shared == null || view.isProlonged()) {
            return;
        }
        boolean extended = checks.leases().stream()
                .anyMatch(held -> held.shared == shared && held.extended && held.overSince == Asked.NEVER);
        long term = shared.request.item.options().leaseDuration().toNanos();
        if (extended || memory.command("PTTL", view.key).asLong() * MILLI <= term + ServerChecks.ROUNDING) {
            view.tooLongSince = Asked.NEVER;
        } else if (view.tooLongSince == Asked.NEVER) {
            view.tooLongSince = now;
        } else if (now - view.tooLongSince > ServerChecks.LOOKED_AT_AFTER
                && shared.request.machine.isRunning()
                && world.undisturbed(shared.request.machine, view.number, shared.request.askedAt - Checks.GRACE)) {
            checks.found(
                    Check.EXPIRY,
                    view.key + " of " + shared + " lasts for longer than a term, though no lease of it was extended");
        }
    }
}
