package io.holdfast.contracts.engine;

import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Calls of the scripts of core, drawn at random, and acts of others between them: keys expire or are dropped by force, and clients
 * stop to listen. Every script is called, for owners that hold, wait, did so before, or never were there.
 */
final class DrawnCalls {
    /** The servers to compare, which are told the same. */
    interface Servers {
        /** Sends a command to all of them; returns what they agree on. */
        String both(String... words);

        /** Runs a script on all of them; the call's number is added. */
        String run(Script script, List<String> keys, List<String> args);

        /** A client that listened stops, or the other way round. */
        void listen(String client);
    }

    static final List<Keys> LOCKS = List.of(Keys.of("hf", "a"), Keys.of("hf", "b"));
    static final List<Keys> LINES =
            List.of(Keys.of("hf", Keys.Kind.READ_WRITE, "a"), Keys.of("hf", Keys.Kind.SEMAPHORE, "a"));
    private static final List<String> CLIENTS = List.of("c1", "c2", "c3", "c4");
    private static final Keys NODE = Keys.of("hf", "node");
    /** Mostly the same: a node that its clients do not agree on grants nothing. */
    private static final List<String> AGREEMENTS =
            List.of("3/60000/volatile/0a", "3/60000/volatile/0a", "3/60000/volatile/0a", "5/60000/volatile/0b");

    private static final String LABEL = "app/host/1/main";
    private static final String LONG_VALUE = "v".repeat(300);

    private final Random random;
    private final Servers servers;

    DrawnCalls(Random random, Servers servers) {
        this.random = random;
        this.servers = servers;
    }

    // ---- exclusive and plain locks

    void exclusive() {
        Keys lock = pick(LOCKS);
        String client = pick(CLIENTS);
        String owner = owner(client);
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4, 5 ->
                call(
                        Script.ACQUIRE,
                        lock.allToAcquire(owner),
                        client,
                        owner,
                        pick(List.of("60000", "900000")),
                        pick(List.of("60000", "900000")) + " " + LABEL + "?a=" + random.nextInt(3)
                                + pick(List.of("", "", " K")),
                        pick(List.of("0", "0", "3", "99")),
                        queueing());
            case 6, 7, 8 ->
                call(
                        Script.RELEASE,
                        lock.allWithTombstone(owner),
                        client,
                        owner,
                        random.nextInt(3) == 0 ? "" : releasing(pick(List.of("0", "0", token(lock)))));
            case 9 -> {
                String holder = holder(lock);
                call(
                        Script.RELEASE,
                        lock.allToFinish(holder),
                        clientOf(holder),
                        holder,
                        pick(List.of("", "0 0 0 " + token(lock), "0 0 50 0 app/host/1/main?result=done")));
            }
            case 10, 11 -> {
                String holder = random.nextBoolean() ? holder(lock) : owner;
                call(Script.CONFIRM, lock.all(), clientOf(holder), holder, token(lock), "60000");
            }
            case 12 -> {
                List<String> keys = new ArrayList<>();
                List<String> args = new ArrayList<>();
                for (Keys one : LOCKS) {
                    keys.add(one.hold());
                    args.addAll(List.of(random.nextInt(4) > 0 ? holder(one) : owner, token(one), "600000"));
                }
                servers.run(Script.RENEW, keys, args);
            }
            case 13, 14, 15, 16 -> {
                List<String> args = new ArrayList<>(List.of(pick(List.of("", suspicion(lock, client)))));
                for (int i = 0; i < LOCKS.size(); i++) {
                    args.add(Integer.toString(random.nextInt(3)));
                    args.add(random.nextBoolean() ? owner : "");
                }
                call(Script.REFRESH, keysOf(LOCKS), client, args.toArray(String[]::new));
            }
            case 17 -> call(Script.INFO, Keys.allToLook(LOCKS), client, pick(List.of("0", "2", "100")));
            case 18 ->
                call(
                        Script.REVOKE,
                        lock.allToRevoke(),
                        client,
                        pick(List.of("", "1", token(lock))),
                        pick(List.of("0", "1", "1", owner.replace("~s", ""))),
                        "120000");
            case 19 -> {
                servers.run(
                        Script.PROLONG,
                        List.of(lock.hold()),
                        List.of(pick(List.of("10000", "300000")), pick(List.of("", "", token(lock)))));
                call(Script.CLEAN, lock.all(), client);
                call(Script.PAUSE, lock.all(), client, pick(List.of("0", "0", "5000")), "app/host/1/?reason=r");
            }
            case 20 -> servers.both("DEL", lock.hold()); // it expires
            case 21 -> servers.listen(client);
            case 22 ->
                servers.both(
                        "DEL",
                        pick(List.of(
                                lock.details(),
                                lock.queue(),
                                lock.parked(),
                                lock.evicted(),
                                lock.tombstone(owner),
                                lock.hold())));
            default -> plain();
        }
    }

    private void plain() {
        List<String> values = List.of("v0", "v1", LONG_VALUE);
        List<String> key = List.of("plain");
        servers.run(
                Script.PLAIN_ACQUIRE,
                key,
                List.of(pick(values), "60000", pick(List.of("0", "1")), pick(List.of("0", "1")), pick(values)));
        servers.run(
                pick(List.of(Script.PLAIN_RELEASE, Script.PLAIN_EXTEND)),
                key,
                List.of(pick(values), pick(List.of("0", "90000"))));
        servers.run(Script.PLAIN_INFO, key, List.of(pick(values)));
    }

    /** A hold that goes on in another process, or whose old owner asks whether it does. */
    void adoption() {
        Keys lock = pick(LOCKS);
        String old = random.nextInt(4) > 0 ? holder(lock) : owner(pick(CLIENTS));
        String client = pick(CLIENTS);
        String owner = owner(client);
        String token = pick(List.of(heldToken(lock), heldToken(lock), "1"));
        call(
                Script.ADOPT,
                lock.allToAdopt(old, owner),
                client,
                old,
                token,
                owner,
                "60000",
                LABEL,
                "120000",
                pick(List.of(token, token(lock))));
        servers.run(Script.ADOPTED, List.of(lock.hold(), lock.tombstone(old)), List.of(old, token));
        servers.run(
                Script.NOTE,
                List.of(lock.hold(), lock.note()),
                List.of(
                        pick(List.of(holder(lock), holder(lock), owner)),
                        pick(List.of(heldToken(lock), "1")),
                        pick(List.of(LABEL + "?note=half", LABEL + "?note=half", "")),
                        pick(List.of("60000", "60000", "0"))));
    }

    // ---- lines

    void line() {
        Keys line = pick(LINES);
        String client = pick(CLIENTS);
        String owner = owner(client);
        switch (random.nextInt(26)) {
            case 0, 1, 2, 3, 4, 5, 6 ->
                call(
                        Script.LINE_ACQUIRE,
                        line.allToAcquire(owner),
                        client,
                        owner,
                        pick(List.of("60000", "900000")),
                        "60000 " + LABEL,
                        asked(line),
                        queueing());
            case 7, 8, 9, 10, 11 -> {
                String one = random.nextInt(3) > 0 ? lineHolder(line) : owner;
                call(
                        Script.LINE_RELEASE,
                        line.allWithTombstone(one),
                        clientOf(one),
                        one,
                        releasing(lineToken(line, one)));
            }
            case 12, 13 -> {
                String one = lineHolder(line);
                call(
                        Script.LINE_CONFIRM,
                        line.all(),
                        clientOf(one),
                        one + " " + lineToken(line, one) + " 60000 " + owner + " 1 60000");
            }
            case 14 -> {
                List<String> keys = new ArrayList<>();
                List<String> args = new ArrayList<>();
                boolean apart = random.nextInt(4) == 0;
                for (Keys each : LINES) {
                    String one = lineHolder(each);
                    keys.addAll(List.of(each.members(), apart ? each.members() : each.hold()));
                    args.add(one.replace("~s", "") + " " + lineToken(each, one) + " 600000 " + owner.replace("~s", "")
                            + " 5 600000");
                }
                servers.run(Script.LINE_RENEW, keys, args);
            }
            case 15 -> {
                String one = lineHolder(LINES.get(0));
                call(
                        Script.LINE_DOWNGRADE,
                        LINES.get(0).all(),
                        clientOf(one),
                        one,
                        pick(List.of(lineToken(LINES.get(0), one), "1")),
                        pick(List.of("60000", "90000")));
            }
            case 16, 17, 18, 19 -> {
                List<String> args = new ArrayList<>(List.of(pick(List.of("", suspicion(line, client)))));
                for (int i = 0; i < LINES.size(); i++) {
                    args.add(Integer.toString(random.nextInt(3)));
                    args.add(pick(List.of("", owner, owner + " " + owner(client))));
                }
                call(Script.LINE_REFRESH, keysOf(LINES), client, args.toArray(String[]::new));
            }
            case 20 -> call(Script.LINE_INFO, keysOf(LINES), client, pick(List.of("0", "2", "100")));
            case 21 ->
                call(
                        Script.LINE_REVOKE,
                        line.allToRevoke(),
                        client,
                        pick(List.of("", lineHolder(line).replace("~s", ""), "- 1")),
                        pick(List.of("0", "0", "1")),
                        "120000");
            case 22 -> {
                servers.run(
                        Script.LINE_PROLONG,
                        List.of(line.members(), line.hold()),
                        List.of(pick(List.of("", lineHolder(line).replace("~s", ""))), "300000"));
                call(Script.LINE_CLEAN, line.all(), client);
            }
            case 23 ->
                call(
                        Script.LINE_LIMIT,
                        LINES.get(1).all(),
                        client,
                        pick(List.of("-1", "0", "1", "2")),
                        pick(List.of("100", "60000")),
                        LABEL);
            case 24 -> servers.listen(client);
            default ->
                servers.both(
                        "DEL",
                        pick(List.of(
                                line.details(),
                                line.queue(),
                                line.parked(),
                                line.evicted(),
                                line.tombstone(owner),
                                line.members(),
                                line.cap(),
                                line.hold())));
        }
    }

    private String asked(Keys line) {
        return line.kind() == Keys.Kind.SEMAPHORE
                ? "P:" + (1 + random.nextInt(3)) + ":" + pick(List.of("3", "4", "4s", "4s"))
                : pick(List.of("W:1:0", "R:1:0", "R:1:0"));
    }

    /** One of those that hold it; an owner of no client if nobody does. */
    private String lineHolder(Keys line) {
        String fields = servers.both("ZRANGE", line.members(), "0", "-1");
        List<String> members = Arrays.stream(fields.replaceAll("[\\[\\]]", "").split(", ", -1))
                .filter(member -> member.startsWith("c"))
                .toList();
        return members.isEmpty() ? "nobody.0-0~s" : pick(members).split(" ", -1)[0] + "~s";
    }

    private String lineToken(Keys line, String owner) {
        String held = servers.both("HGET", line.hold(), owner.replace("~s", ""));
        return held.startsWith("s ") ? held.split(" ", -1)[1] : "0";
    }

    // ---- quorums, fenced values

    void quorum() {
        String owner = owner(pick(CLIENTS));
        String marker = "hf:node";
        String durable = pick(List.of("0", "1"));
        String quarantine = pick(List.of("0", "0", "0", "60000"));
        String proposed = pick(List.of("1", "1790000000000000", "1890000000000000"));
        switch (random.nextInt(5)) {
            case 0, 1 ->
                servers.run(
                        Script.QUORUM_ACQUIRE,
                        List.of(NODE.hold(), NODE.token(), NODE.tombstone(owner), marker),
                        List.of(
                                owner,
                                "60000",
                                proposed,
                                quarantine,
                                "3600000",
                                "900000",
                                LABEL,
                                durable,
                                pick(AGREEMENTS)));
            case 2 -> {
                String holder = random.nextInt(3) > 0 ? holder(NODE) : owner;
                servers.run(
                        Script.QUORUM_RAISE,
                        List.of(NODE.hold(), NODE.token()),
                        List.of(holder, heldToken(NODE), proposed, "90000", "3600000"));
            }
            case 3 -> {
                String holder = random.nextInt(3) > 0 ? holder(NODE) : owner;
                servers.run(
                        Script.QUORUM_RELEASE,
                        List.of(NODE.hold(), NODE.tombstone(holder)),
                        List.of(holder, pick(List.of("0", "120000")), "hf:to:c1"));
            }
            default ->
                servers.run(
                        Script.MEMORY,
                        List.of(marker),
                        List.of(quarantine, pick(List.of("900000", "2592000000")), durable, pick(AGREEMENTS)));
        }
        if (random.nextInt(10) == 0) {
            servers.both("DEL", pick(List.of(marker, NODE.hold(), NODE.token())));
        }
    }

    void fence() {
        servers.run(
                Script.FENCE,
                List.of("hf:{a}:v"),
                List.of(
                        pick(List.of("S", "D", "R")),
                        pick(List.of("7", "1790000000123456", "1790000000123457")),
                        pick(List.of("0", "60000", "900000")),
                        "text"));
        if (random.nextInt(8) == 0) {
            servers.both("DEL", "hf:{a}:v");
        }
    }

    // ---- reports

    void report() {
        String client = pick(CLIENTS);
        servers.run(
                Script.REPORT,
                List.of(Keys.clients("hf"), Keys.report("hf", client)),
                List.of(
                        client,
                        pick(List.of("60000", "90000", "5", "0")),
                        "1 " + pick(List.of("1", "2", "30")) + "\nl 0 1 0 hf:{a}"));
    }

    // ---- other programs

    /** Another program has something of its own in the place of one of ours for a while: of each, one after the other. */
    void foreignKeys() {
        for (Keys keys : List.of(LOCKS.get(0), LINES.get(0), LINES.get(1))) {
            List<String> ours = new ArrayList<>(keys.allToRevoke());
            ours.add(keys.tombstone(owner(pick(CLIENTS))));
            ours.forEach(key -> foreign(
                    key, key.equals(keys.cap()) ? 100 : 15, keys.kind().isLine() ? this::line : this::exclusive));
        }
        foreign(NODE.hold(), 15, this::quorum);
        foreign(NODE.token(), 15, this::quorum);
        foreign("plain", 15, this::plain);
        foreign("hf:{a}:v", 15, this::fence);
    }

    private void foreign(String key, int calls, Runnable call) {
        for (List<String> write : List.of(
                List.of("SET", key, pick(List.of("of another program", "17"))),
                List.of("HSET", key, "of", "another"),
                List.of("RPUSH", key, "of another"))) {
            servers.both("DEL", key);
            servers.both(write.toArray(String[]::new));
            for (int i = 0; i < calls; i++) {
                call.run();
            }
        }
        servers.both("DEL", key);
    }

    /** More waiters than one script looks at, of a client that is gone; then somebody asks. */
    void crowd(Keys keys) {
        List<String> added = new ArrayList<>(List.of("ZADD", keys.queue()));
        for (int i = 0; i < 1_001; i++) {
            added.addAll(List.of("-1", "gone.0-" + i + "~s"));
        }
        for (String key : List.of(keys.hold(), keys.members(), keys.queue(), keys.details())) {
            servers.both("DEL", key);
        }
        servers.both(added.toArray(String[]::new));
        servers.both("HSET", keys.details(), "@seq", "1");
        ask(keys, 9, queueing()); // of this owner nothing is known
        servers.both("DEL", keys.queue());
    }

    /** More groups than are remembered, some of which are idle; then one more asks. */
    void groups(Keys keys) {
        for (String key : List.of(keys.hold(), keys.members(), keys.queue(), keys.parked(), keys.details())) {
            servers.both("DEL", key);
        }
        ask(keys, 10, "0 0 0 F 0 L 60000");
        List<String> fields = new ArrayList<>(List.of("HSET", keys.details(), "@seq", "1", "@v", "5000 9000 70 64"));
        for (int i = 0; i < 70; i++) {
            fields.addAll(List.of("@g:" + i, (4_000 + 50 * i) + " 0 " + i % 2));
        }
        servers.both(fields.toArray(String[]::new));
        ask(keys, 11, "1 0 0 S1:one 0 L 60000");
    }

    private void ask(Keys keys, int number, String queueing) {
        String client = pick(CLIENTS);
        String owner = owner(client, number);
        boolean line = keys.kind().isLine();
        call(
                line ? Script.LINE_ACQUIRE : Script.ACQUIRE,
                keys.allToAcquire(owner),
                client,
                owner,
                "60000",
                "60000 " + LABEL,
                line ? asked(keys) : "0",
                queueing);
    }

    // ---- what calls consist of

    private static String owner(String client, int number) {
        return client + ".0-" + number + "~s";
    }

    private String owner(String client) {
        return owner(client, random.nextInt(8));
    }

    private String queueing() {
        return String.join(
                " ",
                pick(List.of("0", "1", "1")),
                pick(List.of("0", "1", "2")),
                pick(List.of("0", "1", "-1")),
                pick(List.of("F", "N", "R", "S1:a", "S2:b", "S1:b")),
                pick(List.of("0", "100", "600000")),
                pick(List.of("T", "L")),
                "60000");
    }

    private String releasing(String token) {
        return String.join(
                " ",
                pick(List.of("0", "0", "0", "0", "0", "120000")),
                pick(List.of("0", "0", "0", "90000")),
                pick(List.of("0", "0", "0", "30000")),
                token);
    }

    private static List<String> keysOf(List<Keys> locks) {
        List<String> keys = new ArrayList<>();
        locks.forEach(one -> keys.addAll(one.all()));
        return keys;
    }

    private static String clientOf(String owner) {
        return owner.substring(0, Math.max(0, owner.indexOf('.')));
    }

    private String[] hold(Keys lock) {
        return servers.both("GET", lock.hold()).split(" ", -1);
    }

    /** Who holds it; somebody else if nobody does, also if it rests. */
    private String holder(Keys lock) {
        String owner = hold(lock)[0];
        return owner.startsWith("c") ? owner : "nobody.0-0~s";
    }

    private String heldToken(Keys lock) {
        String[] words = hold(lock);
        return words[0].startsWith("c") ? words[1] : "1";
    }

    private String token(Keys lock) {
        String token = servers.both("GET", lock.token());
        return token.matches("\\d+") ? token : "1";
    }

    private String suspicion(Keys lock, String client) {
        String since = servers.both("HGET", lock.details(), "@s:" + client);
        return since.matches("\\d+") ? since : "";
    }

    private String call(Script script, List<String> keys, String client, String... args) {
        String prefix = pick(List.of("hf:to:", "hf:to:", "hf:to:", "")); // none on a cluster
        List<String> all = new ArrayList<>(List.of(client + " 120000 " + prefix, "3600000"));
        all.addAll(Arrays.asList(args));
        return servers.run(script, keys, all);
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
