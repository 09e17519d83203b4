package io.holdfast.cli;

/** Whole numbers as they are typed. */
final class WholeNumber {
    private WholeNumber() {}

    /**
     * Reads a number.
     *
     * @throws UsageException naming the option, the value and the rule
     */
    static int parse(String option, String text, int least, int most) {
        return (int) parse(option, text, (long) least, (long) most);
    }

    /** The same, with longer ones. */
    static long parse(String option, String text, long least, long most) {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(option + " is '" + text + "', must be a whole number from " + least + " to " + most);
    }
}
