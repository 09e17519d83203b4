package io.holdfast.model.following;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a server has stored. The methods throw {@link IllegalStateException} for a key of another type than asked for. */
public interface Stored {
    /** As {@code PEXPIRETIME} answers for a key that is not there. */
    long NO_KEY = -2;

    /** One of a sorted set. */
    record Member(String name, long score) {}

    /** When a key ends, ms since 1970; -1 for never. */
    long expiry(String key);

    @Nullable
    String text(String key);

    /** Of a hash; empty if there is none. A copy, or such as never changes. */
    Map<String, String> fields(String key);

    /** Of a sorted set, those that come first first; empty if there is none. */
    List<Member> members(String key);

    /** How many connections listen to a channel. */
    int listeners(String channel);
}
