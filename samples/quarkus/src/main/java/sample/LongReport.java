package sample;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import jakarta.enterprise.context.ApplicationScoped;

/** Work that a process may begin and another one may end, under one lock. */
@ApplicationScoped
class LongReport {
    private final Holdfast holdfast;

    LongReport(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    Lease begin() throws InterruptedException {
        Lease lease = holdfast.lock("samples/long").acquire();
        lease.whenLost().thenAccept(reason -> System.out.println("lost: " + reason));
        System.out.println("ticket " + lease.ticket().encoded()); // for the other process
        return lease;
    }

    Lease goOn(String ticket) {
        Lease lease = holdfast.adopt(LeaseTicket.decode(ticket));
        System.out.println("token " + lease.token());
        return lease;
    }
}
