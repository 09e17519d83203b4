/** Holdfast's metrics by Micrometer. */
module io.holdfast.micrometer {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive micrometer.core;

    exports io.holdfast.micrometer;
}
