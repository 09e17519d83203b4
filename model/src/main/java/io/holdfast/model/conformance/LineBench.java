package io.holdfast.model.conformance;

import static io.holdfast.model.conformance.Texts.label;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.line.AnyLineCalls;
import io.holdfast.model.line.LineBounds;
import io.holdfast.model.line.LineBounds.Wish;
import io.holdfast.model.line.LineCall;
import io.holdfast.model.line.LineOutcome;
import io.holdfast.model.line.LineServer;
import io.holdfast.model.line.LineState;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.Words;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The bench of shared lines. */
public final class LineBench extends QueueBench<LineState, LineCall> {
    private static final String MEMBERS = HOLD + ":m";
    private static final String CAP = HOLD + ":c";
    /** For how long the keys of holds outlive the last of them, in ms: at least, and at most. */
    private static final int LASTING = 60_000;

    private static final int LASTING_AT_MOST = 120_000;

    private final LineBounds bounds;
    private final LineServer model;
    private LineOutcome outcome;
    private long keysEnd; // of the holds that were laid out

    public LineBench(AnyLineCalls model, Scripts scripts, ScriptServer server) {
        super(
                model.bounds(),
                new LineState(model.bounds().owners(), model.bounds().clients()),
                scripts,
                server);
        this.bounds = model.bounds();
        this.model = model.server();
        this.outcome = nothing();
    }

    private LineOutcome nothing() {
        return new LineOutcome(state, new LineOutcome.Reply("", null), Set.of(), List.of());
    }

    @Override
    LineState empty() {
        return new LineState(bounds.owners(), bounds.clients());
    }

    @Override
    LineState expect(LineCall call) {
        outcome = model.run(state, call);
        base = state.last;
        grants = outcome.state().last > base;
        return outcome.state();
    }

    @Override
    void expectTick() {
        outcome = nothing();
    }

    // ---- from the model to the server

    @Override
    void layOutHolds(int variant) {
        keysEnd = 0;
        List<String> fields = new ArrayList<>(List.of("HSET", HOLD));
        List<String> members = new ArrayList<>(List.of("ZADD", MEMBERS));
        int longest = 0;
        for (int owner : state.holders()) {
            fields.addAll(List.of(shownHolder(state, owner), written(owner)));
            members.addAll(List.of(at(state.left[owner]), shownHolder(state, owner) + " " + token(state.token[owner])));
            longest = Math.max(longest, state.left[owner]);
        }
        if (longest > 0 || fields.size() > 2) {
            fields.addAll(List.of("@n", Integer.toString(state.countHolders()), "@u", Integer.toString(state.used)));
            if (state.writer() != LineState.NOBODY) {
                fields.addAll(List.of("@w", shownHolder(state, state.writer())));
            }
            if (state.phase > 0) {
                fields.addAll(List.of("@f", token(state.phase)));
            }
            if (state.taken > 0) {
                fields.addAll(List.of("@s", state.takenInWords()));
            }
            lay(fields.toArray(String[]::new));
            lay(members.toArray(String[]::new));
            keysEnd = nowMillis + (long) longest * TICK + LASTING + (variant / 8 % 3) * (LASTING_AT_MOST - LASTING) / 2;
            lay("PEXPIREAT", HOLD, Long.toString(keysEnd));
            lay("PEXPIREAT", MEMBERS, Long.toString(keysEnd));
        }
        if (state.limitLeft > 0) {
            lay("SET", CAP, state.limit + " " + label(0), "PXAT", at(state.limitLeft));
        }
    }

    private String shownHolder(LineState s, int owner) {
        return (s.rests[owner] ? "-" : "") + shownOwner(owner);
    }

    private String written(int owner) {
        return (state.rests[owner] ? "-" : "s") + " " + token(state.token[owner]) + " " + sinceOfHold() + " "
                + millis(bounds.term()) + " " + state.mode[owner] + " " + state.weight[owner] + state.slotsOf(owner)
                + " "
                + (state.claimed[owner] ? Long.toString(state.order[owner]) : "-") + " " + label(owner);
    }

    @Override
    void layOutClaims(List<String> words) {
        if (state.claims != LineState.ABSENT) {
            words.addAll(List.of("@c", Integer.toString(state.claims)));
        }
    }

    @Override
    String asked(int owner) {
        return wanted(owner) + " " + termAndLabel(owner);
    }

    private String wanted(int owner) {
        Wish wish = bounds.wishes().get(owner);
        return wish.words();
    }

    @Override
    Script arguments(LineCall call, int variant, List<String> keys, List<String> args) {
        keys.addAll(List.of(MEMBERS, CAP));
        addClient(args, call.client());
        if (call instanceof LineCall.Acquire asked) {
            int owner = asked.owner();
            keys.addAll(List.of(grave(owner), EVICTED));
            args.addAll(List.of(
                    owner(owner),
                    millis(bounds.term()),
                    termAndLabel(owner),
                    wanted(owner),
                    wishes(owner, asked.queues(), asked.limit())));
            return Script.LINE_ACQUIRE;
        } else if (call instanceof LineCall.Release asked) {
            keys.add(grave(asked.owner()));
            long untilThen = nowMillis + (long) asked.rest() * TICK - sinceOfHold() / 1_000;
            String rest = asked.rest() == 0
                    ? "0 0 "
                    : asked.sinceGrant() ? untilThen + " 0 " : "0 " + millis(asked.rest()) + " ";
            args.add(owner(asked.owner()));
            args.add((asked.tombstone() ? TOMBSTONE_LIFE : 0) + " " + rest + "0");
            return Script.LINE_RELEASE;
        } else if (call instanceof LineCall.Confirm asked) {
            args.add(owner(asked.owner()) + " " + token(asked.token()) + " " + millis(bounds.term()));
            return Script.LINE_CONFIRM;
        } else if (call instanceof LineCall.Renew asked) {
            keys.clear();
            keys.addAll(List.of(MEMBERS, HOLD));
            args.clear();
            args.add(shownOwner(asked.owner()) + " " + token(asked.token()) + " " + millis(bounds.term()));
            return Script.LINE_RENEW;
        } else if (call instanceof LineCall.Downgrade asked) {
            args.addAll(List.of(owner(asked.owner()), token(asked.token()), millis(bounds.term())));
            return Script.LINE_DOWNGRADE;
        } else if (call instanceof LineCall.Refresh asked) {
            args.add(asked.heardProbe() ? suspicion(asked.client()) : (variant & 4) == 0 ? "0" : "1");
            args.add(Integer.toString(asked.count()));
            args.add(String.join(" ", asked.named().stream().map(this::owner).toList()));
            return Script.LINE_REFRESH;
        } else if (call instanceof LineCall.Revoke asked) {
            keys.add(EVICTED);
            args.add(
                    asked.resting() > 0
                            ? "- " + token(asked.resting())
                            : asked.owner() == LineCall.ALL
                                    ? ""
                                    : asked.owner() == LineCall.NONE ? "-" : shownOwner(asked.owner()));
            args.add(
                    asked.drop() == LineCall.ALL
                            ? "1"
                            : asked.drop() == LineCall.NONE ? "0" : shownOwner(asked.drop()));
            args.add(Integer.toString(TOMBSTONE_LIFE));
            return Script.LINE_REVOKE;
        } else if (call instanceof LineCall.Prolong asked) {
            keys.clear();
            keys.addAll(List.of(MEMBERS, HOLD));
            args.clear();
            args.add(asked.owner() == LineCall.ALL ? "" : shownOwner(asked.owner()));
            args.add(millis(bounds.term() + 1));
            return Script.LINE_PROLONG;
        } else if (call instanceof LineCall.Limit asked) {
            args.addAll(List.of(Integer.toString(asked.permits()), millis(Math.max(1, asked.ticks())), label(0)));
            return Script.LINE_LIMIT;
        }
        return Script.LINE_CLEAN;
    }

    // ---- what the model says, as the script would say it

    @Override
    String reply(LineCall call, String end) {
        StringBuilder words = new StringBuilder();
        for (String word : outcome.reply().words().split(" ", -1)) {
            words.append(words.isEmpty() ? "" : " ").append(filledIn(word));
        }
        LineOutcome.Told told = outcome.reply().told();
        if (told != null) {
            LineState after = outcome.state();
            words.append(' ')
                    .append(told.wake())
                    .append(" 0 ")
                    .append(told.holders())
                    .append(' ')
                    .append(told.used());
            words.append(' ').append(told.grants().size());
            for (int owner : told.grants()) {
                words.append(' ')
                        .append(shownOwner(owner))
                        .append(' ')
                        .append(tokenNow(after.token[owner]))
                        .append(after.slotsOf(owner));
                words.append(' ').append(since(owner)).append(' ').append(millis(bounds.term()));
            }
            if (told.last() != LineState.NOBODY) {
                int last = told.last();
                words.append(' ')
                        .append(told.millis())
                        .append(' ')
                        .append(shownHolder(after, last))
                        .append(' ');
                words.append(tokenNow(after.token[last]))
                        .append(' ')
                        .append(since(last))
                        .append(' ');
                words.append(termOf(last, told.millis()))
                        .append(' ')
                        .append(label(last))
                        .append(' ');
                words.append(after.mode[last]).append(' ').append(after.weight[last]);
            }
        }
        return call instanceof LineCall.Refresh ? "[" + words + ", " + end.replace(" ", ", ") + "]" : words + " " + end;
    }

    /** As it is written: that of a rest that has just begun counts from the grant. */
    private long termOf(int owner, long left) {
        boolean begins = outcome.state().rests[owner] && !state.rests[owner];
        return begins ? Math.max(1, nowMillis + left - sinceOfHold() / 1_000) : (long) bounds.term() * TICK;
    }

    private long since(int owner) {
        return outcome.begun().contains(owner) ? nowMicros : sinceOfHold();
    }

    private String filledIn(String word) {
        boolean isName = word.length() > 1 && Character.isDigit(word.charAt(1));
        if (isName && word.charAt(0) == 'T') {
            int colon = (word + ":").indexOf(':');
            return tokenNow(Long.parseLong(word.substring(1, colon))) + word.substring(colon);
        } else if (isName && word.charAt(0) == 'S') {
            return Long.toString(since(Integer.parseInt(word.substring(1))));
        }
        return word;
    }

    @Override
    List<String> messages() {
        List<String> all = new ArrayList<>();
        Map<Integer, List<String>> grantsOf = new TreeMap<>();
        for (Message message : outcome.messages()) {
            String channel = channel(message.client()) + " ";
            switch (message.kind()) {
                case G ->
                    grantsOf.computeIfAbsent(message.client(), client -> new ArrayList<>())
                            .add(shownOwner(message.owner()) + " " + tokenNow(message.token())
                                    + outcome.state().slotsOf(message.owner()) + " "
                                    + millis(bounds.claim()));
                case V ->
                    all.add(channel + "V " + shownOwner(message.owner()) + " " + token(message.token()) + " 0 " + HOLD);
                case E -> all.add(channel + "E " + shownOwner(message.owner()) + " " + HOLD);
                case P -> all.add(channel + "P " + suspicionNow(message.client()) + " " + HOLD);
                case O, R -> throw new IllegalStateException("a line recalls nothing, and has no record");
            }
        }
        grantsOf.forEach((client, grants) -> all.add(channel(client) + " L " + nowMicros + " " + grants.size() + " "
                + String.join(" ", grants) + " " + HOLD));
        return all;
    }

    // ---- from the server to the model

    @Override
    void lookAtHolds() {
        look("HGETALL", HOLD);
        look("PEXPIRETIME", HOLD);
        look("ZRANGE", MEMBERS, "0", "-1", "WITHSCORES");
        look("PEXPIRETIME", MEMBERS);
        look("GET", CAP);
        look("PEXPIRETIME", CAP);
    }

    @Override
    void readHolds(LineState found, List<String> odd) {
        Map<String, String> fields = new LinkedHashMap<>();
        List<Reply> pairs = seen("HGETALL", HOLD).asList();
        for (int i = 0; i < pairs.size(); i += 2) {
            fields.put(pairs.get(i).asString(), pairs.get(i + 1).asString());
        }
        List<Reply> members = seen("ZRANGE", MEMBERS, "0", "-1", "WITHSCORES").asList();
        long last = 0;
        for (int i = 0; i < members.size(); i += 2) {
            String[] member = members.get(i).asString().split(" ", -1);
            last = members.get(i + 1).asLong();
            String text = fields.remove(member[0]);
            if (text == null) {
                odd.add("a member is written twice, or of no hold: "
                        + members.get(i).asString());
            } else {
                readHold(found, member, text, Math.max(0, ticks(last)), odd);
            }
        }
        found.used = Integer.parseInt(fields.getOrDefault("@u", "0"));
        found.phase = fields.containsKey("@f") ? tokenOf(fields.get("@f")) : 0;
        found.takenInWords(fields.getOrDefault("@s", ""));
        String writer = found.writer() == LineState.NOBODY ? "" : shownHolder(found, found.writer());
        if (!fields.getOrDefault("@w", "").equals(writer)) {
            odd.add("the writer is " + fields.get("@w"));
        }
        if (!fields.getOrDefault("@n", "0").equals(Integer.toString(found.countHolders()))) {
            odd.add(fields.get("@n") + " holders are counted");
        }
        fields.keySet().removeAll(Set.of("@n", "@u", "@w", "@f", "@s"));
        if (!fields.isEmpty()) {
            odd.add("of no member is written: " + fields);
        }
        readLasting(HOLD, last, odd);
        readLasting(MEMBERS, last, odd);
        Reply cap = seen("GET", CAP);
        if (!cap.isNull()) {
            String[] words = cap.asString().split(" ", -1);
            found.limit = Integer.parseInt(words[0]);
            found.limitLeft = left(CAP);
            if (!words[1].equals(label(0))) {
                odd.add("the limit is " + cap.asString());
            }
        }
    }

    private void readHold(LineState found, String[] member, String text, int left, List<String> odd) {
        int owner = Integer.parseInt(member[0].substring(member[0].lastIndexOf('-') + 1));
        String[] words = text.split(" ", -1);
        if (found.isThere(owner)) {
            odd.add("of " + Words.owner(owner) + " there are two holds");
        }
        found.rests[owner] = member[0].startsWith("-");
        found.token[owner] = tokenOf(words[1]);
        found.mode[owner] = words[4].charAt(0);
        int colon = (words[5] + ":").indexOf(':');
        found.weight[owner] = Integer.parseInt(words[5].substring(0, colon));
        found.slotsOf(owner, words[5].substring(colon));
        found.left[owner] = left;
        found.claimed[owner] = !words[6].equals("-");
        if (found.claimed[owner]) {
            if (found.where[owner] != LineState.NOWHERE) {
                odd.add(Words.owner(owner) + " has a claim, and stands in line");
            }
            found.order[owner] = Long.parseLong(words[6]);
        }
        String term = found.rests[owner] ? words[3] : millis(bounds.term());
        boolean asExpected = words[0].equals(found.rests[owner] ? "-" : "s")
                && words[1].equals(member[1])
                && words[2].equals(Long.toString(since(owner)))
                && words[3].equals(term)
                && words[7].equals(label(owner));
        if (!asExpected) {
            odd.add("a hold of " + member[0] + " with token " + member[1] + " is written as " + text);
        }
    }

    /** That a key of the holds lasts beyond the last of them, and not for ever. */
    private void readLasting(String key, long last, List<String> odd) {
        long ends = seen("PEXPIRETIME", key).asLong();
        if (ends != -2 && (ends < last + LASTING || ends > Math.max(keysEnd, last + LASTING_AT_MOST))) {
            odd.add(key + " ends " + (ends - last) + " ms after the last hold");
        }
    }

    @Override
    boolean readClaims(LineState found, String field, String value) {
        if (!field.equals("@c")) {
            return false;
        }
        found.claims = Integer.parseInt(value);
        return true;
    }
}
