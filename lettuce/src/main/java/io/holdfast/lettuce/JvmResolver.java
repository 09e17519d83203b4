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
 *
 * <p>Lettuce asks it before each connection that it opens, on a thread that may block: so whatever else is to be made anew
 * for a connection is made here.
 */
final class JvmResolver extends SocketAddressResolver {
    private final Runnable before;
    private volatile @Nullable SocketAddress last;

    /** @param before what is done before each connection; what it throws ends the attempt */
    JvmResolver(Runnable before) {
        this.before = before;
    }

    @Override
    public SocketAddress resolve(RedisURI uri) {
        before.run();
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
