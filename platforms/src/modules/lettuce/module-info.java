module app {
    requires io.holdfast;
    requires io.holdfast.lettuce;

    // Clients of Lettuce 7 with its default options log through it, which Lettuce cannot say as an automatic module.
    requires org.slf4j;
}
