package io.holdfast.testkit;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.following.Follower;
import io.holdfast.model.following.Ran;
import io.holdfast.model.following.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows each script that clients run on a server in memory, with the keys just before and just after. It stands in the package of that
 * server since users have no need for it: what the server offers them is the same with it and without.
 */
public final class FollowedServer {
    private static final Map<String, Script> SCRIPTS = new HashMap<>();

    static {
        for (Script script : Script.values()) {
            SCRIPTS.put(script.sha1(), script);
        }
    }

    private final Follower follower;
    private @Nullable String difference;

    private FollowedServer(Follower follower) {
        this.follower = follower;
    }

    /** From now on the scripts of a server are followed. */
    public static FollowedServer follow(MemoryServer server, Follower follower) {
        FollowedServer followed = new FollowedServer(follower);
        server.obey(followed.new Watch(server));
        return followed;
    }

    /** How the server differs from the model, the first time that it does; null if it never did. */
    public @Nullable String difference() {
        return difference;
    }

    private final class Watch implements MemoryServer.Rule, Stored {
        private final MemoryServer server;
        private final List<String> heard = new ArrayList<>();

        Watch(MemoryServer server) {
            this.server = server;
        }

        @Override
        public Answer apply(Call call) {
            Script script = scriptOf(call);
            if (script == null || difference != null) {
                return server.commands().run(call);
            }
            int keys = 3 + (int) call.integer(2);
            Ran ran = new Ran(
                    script,
                    call.words().subList(3, keys),
                    call.words().subList(keys, call.words().size()));
            Follower.Step step = follower.begin(this, ran);
            heard.clear();
            Answer answer = server.commands().run(call);
            if (step == null) {
                return answer;
            }
            if (answer instanceof Answer.Failure) {
                step.failed();
            } else {
                difference = step.end(this, answer.toReply(), heard);
            }
            return answer;
        }

        private @Nullable Script scriptOf(Call call) {
            String sha1 = switch (call.option(0)) {
                case "EVAL" -> LuaScripts.sha1(call.arg(1));
                case "EVALSHA" -> server.commands().scriptText(call.arg(1)) == null ? "" : call.arg(1);
                default -> "";
            };
            return SCRIPTS.get(sha1);
        }

        @Override
        public void published(String channel, String payload) {
            heard.add(channel + " " + payload);
        }

        // ---- what is stored

        @Override
        public long expiry(String key) {
            if (!server.keyspace().exists(key)) {
                return NO_KEY;
            }
            long millis = server.keyspace().expiry(key);
            return millis == Keyspace.NEVER ? -1 : millis;
        }

        @Override
        public @Nullable String text(String key) {
            Keyspace.Text text = find(key, Keyspace.Text.class);
            return text == null ? null : text.octets();
        }

        @Override
        public Map<String, String> fields(String key) {
            Keyspace.Hash hash = find(key, Keyspace.Hash.class);
            return hash == null ? Map.of() : new HashMap<>(hash.fields());
        }

        @Override
        public List<Member> members(String key) {
            SortedMembers sorted = find(key, SortedMembers.class);
            List<Member> members = new ArrayList<>();
            if (sorted != null) {
                sorted.ascending().forEach(one -> members.add(new Member(one.member(), (long) one.score())));
            }
            return members;
        }

        @Override
        public int listeners(String channel) {
            return server.listeners(channel);
        }

        private <T> @Nullable T find(String key, Class<T> type) {
            try {
                return server.keyspace().find(key, type);
            } catch (CommandError e) {
                throw new IllegalStateException(e.text(), e);
            }
        }
    }
}
