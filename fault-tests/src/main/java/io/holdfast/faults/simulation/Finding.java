package io.holdfast.faults.simulation;

/** What was found first, and by which check. */
record Finding(Enum<?> check, String what) {
    @Override
    public String toString() {
        return check + ": " + what;
    }
}
