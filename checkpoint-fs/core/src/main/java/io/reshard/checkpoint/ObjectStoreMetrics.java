package io.reshard.checkpoint;

/**
 * What a client of an object store has asked of it since it was opened: what is paid for. Requests
 * are counted as they go over the wire, each attempt of one that was repeated and each part of a
 * large object by itself.
 *
 * @param puts requests that create objects or parts of them
 * @param gets requests that read bytes
 * @param heads requests for size and time of one object
 * @param lists requests for a page of names
 * @param deletes requests that delete objects, or parts of objects that were given up
 * @param retries how many of all these repeated one that had failed
 * @param bytesSent bytes of objects sent
 * @param bytesReceived bytes of objects received
 */
public record ObjectStoreMetrics(
    long puts,
    long gets,
    long heads,
    long lists,
    long deletes,
    long retries,
    long bytesSent,
    long bytesReceived) {
  /** Of a store that makes no requests. */
  public static final ObjectStoreMetrics NONE = new ObjectStoreMetrics(0, 0, 0, 0, 0, 0, 0, 0);

  /** All requests together. */
  public long requests() {
    return puts + gets + heads + lists + deletes;
  }

  /** What was asked since an earlier look. */
  public ObjectStoreMetrics since(ObjectStoreMetrics earlier) {
    return new ObjectStoreMetrics(
        puts - earlier.puts,
        gets - earlier.gets,
        heads - earlier.heads,
        lists - earlier.lists,
        deletes - earlier.deletes,
        retries - earlier.retries,
        bytesSent - earlier.bytesSent,
        bytesReceived - earlier.bytesReceived);
  }
}
