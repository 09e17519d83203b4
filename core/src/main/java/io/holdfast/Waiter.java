package io.holdfast;

import java.time.Instant;

/**
 * A queued request.
 *
 * @param owner the public part of the owner id
 * @param application the application's name
 * @param host the host's name
 * @param pid the process id
 * @param thread the name of the thread that asked
 * @param since when it was queued, by the server's clock
 */
public record Waiter(String owner, String application, String host, String pid, String thread, Instant since) {}
