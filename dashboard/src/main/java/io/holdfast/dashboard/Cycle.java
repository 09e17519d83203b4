package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.Waiter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Actors that wait for each other, in a circle. */
record Cycle(List<Link> links) {
    /**
     * One wait in it: this actor waits for a lock which the next one has.
     *
     * @param actor whose wait it is; see {@link WaitGraph}
     * @param next whose hold it is
     */
    record Link(LockId lock, String actor, Waiter waiter, String next, Holder holder) {
        /** What is the same only as long as nothing has changed: a request has one owner, and a hold one token. */
        private String mark() {
            return lock.text() + " " + waiter.owner() + " " + holder.owner() + " " + holder.token();
        }
    }

    Cycle {
        links = List.copyOf(links);
    }

    /** By which it is known again: the same waits for the same holds, wherever the circle is entered. */
    List<String> marks() {
        List<String> marks = new ArrayList<>(links.stream().map(Link::mark).toList());
        Collections.sort(marks);
        return marks;
    }

    boolean isAbout(LockId id) {
        return links.stream().anyMatch(link -> link.lock().equals(id));
    }

    /** For people: who waits for what, which who has. */
    String inWords() {
        List<String> waits = links.stream()
                .map(link -> Words.who(link.waiter()) + " waits for "
                        + link.lock().inWords() + ", which " + Words.who(link.holder()) + " has")
                .toList();
        return String.join("; ", waits);
    }

    /** What would break it: each of its requests could be dropped, each of its holds released. */
    List<Documents.Break> breaks() {
        List<Documents.Break> breaks = new ArrayList<>();
        Link gentlest = Collections.max(
                links, Comparator.comparing(link -> link.waiter().since()));
        for (Link link : links) {
            breaks.add(new Documents.Break(
                    "drop the request of " + Words.who(link.waiter()) + " for "
                            + link.lock().inWords(),
                    new Documents.Act(
                            "drop",
                            link.lock().word(),
                            link.lock().name(),
                            null,
                            link.waiter().owner(),
                            0,
                            null),
                    link.equals(gentlest)));
        }
        for (Link link : links) {
            breaks.add(new Documents.Break(
                    "release " + link.lock().inWords() + ", which " + Words.who(link.holder())
                            + " holds and will use until it learns of the release",
                    new Documents.Act(
                            "release",
                            link.lock().word(),
                            link.lock().name(),
                            Long.toString(link.holder().token()),
                            link.holder().owner(),
                            0,
                            null),
                    false));
        }
        return breaks;
    }
}
