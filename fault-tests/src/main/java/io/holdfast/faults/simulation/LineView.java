package io.holdfast.faults.simulation;

import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A read/write lock or a semaphore as it is on the server: who holds, who waits, and what the server has counted. */
final class LineView {
    /**
     * A hold as it is written, and its end.
     *
     * @param order the place that it had as a waiter; - if it was confirmed
     * @param end in milliseconds of the server; -1 if it is not among the members
     */
    record Hold(String secret, long token, char mode, int weight, List<Integer> slots, String order, long end) {
        boolean isClaim() {
            return !order.equals("-");
        }

        /** Whether nobody holds it any more: it stands under its last owner's name behind a hyphen, with which others may begin as well. */
        boolean rests() {
            return secret.equals("-");
        }

        boolean isAlone() {
            return mode == 'W';
        }
    }

    final Map<String, Hold> holds = new LinkedHashMap<>(); // by the public part of the owner
    final Map<String, Double> queue = new LinkedHashMap<>(); // by owner
    final Map<String, Double> parked = new LinkedHashMap<>();
    final Map<String, String> details;
    final Map<String, String> counted = new HashMap<>(); // what begins with @ in the hold
    final List<String> strangers = new ArrayList<>(); // members of whom no hold is written
    private final @Nullable Integer cap; // an operator's limit
    private final long capEnd; // in milliseconds of the server

    /** Reads it. */
    LineView(MemoryServer server, String key, long nowMillis) {
        Reply limit = server.command("GET", key + ":c");
        cap = limit.isNull() ? null : Integer.valueOf(limit.asString().split(" ", 2)[0]);
        capEnd =
                cap == null ? 0 : nowMillis + server.command("PTTL", key + ":c").asLong();
        Map<String, Long> ends = new HashMap<>();
        scored(server, key + ":m").forEach((member, end) -> ends.put(member, end.longValue()));
        hash(server, key).forEach((field, text) -> {
            if (field.startsWith("@")) {
                counted.put(field, text);
                return;
            }
            String[] words = text.split(" ", -1);
            Long end = ends.remove(field + " " + words[1]);
            String[] weight = words[5].split(":", -1);
            holds.put(
                    field,
                    new Hold(
                            words[0],
                            Long.parseLong(words[1]),
                            words[4].charAt(0),
                            Integer.parseInt(weight[0]),
                            weight.length == 1
                                    ? List.of()
                                    : Arrays.stream(weight[1].split(",", -1))
                                            .map(Integer::valueOf)
                                            .toList(),
                            words[6],
                            end == null ? -1 : end));
        });
        strangers.addAll(ends.keySet());
        queue.putAll(scored(server, key + ":q"));
        parked.putAll(scored(server, key + ":p"));
        details = hash(server, key + ":d");
    }

    private static Map<String, Double> scored(MemoryServer server, String key) {
        Map<String, Double> scored = new LinkedHashMap<>();
        List<Reply> words =
                server.command("ZRANGE", key, "0", "-1", "WITHSCORES").asList();
        for (int i = 0; i < words.size(); i += 2) {
            scored.put(words.get(i).asString(), Double.valueOf(words.get(i + 1).asString()));
        }
        return scored;
    }

    private static Map<String, String> hash(MemoryServer server, String key) {
        Map<String, String> fields = new LinkedHashMap<>();
        List<Reply> words = server.command("HGETALL", key).asList();
        for (int i = 0; i < words.size(); i += 2) {
            fields.put(words.get(i).asString(), words.get(i + 1).asString());
        }
        return fields;
    }

    static String publicPart(String owner) {
        int secret = owner.indexOf('~');
        return secret < 0 ? owner : owner.substring(0, secret);
    }

    static String clientOf(String owner) {
        return owner.substring(0, owner.indexOf('.'));
    }

    /** Whether it waits, or was granted the line and has not confirmed. */
    boolean waitsFor(String publicOwner) {
        Hold hold = holds.get(publicOwner);
        return (hold != null && hold.isClaim())
                || queue.keySet().stream().anyMatch(owner -> publicPart(owner).equals(publicOwner))
                || parked.keySet().stream().anyMatch(owner -> publicPart(owner).equals(publicOwner));
    }

    /** Where it waits, or waited when it was granted the line that it has not confirmed; null if it does not. */
    @Nullable
    Double placeOf(String publicOwner) {
        Hold hold = holds.get(publicOwner);
        if (hold != null && hold.isClaim()) {
            return Double.valueOf(hold.order());
        }
        for (Map<String, Double> waiters : List.of(queue, parked)) {
            for (Map.Entry<String, Double> waiter : waiters.entrySet()) {
                if (publicPart(waiter.getKey()).equals(publicOwner)) {
                    return waiter.getValue();
                }
            }
        }
        return null;
    }

    /** How many permits may be out because an operator says so; as many as you like if nobody does. */
    int most(long nowMillis) {
        Integer limit = cap;
        return limit == null || capEnd < nowMillis
                ? Integer.MAX_VALUE
                : limit; // a key is there until its last millisecond is over
    }

    boolean isLimited() {
        return cap != null;
    }

    /** Who holds, and who waits, by the public part of the owner. */
    Set<String> owners() {
        Set<String> owners = new HashSet<>(holds.keySet());
        queue.keySet().forEach(owner -> owners.add(publicPart(owner)));
        parked.keySet().forEach(owner -> owners.add(publicPart(owner)));
        return owners;
    }

    /** Whether a waiter asks for more than an operator's limit, so that it stands aside while the limit lasts. */
    boolean isOverLimit(String owner, long nowMillis) {
        String about = details.get(owner);
        return about != null && Integer.parseInt(about.split(" ", -1)[5].split(":", -1)[1]) > most(nowMillis);
    }

    /** Whether what a waiter asks for fits beside those whose end has not come. */
    boolean hasRoomFor(String owner, long nowMillis) {
        String about = details.get(owner);
        if (about == null) {
            return false;
        }
        String[] asked = about.split(" ", -1)[5].replaceFirst("s$", "").split(":", -1);
        int used = 0;
        int holders = 0;
        for (Hold hold : holds.values()) {
            if (hold.end > nowMillis) {
                if (hold.isAlone()) {
                    return false;
                }
                holders++;
                used += hold.weight;
            }
        }
        return switch (asked[0]) {
            case "W" -> holders == 0;
            case "R" -> true;
            default -> used + Integer.parseInt(asked[1]) <= Math.min(Integer.parseInt(asked[2]), most(nowMillis));
        };
    }

    /** Until when the server waits for a sign of a waiter's client; 0 if it does not know. */
    long deadlineOf(String owner) {
        String active = details.get("@a:" + clientOf(owner));
        return active == null ? 0 : Long.parseLong(active.split(" ", -1)[0]);
    }

    boolean wasSeenListening(String owner) {
        return details.getOrDefault("@a:" + clientOf(owner), "").endsWith(" 1");
    }

    boolean isSuspect(String owner) {
        return details.containsKey("@s:" + clientOf(owner));
    }

    /** What the server counts and what is there; null if they agree. */
    @Nullable
    String disagreement() {
        int used = 0;
        int claims = 0;
        StringBuilder slots = new StringBuilder();
        String writer = null;
        for (Map.Entry<String, Hold> each : holds.entrySet()) {
            Hold hold = each.getValue();
            if (hold.end < 0) {
                return "a hold without its end: " + each;
            }
            if (hold.isAlone()) {
                writer = each.getKey();
            } else {
                used += hold.weight;
            }
            for (int slot : hold.slots) {
                slots.append(".".repeat(Math.max(0, slot + 1 - slots.length())));
                slots.setCharAt(slot, 'x');
            }
            claims += hold.isClaim() ? 1 : 0;
        }
        if (!strangers.isEmpty()) {
            return "ends without a hold: " + strangers;
        }
        if (number(counted, "@n") != holds.size() || number(counted, "@u") != used) {
            return "counted " + counted + ", there are " + holds;
        }
        if (!counted.getOrDefault("@s", "").contentEquals(slots)) {
            return "slots " + counted.get("@s") + " of " + holds;
        }
        if (writer == null ? counted.containsKey("@w") : !writer.equals(counted.get("@w"))) {
            return "writer " + counted.get("@w") + " of " + holds;
        }
        if (number(details, "@c") != claims) {
            return "claims " + details.get("@c") + " of " + holds;
        }
        Map<String, Integer> aside = new HashMap<>();
        parked.keySet().forEach(owner -> aside.merge(clientOf(owner), 1, Integer::sum));
        Map<String, Integer> known = new HashMap<>();
        for (String field : details.keySet()) {
            if (!field.startsWith("@")) {
                known.merge(clientOf(field), 1, Integer::sum);
            } else if (field.startsWith("@p:") && number(details, field) != aside.getOrDefault(field.substring(3), 0)) {
                return field + " is " + details.get(field) + ", parked are " + parked;
            }
        }
        for (Map.Entry<String, Integer> each : known.entrySet()) {
            if (number(details, "@n:" + each.getKey()) != each.getValue()) {
                return "@n:" + each.getKey() + " is " + details.get("@n:" + each.getKey()) + " of " + details;
            }
        }
        return null;
    }

    private static long number(Map<String, String> fields, String name) {
        return Long.parseLong(fields.getOrDefault(name, "0"));
    }

    @Override
    public String toString() {
        return "held " + holds + " " + counted + (cap == null ? "" : ", at most " + cap + " until " + capEnd)
                + ", queue " + queue + ", parked " + parked + ", details " + details;
    }
}
