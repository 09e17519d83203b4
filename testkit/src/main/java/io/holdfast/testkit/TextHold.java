package io.holdfast.testkit;

import io.holdfast.testkit.Keyspace.Text;
import java.util.List;

/**
 * The hold of a lock, or of a plain lock: one text, which begins with its owner, and whose expiry is the hold's end.
 *
 * @param isPlain whether the text is the owner, and nothing else
 */
record TextHold(String key, boolean isPlain) implements HoldState {
    @Override
    public List<String> keys() {
        return List.of(key);
    }

    @Override
    public HoldState aside(long number) {
        return new TextHold(HoldState.aside(key, number), isPlain);
    }

    @Override
    public boolean isHeld(Keyspace data) {
        return data.exists(key);
    }

    @Override
    public boolean isOf(Keyspace data, String owner) {
        String text = data.text(key);
        return text != null && (text.equals(owner) || text.startsWith(owner + " ") || text.startsWith(owner + "~"));
    }

    @Override
    public void expire(Keyspace data, String owner) {
        if (isOf(data, owner)) {
            clear(data);
        }
    }

    @Override
    public void give(Keyspace data, String owner, Stranger to) {
        String text = data.text(key);
        if (text != null) {
            write(data, to, 1 + Long.parseLong(text.split(" ", 3)[1]));
        }
    }

    @Override
    public void seize(Keyspace data, Stranger by) {
        if (!isHeld(data)) {
            write(data, by, data.nowMicros());
        }
    }

    private void write(Keyspace data, Stranger by, long token) {
        String owner = by.owner() + "~" + Stranger.SECRET;
        String rest = " " + token + " " + data.nowMicros() + " " + TERM_MILLIS + " " + Stranger.LABEL;
        data.put(key, new Text(isPlain ? owner : owner + rest));
        data.expire(key, data.nowMillis() + TERM_MILLIS);
    }
}
