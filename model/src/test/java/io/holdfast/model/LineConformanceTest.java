package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.conformance.Conformance;
import io.holdfast.model.conformance.Scripts;
import io.holdfast.model.line.LineRule;
import io.holdfast.model.line.LineSettings;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The scripts of shared lines, as they ship, do in each state what the model says. */
final class LineConformanceTest {
    private static final Pattern MARKED = Pattern.compile("-- rule (\\w+)");
    /** So many transitions are enough to find each rule that is left out. */
    private static final long FEW = 12_000;

    /** Rules of the model that no script marks, since they stand in the middle of a command. */
    private static final Set<LineRule> UNMARKED = EnumSet.of(LineRule.TOKENCOMPARE, LineRule.LATERONLY);

    /** Two hundred thousand in all. */
    @ParameterizedTest
    @CsvSource({
        "rw, 40000",
        "rw-client, 40000",
        "rw-orders, 30000",
        "rw-paused, 30000",
        "permits, 40000",
        "permits-few, 30000",
        "slots, 30000",
        "shares, 30000",
        "claims, 10000",
        "limited, 10000"
    })
    void scripts_asTheyShip_doWhatTheModelSays(String setting, long transitions) {
        Conformance.Result result = run(setting, LineRule.all(), Scripts.shipped(), transitions);
        assertNull(result.difference(), () -> result.difference() + "\n" + String.join("\n", result.trace()));
        assertTrue(result.transitions() >= transitions, result::toString);
    }

    @ParameterizedTest
    @MethodSource("rulesOfScripts")
    void scripts_withoutARule_differ(LineRule rule) {
        Conformance.Result result = run(setting(rule), LineRule.all(), Scripts.without(rule.text()), FEW);
        assertNotNull(result.difference(), rule.text());
    }

    @ParameterizedTest
    @MethodSource("rulesOfTheModel")
    void model_withoutARule_differs(LineRule rule) {
        Conformance.Result result = run(setting(rule), LineRule.without(rule), Scripts.shipped(), FEW);
        assertNotNull(result.difference(), rule.text());
    }

    @Test
    void rules_thatScriptsOfLinesMark_areThoseOfTheModel() {
        Set<String> marked = new TreeSet<>();
        for (Script script : Script.values()) {
            if (script.name().startsWith("LINE_")) {
                MARKED.matcher(script.text()).results().forEach(mark -> marked.add(mark.group(1)));
            }
        }
        marked.remove("recallmark"); // a line is kept by nobody, and so recalled from nobody
        marked.remove("pausekeeps"); // the pause of a line is its limit
        assertEquals(
                marked, rulesOfScripts().stream().map(LineRule::text).collect(Collectors.toCollection(TreeSet::new)));
    }

    static List<LineRule> rulesOfTheModel() {
        return Arrays.asList(LineRule.values());
    }

    static List<LineRule> rulesOfScripts() {
        return Arrays.stream(LineRule.values())
                .filter(rule -> !UNMARKED.contains(rule))
                .toList();
    }

    /** Where a rule matters soonest. */
    private static String setting(LineRule rule) {
        return switch (rule) {
            case SUSPECT, LAPSEBACK, CLAIMSKEEPDETAILS -> "claims";
            case SUSPECTPASSES -> "rw-orders";
            case PAUSED -> "rw-paused";
            case SHARENOW, SHAREIDLE, SHAREBACK -> "shares";
            case SLOTTAKEN, SLOTBACK -> "slots";
            case OVERLIMIT, CAPENDS, UNLIMITSERVES -> "permits";
            default -> "rw";
        };
    }

    private static Conformance.Result run(String setting, Set<LineRule> rules, Scripts scripts, long transitions) {
        LineSettings.Calls calls = LineSettings.calls().get(setting);
        assertNotNull(calls);
        return Conformance.ofLines(calls.model(rules), scripts, Conformance.IN_MEMORY, count -> {})
                .run(transitions);
    }
}
