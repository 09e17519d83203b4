package io.holdfast.lettuce;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up as the rest of the JVM does, hosts file and all, with each reconnect. Where that fails, the last known
 * address serves: name servers fail more often than addresses change.
 */
final class JvmResolver extends SocketAddressResolver {
    private volatile @Nullable SocketAddress last;

    @Override
    public SocketAddress resolve(RedisURI uri) {
        try {
            SocketAddress found = new InetSocketAddress(InetAddress.getByName(uri.getHost()), uri.getPort());
            last = found;
            return found;
        } catch (UnknownHostException e) {
            SocketAddress known = last;
            if (known == null) {
                throw new RedisConnectionException("unknown host", e);
            }
            return known;
        }
    }
}
