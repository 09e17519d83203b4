/**
 * A page that shows locks live: who holds them, who waits and why, who waits for whom. {@link
 * io.holdfast.dashboard.Dashboard} is the page for whoever has a server to mount it in, {@link
 * io.holdfast.dashboard.DashboardServer} a server of its own.
 */
@NullMarked
package io.holdfast.dashboard;

import org.jspecify.annotations.NullMarked;
