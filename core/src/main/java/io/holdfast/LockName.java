package io.holdfast;

/** Builds lock names from parts. Lists of parts with different texts never result in the same name. */
public final class LockName {
    private LockName() {}

    /**
     * Returns a name for an object of a type, such as {@code Invoice:42}.
     *
     * @param type the type; its simple name is used
     * @param id the id of the object; its text is used
     */
    public static String of(Class<?> type, Object id) {
        return of(type.getSimpleName(), id);
    }

    /** Returns the parts with colons between them. A colon or a percent sign inside a part is escaped as in URLs. */
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
