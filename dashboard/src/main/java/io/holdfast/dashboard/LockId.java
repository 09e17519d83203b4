package io.holdfast.dashboard;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Kind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is looked at: a name alone does not say which, since names of different kinds have nothing to do with each other. */
record LockId(Kind kind, String name) {
    static LockId of(LockInfo lock) {
        return new LockId(lock.kind(), lock.name());
    }

    /** By the words that the page uses; null if there is no such kind, or no such name can be. */
    static @Nullable LockId of(@Nullable String kind, @Nullable String name) {
        if (kind == null || name == null || name.isEmpty()) {
            return null;
        }
        for (Kind each : Kind.values()) {
            if (word(each).equals(kind)) {
                return new LockId(each, name);
            }
        }
        return null;
    }

    static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String word() {
        return word(kind);
    }

    /** One text for both, by which the page knows it. */
    String text() {
        return word() + ":" + name;
    }

    /** For people: {@code 'deploy'}, or {@code semaphore 'convert'}. */
    String inWords() {
        String noun = switch (kind) {
            case LOCK -> "";
            case ELECTION -> "election ";
            case READ_WRITE -> "read/write lock ";
            case SEMAPHORE -> "semaphore ";
        };
        return noun + "'" + name + "'";
    }

    Inspector inspector(Holdfast holdfast) {
        Inspector inspector = holdfast.inspect();
        return switch (kind) {
            case LOCK -> inspector;
            case ELECTION -> inspector.elections();
            case READ_WRITE -> inspector.readWriteLocks();
            case SEMAPHORE -> inspector.semaphores();
        };
    }

    Admin admin(Holdfast holdfast) {
        Admin admin = holdfast.admin();
        return switch (kind) {
            case LOCK -> admin;
            case ELECTION -> admin.elections();
            case READ_WRITE -> admin.readWriteLocks();
            case SEMAPHORE -> admin.semaphores();
        };
    }
}
