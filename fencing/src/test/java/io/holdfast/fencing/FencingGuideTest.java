package io.holdfast.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.RedisServer;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the guide, as they stand there, compile and work. */
class FencingGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile("```(java|sql)\n(.*?)```", Pattern.DOTALL);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private final Database database = Database.h2();

    @Test
    void examples_compiledAndRunInTheirOrder_work() throws Exception {
        List<String> statements = new ArrayList<>();
        StringBuilder source = new StringBuilder("""
                import io.holdfast.*;
                import io.holdfast.fencing.JdbcFence;
                import java.sql.*;
                import java.time.*;
                import java.util.*;
                import javax.sql.DataSource;

                public class Examples {
                    interface Store {
                        void write(String row, long token);
                    }
                """);
        int examples = 0;
        Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("../docs/guide/fencing.md")));
        while (matcher.find()) {
            if (matcher.group(1).equals("sql")) {
                statements.add(matcher.group(2));
                continue;
            }
            source.append("public static void example")
                    .append(examples++)
                    .append("(Holdfast holdfast, DistributedLock lock, DataSource dataSource) throws Exception {\n")
                    .append("List<String> rows = List.of(\"a\", \"b\");\nStore store = (row, token) -> {};\n")
                    .append(matcher.group(2))
                    .append("}\n");
        }
        assertEquals(6, examples, "the pattern no longer finds the examples");
        GuideExamples.compile("Examples", source.append("}\n").toString(), folder);

        execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
        execute("INSERT INTO account VALUES (42, 100)");
        for (String statement : statements) {
            execute(statement);
        }
        URL[] classes = {folder.toUri().toURL()};
        try (RedisServer server = RedisServer.start();
                Holdfast holdfast = Holdfast.connect(server.url());
                URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
            DistributedLock lock = holdfast.lock("account/42");
            Class<?> compiled = loader.loadClass("Examples");
            for (int i = 0; i < examples; i++) {
                Method example =
                        compiled.getMethod("example" + i, Holdfast.class, DistributedLock.class, DataSource.class);
                example.invoke(null, holdfast, lock, database.asDataSource());
            }
            assertEquals(200, number("SELECT balance FROM account"), "two examples add 50 each");
            assertEquals(1, number("SELECT COUNT(*) FROM holdfast_fence"));
            assertTrue(number("SELECT token FROM holdfast_fence") < number("SELECT fence FROM account"));
            assertEquals(
                    "1", server.command("HGET", "hf:{report/total}:v", "value").asString());
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertTrue(rows.next());
            return rows.getLong(1);
        }
    }
}
