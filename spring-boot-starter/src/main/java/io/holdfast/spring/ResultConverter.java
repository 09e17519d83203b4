package io.holdfast.spring;

import java.lang.reflect.Type;

/**
 * How the results of methods with {@link DoneOnce} are recorded. The starter makes one of the application's own {@code JsonMapper} or
 * {@code ObjectMapper} of Jackson; a bean of this type takes its place. Instances that share names need converters that read each
 * other's texts. Used by many threads at a time.
 */
public interface ResultConverter {
    /**
     * The text of a result, which is not null. An empty text stands for a result that is null, and may not be returned.
     *
     * @param type what the method returns; of a stage, what that completes with
     * @throws Exception if it has none: the call fails, although the method has run, and nothing is recorded
     */
    String write(Object result, Type type) throws Exception;

    /**
     * The result that was written as this text, perhaps by another version of the application.
     *
     * @throws Exception if the text means nothing for this type: the call fails, and the record stays
     */
    Object read(String text, Type type) throws Exception;
}
