package io.holdfast.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class SlotsTest {
    @Test
    void of_checkValueOfTheAlgorithm_isThatOfTheSpecification() {
        assertEquals(0x31C3, Slots.of("123456789"));
    }

    @Test
    void of_hashTag_isAllThatCounts() {
        assertEquals(Slots.of("x"), Slots.of("hf:{x}"));
        assertEquals(Slots.of("x"), Slots.of("hf:{x}:to:client{y}"));
        assertNotEquals(Slots.of("x"), Slots.of("y"));
    }

    @Test
    void of_emptyOrOpenTag_isTheWholeKey() {
        assertNotEquals(Slots.of(""), Slots.of("a{}b"));
        assertNotEquals(Slots.of("b"), Slots.of("a{b"));
    }

    @Test
    void of_tagAtTheBeginningOrAClosingBraceBefore_isFound() {
        assertEquals(Slots.of("x"), Slots.of("{x}"));
        assertEquals(Slots.of("x"), Slots.of("}{x}"));
    }
}
