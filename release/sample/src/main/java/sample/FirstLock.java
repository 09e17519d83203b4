package sample;

import io.holdfast.Holdfast;
import io.holdfast.Lease;

/** Takes a lock on this machine. */
public final class FirstLock {
    private FirstLock() {}

    public static void main(String[] arguments) throws InterruptedException {
        try (Holdfast holdfast = Holdfast.embedded();
                Lease lease = holdfast.lock("first").acquire()) {
            System.out.println("the lock is mine, token " + lease.token());
        }
    }
}
