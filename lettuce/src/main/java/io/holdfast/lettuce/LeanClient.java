package io.holdfast.lettuce;

import io.lettuce.core.RedisAsyncCommandsImpl;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisReactiveCommandsImpl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.RedisPubSubAsyncCommandsImpl;
import io.lettuce.core.pubsub.RedisPubSubReactiveCommandsImpl;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.lettuce.core.pubsub.api.sync.RedisPubSubCommands;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client whose connections have no methods for commands, since this driver dispatches its own. Lettuce would make three objects
 * for each connection, with a method for every command of Redis, and of one of them the class at run time: much of the time from
 * the start of a process to its first lock. Only the asynchronous one is made, if Lettuce itself asks for it, which it does when
 * it subscribes anew.
 */
final class LeanClient extends RedisClient {
    LeanClient(ClientResources resources, RedisURI uri) {
        super(resources, uri);
    }

    @Override
    protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
            RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
        return new StatefulRedisConnectionImpl<>(writer, pushes, codec, timeout) {
            @Override
            protected @Nullable RedisCommands<K, V> newRedisSyncCommandsImpl() {
                return null;
            }

            @Override
            protected @Nullable RedisAsyncCommandsImpl<K, V> newRedisAsyncCommandsImpl() {
                return null;
            }

            @Override
            protected @Nullable RedisReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
                return null;
            }

            @Override
            public RedisAsyncCommands<K, V> async() {
                return super.newRedisAsyncCommandsImpl();
            }
        };
    }

    @Override
    protected <K, V> StatefulRedisPubSubConnectionImpl<K, V> newStatefulRedisPubSubConnection(
            PubSubEndpoint<K, V> endpoint, RedisChannelWriter writer, RedisCodec<K, V> codec, Duration timeout) {
        return new StatefulRedisPubSubConnectionImpl<>(endpoint, writer, codec, timeout) {
            @Override
            protected @Nullable RedisPubSubCommands<K, V> newRedisSyncCommandsImpl() {
                return null;
            }

            @Override
            protected @Nullable RedisPubSubAsyncCommandsImpl<K, V> newRedisAsyncCommandsImpl() {
                return null;
            }

            @Override
            protected @Nullable RedisPubSubReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
                return null;
            }

            @Override
            public RedisPubSubAsyncCommands<K, V> async() {
                return super.newRedisAsyncCommandsImpl();
            }
        };
    }
}
