package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LeaseTicketTest {
    private static final LeaseTicket TICKET = new LeaseTicket(
            "a lock\nwith {any} name ",
            "c.0-1~secret",
            1_790_000_000_000_007L,
            1_790_000_000_000_002L,
            Duration.ofSeconds(30));

    @Test
    void encoded_anyName_isReadBack() {
        assertEquals(TICKET, LeaseTicket.decode(TICKET.encoded()));
    }

    @Test
    void toString_ofATicket_hidesTheSecret() {
        assertFalse(TICKET.toString().contains("secret"));
    }

    @Test
    void decode_somethingElse_saysWhatIsWrong() {
        for (String bad : List.of(
                "",
                "hf1",
                "hf1 1 1000 o n",
                "hf2 1 1 1000 o n",
                "hf1 x 1 1000 o n",
                "hf1 1 x 1000 o n",
                "hf1 1 1 y o n",
                "hf1 0 0 1000 o n",
                "hf1 1 2 1000 o n",
                "hf1 1 1 1 o n",
                "hf1 1 1 1000  n")) {
            assertThrows(IllegalArgumentException.class, () -> LeaseTicket.decode(bad), bad);
        }
    }

    @Test
    void toString_ofATicket_tellsLockAndToken() {
        assertEquals("LeaseTicket[a, token 7]", new LeaseTicket("a", "o", 7, 7, Duration.ofSeconds(1)).toString());
    }
}
