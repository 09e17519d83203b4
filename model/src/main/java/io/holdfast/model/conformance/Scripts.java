package io.holdfast.model.conformance;

import io.holdfast.internal.wire.Script;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The scripts as they ship, or with one of the rules left out that they mark. */
public final class Scripts {
    /** What stands in the place of a rule that cannot just be left out. The key is the rule, or the rule and a script. */
    private static final Map<String, String> OTHERWISE = new TreeMap<>(Map.of(
            "tokencompare RENEW", "local mine = isHoldOf(texts[i], ARGV[3 * i - 2])\n",
            "strict", "pass(line, about)\nagain = true\n"));

    private final Map<Script, String> texts = new EnumMap<>(Script.class);

    private Scripts() {}

    public static Scripts shipped() {
        return without("");
    }

    /**
     * The scripts without one rule.
     *
     * @param rule as it stands behind {@code -- rule}; empty for none
     */
    public static Scripts without(String rule) {
        Scripts scripts = new Scripts();
        boolean found = rule.isEmpty();
        for (Script script : Script.values()) {
            String text = script.text();
            if (!rule.isEmpty()) {
                String otherwise = OTHERWISE.getOrDefault(rule + " " + script, OTHERWISE.getOrDefault(rule, ""));
                Pattern marked = Pattern.compile("(?ms)^ *-- rule " + Pattern.quote(rule) + "$\n.*?^ *-- end$\n");
                String rest = marked.matcher(text).replaceAll(Matcher.quoteReplacement(otherwise));
                found |= !rest.equals(text);
                text = rest;
            }
            scripts.texts.put(script, text);
        }
        if (!found) {
            throw new IllegalArgumentException("no script marks a rule " + rule);
        }
        return scripts;
    }

    /** The text of a script, always the same object. */
    public String text(Script script) {
        return texts.getOrDefault(script, "");
    }
}
