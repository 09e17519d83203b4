package io.holdfast.dashboard;

import io.holdfast.Admin;
import io.holdfast.ClientFigures;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Kind;
import org.jspecify.annotations.Nullable;

/** What is looked at: a name alone does not say which, since names of different kinds have nothing to do with each other. */
record LockId(Kind kind, String name) {
    static LockId of(LockInfo lock) {
        return new LockId(lock.kind(), lock.name());
    }

    static LockId of(ClientFigures.OfLock counted) {
        return new LockId(counted.kind(), counted.name());
    }

    /** By the words that the page uses; null if there is no such kind, or no such name can be. */
    static @Nullable LockId of(@Nullable String kind, @Nullable String name) {
        if (kind == null || name == null || name.isEmpty()) {
            return null;
        }
        for (Kind each : Kind.values()) {
            if (each.word().equals(kind)) {
                return new LockId(each, name);
            }
        }
        return null;
    }

    String word() {
        return kind.word();
    }

    /** One text for both, by which the page knows it. */
    String text() {
        return word() + ":" + name;
    }

    /** For people: {@code 'deploy'}, {@code semaphore 'convert'}, {@code work 'invoice/4711'}. */
    String inWords() {
        String noun = switch (kind) {
            case LOCK -> "";
            case ONCE -> "work ";
            case ELECTION, READ_WRITE, SEMAPHORE -> kind.noun() + " ";
        };
        return noun + "'" + name + "'";
    }

    /** Whether it is work that is done once, which has no holder but a process at work. */
    boolean isWork() {
        return kind == Kind.ONCE;
    }

    Inspector inspector(Holdfast holdfast) {
        return holdfast.inspect().of(kind);
    }

    Admin admin(Holdfast holdfast) {
        return holdfast.admin().of(kind);
    }
}
