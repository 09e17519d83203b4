package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.conformance.Conformance;
import io.holdfast.model.conformance.Scripts;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.exclusive.Settings;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The scripts of the exclusive lock, as they ship, do in each state what the model says. */
final class ConformanceTest {
    private static final Pattern MARKED = Pattern.compile("-- rule (\\w+)");
    /** So many transitions are enough to find each rule that is left out. */
    private static final long FEW = 12_000;
    /** They matter after several calls: a setting with less acts gets there. */
    private static final Set<String> NEED_DEPTH = Set.of("settlefirst", "claimskeepdetails", "suspect", "lapseback");

    /** Half a million in all. */
    @ParameterizedTest
    @CsvSource({
        "silent, 160000",
        "all, 120000",
        "kept, 100000",
        "orders, 70000",
        "three, 60000",
        "paused, 80000",
        "shares, 30000"
    })
    void scripts_asTheyShip_doWhatTheModelSays(String setting, long transitions) {
        Conformance.Result result = run(setting, Rule.all(), Scripts.shipped(), transitions);
        assertNull(result.difference(), () -> result.difference() + "\n" + String.join("\n", result.trace()));
        assertTrue(result.transitions() >= transitions, result::toString);
    }

    @ParameterizedTest
    @MethodSource("rulesOfScripts")
    void scripts_withoutARule_differ(String rule) {
        assertNotNull(
                run(settingOf(rule), Rule.all(), Scripts.without(rule), FEW).difference(), rule);
    }

    @ParameterizedTest
    @EnumSource(
            value = Rule.class,
            names = {
                "TOMBSTONE",
                "REARM",
                "TOKENCOMPARE",
                "OWNERCHECK",
                "STANDING",
                "PLACEBACK",
                "DONE",
                "ANSWERS",
                "RECALLMARK",
                "PAUSE",
                "SHARENOW",
                "SHAREIDLE",
                "SHAREBACK",
                "PAUSEKEEPS",
                "REVOKEMESSAGE",
                "TICKETOWNER",
                "NEWTOMBSTONE",
                "OLDTOMBSTONE",
                "SETTLEFIRST",
                "CLAIMSKEEPDETAILS",
                "SUSPECT",
                "LAPSEBACK",
                "LATERONLY"
            })
    void model_withoutARuleOfTheServer_differs(Rule rule) {
        assertNotNull(
                run(settingOf(rule.text()), Rule.without(rule), Scripts.shipped(), FEW)
                        .difference(),
                rule.text());
    }

    private static String settingOf(String rule) {
        return NEED_DEPTH.contains(rule)
                ? "silent"
                : rule.startsWith("pause") ? "paused" : rule.startsWith("share") ? "shares" : "kept";
    }

    @Test
    void rules_thatScriptsOfTheLockMark_areThoseOfTheModel() {
        Set<String> marked = rulesOfScripts();
        Set<String> known = new TreeSet<>();
        for (Rule rule : Rule.values()) {
            if (marked.contains(rule.text())) {
                known.add(rule.text());
            }
        }
        assertEquals(marked, known);
    }

    /** Of the scripts that the model has. */
    static Set<String> rulesOfScripts() {
        Set<String> rules = new TreeSet<>();
        for (Script script : Set.of(
                Script.ACQUIRE,
                Script.RELEASE,
                Script.CONFIRM,
                Script.RENEW,
                Script.REFRESH,
                Script.REVOKE,
                Script.PROLONG,
                Script.PAUSE,
                Script.CLEAN,
                Script.ADOPT,
                Script.ADOPTED)) {
            MARKED.matcher(script.text()).results().forEach(mark -> rules.add(mark.group(1)));
        }
        return rules;
    }

    private static Conformance.Result run(String setting, Set<Rule> rules, Scripts scripts, long transitions) {
        Settings.Calls calls = Settings.calls(setting);
        return Conformance.ofLocks(calls.model(rules), scripts, Conformance.IN_MEMORY, count -> {})
                .run(transitions);
    }
}
