/**
 * A page that shows locks live: holders, waiters and their reasons, and the wait graph. Mount a {@link
 * io.holdfast.dashboard.Dashboard} in a web server that the application has, or start a {@link
 * io.holdfast.dashboard.DashboardServer}.
 */
@NullMarked
package io.holdfast.dashboard;

import org.jspecify.annotations.NullMarked;
