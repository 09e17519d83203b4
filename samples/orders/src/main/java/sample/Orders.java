package sample;

import io.holdfast.StaleTokenException;
import io.holdfast.fencing.JdbcFence;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.Locked;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Adds pieces to orders: each order under a lock of its own, and its row behind a fence. */
@SpringBootApplication
@RestController
public class Orders {
    private final JdbcClient database;
    private final DataSource connections;

    Orders(JdbcClient database, DataSource connections) {
        this.database = database;
        this.connections = connections;
    }

    /** Reads and then writes: without the lock, of two requests at the same time one would be lost. */
    @PostMapping("/orders/{id}")
    @Locked(value = "samples/order/{#id}", fenced = true)
    @Transactional
    public String add(@PathVariable long id) {
        return add(id, CurrentLease.get().token());
    }

    /** What a holder does that was paused and goes on with its old token: the fence refuses it. */
    @PostMapping("/orders/{id}/late")
    @Transactional
    public String addLate(@PathVariable long id, @RequestParam long token) throws SQLException {
        JdbcFence.defaults().check(DataSourceUtils.getConnection(connections), "samples/order/" + id, token);
        return add(id, token);
    }

    private String add(long id, long token) {
        int pieces = 1
                + database.sql("SELECT pieces FROM orders WHERE id = ?")
                        .param(id)
                        .query(Integer.class)
                        .single();
        database.sql("UPDATE orders SET pieces = ? WHERE id = ?")
                .params(pieces, id)
                .update();
        return "order " + id + ", pieces: " + pieces + ", token: " + token + "\n";
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.CONFLICT)
    String refused(StaleTokenException e) {
        return e.getMessage() + "\n";
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Orders.class, arguments);
    }
}
