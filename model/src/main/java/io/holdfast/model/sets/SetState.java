package io.holdfast.model.sets;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.Values;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Locks, requests for several of them, and what is under way.
 *
 * @param ended owners that have a tombstone
 * @param left how often each mishap may happen yet
 */
record SetState(
        List<Lock> locks, List<Request> requests, List<Packet> net, List<Owner> ended, Map<Mishap, Integer> left) {
    /** What may happen besides waiting and holding. */
    enum Mishap {
        /** A hold is over: of what a request has, or waits to have. */
        LOSS,
        KILL,
        GIVES_UP,
        /** An acquire is repeated. */
        COPY
    }

    /** Of one lock, for one attempt of a request. */
    record Owner(int request, int attempt, int lock, boolean writes) implements Fingerprint.Part {
        @Override
        public void addTo(Fingerprint print) {
            print.add(((request * 64L + attempt) * 64 + lock) * 2 + (writes ? 1 : 0));
        }
    }

    /** Who holds it, and who waits, the next one first. */
    record Lock(List<Owner> holders, List<Owner> waiters) implements Fingerprint.Part {
        static final Lock FREE = new Lock(List.of(), List.of());

        boolean fits(Owner next) {
            return holders.isEmpty() || (!next.writes && holders.stream().noneMatch(Owner::writes));
        }

        boolean knows(Owner owner) {
            return holders.contains(owner) || waiters.contains(owner);
        }

        Lock without(Owner owner) {
            return new Lock(Values.minus(holders, owner), Values.minus(waiters, owner));
        }

        Lock withWaiter(Owner owner) {
            return new Lock(holders, Values.plus(waiters, owner));
        }

        /** The first waiters hold it as long as they fit. */
        Lock served(List<Packet> told) {
            Lock now = this;
            while (!now.waiters.isEmpty() && now.fits(now.waiters.get(0))) {
                Owner next = now.waiters.get(0);
                told.add(new Packet(Kind.GRANTED, next, 0));
                now = new Lock(Values.plus(now.holders, next), Values.minus(now.waiters, 0));
            }
            return now;
        }

        @Override
        public void addTo(Fingerprint print) {
            print.addUnordered(holders).add(waiters);
        }
    }

    enum Phase {
        IDLE,
        ASKING,
        HOLDING,
        ENDING,
        DONE,
        DEAD
    }

    /**
     * @param held its locks, as bits
     * @param lost whether it has lost one of the complete set
     * @param releasing owners whose release was not answered, as bits: of this attempt, and of earlier ones those that held
     */
    record Request(Phase phase, int attempt, int held, boolean lost, int releasing) implements Fingerprint.Part {
        static final Request IDLE = new Request(Phase.IDLE, 0, 0, false, 0);

        boolean holds(int lock) {
            return (held & 1 << lock) != 0;
        }

        Request with(Phase next, int locks) {
            return new Request(next, attempt, locks, lost, releasing);
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(phase).add(attempt * 64L + held).add(releasing).add(lost);
        }
    }

    enum Kind {
        ACQUIRE,
        RELEASE,
        GRANTED
    }

    /** @param copy of an acquire that is repeated */
    record Packet(Kind kind, Owner owner, int copy) implements Fingerprint.Part {
        @Override
        public void addTo(Fingerprint print) {
            print.add(kind).add(copy);
            owner.addTo(print);
        }

        @Override
        public String toString() {
            return kind + " of lock " + owner.lock + " for request " + owner.request
                    + (owner.attempt > 0 ? ", attempt " + owner.attempt : "");
        }
    }

    SetState with(int request, Request next) {
        return new SetState(locks, Values.with(requests, request, next), net, ended, left);
    }

    SetState with(List<Packet> next) {
        return new SetState(locks, requests, next, ended, left);
    }

    SetState send(List<Packet> more) {
        List<Packet> all = new ArrayList<>(net);
        more.stream().filter(packet -> !all.contains(packet)).forEach(all::add);
        return with(List.copyOf(all));
    }

    /** The lock as it is now, served. */
    SetState with(int lock, Lock next) {
        List<Packet> told = new ArrayList<>();
        Lock served = next.served(told);
        return new SetState(Values.with(locks, lock, served), requests, net, ended, left).send(told);
    }

    SetState bury(Owner owner) {
        return new SetState(locks, requests, net, Values.plusOnce(ended, owner), left);
    }

    boolean may(Mishap mishap) {
        return left.getOrDefault(mishap, 0) > 0;
    }

    /** It happens once more. */
    SetState spend(Mishap mishap) {
        Map<Mishap, Integer> next = new EnumMap<>(left);
        next.merge(mishap, -1, Integer::sum);
        return new SetState(locks, requests, net, ended, next);
    }

    long fingerprint() {
        Fingerprint print =
                new Fingerprint().add(locks).add(requests).addUnordered(net).addUnordered(ended);
        left.values().forEach(print::add);
        return print.get();
    }
}
