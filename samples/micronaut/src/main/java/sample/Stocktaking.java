package sample;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** Work that one instance may begin and another one may end, under one lock. */
@Controller(value = "/stocktaking", consumes = MediaType.TEXT_PLAIN, produces = MediaType.TEXT_PLAIN)
@ExecuteOn(TaskExecutors.BLOCKING)
class Stocktaking {
    private final Holdfast holdfast;
    private volatile Lease lease;
    private volatile String state = "not begun";

    Stocktaking(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Post
    String begin() throws InterruptedException {
        lease = holdfast.lock("stocktaking").acquire();
        lease.whenLost().thenAccept(reason -> state = "lost: " + reason);
        state = "begun";
        return lease.ticket().encoded(); // for the other instance
    }

    @Post("/adopted")
    String goOn(@Body String ticket) {
        lease = holdfast.adopt(LeaseTicket.decode(ticket));
        state = "token " + lease.token();
        return state;
    }

    @Delete
    String detach() {
        lease.detach(); // the other instance has it
        return "detached";
    }

    @Get
    String state() {
        return state;
    }
}
