package io.holdfast.model.following;

import static io.holdfast.model.queue.QueueState.NOBODY;

import io.holdfast.model.line.LineBounds.Wish;
import io.holdfast.model.line.LineCall;
import io.holdfast.model.line.LineOutcome;
import io.holdfast.model.line.LineRule;
import io.holdfast.model.line.LineServer;
import io.holdfast.model.line.LineState;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.QueueBounds.Share;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A shared line. */
final class FollowedLine extends FollowedQueue<LineState, Wish> {
    /** For how long the keys of holds outlive the last of them, in ms: at least, and at most. */
    private static final int LASTING = 60_000;

    private static final int LASTING_AT_MOST = 120_000;
    /** The secret of what rests. */
    private static final String REST = "-";

    private final Set<LineRule> rules;
    private @Nullable String cap;

    FollowedLine(Ran ran, LockKeys.Names keys, Stored stored, Set<LineRule> rules) {
        super(ran, keys, stored);
        this.rules = rules;
        this.cap = before.cap;
    }

    // ---- reading

    @Override
    void mentionHolds() {
        before.holds.forEach((field, value) -> {
            if (!field.startsWith("@")) {
                String secret = value.substring(0, Math.max(0, value.indexOf(' ')));
                mention(
                        secret.equals(REST)
                                ? field.substring(1)
                                : field + "~" + secret); // a client's id may begin so as well
            }
        });
    }

    @Override
    LineState empty(int owners, int clients) {
        return new LineState(owners, clients);
    }

    @Override
    Wish noWish(int client) {
        return Wish.read(client);
    }

    @Override
    Wish wish(int client, String asked, int priority, boolean newestFirst, Share share, int owner) {
        String[] words = asked.split(" ", -1);
        String[] wanted = words[3].split(":", -1);
        bounds.claim[owner] = Ran.millis(words[2]);
        bounds.term[owner] = Ran.millis(words[4]);
        return new Wish(
                client,
                wanted[0].charAt(0),
                Integer.parseInt(wanted[1]),
                Integer.parseInt(wanted[2].replace("s", "")),
                wanted[2].endsWith("s"),
                priority,
                newestFirst,
                Ran.millis(words[0]),
                words[1].equals("T"),
                share);
    }

    @Override
    boolean readClaims(LineState found, String field, String value) {
        if (!field.equals("@c")) {
            return false;
        }
        found.claims = Integer.parseInt(value);
        return true;
    }

    @Override
    void readHolds(LockKeys raw, LineState found, Facts into) {
        Map<String, String> fields = new LinkedHashMap<>(raw.holds);
        Set<String> counted = new HashSet<>();
        for (Stored.Member one : raw.members) {
            String[] member = one.name().split(" ", -1);
            String text = fields.remove(member[0]);
            if (text == null) {
                throw new NotFollowed("a member of no hold, or a second one");
            }
            readHold(found, into, member, text, Math.max(0, until(one.score())));
            counted.add(member[0]);
        }
        found.used = Integer.parseInt(fields.getOrDefault("@u", "0"));
        found.phase = Long.parseLong(fields.getOrDefault("@f", "0"));
        found.takenInWords(fields.getOrDefault("@s", ""));
        String writer = fields.getOrDefault("@w", "");
        int writes = found.writer();
        if (!writer.equals(writes == NOBODY ? "" : shownHolder(found, writes))) {
            throw new NotFollowed("a writer " + writer + " that is no hold's");
        }
        if (!fields.getOrDefault("@n", "0").equals(Integer.toString(counted.size()))) {
            throw new NotFollowed("a number of holders that is not theirs: " + fields.get("@n"));
        }
        fields.keySet().removeAll(Set.of("@n", "@u", "@w", "@f", "@s"));
        if (!fields.isEmpty()) {
            throw new NotFollowed("holds without a member");
        }
        if (raw.cap != null) {
            int blank = raw.cap.indexOf(' ');
            found.limit = Integer.parseInt(raw.cap.substring(0, blank));
            found.limitLeft = left(raw.expiry(keys.cap()));
        }
    }

    private void readHold(LineState found, Facts into, String[] member, String text, int left) {
        String[] words = text.split(" ", -1);
        boolean rests = words[0].equals(REST);
        int owner = owner(rests ? member[0].substring(1) : member[0]);
        if (words.length != 8 || !words[1].equals(member[1])) {
            throw new NotFollowed("a hold that is not its member's");
        }
        if (found.isThere(owner)) {
            throw new NotFollowed("an owner that holds, and of which another hold rests");
        }
        if (!words[0].equals(
                rests ? REST : full(owner).substring(shownOwner(owner).length() + 1))) {
            throw new NotFollowed("a hold with the secret of another");
        }
        found.rests[owner] = rests;
        found.token[owner] = Long.parseLong(words[1]);
        found.mode[owner] = words[4].charAt(0);
        int colon = (words[5] + ":").indexOf(':');
        found.weight[owner] = Integer.parseInt(words[5].substring(0, colon));
        found.slotsOf(owner, words[5].substring(colon));
        found.left[owner] = left;
        found.claimed[owner] = !words[6].equals("-");
        if (found.claimed[owner]) {
            if (found.where[owner] != LineState.NOWHERE) {
                throw new NotFollowed("a claim that stands in line");
            }
            found.order[owner] = Long.parseLong(words[6]);
        }
        into.holds[owner] = new Hold(Long.parseLong(words[2]), words[3], words[7]);
    }

    @Override
    @Nullable
    String oddHolds(LockKeys raw, Facts found) {
        long last = 0;
        for (int owner = 0; owner < state.owners(); owner++) {
            if (state.isThere(owner) && !Objects.equals(facts.holds[owner], found.holds[owner])) {
                return "a hold of " + shownOwner(owner) + " is written with " + found.holds[owner] + ", and not with "
                        + facts.holds[owner];
            }
            last = state.isThere(owner) ? Math.max(last, nowMillis + state.left[owner]) : last;
        }
        if (!Objects.equals(cap, raw.cap) && state.limitLeft > 0) {
            return "the limit is " + raw.cap + ", and not " + cap;
        }
        for (Stored.Member one : raw.members) {
            last = Math.max(last, one.score()); // what is over is there yet
        }
        for (String key : List.of(keys.hold(), keys.members())) {
            long ends = raw.expiry(key);
            if (ends != Stored.NO_KEY
                    && (ends < last + LASTING || ends > Math.max(before.expiry(key), last + LASTING_AT_MOST))) {
                return key + " ends " + (ends - last) + " ms after the last hold";
            }
        }
        return null;
    }

    // ---- the call

    @Override
    List<String> run(int part, List<String> messages) {
        return switch (ran.script()) {
            case LINE_ACQUIRE -> {
                int owner = owner(ran.arg(2));
                String[] queueing = ran.words(6);
                LineState was = state;
                LineOutcome outcome = step(new LineCall.Acquire(
                        requester(), owner, queueing[0].equals("1"), Integer.parseInt(queueing[1])));
                entered(owner, was);
                yield told(outcome, messages);
            }
            case LINE_RELEASE -> release(messages);
            case LINE_CONFIRM -> eachOf(2, messages);
            case LINE_RENEW -> eachOf(part, messages);
            case LINE_DOWNGRADE -> downgrade(messages);
            case LINE_REFRESH -> refresh(part, messages);
            case LINE_REVOKE -> revoke(messages);
            case LINE_PROLONG -> {
                bounds.prolonged = Ran.millis(ran.arg(1));
                int owner = ran.arg(0).isEmpty() ? LineCall.ALL : owner(ran.arg(0));
                yield told(step(new LineCall.Prolong(0, owner)), messages);
            }
            case LINE_LIMIT -> {
                int permits = Integer.parseInt(ran.arg(2));
                cap = permits < 0 ? null : permits + " " + ran.arg(4);
                yield told(step(new LineCall.Limit(requester(), permits, Ran.millis(ran.arg(3)))), messages);
            }
            case LINE_CLEAN -> told(step(new LineCall.Clean(requester())), messages);
            default -> throw new IllegalStateException(ran.script() + " is not of a line");
        };
    }

    private LineOutcome step(LineCall call) {
        LineState was = state;
        LineOutcome outcome = new LineServer(bounds, rules).run(was, call);
        state = outcome.state();
        for (int owner : outcome.begun()) {
            if (!(call instanceof LineCall.Downgrade asked && asked.owner() == owner)) {
                facts.holds[owner] = newHold(owner);
            }
        }
        return outcome;
    }

    /** Confirms, or renews, one hold after the other. */
    private List<String> eachOf(int argument, List<String> messages) {
        String[] words = ran.words(argument);
        List<String> replies = new ArrayList<>();
        for (int i = 0; i + 2 < words.length; i += 3) {
            int owner = owner(words[i]);
            long token = Long.parseLong(words[i + 1]);
            int client = bounds.clientOf(owner);
            bounds.term[owner] = Ran.millis(words[i + 2]);
            replies.addAll(told(
                    step(
                            argument == 2 && isConfirm()
                                    ? new LineCall.Confirm(requester(), owner, token)
                                    : new LineCall.Renew(client, owner, token)),
                    messages));
        }
        return replies;
    }

    private boolean isConfirm() {
        return ran.script() == io.holdfast.internal.wire.Script.LINE_CONFIRM;
    }

    private List<String> release(List<String> messages) {
        int owner = owner(ran.arg(2));
        String[] words = ran.words(3);
        Hold hold = state.holds(owner) ? facts.holds[owner] : null;
        int rest = 0;
        if (hold != null) {
            rest = words[1].equals("0")
                    ? 0
                    : Math.max(0, until(Math.floorDiv(hold.since(), 1_000) + Long.parseLong(words[1])));
            rest = words[2].equals("0") ? rest : Math.max(rest, Ran.millis(words[2]) + 1);
            if (rest > 0) {
                long ends = nowMillis + rest - Math.floorDiv(hold.since(), 1_000);
                facts.holds[owner] = new Hold(hold.since(), Long.toString(Math.max(1, ends)), hold.label());
            }
        }
        boolean tombstone = !words[0].equals("0");
        if (tombstone) {
            buried(ran.arg(2), words[0]);
        }
        // As a shortest hold: how long it rests is known to the millisecond here.
        return told(step(new LineCall.Release(requester(), owner, tombstone, rest, true)), messages);
    }

    private List<String> downgrade(List<String> messages) {
        int owner = owner(ran.arg(2));
        bounds.term[owner] = Ran.millis(ran.arg(4));
        Hold hold = facts.holds[owner];
        LineOutcome outcome = step(new LineCall.Downgrade(requester(), owner, Long.parseLong(ran.arg(3))));
        if (outcome.begun().contains(owner) && hold != null) {
            facts.holds[owner] = new Hold(nowMicros, ran.arg(4), hold.label());
        }
        return told(outcome, messages);
    }

    private List<String> refresh(int part, List<String> messages) {
        List<Integer> named = new ArrayList<>();
        for (String owner : ran.words(2 * part + 4)) {
            if (!owner.isEmpty()) {
                named.add(owner(owner));
            }
        }
        for (int owner : named) {
            Hold hold = facts.holds[owner];
            if (state.holds(owner) && hold != null) {
                bounds.term[owner] = Ran.millis(hold.term());
            }
        }
        int client = requester();
        int count = Integer.parseInt(ran.arg(2 * part + 3));
        boolean heard = ran.arg(2).equals(facts.suspicion[client]);
        return told(step(new LineCall.Refresh(client, count, named, heard)), messages);
    }

    private List<String> revoke(List<String> messages) {
        String[] whose = ran.words(2);
        boolean resting = whose.length == 2;
        String drop = ran.arg(3);
        LineCall call = new LineCall.Revoke(
                requester(),
                ran.arg(2).isEmpty() ? LineCall.ALL : isOwner(whose[0]) ? owner(whose[0]) : LineCall.NONE,
                resting ? Long.parseLong(whose[1]) : 0,
                drop.equals("1") ? LineCall.ALL : drop.equals("0") ? LineCall.NONE : owner(drop));
        LineOutcome outcome = step(call);
        dropped(Integer.parseInt(outcome.reply().words().split(" ", -1)[2]), ran.arg(4));
        return told(outcome, messages);
    }

    // ---- what the model says, as the script would say it

    private List<String> told(LineOutcome outcome, List<String> messages) {
        tellAll(outcome.messages(), messages);
        StringBuilder words = new StringBuilder();
        for (String word : outcome.reply().words().split(" ", -1)) {
            words.append(words.isEmpty() ? "" : " ").append(filledIn(word));
        }
        LineOutcome.Told told = outcome.reply().told();
        if (told != null) {
            words.append(' ').append(told.wake()).append(" 0 ").append(told.holders());
            words.append(' ')
                    .append(told.used())
                    .append(' ')
                    .append(told.grants().size());
            for (int owner : told.grants()) {
                Hold hold = hold(owner);
                words.append(' ')
                        .append(shownOwner(owner))
                        .append(' ')
                        .append(state.token[owner])
                        .append(state.slotsOf(owner));
                words.append(' ').append(hold.since()).append(' ').append(hold.term());
            }
            if (told.last() != NOBODY) {
                int last = told.last();
                words.append(' ').append(told.millis()).append(' ').append(shownHolder(state, last));
                words.append(' ')
                        .append(state.token[last])
                        .append(' ')
                        .append(hold(last).words());
                words.append(' ').append(state.mode[last]).append(' ').append(state.weight[last]);
            }
        }
        return List.of(words.toString());
    }

    private Hold hold(int owner) {
        return Objects.requireNonNull(facts.holds[owner]);
    }

    private String filledIn(String word) {
        boolean isName = word.length() > 1 && Character.isDigit(word.charAt(1));
        if (isName && word.charAt(0) == 'T') {
            return word.substring(1);
        } else if (isName && word.charAt(0) == 'S') {
            return Long.toString(hold(Integer.parseInt(word.substring(1))).since());
        }
        return word;
    }

    private void tellAll(List<Message> all, List<String> messages) {
        Map<Integer, List<String>> grantsOf = new LinkedHashMap<>();
        for (Message message : all) {
            String owner = message.owner() < 0 ? "" : shownOwner(message.owner());
            switch (message.kind()) {
                case G ->
                    grantsOf.computeIfAbsent(message.client(), client -> new ArrayList<>())
                            .add(owner + " " + message.token() + state.slotsOf(message.owner()) + " "
                                    + bounds.claim(message.owner()));
                case V -> tell(messages, message.client(), "V " + owner + " " + message.token() + " 0 " + keys.hold());
                case E -> tell(messages, message.client(), "E " + owner + " " + keys.hold());
                case P ->
                    tell(messages, message.client(), "P " + facts.suspicion[message.client()] + " " + keys.hold());
                case O, R -> throw new IllegalStateException("a line recalls nothing, and has no record");
            }
        }
        grantsOf.forEach((client, grants) -> tell(
                messages,
                client,
                "L " + nowMicros + " " + grants.size() + " " + String.join(" ", grants) + " " + keys.hold()));
    }

    private String shownHolder(LineState of, int owner) {
        return (of.rests[owner] ? "-" : "") + shownOwner(owner);
    }
}
