package io.holdfast.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReplyTest {
    @Test
    void asLong_numberOrDecimalText_isTheNumber() {
        assertEquals(-7, Reply.of(-7).asLong());
        assertEquals(9_007_199_254_740_991L, Reply.of("9007199254740991").asLong());
    }

    @Test
    void asString_textOrNumber_isText() {
        assertEquals("a", Reply.of("a").asString());
        assertEquals("5", Reply.of(5).asString());
    }

    @Test
    void accessors_otherKind_throwWithWhatCame() {
        Reply list = Reply.of(List.of(Reply.of(1), Reply.ofNull()));
        assertTrue(list.isList());
        for (Reply wrong : List.of(list, Reply.ofNull(), Reply.of("x"))) {
            assertTrue(assertThrows(IllegalStateException.class, wrong::asLong)
                    .toString()
                    .contains(wrong.toString()));
        }
        assertThrows(IllegalStateException.class, list::asString);
        assertThrows(IllegalStateException.class, Reply.ofNull()::asString);
        assertThrows(IllegalStateException.class, Reply.of(1)::asList);
        assertThrows(IllegalStateException.class, Reply.ofNull()::asList);
    }

    @Test
    void ofNull_asked_isNullAndNothingElse() {
        assertTrue(Reply.ofNull().isNull());
        assertFalse(Reply.ofNull().isList());
        assertFalse(Reply.of("").isNull());
    }

    @Test
    void ofList_changedAfterwards_isNotChanged() {
        List<Reply> elements = new ArrayList<>(List.of(Reply.of(1)));
        Reply reply = Reply.of(elements);
        elements.clear();
        assertEquals(1, reply.asList().size());
        assertThrows(UnsupportedOperationException.class, () -> reply.asList().clear());
    }

    @Test
    void toString_eachKind_showsTheValue() {
        assertEquals("[1, a]", Reply.of(List.of(Reply.of(1), Reply.of("a"))).toString());
    }
}
