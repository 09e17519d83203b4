package io.holdfast.model.following;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.line.LineRule;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares calls of scripts with the models of the server: what is stored before, the call, its reply, its messages, and what is stored
 * afterwards. A call is compared wholly, or counted as not followed, with the reason. For use by one thread.
 */
public final class Follower {
    private final Set<Rule> rules;
    private final Set<LineRule> lineRules;
    private final Followed figures = new Followed();

    /**
     * A follower that has seen nothing.
     *
     * @param rules that the model of the exclusive lock has
     * @param lineRules that the model of a line has
     */
    public Follower(Set<Rule> rules, Set<LineRule> lineRules) {
        this.rules = rules;
        this.lineRules = lineRules;
    }

    /** With all rules. */
    public Follower() {
        this(Rule.all(), LineRule.all());
    }

    /** How many calls were followed. */
    public Followed figures() {
        return figures;
    }

    /** Counts a call as not followed, of which too little is known to begin with it. */
    public void left(Script script, String reason) {
        figures.left(script, reason);
    }

    /** A call that the server is about to run. */
    public final class Step {
        private final Ran ran;
        private final List<FollowedQueue<?, ?>> parts;
        private final Map<String, FollowedQueue<?, ?>> locks;

        private Step(Ran ran, List<FollowedQueue<?, ?>> parts, Map<String, FollowedQueue<?, ?>> locks) {
            this.ran = ran;
            this.parts = parts;
            this.locks = locks;
        }

        /** The script has failed, or was not known: it is not followed. */
        public void failed() {
            figures.left(ran.script(), "the script failed");
        }

        /**
         * How what the server did differs from the model; null if it does not, or the call is not followed.
         *
         * @param heard what the script has published to channels to which somebody listens: the channel, a blank, and the text; null if
         *     nobody knows, and messages are not compared
         */
        public @Nullable String end(Stored stored, Reply reply, @Nullable List<String> heard) {
            List<String> told = new ArrayList<>();
            if (reply.isList()) {
                reply.asList().forEach(each -> told.add(each.asString()));
            } else {
                String text = reply.asString();
                int number = text.lastIndexOf(' ');
                int time = text.lastIndexOf(' ', number - 1);
                told.addAll(
                        List.of(text.substring(0, time), text.substring(time + 1, number), text.substring(number + 1)));
            }
            int words = told.size() - 2;
            if (!told.get(words + 1).equals(ran.arg(ran.args().size() - 1))) {
                return inWords("the reply is not of this call: " + reply);
            }
            List<String> expected = new ArrayList<>();
            List<String> messages = new ArrayList<>();
            try {
                for (FollowedQueue<?, ?> lock : locks.values()) {
                    lock.open(stored, Long.parseLong(told.get(words)), isOfClient(ran.script()));
                }
                for (int i = 0; i < parts.size(); i++) {
                    expected.addAll(parts.get(i).run(i, messages));
                }
            } catch (NotFollowed e) {
                figures.left(ran.script(), e.reason);
                return null;
            }
            figures.add(ran.script());
            String is = String.join("\n  ", told.subList(0, words));
            String wanted = String.join(reply.isList() ? "\n  " : " ", expected);
            if (!is.equals(wanted)) {
                return inWords("the reply is\n  " + is + "\nand in the model\n  " + wanted);
            }
            if (heard != null) {
                String said = heard.stream().sorted().collect(Collectors.joining("\n  "));
                String meant = messages.stream().sorted().collect(Collectors.joining("\n  "));
                if (!said.equals(meant)) {
                    return inWords("the messages are\n  " + said + "\nand in the model\n  " + meant);
                }
            }
            for (FollowedQueue<?, ?> lock : locks.values()) {
                String difference = lock.difference(stored);
                if (difference != null) {
                    return inWords(difference);
                }
            }
            return null;
        }

        private String inWords(String difference) {
            StringBuilder text = new StringBuilder(ran.script() + " " + ran.keys() + " " + ran.args() + ": ");
            text.append(difference).append("\nbefore");
            locks.values().forEach(lock -> text.append("\n").append(lock.describe()));
            return text.toString();
        }
    }

    /**
     * Begins with a call that is about to be run.
     *
     * @return null if it is not followed, which is counted
     */
    public @Nullable Step begin(Stored stored, Ran ran) {
        Map<String, FollowedQueue<?, ?>> locks = new LinkedHashMap<>();
        List<FollowedQueue<?, ?>> parts = new ArrayList<>();
        try {
            for (LockKeys.Names names : namesOf(ran)) {
                parts.add(locks.computeIfAbsent(
                        names.isLine() ? names.members() : names.hold(),
                        any -> names.isLine()
                                ? new FollowedLine(ran, names, stored, lineRules)
                                : new FollowedLock(ran, names, stored, rules)));
            }
            for (int i = 0; i < parts.size(); i++) {
                for (String owner : ownersOf(ran, i)) {
                    parts.get(i).mention(owner);
                }
            }
        } catch (NotFollowed e) {
            figures.left(ran.script(), e.reason);
            return null;
        } catch (IllegalStateException e) {
            figures.left(ran.script(), "a key of another program");
            return null;
        }
        return new Step(ran, parts, locks);
    }

    /** The keys of each lock that a call is about. */
    private static List<LockKeys.Names> namesOf(Ran ran) {
        List<LockKeys.Names> all = new ArrayList<>();
        int count = ran.keys().size();
        switch (ran.script()) {
            case ACQUIRE ->
                all.add(LockKeys.Names.of(ran.keys(), 0, false)
                        .withEvicted(ran.key(6))
                        .withGraves(Map.of(FollowedQueue.publicOf(ran.arg(2)), ran.key(5))));
            case RELEASE -> all.add(withGrave(LockKeys.Names.of(ran.keys(), 0, false), ran, 5));
            case ADOPT ->
                all.add(LockKeys.Names.of(ran.keys(), 0, false)
                        .withGraves(Map.of(
                                FollowedQueue.publicOf(ran.arg(2)),
                                ran.key(5),
                                FollowedQueue.publicOf(ran.arg(4)),
                                ran.key(6))));
            case ADOPTED ->
                all.add(LockKeys.Names.ofHold(ran.key(0), LockKeys.NONE)
                        .withGraves(Map.of(FollowedQueue.publicOf(ran.arg(0)), ran.key(1))));
            case CONFIRM, CLEAN -> all.add(LockKeys.Names.of(ran.keys(), 0, false));
            case REVOKE -> all.add(LockKeys.Names.of(ran.keys(), 0, false).withEvicted(ran.key(5)));
            case RENEW, PROLONG -> ran.keys().forEach(key -> all.add(LockKeys.Names.ofHold(key, LockKeys.NONE)));
            case REFRESH -> {
                for (int i = 0; i < count; i += 5) {
                    all.add(LockKeys.Names.of(ran.keys(), i, false));
                }
            }
            case LINE_ACQUIRE ->
                all.add(LockKeys.Names.of(ran.keys(), 0, true)
                        .withEvicted(ran.key(8))
                        .withGraves(Map.of(FollowedQueue.publicOf(ran.arg(2)), ran.key(7))));
            case LINE_RELEASE -> all.add(withGrave(LockKeys.Names.of(ran.keys(), 0, true), ran, 7));
            case LINE_CONFIRM, LINE_DOWNGRADE, LINE_LIMIT, LINE_CLEAN ->
                all.add(LockKeys.Names.of(ran.keys(), 0, true));
            case LINE_REVOKE -> all.add(LockKeys.Names.of(ran.keys(), 0, true).withEvicted(ran.key(7)));
            case LINE_REFRESH -> {
                for (int i = 0; i < count; i += 7) {
                    all.add(LockKeys.Names.of(ran.keys(), i, true));
                }
            }
            case LINE_RENEW, LINE_PROLONG -> {
                for (int i = 0; i < count; i += 2) {
                    if (ran.key(i).equals(ran.key(i + 1))) {
                        throw new NotFollowed("a slot that is being moved");
                    }
                    all.add(LockKeys.Names.ofHold(ran.key(i + 1), ran.key(i)));
                }
            }
            default -> throw new NotFollowed("not in a model");
        }
        return all;
    }

    private static LockKeys.Names withGrave(LockKeys.Names names, Ran ran, int key) {
        return ran.keys().size() <= key
                ? names
                : names.withGraves(Map.of(FollowedQueue.publicOf(ran.arg(2)), ran.key(key)));
    }

    /** Owners that a part of a call names. */
    private static List<String> ownersOf(Ran ran, int part) {
        return switch (ran.script()) {
            case ACQUIRE, RELEASE, CONFIRM, LINE_ACQUIRE, LINE_RELEASE, LINE_DOWNGRADE -> List.of(ran.arg(2));
            case RENEW -> List.of(ran.arg(3 * part));
            case REFRESH, LINE_REFRESH -> named(ran.words(2 * part + 4), 1);
            case REVOKE -> named(ran.words(3), 1);
            case ADOPT -> List.of(ran.arg(2), ran.arg(4));
            case ADOPTED -> List.of(ran.arg(0));
            case LINE_CONFIRM -> named(ran.words(2), 3);
            case LINE_RENEW -> named(ran.words(part), 3);
            case LINE_REVOKE -> {
                List<String> owners = new ArrayList<>(named(ran.words(2), 2));
                owners.addAll(named(ran.words(3), 1));
                yield owners;
            }
            case LINE_PROLONG -> named(ran.words(0), 1);
            default -> List.of();
        };
    }

    private static List<String> named(String[] words, int step) {
        List<String> owners = new ArrayList<>();
        for (int i = 0; i < words.length; i += step) {
            if (FollowedQueue.isOwner(words[i])) {
                owners.add(words[i]);
            }
        }
        return owners;
    }

    /** Whether a script is told, first of all, which client calls it. */
    private static boolean isOfClient(Script script) {
        return switch (script) {
            case RENEW, PROLONG, ADOPTED, LINE_RENEW, LINE_PROLONG -> false;
            default -> true;
        };
    }
}
