package sample;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** {@code POST /stock/pen} books a pen. */
@Controller("/stock")
@ExecuteOn(TaskExecutors.BLOCKING)
class StockController {
    private final Stock stock;

    StockController(Stock stock) {
        this.stock = stock;
    }

    @Post("/{item}")
    String book(String item) {
        return item + ", pieces: " + stock.book(item) + "\n";
    }
}
