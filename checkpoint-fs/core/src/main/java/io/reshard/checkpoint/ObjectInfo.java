package io.reshard.checkpoint;

/**
 * An object as a listing shows it.
 *
 * @param name its name
 * @param size length in bytes
 * @param modifiedMillis when it was created, milliseconds since 1970 by the object store's clock
 */
public record ObjectInfo(String name, long size, long modifiedMillis) {}
