package io.holdfast.testkit;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as C writes them, to the last digit. */
final class LuaNumbers {
    private static final double EXACT = 9_007_199_254_740_992.0; // 2^53

    private LuaNumbers() {}

    /** {@code %.14g}: how Lua turns a number into text. */
    static String text(double number) {
        return general(number, 14);
    }

    /** {@code %.17g}: how Redis turns a number into an argument of a command, or a score into a reply. */
    static String argument(double number) {
        return general(number, 17);
    }

    /** {@code %.<precision>f}. */
    static String fixed(double number, int precision) {
        if (!isFinite(number)) {
            return special(number);
        }
        if (precision == 0 && Math.rint(number) == number && Math.abs(number) < EXACT && !isMinusZero(number)) {
            return Long.toString((long) number);
        }
        String digits = new BigDecimal(Math.abs(number))
                .setScale(precision, RoundingMode.HALF_EVEN)
                .toPlainString();
        return number < 0 || isMinusZero(number) ? "-" + digits : digits;
    }

    /** {@code %.<precision>e}. */
    static String scientific(double number, int precision) {
        if (!isFinite(number)) {
            return special(number);
        }
        // The formatter would round halves up, where C rounds them to even.
        BigDecimal rounded =
                new BigDecimal(Math.abs(number)).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        String text = String.format(Locale.ROOT, "%." + precision + "e", rounded);
        return number < 0 || isMinusZero(number) ? "-" + text : text;
    }

    /** {@code %.<precision>g}. */
    static String general(double number, int precision) {
        if (!isFinite(number)) {
            return special(number);
        }
        if (Math.rint(number) == number
                && Math.abs(number) < Math.min(EXACT, Math.pow(10, precision))
                && !isMinusZero(number)) {
            return Long.toString((long) number);
        }
        if (number == 0) {
            return isMinusZero(number) ? "-0" : "0";
        }
        int digits = Math.max(1, precision);
        String rounded = scientific(number, digits - 1);
        int e = rounded.indexOf('e');
        int exponent = Integer.parseInt(rounded.substring(e + 1));
        if (exponent < -4 || exponent >= digits) {
            return withoutTrailingZeros(rounded.substring(0, e)) + rounded.substring(e);
        }
        return withoutTrailingZeros(fixed(number, digits - 1 - exponent));
    }

    private static String withoutTrailingZeros(String digits) {
        if (digits.indexOf('.') < 0) {
            return digits;
        }
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return digits.substring(0, digits.charAt(end - 1) == '.' ? end - 1 : end);
    }

    private static boolean isMinusZero(double number) {
        return number == 0 && 1 / number < 0;
    }

    private static boolean isFinite(double number) {
        return Math.abs(number) <= Double.MAX_VALUE;
    }

    private static String special(double number) {
        return Double.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
    }
}
