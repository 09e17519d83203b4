package io.holdfast.cli;

import com.google.gson.FormattingStyle;
import com.google.gson.stream.JsonWriter;
import io.holdfast.Holder;
import io.holdfast.LockFigures;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.Waiter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The document that {@code --json} prints, and the fields by which locks, holders and waiters are written in it wherever
 * they occur. Names of fields are a promise: docs/guide/command-line.md lists them. Times are texts in ISO 8601, UTC;
 * lengths of time are whole milliseconds, and their names say so. What is not known is null, and no field is ever left out.
 */
final class Json {
    private final JsonWriter writer;

    private Json(JsonWriter writer) {
        this.writer = writer;
    }

    /** Prints one object. Nothing is printed if filling it fails. */
    static void print(Consumer<Json> fill) {
        // As bytes: a document is UTF-8, whatever the locale says of text.
        System.out.writeBytes((text(fill) + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    /** One object as text. */
    static String text(Consumer<Json> fill) {
        StringWriter text = new StringWriter();
        JsonWriter writer = new JsonWriter(text);
        writer.setFormattingStyle(FormattingStyle.PRETTY);
        Json document = new Json(writer);
        document.object(fill);
        return text.toString();
    }

    // ---- values

    Json text(String name, @Nullable String value) {
        return write(() -> writer.name(name).value(value));
    }

    Json number(String name, long value) {
        return write(() -> writer.name(name).value(value));
    }

    Json flag(String name, @Nullable Boolean value) {
        return write(() -> writer.name(name).value(value));
    }

    Json time(String name, @Nullable Instant value) {
        return text(name, value == null ? null : value.toString());
    }

    /** A length of time, under a name that ends with the unit. */
    Json millis(String name, @Nullable Duration value) {
        return write(() -> writer.name(name + "Millis").value(value == null ? null : (Long) value.toMillis()));
    }

    /** The same where thousandths of a millisecond matter. */
    Json fractionalMillis(String name, @Nullable Duration value) {
        Long micros = value == null ? null : value.toNanos() / 1_000;
        return write(() -> writer.name(name + "Millis").value(micros == null ? null : (Double) (micros / 1_000.0)));
    }

    Json nothing(String name) {
        return write(() -> writer.name(name).nullValue());
    }

    Json object(String name, Consumer<Json> fill) {
        write(() -> writer.name(name));
        object(fill);
        return this;
    }

    /** A list of objects. */
    <T> Json list(String name, Collection<T> values, BiConsumer<Json, T> fill) {
        write(() -> writer.name(name).beginArray());
        values.forEach(value -> object(json -> fill.accept(json, value)));
        return write(writer::endArray);
    }

    Json numbers(String name, Collection<Integer> values) {
        write(() -> writer.name(name).beginArray());
        values.forEach(value -> write(() -> writer.value(value)));
        return write(writer::endArray);
    }

    Json texts(String name, Collection<String> values) {
        write(() -> writer.name(name).beginArray());
        values.forEach(value -> write(() -> writer.value(value)));
        return write(writer::endArray);
    }

    private void object(Consumer<Json> fill) {
        write(writer::beginObject);
        fill.accept(this);
        write(writer::endObject);
    }

    // ---- what Holdfast tells

    /** What clients have counted of a lock. */
    Json figures(Map.Entry<LockInfo.Named, LockFigures> counted) {
        LockFigures figures = counted.getValue();
        text("lock", counted.getKey().name());
        text("kind", counted.getKey().kind().word());
        object("waits", json -> json.times(figures.waits()));
        object("holds", json -> json.times(figures.holds()));
        number("handoffs", figures.handoffs());
        number("timedOut", figures.timedOut());
        number("refused", figures.refused());
        number("lost", figures.lost());
        number("answered", figures.answered());
        return number("givenUp", figures.givenUp());
    }

    private Json times(LockFigures.Times times) {
        number("count", times.count());
        millis("total", times.total());
        millis("mean", times.mean());
        return millis("longest", times.longest());
    }

    /** A lock without its queue. */
    Json lock(LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        text("lock", lock.name());
        text("state", stateOf(lock));
        if (holder == null) {
            nothing("holder");
        } else {
            object("holder", json -> json.holder(holder));
        }
        millis("leaseDuration", holder == null ? null : lock.leaseDuration());
        millis("remaining", holder == null ? null : lock.remaining());
        time("endsAt", holder == null ? null : Words.in(lock.remaining()));
        number("waiters", lock.waiters());
        number("callers", lock.callers());
        text("kind", lock.kind().word());
        text("mode", lock.shares().isEmpty() ? null : mode(lock.shares().get(0).mode()));
        number("used", lock.used());
        int limit = Words.limit(lock);
        if (limit == 0) {
            nothing("limit");
        } else {
            number("limit", limit);
        }
        LockInfo.Limit byOperator = lock.limit().orElse(null);
        if (byOperator == null) {
            nothing("operatorLimit");
        } else {
            object(
                    "operatorLimit",
                    json -> json.number("permits", byOperator.permits())
                            .operator(
                                    byOperator.application(),
                                    byOperator.host(),
                                    byOperator.pid(),
                                    byOperator.remaining()));
        }
        LockInfo.Pause pause = lock.pause().orElse(null);
        if (pause == null) {
            nothing("pause");
        } else {
            object(
                    "pause",
                    json -> json.text("reason", pause.reason())
                            .operator(pause.application(), pause.host(), pause.pid(), pause.remaining()));
        }
        return list("holders", lock.shares(), Json::share);
    }

    /** The operator of an act, and for how long yet it lasts. */
    private Json operator(String application, String host, String pid, Duration remaining) {
        return text("application", application)
                .text("host", host)
                .text("pid", pid)
                .millis("remaining", remaining)
                .time("endsAt", Words.in(remaining));
    }

    /** One word for who has a lock. */
    private static String stateOf(LockInfo lock) {
        List<String> states = lock.shares().stream().map(Json::stateOf).toList();
        for (String strongest : List.of("held", "handed", "resting")) {
            if (states.contains(strongest)) {
                return strongest;
            }
        }
        return "free";
    }

    private static String stateOf(LockInfo.Share share) {
        return share.holder().resting() ? "resting" : share.confirmed() ? "held" : "handed";
    }

    /** One of several that hold a lock. */
    private Json share(LockInfo.Share share) {
        holder(share.holder());
        text("mode", mode(share.mode()));
        number("permits", share.permits());
        numbers("slots", share.slots());
        text("state", stateOf(share));
        millis("leaseDuration", share.leaseDuration());
        millis("remaining", share.remaining());
        return time("endsAt", Words.in(share.remaining()));
    }

    private static String mode(LockMode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    Json holder(Holder holder) {
        text("application", holder.application());
        text("host", holder.host());
        text("pid", holder.pid());
        text("actor", holder.actor());
        text("client", holder.resting() ? null : holder.client());
        number("token", holder.token());
        time("since", holder.since());
        millis("held", Words.age(holder.since()));
        return metadata(holder.metadata());
    }

    Json waiters(LockInfo lock) {
        int[] position = {0};
        return list("queue", lock.queue(), (json, waiter) -> json.waiter(++position[0], waiter));
    }

    Json waiter(int position, Waiter waiter) {
        number("position", position);
        text("application", waiter.application());
        text("host", waiter.host());
        text("pid", waiter.pid());
        text("actor", waiter.actor());
        text("client", waiter.client());
        time("since", waiter.since());
        millis("waited", Words.age(waiter.since()));
        number("priority", waiter.priority());
        text("order", waiter.order().name().toLowerCase(Locale.ROOT));
        text("state", waiter.state().name().toLowerCase(Locale.ROOT));
        metadata(waiter.metadata());
        text("mode", mode(waiter.mode()));
        number("permits", waiter.permits());
        return waiter.limit() == 0 ? nothing("limit") : number("limit", waiter.limit());
    }

    private Json metadata(Map<String, String> metadata) {
        return object(
                "metadata",
                json -> metadata.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .forEach(entry -> json.text(entry.getKey(), entry.getValue())));
    }

    private interface Writing {
        void run() throws IOException;
    }

    private Json write(Writing writing) {
        try {
            writing.run();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory cannot be written", e);
        }
    }
}
