package io.holdfast.faults.following;

import io.holdfast.model.following.Stored;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a real server has stored of some keys, and who listens there, at one moment. */
final class Dump implements Stored {
    /**
     * One read-only script, and not a command for each key: it looks at the type of each first, so that it fails for no key of another
     * program. A command that fails inside of a transaction would hide the reply of the script that is followed. All channels with
     * listeners are read: which of them a call is about stands in keys that are read here only. Before 7.0 no command tells when a key
     * ends: what is left of its life does, as long as the clock shows the millisecond at which this began.
     */
    private static final String SCRIPT = """
            local time = redis.call('TIME')
            local function millis(of) return of[1] * 1000 + math.floor(of[2] / 1000) end
            local function ending(key)
              local ends = redis.pcall('PEXPIRETIME', key)
              if type(ends) == 'number' then return ends end
              local left = redis.call('PTTL', key)
              return left < 0 and left or millis(time) + left
            end
            local found = {millis(time), 0, {}}
            local channels = redis.call('PUBSUB', 'CHANNELS')
            for i = 1, #channels do
              local counted = redis.call('PUBSUB', 'NUMSUB', channels[i])
              found[3][2 * i - 1] = counted[1]
              found[3][2 * i] = counted[2]
            end
            for i = 1, #KEYS do
              local key = KEYS[i]
              local kind = redis.call('TYPE', key).ok
              local value = ''
              if kind == 'string' then value = redis.call('GET', key)
              elseif kind == 'hash' then value = redis.call('HGETALL', key)
              elseif kind == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
              found[3 + i] = {ending(key), kind, value}
            end
            found[2] = millis(redis.call('TIME'))
            return found
            """;

    private record Value(long expiry, String kind, Reply value) {}

    private final long began;
    private final long ended;
    private final Map<String, Integer> listeners = new HashMap<>();
    private final Map<String, Value> values = new HashMap<>();

    /** What a server has replied to {@link #of}. */
    Dump(List<String> keys, Reply reply) {
        List<Reply> all = reply.asList();
        began = all.get(0).asLong();
        ended = all.get(1).asLong();
        List<Reply> counted = all.get(2).asList();
        for (int i = 0; i < counted.size(); i += 2) {
            listeners.put(counted.get(i).asString(), (int) counted.get(i + 1).asLong());
        }
        for (int i = 0; i < keys.size(); i++) {
            List<Reply> one = all.get(3 + i).asList();
            values.put(keys.get(i), new Value(one.get(0).asLong(), one.get(1).asString(), one.get(2)));
        }
    }

    /** Asks for it; the text goes along each time, since no server has to know it. */
    static Command of(List<String> keys) {
        List<String> words = new ArrayList<>(List.of("EVAL", SCRIPT, Integer.toString(keys.size())));
        words.addAll(keys);
        return new Command(keys.isEmpty() ? null : keys.get(0), words);
    }

    /** Whether all that was read and done from the begin of this one to the end of another was in one millisecond of the server's. */
    boolean isOfOneMillisecondWith(Dump later) {
        return began == ended && began == later.began && began == later.ended;
    }

    private @Nullable Reply find(String key, String kind) {
        Value found = value(key);
        if (found.kind.equals("none")) {
            return null;
        }
        if (!found.kind.equals(kind)) {
            throw new IllegalStateException(key + " is a " + found.kind + ", and not a " + kind);
        }
        return found.value;
    }

    private Value value(String key) {
        Value found = values.get(key);
        if (found == null) {
            throw new IllegalArgumentException(key + " is no key of this call");
        }
        return found;
    }

    @Override
    public long expiry(String key) {
        return value(key).expiry;
    }

    @Override
    public @Nullable String text(String key) {
        Reply text = find(key, "string");
        return text == null ? null : text.asString();
    }

    @Override
    public Map<String, String> fields(String key) {
        Map<String, String> fields = new HashMap<>();
        List<Reply> flat = flat(key, "hash");
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put(flat.get(i).asString(), flat.get(i + 1).asString());
        }
        return fields;
    }

    @Override
    public List<Member> members(String key) {
        List<Member> members = new ArrayList<>();
        List<Reply> flat = flat(key, "zset");
        for (int i = 0; i < flat.size(); i += 2) {
            members.add(new Member(flat.get(i).asString(), (long)
                    Double.parseDouble(flat.get(i + 1).asString())));
        }
        return members;
    }

    private List<Reply> flat(String key, String kind) {
        Reply list = find(key, kind);
        return list == null ? List.of() : list.asList();
    }

    @Override
    public int listeners(String channel) {
        return listeners.getOrDefault(channel, 0);
    }
}
