package io.holdfast.model.conformance;

import io.holdfast.spi.Reply;
import java.util.Arrays;
import java.util.List;

/** Names and replies as texts. */
final class Texts {
    private Texts() {}

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

    /** Each reply ends with the time and the number of the call. */
    static long timeTold(String reply) {
        int end = reply.lastIndexOf(' ');
        String word = reply.substring(reply.lastIndexOf(' ', end - 1) + 1, Math.max(end, 0))
                .replace(",", "");
        return word.matches("\\d{1,18}") ? Long.parseLong(word) : 0;
    }
}
