package io.holdfast.model.conformance;

import io.holdfast.spi.Reply;
import java.util.Arrays;
import java.util.List;

/** Orders and replies as texts. */
final class Texts {
    private static final long BAND = 1L << 42;

    private Texts() {}

    static String score(int order) {
        int plain = order - 1_000 * Math.floorDiv(order + 500, 1_000);
        return Long.toString(plain + (order - plain) / 1_000 * BAND);
    }

    static int order(long score) {
        long bands = Math.floorDiv(score + BAND / 2, BAND);
        return (int) (score - bands * BAND + bands * 1_000);
    }

    static String shown(Reply reply) {
        if (reply.isNull()) {
            return "(nothing)";
        }
        if (!reply.isList()) {
            return reply.asString();
        }
        StringBuilder all = new StringBuilder("[");
        for (Reply element : reply.asList()) {
            all.append(all.length() > 1 ? ", " : "").append(shown(element));
        }
        return all.append(']').toString();
    }

    static List<String> sorted(List<String> texts) {
        String[] all = texts.toArray(String[]::new);
        Arrays.sort(all);
        return List.of(all);
    }

    static String client(int client) {
        return "c" + client;
    }

    static int clientOf(String text) {
        return Integer.parseInt(text.substring(1));
    }

    static String label(int owner) {
        return "l/" + owner;
    }
}
