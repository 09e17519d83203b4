package io.holdfast.testkit;

/** Patterns as Redis knows them: {@code *}, {@code ?}, {@code [a-c]}, {@code [^a]} and the backslash. */
final class Glob {
    private final String pattern;

    Glob(String pattern) {
        this.pattern = pattern;
    }

    boolean matches(String text) {
        return matches(0, text, 0);
    }

    private boolean matches(int patternFrom, String text, int textFrom) {
        int p = patternFrom;
        int t = textFrom;
        while (p < pattern.length()) {
            char c = pattern.charAt(p);
            if (c == '*') {
                while (p + 1 < pattern.length() && pattern.charAt(p + 1) == '*') {
                    p++;
                }
                if (p + 1 == pattern.length()) {
                    return true;
                }
                for (int from = t; from <= text.length(); from++) {
                    if (matches(p + 1, text, from)) {
                        return true;
                    }
                }
                return false;
            }
            if (t >= text.length()) {
                return false;
            }
            if (c == '[') {
                int close = closing(p);
                if (!inClass(p + 1, close, text.charAt(t))) {
                    return false;
                }
                p = Math.min(close, pattern.length() - 1);
            } else if (c != '?') {
                if (c == '\\' && p + 1 < pattern.length()) {
                    p++;
                }
                if (pattern.charAt(p) != text.charAt(t)) {
                    return false;
                }
            }
            p++;
            t++;
        }
        return t == text.length();
    }

    /** Where the class that begins here ends; one that is never closed ends with the pattern. */
    private int closing(int open) {
        int p = open + 1;
        while (p < pattern.length() && pattern.charAt(p) != ']') {
            p += pattern.charAt(p) == '\\' ? 2 : 1;
        }
        return Math.min(p, pattern.length());
    }

    private boolean inClass(int from, int end, char c) {
        int p = from;
        boolean not = p < end && pattern.charAt(p) == '^';
        if (not) {
            p++;
        }
        boolean found = false;
        while (p < end) {
            char low = pattern.charAt(p);
            if (low == '\\' && p + 1 < end) {
                p++;
                found |= pattern.charAt(p) == c;
                p++;
            } else if (p + 2 < end && pattern.charAt(p + 1) == '-') {
                char high = pattern.charAt(p + 2);
                found |= Math.min(low, high) <= c && c <= Math.max(low, high);
                p += 3;
            } else {
                found |= low == c;
                p++;
            }
        }
        return found != not;
    }
}
