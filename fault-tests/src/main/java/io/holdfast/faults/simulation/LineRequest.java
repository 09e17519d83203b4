package io.holdfast.faults.simulation;

/** One request for a read/write lock or for permits, as the world sees it. Times are nanoseconds of the world. */
final class LineRequest {
    final LinePlan.Ask item;
    final Machine machine;
    final long askedAt;
    String owner = "";
    boolean done;
    boolean withdrawn;

    /** When an operator dropped it; never if nobody did. */
    long droppedAt = Asked.NEVER;

    /** Its writing lease has ended, and the reading one has not begun. */
    boolean downgrades;

    LineRequest(LinePlan.Ask item, Machine machine, long askedAt) {
        this.item = item;
        this.machine = machine;
        this.askedAt = askedAt;
    }

    @Override
    public String toString() {
        return "#" + item.number() + " of " + machine;
    }
}
