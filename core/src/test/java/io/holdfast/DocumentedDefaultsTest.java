package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What docs/defaults.md says of an option is what the option does: it has this default, takes the smallest and the largest
 * value, and refuses what lies beyond. Cells that are no number, no duration and no name of a constant are for people.
 */
class DocumentedDefaultsTest {
    private static final Path DEFAULTS = Path.of("../docs/defaults.md");
    private static final Pattern OPTION = Pattern.compile("`(with[A-Z]\\w*)`.*");
    private static final Pattern AMOUNT =
            Pattern.compile("([-−]?[0-9][0-9,.]*)(?: (ms|s|min|h|year|characters?))?(?:,.*)?");
    private static final Pattern IN_BRACKETS = Pattern.compile(".*\\(([0-9]+)\\)");
    private static final Pattern CONSTANT = Pattern.compile(".*`([A-Z][A-Z_]+)`.*");

    private static final Map<String, Object> SETS = Map.of(
            "HoldfastOptions", HoldfastOptions.defaults(),
            "LockOptions", LockOptions.defaults(),
            "PlainOptions", PlainOptions.defaults(),
            "QuorumOptions", QuorumOptions.defaults());

    private record Row(Object defaults, String option, String byDefault, String smallest, String largest) {
        @Override
        public String toString() {
            return defaults.getClass().getSimpleName() + "." + option;
        }
    }

    @Test
    void default_ofEachOption_isTheOneThatIsListed() throws Exception {
        int compared = 0;
        List<String> wrong = new ArrayList<>();
        for (Row row : rows()) {
            Object actual = value(row);
            Object listed = limit(row, row.byDefault());
            Matcher constant = CONSTANT.matcher(row.byDefault());
            if (actual instanceof Enum<?> && constant.matches()) {
                listed = constant.group(1);
                actual = actual.toString();
            } else if (actual instanceof Boolean) {
                listed = Boolean.valueOf(row.byDefault());
            } else if (actual instanceof Number number) {
                // Where a number stands for "no limit" the cell says so; the number is in brackets, or is not shown.
                Matcher inBrackets = IN_BRACKETS.matcher(row.byDefault());
                if (inBrackets.matches()) {
                    listed = Double.valueOf(inBrackets.group(1));
                } else if (row.byDefault().equals("no limit")) {
                    listed = (double) Integer.MAX_VALUE;
                }
                actual = number.doubleValue();
            } else if (actual instanceof Wait) {
                listed = listed instanceof Duration limit ? Wait.upTo(limit) : listed;
            } else if (!(actual instanceof Duration || actual == null)) {
                continue;
            }
            compared++;
            if (listed == null ? actual != null : !listed.equals(actual)) {
                wrong.add(row + " is " + actual + ", listed as " + row.byDefault());
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(compared > 30, "only " + compared + " defaults were found");
    }

    @Test
    void limits_ofEachDuration_areThoseThatAreListed() throws Exception {
        int compared = 0;
        List<String> wrong = new ArrayList<>();
        for (Row row : rows()) {
            if (limit(row, row.smallest()) instanceof Duration least) {
                compared++;
                expect(wrong, row, least, true);
                expect(wrong, row, least.minusNanos(1), false);
            }
            Duration nineTenths =
                    LockOptions.defaults().leaseDuration().multipliedBy(9).dividedBy(10);
            if (row.largest().equals("below 9/10 of the lease duration")) {
                compared++;
                expect(wrong, row, nineTenths.minusMillis(1), true);
                expect(wrong, row, nineTenths, false);
            } else if (row.largest().startsWith("half of the lease duration;")) {
                compared++;
                Duration half = LockOptions.defaults().leaseDuration().dividedBy(2);
                expect(wrong, row, half, true);
                expect(wrong, row, half.plusMillis(1), false);
            } else if (limit(row, row.largest()) instanceof Duration most) {
                compared++;
                expect(wrong, row, most, true);
                expect(wrong, row, most.plusMillis(1), false);
            } else if (row.largest().contains("/") || row.largest().contains("half")) {
                wrong.add(row + " has a share as its limit, which this test does not know");
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(compared > 25, "only " + compared + " limits were found");
    }

    @Test
    void limits_ofEachNumberAndText_areThoseThatAreListed() throws Exception {
        int compared = 0;
        List<String> wrong = new ArrayList<>();
        for (Row row : rows()) {
            Class<?> type = setter(row).getParameterTypes()[0];
            for (boolean upper : List.of(false, true)) {
                if (!(limit(row, upper ? row.largest() : row.smallest()) instanceof Double limit)) {
                    continue;
                }
                double beyond = upper ? limit + 1 : limit - 1;
                if (type == int.class) {
                    expect(wrong, row, limit.intValue(), true);
                    // One below the smallest limit of a queue is how to say that there is none.
                    expect(wrong, row, (int) beyond, !upper && row.option().equals("withQueueLimit"));
                } else if (type == double.class) {
                    expect(wrong, row, limit, true);
                    expect(wrong, row, beyond, false);
                } else if (type == String.class) {
                    expect(wrong, row, "x".repeat(limit.intValue()), true);
                    expect(wrong, row, "x".repeat((int) beyond), false);
                } else if (type == Map.class) {
                    // "k=" and the value
                    expect(wrong, row, Map.of("k", "v".repeat(limit.intValue() - 2)), true);
                    expect(wrong, row, Map.of("k", "v".repeat(limit.intValue())), false);
                } else {
                    continue;
                }
                compared++;
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(compared > 12, "only " + compared + " limits were found");
    }

    private static void expect(List<String> wrong, Row row, Object value, boolean taken) throws Exception {
        Method setter = setter(row);
        Class<?> type = setter.getParameterTypes()[0];
        if (type == Wait.class || type == Backoff.class) {
            return; // checks where they are made: WaitTest, BackoffTest
        }
        String problem;
        try {
            if (setter.getParameterCount() == 2) {
                Object second = setter.getParameterTypes()[1] == Duration.class
                        ? Duration.ofSeconds(1)
                        : LockOptions.RequestEnd.TO_TAIL;
                setter.invoke(row.defaults(), value, second);
            } else {
                setter.invoke(row.defaults(), value);
            }
            problem = taken ? null : "is taken";
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException)) {
                throw e;
            }
            problem = taken ? "is refused: " + e.getCause().getMessage() : null;
        }
        if (problem != null) {
            String shown = String.valueOf(value);
            wrong.add(row + " " + shown.substring(0, Math.min(40, shown.length())) + " " + problem);
        }
    }

    /** The rows of options, in all three parts of the table. */
    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        Object defaults = null;
        for (String line : Files.readAllLines(DEFAULTS)) {
            String[] cells = Stream.of(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
            if (cells.length < 6) {
                continue;
            }
            if (cells[1].startsWith("**")) {
                defaults = null;
                for (Map.Entry<String, Object> set : SETS.entrySet()) {
                    if (cells[1].contains("`" + set.getKey() + "`")) {
                        defaults = set.getValue();
                    }
                }
                continue;
            }
            // A row may stand for more than one option that have all of it in common.
            for (String cell : cells[1].split(", (?=`)", -1)) {
                Matcher option = OPTION.matcher(cell);
                if (defaults != null && option.matches()) {
                    rows.add(new Row(defaults, option.group(1), cells[2], cells[3], cells[4]));
                }
            }
        }
        return rows;
    }

    private static Method setter(Row row) {
        return Stream.of(row.defaults().getClass().getMethods())
                .filter(method -> method.getName().equals(row.option()) && method.getParameterCount() > 0)
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no " + row));
    }

    private static @Nullable Object value(Row row) throws ReflectiveOperationException {
        String name = row.option().substring("with".length());
        String getter = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
        for (Method method : row.defaults().getClass().getMethods()) {
            // A listener is added to several: the property has the plural.
            if (method.getParameterCount() == 0
                    && (method.getName().equals(getter) || method.getName().equals(getter + "s"))) {
                return method.invoke(row.defaults());
            }
        }
        throw new AssertionError("there is no property of " + row);
    }

    /** What a cell says of an option; null if it is no duration and no number. */
    private static @Nullable Object limit(Row row, String cell) {
        Object read = read(cell);
        boolean zero = read instanceof Double number && number == 0;
        return zero && setter(row).getParameterTypes()[0] == Duration.class ? Duration.ZERO : read;
    }

    private static @Nullable Object read(String cell) {
        Matcher amount = AMOUNT.matcher(cell);
        if (!amount.matches()) {
            return null;
        }
        double number = Double.parseDouble(amount.group(1).replace(",", "").replace('−', '-'));
        String unit = amount.group(2);
        long whole = (long) number;
        if (unit == null || unit.startsWith("character")) {
            return number;
        }
        return switch (unit) {
            case "ms" -> Duration.ofMillis(whole);
            case "s" -> Duration.ofSeconds(whole);
            case "min" -> Duration.ofMinutes(whole);
            case "h" -> Duration.ofHours(whole);
            case "year" -> Duration.ofDays(365 * whole);
            default -> null;
        };
    }
}
