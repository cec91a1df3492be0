package io.reshard.repartition;

import io.reshard.checkpoint.Manifest;

/**
 * What a repartition did.
 *
 * @param manifest the version published
 * @param filesReferenced files handed over as they are
 * @param bytesReferenced their bytes
 * @param filesWritten files written
 * @param bytesWritten their bytes
 * @param bytesRead bytes of source files read for it
 * @param rowsRewritten rows that were rewritten, read back and proven
 * @param tasksResumed tasks whose result an earlier, interrupted run had left
 * @param nanos duration
 */
public record RepartitionResult(
    Manifest manifest,
    long filesReferenced,
    long bytesReferenced,
    long filesWritten,
    long bytesWritten,
    long bytesRead,
    long rowsRewritten,
    int tasksResumed,
    long nanos) {}
