package io.holdfast.lettuce;

import static io.holdfast.lettuce.Seen.failure;
import static io.holdfast.lettuce.Seen.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replies of scripts, which can make a server answer with any type that its protocol has. */
final class ReplyOutputTest {
    private static final String RESP3 = "redis.setresp(3); ";

    private RedisServer server;
    private RedisDriver driver;

    @BeforeEach
    void connect() {
        server = RedisServer.start();
        driver = new LettuceDriverProvider().connect(server.address(), ConnectOptions.defaults());
    }

    @AfterEach
    void close() {
        driver.close();
        server.close();
    }

    @Test
    void own_client_speaksRespThree() throws Exception {
        String hello = get(driver.send(Command.of("HELLO"))).toString();
        assertTrue(hello.contains("proto, 3"), hello);
    }

    @Test
    void double_isTheTextThatRespTwoWouldHave() throws Exception {
        assertEquals("1.5", eval(RESP3 + "return {double=1.5}").asString());
        assertEquals("-3", eval(RESP3 + "return {double=-3}").asString());
        assertEquals("inf", eval(RESP3 + "return {double=1/0}").asString());
        assertEquals("-inf", eval(RESP3 + "return {double=-1/0}").asString());
    }

    @Test
    void boolean_isOneOrZero() throws Exception {
        assertEquals(1, eval(RESP3 + "return true").asLong());
        assertEquals(0, eval(RESP3 + "return false").asLong());
    }

    @Test
    void map_isAListOfKeysAndValues() throws Exception {
        assertEquals("[k, [1, 2]]", eval(RESP3 + "return {map={k={1, 2}}}").toString());
        assertEquals("[]", eval(RESP3 + "return {map={}}").toString());
    }

    @Test
    void set_isAList() throws Exception {
        assertEquals("[m]", eval(RESP3 + "return {set={m=true}}").toString());
    }

    @Test
    void verbatim_isAText() throws Exception {
        assertTrue(get(driver.send(Command.of("CLIENT", "LIST"))).asString().startsWith("id="));
    }

    @Test
    void bigNumber_isAText() throws Exception {
        String digits = "1234567999999999999999999999999999999";
        Reply reply = eval(RESP3 + "return {big_number='" + digits + "'}");
        if (reply.toString().equals("[]")) {
            // Before 7.0 scripts cannot make one. DEBUG can, this very one, which newer servers do not allow unasked.
            reply = get(driver.send(Command.of("DEBUG", "PROTOCOL", "bignum")));
        }
        assertEquals(digits, reply.asString());
    }

    @Test
    void nestedLists_keepTheirShape() throws Exception {
        String script = "return {{}, {{1, 'a'}, {false}}, 'b', {{{{}}}}, 2}";
        String shape = "[[], [[1, a], [null]], b, [[[[]]]], 2]";
        assertEquals(shape, eval(script).toString());
        assertEquals(shape, evalWithRespTwo(script).toString());
    }

    @Test
    void longList_isComplete() throws Exception {
        Reply reply = eval("local all = {}; for i = 1, 5000 do all[i] = i end; return all");
        assertEquals(5000, reply.asList().size());
        assertEquals(5000, reply.asList().get(4999).asLong());
    }

    @Test
    void nullList_isNull() throws Exception {
        // RESP2's null list, *-1, which RESP3 does not have.
        try (RedisClient client = respTwoClient();
                RedisDriver other = LettuceDriver.over(client)) {
            assertTrue(get(other.send(Command.of("BLPOP", "absent", "0.01"))).isNull());
        }
    }

    @Test
    void statusQueued_isNotLost() throws Exception {
        assertEquals("QUEUED", eval("return redis.status_reply('QUEUED')").asString());
        assertEquals(
                "[1, QUEUED, 2]",
                eval("return {1, redis.status_reply('QUEUED'), 2}").toString());
        assertEquals("[QUEUED]", eval("return {redis.status_reply('QUEUED')}").toString());
        assertEquals("OK", eval("return redis.status_reply('OK')").asString());
    }

    @Test
    void errorInsideAList_rejectsTheWhole() throws Exception {
        DriverException e = failure(evaluate(driver, "return {1, {redis.error_reply('BAD luck')}, 2}"));
        assertEquals("BAD", e.code());
        assertEquals("BAD luck", e.getMessage());
        assertEquals(7, eval("return 7").asLong());
    }

    @Test
    void errorsThatLettuceTellsApart_areAllRejections() throws Exception {
        assertEquals(
                "NOSCRIPT",
                failure(driver.send(Command.of("EVALSHA", "0".repeat(40), "0"))).code());
        server.command("CONFIG", "SET", "maxmemory", "1");
        assertEquals("OOM", failure(driver.send(Command.of("SET", "k", "v"))).code());
        server.command("CONFIG", "SET", "maxmemory", "0");
        server.command("ACL", "SETUSER", "default", "-set");
        assertEquals("NOPERM", failure(driver.send(Command.of("SET", "k", "v"))).code());
        server.command("ACL", "SETUSER", "default", "+set");
        // READONLY has an exception of its own in Lettuce, as BUSY and LOADING have.
        server.command("REPLICAOF", "127.0.0.1", "1");
        assertEquals(
                "READONLY", failure(driver.send(Command.of("SET", "k", "v"))).code());
    }

    private Reply eval(String script) throws Exception {
        return get(evaluate(driver, script));
    }

    private Reply evalWithRespTwo(String script) throws Exception {
        try (RedisClient client = respTwoClient();
                RedisDriver other = LettuceDriver.over(client)) {
            return get(evaluate(other, script));
        }
    }

    private RedisClient respTwoClient() {
        RedisClient client = RedisClient.create(server.url());
        client.setOptions(
                ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
        return client;
    }

    private static CompletionStage<Reply> evaluate(RedisDriver on, String script) {
        return on.send(Command.of("EVAL", script, "0"));
    }
}
