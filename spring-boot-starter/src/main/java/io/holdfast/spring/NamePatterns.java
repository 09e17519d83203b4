package io.holdfast.spring;

import io.holdfast.LockOptions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Options by the names of locks: of the patterns that match, the one that says most about the name. */
final class NamePatterns implements Function<String, @Nullable LockOptions> {
    private record Rule(String pattern, Pattern matcher, LockOptions options) {
        long letters() {
            return pattern.chars().filter(c -> c != '*').count();
        }
    }

    private final List<Rule> rules;

    private NamePatterns(List<Rule> rules) {
        this.rules = rules;
    }

    /**
     * Patterns in which {@code *} stands for any characters, also for none.
     *
     * @param base what a pattern does not set
     */
    static NamePatterns of(Map<String, LockProperties> patterns, LockOptions base) {
        Comparator<Rule> mostLetters = Comparator.comparingLong(Rule::letters).reversed();
        return new NamePatterns(patterns.entrySet().stream()
                .map(entry -> new Rule(
                        entry.getKey(),
                        regex(entry.getKey()),
                        entry.getValue().over("holdfast.locks[" + entry.getKey() + "]", base)))
                .sorted(mostLetters
                        .thenComparing(rule -> rule.pattern().length())
                        .thenComparing(Rule::pattern))
                .toList());
    }

    private static Pattern regex(String pattern) {
        StringBuilder regex = new StringBuilder();
        int from = 0;
        for (int star = pattern.indexOf('*'); star >= 0; star = pattern.indexOf('*', from)) {
            regex.append(Pattern.quote(pattern.substring(from, star))).append(".*");
            from = star + 1;
        }
        regex.append(Pattern.quote(pattern.substring(from)));
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    @Override
    public @Nullable LockOptions apply(String name) {
        for (Rule rule : rules) {
            if (rule.matcher().matcher(name).matches()) {
                return rule.options();
            }
        }
        return null;
    }
}
