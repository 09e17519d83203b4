/** Guards that refuse writes under an older fencing token. */
module io.holdfast.fencing {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive java.sql;

    exports io.holdfast.fencing;
}
