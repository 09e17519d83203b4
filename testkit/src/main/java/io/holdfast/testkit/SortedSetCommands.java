package io.holdfast.testkit;

import io.holdfast.testkit.CollectionCommands.Range;
import io.holdfast.testkit.SortedMembers.Scored;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Commands about sorted sets. */
final class SortedSetCommands {
    private static final SortedMembers EMPTY = new SortedMembers();
    private static final String NO_FLOAT = "ERR value is not a valid float";

    private SortedSetCommands() {}

    static void addTo(CommandTable table) {
        table.add("ZADD", -4, SortedSetCommands::put);
        table.add("ZINCRBY", 4, call -> {
            double amount = call.number(2);
            SortedMembers set = call.keys().make(call.arg(1), SortedMembers.class, SortedMembers::new);
            Double before = set.score(call.arg(3));
            set.put(call.arg(3), (before == null ? 0 : before) + amount);
            return score(set, call.arg(3));
        });
        table.add("ZREM", -3, call -> {
            SortedMembers set = call.keys().find(call.arg(1), SortedMembers.class);
            int removed = 0;
            if (set != null) {
                for (int i = 2; i < call.size(); i++) {
                    removed += set.remove(call.arg(i)) ? 1 : 0;
                }
                call.keys().removeIfEmpty(call.arg(1));
            }
            return Answer.of(removed);
        });
        table.add("ZSCORE", 3, call -> score(set(call), call.arg(2)));
        table.add("ZMSCORE", -3, call -> {
            List<Answer> scores = new ArrayList<>();
            for (int i = 2; i < call.size(); i++) {
                scores.add(score(set(call), call.arg(i)));
            }
            return Answer.of(scores);
        });
        table.add("ZCARD", 2, call -> Answer.of(set(call).size()));
        table.add("ZRANK", 3, call -> {
            int rank = set(call).rank(call.arg(2));
            return rank < 0 ? Answer.none() : Answer.of(rank);
        });
        table.add("ZREVRANK", 3, call -> {
            int rank = set(call).rank(call.arg(2));
            return rank < 0 ? Answer.none() : Answer.of(set(call).size() - 1 - rank);
        });
        table.add("ZCOUNT", 4, call -> {
            Predicate<Scored> inside = between(call.arg(2), call.arg(3));
            return Answer.of(set(call).ascending().stream().filter(inside).count());
        });
        table.add("ZRANGE", -4, SortedSetCommands::range);
        table.add("ZREVRANGE", -4, call -> {
            boolean scores = call.size() == 5 && call.option(4).equals("WITHSCORES");
            if (call.size() > 4 && !scores) {
                throw CommandError.syntax();
            }
            return listed(places(set(call), true, call.integer(2), call.integer(3)), scores);
        });
        table.add("ZRANGEBYSCORE", -4, call -> byScore(call, false));
        table.add("ZREVRANGEBYSCORE", -4, call -> byScore(call, true));
        table.add("ZPOPMIN", -2, call -> pop(call, false));
        table.add("ZPOPMAX", -2, call -> pop(call, true));
        table.add("ZREMRANGEBYSCORE", 4, call -> {
            Predicate<Scored> inside = between(call.arg(2), call.arg(3));
            return remove(call, set(call).ascending().stream().filter(inside).toList());
        });
        table.add(
                "ZREMRANGEBYRANK", 4, call -> remove(call, places(set(call), false, call.integer(2), call.integer(3))));
        table.add("ZSCAN", -3, call -> {
            KeyCommands.Walk walk = KeyCommands.Walk.read(call, 2);
            List<String> members =
                    set(call).ascending().stream().map(Scored::member).toList();
            Keyspace.Page page = Keyspace.page(members, walk.cursor(), walk.count());
            List<Answer> found = new ArrayList<>();
            for (String member : page.found()) {
                if (walk.pattern().matches(member)) {
                    found.add(Answer.of(member));
                    found.add(score(set(call), member));
                }
            }
            return walk.answer(page, Answer.of(found));
        });
    }

    /** The set, an empty one if there is no such key. For reading only. */
    private static SortedMembers set(Call call) {
        SortedMembers set = call.keys().find(call.arg(1), SortedMembers.class);
        return set == null ? EMPTY : set;
    }

    private static Answer score(SortedMembers set, String member) {
        Double score = set.score(member);
        return score == null ? Answer.none() : Answer.of(LuaNumbers.argument(score));
    }

    private static Answer put(Call call) {
        boolean ifNew = false;
        boolean ifThere = false;
        boolean ifGreater = false;
        boolean ifLess = false;
        boolean changes = false;
        boolean adds = false;
        int i = 2;
        options:
        for (; i < call.size(); i++) {
            switch (call.option(i)) {
                case "NX" -> ifNew = true;
                case "XX" -> ifThere = true;
                case "GT" -> ifGreater = true;
                case "LT" -> ifLess = true;
                case "CH" -> changes = true;
                case "INCR" -> adds = true;
                default -> {
                    break options;
                }
            }
        }
        int words = call.size() - i;
        if (words == 0 || words % 2 != 0) {
            throw CommandError.syntax();
        }
        if (ifNew && ifThere) {
            throw new CommandError("ERR XX and NX options at the same time are not compatible");
        }
        if ((ifGreater && (ifNew || ifLess)) || (ifLess && ifNew)) {
            throw new CommandError("ERR GT, LT, and/or NX options at the same time are not compatible");
        }
        if (adds && words > 2) {
            throw new CommandError("ERR INCR option supports a single increment-element pair");
        }
        List<Scored> given = new ArrayList<>();
        for (; i < call.size(); i += 2) {
            given.add(new Scored(Call.number(call.arg(i), NO_FLOAT), call.arg(i + 1)));
        }
        SortedMembers set = call.keys().make(call.arg(1), SortedMembers.class, SortedMembers::new);
        int added = 0;
        int changed = 0;
        Answer sum = Answer.none();
        for (Scored one : given) {
            Double before = set.score(one.member());
            if (before == null ? ifThere : ifNew) {
                continue;
            }
            double after = adds && before != null ? before + one.score() : one.score();
            if (before != null && ((ifGreater && after <= before) || (ifLess && after >= before))) {
                continue;
            }
            set.put(one.member(), after);
            added += before == null ? 1 : 0;
            changed += before == null || before != after ? 1 : 0;
            sum = Answer.of(LuaNumbers.argument(after));
        }
        call.keys().removeIfEmpty(call.arg(1));
        return adds ? sum : Answer.of(changes ? changed : added);
    }

    private static Answer range(Call call) {
        boolean byScore = false;
        boolean reverse = false;
        boolean scores = false;
        int limitAt = 0;
        for (int i = 4; i < call.size(); i++) {
            switch (call.option(i)) {
                case "BYSCORE" -> byScore = true;
                case "REV" -> reverse = true;
                case "WITHSCORES" -> scores = true;
                case "LIMIT" -> {
                    if (i + 2 >= call.size()) {
                        throw CommandError.syntax();
                    }
                    limitAt = i + 1;
                    i += 2;
                }
                default -> throw CommandError.syntax();
            }
        }
        if (limitAt > 0 && !byScore) {
            throw new CommandError(
                    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
        }
        if (!byScore) {
            return listed(places(set(call), reverse, call.integer(2), call.integer(3)), scores);
        }
        Predicate<Scored> inside = reverse ? between(call.arg(3), call.arg(2)) : between(call.arg(2), call.arg(3));
        return listed(selected(call, inside, reverse, limitAt), scores);
    }

    private static Answer byScore(Call call, boolean reverse) {
        boolean scores = false;
        int limitAt = 0;
        for (int i = 4; i < call.size(); i++) {
            switch (call.option(i)) {
                case "WITHSCORES" -> scores = true;
                case "LIMIT" -> {
                    if (i + 2 >= call.size()) {
                        throw CommandError.syntax();
                    }
                    limitAt = i + 1;
                    i += 2;
                }
                default -> throw CommandError.syntax();
            }
        }
        Predicate<Scored> inside = reverse ? between(call.arg(3), call.arg(2)) : between(call.arg(2), call.arg(3));
        return listed(selected(call, inside, reverse, limitAt), scores);
    }

    private static List<Scored> selected(Call call, Predicate<Scored> inside, boolean reverse, int limitAt) {
        long offset = limitAt == 0 ? 0 : call.integer(limitAt);
        long count = limitAt == 0 ? -1 : call.integer(limitAt + 1);
        SortedMembers set = set(call);
        if (offset < 0) {
            return List.of();
        }
        return (reverse ? set.ascending().descendingSet() : set.ascending())
                .stream()
                        .filter(inside)
                        .skip(offset)
                        .limit(count < 0 ? Long.MAX_VALUE : count)
                        .toList();
    }

    private static List<Scored> places(SortedMembers set, boolean reverse, long first, long last) {
        Range range = Range.of(first, last, set.size());
        return (reverse ? set.ascending().descendingSet() : set.ascending())
                .stream().skip(range.from()).limit(range.to() - range.from()).toList();
    }

    private static Answer listed(List<Scored> members, boolean scores) {
        List<Answer> listed = new ArrayList<>();
        for (Scored one : members) {
            listed.add(Answer.of(one.member()));
            if (scores) {
                listed.add(Answer.of(one.scoreText()));
            }
        }
        return Answer.of(listed);
    }

    /** Limits of a score: a number, or one after a bracket, which does not belong to it. */
    private static Predicate<Scored> between(String low, String high) {
        boolean above = low.startsWith("(");
        boolean below = high.startsWith("(");
        double least = Call.number(above ? low.substring(1) : low, "ERR min or max is not a float");
        double most = Call.number(below ? high.substring(1) : high, "ERR min or max is not a float");
        return one -> (above ? one.score() > least : one.score() >= least)
                && (below ? one.score() < most : one.score() <= most);
    }

    private static Answer pop(Call call, boolean last) {
        if (call.size() > 3) {
            throw CommandError.syntax();
        }
        long count = call.size() == 3 ? call.integer(2) : 1;
        if (count < 0) {
            throw new CommandError("ERR value is out of range, must be positive");
        }
        List<Scored> popped = places(set(call), last, 0, count - 1);
        remove(call, count == 0 ? Collections.emptyList() : popped);
        return listed(count == 0 ? List.of() : popped, true);
    }

    private static Answer remove(Call call, List<Scored> members) {
        @Nullable SortedMembers set = call.keys().find(call.arg(1), SortedMembers.class);
        if (set == null) {
            return Answer.of(0);
        }
        members.forEach(one -> set.remove(one.member()));
        call.keys().removeIfEmpty(call.arg(1));
        return Answer.of(members.size());
    }
}
