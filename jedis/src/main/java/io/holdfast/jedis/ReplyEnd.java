package io.holdfast.jedis;

/**
 * Finds the end of a reply of RESP2, which may come in any pieces. What is none ends at the next end of a line: it is Jedis that
 * refuses it.
 */
final class ReplyEnd {
    /** Elements that are still to come, the present one among them. */
    private long elements = 1;

    /** Of the present line: its first octet, or 0, and the number behind it. */
    private int kind;

    private long number;
    private boolean negative;

    /** Octets of a text that are still to come, with its line end. */
    private long text;

    /** Whether the octets looked at end with that of the reply. */
    boolean isReached() {
        return elements == 0;
    }

    /** The next octet begins a reply. */
    void next() {
        elements = 1;
    }

    /**
     * Looks at more octets, up to the end of the reply.
     *
     * @return where it has stopped
     */
    int look(byte[] octets, int from, int to) {
        int at = from;
        while (at < to && elements > 0) {
            if (text > 0) {
                int some = (int) Math.min(text, to - at);
                text -= some;
                at += some;
                if (text == 0) {
                    elements--;
                }
            } else {
                lookAt(octets[at++]);
            }
        }
        return at;
    }

    private void lookAt(byte octet) {
        if (kind == 0) {
            kind = octet;
            number = 0;
            negative = false;
        } else if (octet == '\n') {
            lineEnds();
        } else if (octet == '-') {
            negative = true;
        } else if (octet >= '0' && octet <= '9') {
            number = number * 10 + octet - '0';
        }
    }

    private void lineEnds() {
        if (kind == '$' && !negative) {
            text = number + 2;
        } else if (kind == '*' && !negative) {
            elements += number - 1;
        } else {
            elements--;
        }
        kind = 0;
    }
}
