module app {
    requires io.holdfast;
    requires io.holdfast.jedis;
}
