/** A page that shows locks live. */
module io.holdfast.dashboard {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive jdk.httpserver;
    requires com.google.gson;

    exports io.holdfast.dashboard;

    // The documents that the page reads are records, which Gson looks into.
    opens io.holdfast.dashboard to
            com.google.gson;
}
