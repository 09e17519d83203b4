package io.holdfast.faults.campaign;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The wall clocks of workers, each wrong in its own way by up to an hour: no promise goes by them. */
final class WorkerClocks {
    private static final List<Integer> MINUTES = List.of(60, -60, 25, -25);

    private final @Nullable Path library;
    private final String reason;

    private WorkerClocks(@Nullable Path library, String reason) {
        this.library = library;
        this.reason = reason;
    }

    /** Clocks that are right. */
    static WorkerClocks right() {
        return new WorkerClocks(null, "not asked for");
    }

    /** Clocks that are wrong, if that is possible here. */
    static WorkerClocks install(Path folder) {
        try {
            return new WorkerClocks(ClockLibrary.build(folder), "");
        } catch (IOException e) {
            return new WorkerClocks(null, String.valueOf(e.getMessage()));
        }
    }

    /** Why they are right; empty if they are wrong. */
    Optional<String> problem() {
        return library == null ? Optional.of(reason) : Optional.empty();
    }

    /** What a worker is started with; the folder is for a file of its own. */
    List<String> launcher(Path folder, int worker) {
        if (library == null) {
            return List.of();
        }
        Path offset = folder.resolve("clock-" + worker);
        ClockLibrary.shift(offset, TimeUnit.MINUTES.toMicros(MINUTES.get(worker % MINUTES.size())));
        return List.of("env", "LD_PRELOAD=" + library, "HOLDFAST_CLOCK=" + offset.toAbsolutePath());
    }
}
