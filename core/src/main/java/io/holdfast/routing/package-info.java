/**
 * One driver for several servers: a cluster, or a master that Sentinels watch. It sends each command to the server that
 * has the key, over one driver for each server, and follows when keys or the master go elsewhere.
 *
 * <p>Applications rarely need it: {@code Holdfast.connect("redis-cluster://…")} and {@code
 * Holdfast.connect("redis-sentinel://…")} use it by themselves. It is public for those that want to open the connections
 * to the servers with a client of their own.
 */
@NullMarked
package io.holdfast.routing;

import org.jspecify.annotations.NullMarked;
