package io.holdfast.contracts;

import java.util.List;

/** What a user needs, as docs/operations.md tells it, for a prefix {@code hf}. */
final class Permissions {
    /** On every kind of server; channels come on top. */
    static final List<String> LEAST = List.of(
            "~hf:*",
            "+hello",
            "+auth",
            "+ping",
            "+client|setname",
            "+select",
            "+info",
            "+subscribe",
            "+unsubscribe",
            "+evalsha",
            "+eval",
            "+time",
            "+get",
            "+mget",
            "+set",
            "+del",
            "+exists",
            "+pttl",
            "+pexpireat",
            "+hget",
            "+hmget",
            "+hset",
            "+hdel",
            "+hexists",
            "+hincrby",
            "+hkeys",
            "+hlen",
            "+zadd",
            "+zrem",
            "+zcard",
            "+zrank",
            "+zrange",
            "+zscore",
            "+zmscore",
            "+zcount",
            "+publish",
            "+pubsub|numsub",
            "+scan");

    /** On a cluster besides. */
    static final List<String> CLUSTER =
            List.of("&hf:*", "+cluster|slots", "+cluster|info", "+asking", "+pubsub|shardnumsub");

    /** On a cluster whose servers know sharded channels besides. */
    static final List<String> SHARDED = List.of("+ssubscribe", "+sunsubscribe", "+spublish");

    /** On a server that Sentinels watch besides. */
    static final List<String> WATCHED = List.of("&hf:to:*", "+role");

    /** On the sentinels. */
    static final List<String> SENTINEL = List.of(
            "&+switch-master",
            "+hello",
            "+auth",
            "+ping",
            "+client|setname",
            "+subscribe",
            "+sentinel|master",
            "+sentinel|get-master-addr-by-name");

    /** To tell of a new leader, and to hear of it; without it elections are watched by looking. */
    static final String ELECTIONS = "&hf:led:*";

    /** To have grants confirmed by replicas besides. */
    static final List<String> REPLICAS = List.of("+wait");

    private Permissions() {}
}
