package io.holdfast;

/** Makes names of locks from parts. Two different lists of parts never make the same name. */
public final class LockName {
    private LockName() {}

    /**
     * A name for a thing of a type: {@code Invoice:42}.
     *
     * @param type its simple name is used
     * @param id of the thing; its text is used
     */
    public static String of(Class<?> type, Object id) {
        return of(type.getSimpleName(), id);
    }

    /** The parts with colons between them; a colon or percent sign inside a part is escaped as in URLs. */
    public static String of(Object... parts) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < parts.length; i++) {
            if (i > 0) {
                name.append(':');
            }
            name.append(String.valueOf(parts[i]).replace("%", "%25").replace(":", "%3A"));
        }
        return name.toString();
    }
}
