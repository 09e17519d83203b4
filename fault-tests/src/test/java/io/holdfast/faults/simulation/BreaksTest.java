package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.Breaks.Edit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulation finds what is broken on purpose. That it finds nothing else in the same seeds, {@link SimulationTest} shows. */
class BreaksTest {
    @ParameterizedTest
    @MethodSource("all")
    void firstFinding_brokenProduct_isOfACheckThatIsMeantForIt(Break broken) {
        BrokenProduct.assertFoundBy(broken.by(), broken, broken.firstFinding());
    }

    static List<Break> all() {
        return Breaks.all();
    }

    @Test
    void firstFinding_nothingChanged_isNone() {
        assertEquals(null, new BrokenProduct(List.of()).firstFinding("inside", 1, 5));
    }

    @Test
    void edit_textThatIsNotThere_isAnError() {
        List<Edit> edits = List.of(new Edit("resources/io/holdfast/lua/release.lua", "no such text", ""));
        assertThrows(AssertionError.class, () -> new BrokenProduct(edits));
    }
}
