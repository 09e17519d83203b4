package io.holdfast.model;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A rule that a look at a model can leave out: a constant of the enum that has all rules of the model. */
public interface ModelRule {
    /** The constant's name. */
    String name();

    String meaning();

    /** As the command and tests name it: {@code writeBack} for {@code WRITE_BACK}. */
    default String text() {
        StringBuilder text = new StringBuilder();
        boolean capital = false;
        for (char letter : name().toCharArray()) {
            if (letter != '_') {
                text.append(capital ? letter : Character.toLowerCase(letter));
            }
            capital = letter == '_';
        }
        return text.toString();
    }

    /** All rules of an enum but those of these names, in whatever case. */
    static <R extends Enum<R> & ModelRule> Set<R> allBut(Class<R> type, Collection<String> names) {
        Set<R> left = EnumSet.allOf(type);
        left.removeIf(rule -> names.stream().anyMatch(rule.text()::equalsIgnoreCase));
        return Collections.unmodifiableSet(left);
    }

    /** The meaning of each rule of an enum, by name. */
    static <R extends Enum<R> & ModelRule> Map<String, String> meanings(Class<R> type) {
        Map<String, String> meanings = new LinkedHashMap<>();
        EnumSet.allOf(type).forEach(rule -> meanings.put(rule.text(), rule.meaning()));
        return meanings;
    }
}
