package io.holdfast.testkit;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * What a command of {@link MemoryServer} answers, with the kinds that a script tells apart. Texts stand for bytes, see
 * {@link Octets}.
 */
sealed interface Answer {
    record Status(String text) implements Answer {}

    record Failure(String text) implements Answer {}

    record Bulk(String octets) implements Answer {}

    record Whole(long number) implements Answer {}

    record None() implements Answer {}

    record Many(List<Answer> elements) implements Answer {}

    static Answer ok() {
        return new Status("OK");
    }

    static Answer none() {
        return new None();
    }

    static Answer of(long number) {
        return new Whole(number);
    }

    static Answer of(boolean yes) {
        return new Whole(yes ? 1 : 0);
    }

    static Answer of(String octets) {
        return new Bulk(octets);
    }

    static Answer of(List<Answer> elements) {
        return new Many(elements);
    }

    static Answer texts(Iterable<String> octets) {
        List<Answer> elements = new ArrayList<>();
        octets.forEach(one -> elements.add(new Bulk(one)));
        return new Many(elements);
    }

    /**
     * As a driver hands it on.
     *
     * @throws DriverException {@code REJECTED} if it is an error, or a list with one inside
     */
    default Reply toReply() {
        if (this instanceof Status status) {
            return Reply.of(Octets.toText(status.text()));
        } else if (this instanceof Failure failure) {
            throw DriverException.rejected(Octets.toText(failure.text()));
        } else if (this instanceof Bulk bulk) {
            return Reply.of(Octets.toText(bulk.octets()));
        } else if (this instanceof Whole whole) {
            return Reply.of(whole.number());
        } else if (this instanceof Many many) {
            return Reply.of(many.elements().stream().map(Answer::toReply).toList());
        }
        return Reply.ofNull();
    }
}
