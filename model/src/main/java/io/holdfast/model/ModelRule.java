package io.holdfast.model;

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
}
