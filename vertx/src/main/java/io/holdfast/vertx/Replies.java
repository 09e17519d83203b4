package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replies of Vert.x' client, which speaks RESP2 here, as those of a driver. */
final class Replies {
    private Replies() {}

    /**
     * Translates a reply.
     *
     * @throws DriverException {@code REJECTED} if there is an error in it
     */
    static Reply of(@Nullable Response response) {
        if (response == null) {
            return Reply.ofNull();
        }
        return switch (response.type()) {
            case NUMBER -> Reply.of(Long.parseLong(response.toString()));
            case MULTI -> {
                List<Reply> elements = new ArrayList<>(response.size());
                for (int i = 0; i < response.size(); i++) {
                    elements.add(of(response.get(i)));
                }
                yield Reply.of(elements);
            }
            case ERROR -> throw DriverException.rejected(response.toString());
            default -> Reply.of(response.toString());
        };
    }

    static boolean isError(@Nullable Response response) {
        return response != null && response.type() == ResponseType.ERROR;
    }

    /** The texts of a flat list, such as a message; null if it is something else. */
    static @Nullable List<String> texts(@Nullable Response response) {
        if (response == null || response.type() != ResponseType.MULTI) {
            return null;
        }
        List<String> texts = new ArrayList<>(response.size());
        for (int i = 0; i < response.size(); i++) {
            texts.add(String.valueOf(response.get(i)));
        }
        return texts;
    }
}
