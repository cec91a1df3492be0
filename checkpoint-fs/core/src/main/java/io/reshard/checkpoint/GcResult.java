package io.reshard.checkpoint;

import java.util.List;

/**
 * What garbage collection did, or in a dry run would do.
 *
 * @param keptVersions versions kept
 * @param deletedVersions versions deleted
 * @param deletedObjects names of objects deleted, manifests included
 * @param deletedBytes their bytes
 * @param keptObjects number of objects kept
 * @param youngObjects objects nothing names that are within the grace
 * @param unfinishedTransfers transfers removed that began before the grace and never ended
 */
public record GcResult(
    List<Long> keptVersions,
    List<Long> deletedVersions,
    List<String> deletedObjects,
    long deletedBytes,
    long keptObjects,
    long youngObjects,
    long unfinishedTransfers) {}
